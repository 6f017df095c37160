"""Followers of a session over real sockets: snapshot, deltas, views, older turns, the list, and the end."""

import asyncio
from pathlib import Path
from typing import Any

from tests.api.socket_stack import Replica, SocketPeer, SocketStack, canonical, serving_sockets
from tests.waiting import wait_until


def turn_of(number: int, text: str = "hello") -> list[dict[str, object]]:
    """One whole turn: a question and its answer."""
    return [
        {"type": "turn/start", "turn": number},
        {
            "type": "user/message",
            "turn": number,
            "id": f"u{number}",
            "content": [{"type": "text", "text": "?"}],
        },
        {"type": "assistant/message", "turn": number, "step": 1, "blocks": [{"type": "text", "text": text}]},
        {"type": "turn/end", "turn": number, "reason": "completed"},
    ]


def chunk(text: str) -> dict[str, object]:
    """A piece of streamed text."""
    return {"type": "assistant/chunk", "turn": 1, "step": 1, "index": 0, "kind": "text", "text": text}


async def transcript(service: SocketStack, session: str, **params: str) -> dict[str, object]:
    """What the HTTP side shows of the session now."""
    response = await service.stack.client.get(f"/v1/sessions/{session}/transcript", params=params)
    assert response.status_code == 200, response.text
    value = response.json()
    return {"turns": value["turns"], "session_rows": value["session_rows"]}


async def following(peer: SocketPeer, session: str, sub: str = "a") -> Replica:
    """A replica that has its first snapshot."""
    await peer.subscribe(sub, session)
    return await Replica(sub).live(peer)


async def test_a_follower_sees_what_the_transcript_shows(tmp_path: Path) -> None:
    """W-1: the snapshot and every delta after it add up to the transcript over HTTP."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await service.stack.post("s1", *turn_of(1))
        held = await following(peer, "s1")
        assert canonical(held.held) == canonical(await transcript(service, "s1"))
        for number in (2, 3):
            await service.stack.post("s1", *turn_of(number))
            await held.until(peer, number)
            assert canonical(held.held) == canonical(await transcript(service, "s1"))
        assert held.snapshots == 1


async def test_streamed_text_comes_as_appends(tmp_path: Path) -> None:
    """A chunk costs its own text, not the text before it."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await service.stack.post("s1", {"type": "turn/start", "turn": 1}, chunk("hello "))
        await following(peer, "s1")
        await service.stack.post("s1", chunk("world"))
        delta = await peer.next_of("delta")
        assert delta["ops"][0] == {"op": "append", "turn": 1, "key": "step:1:1", "block": 0, "text": "world"}


async def test_a_batch_that_changes_nothing_advances_the_version(tmp_path: Path) -> None:
    """An empty delta tells it within a second, so that a resume does not begin in the past."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await service.stack.post("s1", {"type": "turn/start", "turn": 1}, chunk("x"))
        await following(peer, "s1")
        usage = {"type": "assistant/chunk", "turn": 1, "step": 1, "kind": "usage", "usage": {"n": 1}}
        for version in (2, 3):
            await service.stack.post("s1", usage)
            delta = await peer.next_of("delta")
            assert (delta["to"], version == 2 or not delta["ops"]) == (version, True)


async def test_a_client_may_wait_for_a_session_that_does_not_exist_yet(tmp_path: Path) -> None:
    """It holds an empty transcript at version 0 of no epoch, and starts over when the session appears."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        held = await following(peer, "later")
        assert held.position == {"epoch": "", "version": 0}
        await service.stack.post("later", *turn_of(1))
        await held.until(peer, 1)
        assert held.resets == ["appeared"]
        assert canonical(held.held) == canonical(await transcript(service, "later"))


async def test_another_view_comes_as_a_snapshot_of_a_higher_view_rev(tmp_path: Path) -> None:
    """`set_view` voids the frames of the view before."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await service.stack.post("s1", *turn_of(1))
        await following(peer, "s1")
        await peer.send(type="set_view", sub="a", view={"kind": "web", "mode": "normal"})
        snapshot = await peer.next_of("snapshot")
        assert (snapshot["view_rev"], snapshot["view"]["mode"]) == (2, "normal")
        await service.stack.post("s1", *turn_of(2))
        assert (await peer.next_of("delta"))["view_rev"] == 2


async def test_a_change_of_view_in_mid_stream_shows_the_same_facts_in_another_way(tmp_path: Path) -> None:
    """W-1 across views: each switch gives a snapshot of the present, and deltas of the new view go on from it."""
    views: list[dict[str, Any]] = [
        {"kind": "desktop", "mode": "flat"},
        {"kind": "tui", "phase": "hidden"},
        {"kind": "desktop", "mode": "fully-folded", "thinking": False},
        {"kind": "web", "mode": "compact"},
    ]
    events = [{"type": "turn/start", "turn": 1}, *(_step(number) for number in range(8))]
    async with serving_sockets(tmp_path, flush_ms=1) as service, service.socket() as peer:
        await service.stack.post("s1", events[0])
        held = await following(peer, "s1")
        for number, event in enumerate(events[1:]):
            view = views[number // 2]
            if number % 2 == 0:
                await peer.send(type="set_view", sub="a", view=view)
                await held.live(peer)
            await service.stack.post("s1", event)
            await held.until(peer, number + 2)
            query = {"view": view["kind"], **{name: value for name, value in view.items() if name != "kind"}}
            shown = (await service.stack.client.get("/v1/sessions/s1/transcript", params=query)).json()
            assert canonical(held.held["turns"]) == canonical(shown["turns"])


def _step(number: int) -> dict[str, object]:
    place: dict[str, object] = {"turn": 1, "step": number // 2}
    if number % 2:
        return {"type": "tool/call", "call_id": f"c{number}", "name": "Bash", "input": {}, **place}
    return {"type": "assistant/chunk", "index": 0, "kind": "reasoning", "text": f"thought {number}", **place}


async def test_older_turns_come_before_those_held(tmp_path: Path) -> None:
    """A resumed window grows backwards, page by page, to the whole history."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        for number in range(1, 6):
            await service.stack.post("s1", *turn_of(number))
        whole = await transcript(service, "s1")
        first = await following(peer, "s1")
        window = Replica("b", held={"turns": first.held["turns"][3:], "session_rows": []})
        window.epoch, window.version = first.epoch, first.version
        await peer.subscribe("b", "s1", position=window.position, from_turn=4)
        await window.live(peer)
        for complete in (False, True):
            await peer.send(type="load_earlier", sub="b", limit=2)
            window.take(await peer.next_of("earlier", sub="b"))
            assert window.history_complete is complete
        assert canonical(window.held) == canonical(whole)


async def test_a_window_gets_no_ops_of_turns_that_it_does_not_hold(tmp_path: Path) -> None:
    """A late event of an old turn reaches those who hold that turn; the others are told the version."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await service.stack.post("s1", *turn_of(1), *turn_of(2))
        held = await following(peer, "s1")
        await peer.subscribe("b", "s1", position=held.position, from_turn=2)
        await peer.next_of("caught_up", sub="b")
        late = {"type": "notice", "turn": 1, "id": "n", "level": "info", "text": "late"}
        await service.stack.post("s1", late)
        whole, window = await peer.next_of("delta", sub="a"), await peer.next_of("delta", sub="b")
        assert "n" in canonical(whole["ops"]).decode()
        assert (window["from"], window["to"], window["ops"]) == (1, 2, [])


async def test_a_deleted_session_ends_its_subscriptions(tmp_path: Path) -> None:
    """`gone` is final, for followers and for whoever asks later; the name is free again."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await service.stack.post("s1", *turn_of(1))
        await following(peer, "s1")
        assert (await service.stack.client.delete("/v1/sessions/s1")).status_code < 300
        first = await peer.next_of("error")
        assert (first["code"], first["sub"], first["retry"]) == ("gone", "a", False)
        await peer.subscribe("a", "s1")
        assert (await peer.next_of("error"))["code"] == "gone"


async def test_the_list_of_sessions_is_live(tmp_path: Path) -> None:
    """First whole, then the entries that changed, then the names of those that are gone."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await service.stack.post("s1", *turn_of(1))
        await peer.send(type="subscribe_sessions", sub="list")
        first = await peer.next_of("sessions")
        assert (first["whole"], [one["session"] for one in first["sessions"]]) == (True, ["s1"])
        await service.stack.post("s2", *turn_of(1))
        then = await peer.next_of("sessions")
        assert (then["whole"], [one["session"] for one in then["sessions"]]) == (False, ["s2"])
        await service.stack.client.delete("/v1/sessions/s1")
        assert (await peer.next_of("sessions"))["gone"] == ["s1"]


async def test_a_great_session_comes_in_parts(tmp_path: Path) -> None:
    """Parts are bounded in bytes; joined they are the transcript, a turn cut over two parts included."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        rows = [
            {"type": "notice", "turn": 1, "id": f"n{number}", "level": "info", "text": "x" * 20_000}
            for number in range(40)
        ]
        await service.stack.post("s1", {"type": "turn/start", "turn": 1}, *rows)
        await peer.subscribe("a", "s1")
        held, parts = Replica("a"), []
        while not held.snapshots:
            message = await peer.next()
            parts.append(len(canonical(message)))
            held.take(message)
        assert len(parts) > 1
        assert max(parts) < 300_000
        assert canonical(held.held) == canonical(await transcript(service, "s1"))


async def test_rows_of_no_turn_come_in_parts_too(tmp_path: Path) -> None:
    """A session of notices alone has no turn to cut."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        text = "x" * 16_000
        await service.stack.post(
            "s1", *({"type": "notice", "id": f"n{at}", "level": "info", "text": text} for at in range(40))
        )
        await peer.subscribe("a", "s1")
        held, sizes = Replica("a"), []
        while not held.snapshots:
            message = await peer.next()
            sizes.append(len(canonical(message)))
            held.take(message)
        assert len(sizes) > 1
        assert max(sizes) < 300_000
        assert canonical(held.held) == canonical(await transcript(service, "s1"))


def great_turn(number: int, calls: int = 3_000) -> list[dict[str, object]]:
    """A closed turn of many calls, whose answer hides them all."""
    start, question, answer, end = turn_of(number)
    work = [
        {
            "type": "tool/call",
            "turn": number,
            "step": 1,
            "call_id": f"{number}-{at}",
            "name": "read",
            "input": {},
        }
        for at in range(calls)
    ]
    return [start, question, *work, {**answer, "step": 2}, end]


async def test_a_great_turn_tells_its_presentation_once(tmp_path: Path) -> None:
    """Its rows are spread over parts; the members, which name them all, come with the first."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await service.stack.post("s1", *great_turn(1))
        await peer.subscribe("a", "s1")
        held, turns = Replica("a"), []
        while not held.snapshots:
            message = await peer.next()
            turns.extend(message["turns"])
            held.take(message)
        assert len(turns) > 1
        assert [turn["presentation"] is None for turn in turns] == [False] + [True] * (len(turns) - 1)
        assert canonical(held.held) == canonical(await transcript(service, "s1"))


async def test_an_older_turn_that_is_too_great_comes_in_parts(tmp_path: Path) -> None:
    """The one question is answered by several frames, joined as a snapshot's are."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await service.stack.post("s1", *great_turn(1), *turn_of(2))
        first = await following(peer, "s1")
        window = Replica("b", held={"turns": first.held["turns"][-1:], "session_rows": []})
        window.epoch, window.version = first.epoch, first.version
        await peer.subscribe("b", "s1", position=window.position, from_turn=2)
        await window.live(peer)
        await peer.send(type="load_earlier", sub="b", limit=20)
        sizes = []
        while not window.history_complete:
            message = await peer.next_of("earlier", sub="b")
            sizes.append(len(canonical(message)))
            window.take(message)
        assert len(sizes) > 1
        assert max(sizes) < 300_000
        whole = await transcript(service, "s1", limit="2")
        assert canonical(window.held) == canonical(whole)


async def test_a_great_delta_comes_in_several_frames(tmp_path: Path) -> None:
    """All but the last leave the version where it was, and together they are what changed."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await service.stack.post("s1", {"type": "turn/start", "turn": 1})
        held = await following(peer, "s1")
        rows = (
            {"type": "notice", "turn": 1, "id": f"n{at}", "level": "info", "text": "x" * 10_000}
            for at in range(60)
        )
        await service.stack.post("s1", *rows)
        deltas = []
        while held.version < 2:
            deltas.append(await peer.next_of("delta"))
            held.take(deltas[-1])
        assert len(deltas) > 1
        assert max(len(canonical(delta)) for delta in deltas) < 300_000
        assert [delta["to"] for delta in deltas] == [1] * (len(deltas) - 1) + [2]
        assert held.resets == []
        assert canonical(held.held) == canonical(await transcript(service, "s1"))


async def test_a_client_that_does_not_read_skips_to_a_fresh_snapshot(tmp_path: Path) -> None:
    """W-4: what it did not read is bounded; another client of the same session is not slowed."""
    async with (
        serving_sockets(tmp_path, flush_ms=1) as service,
        service.socket() as slow,
        service.socket() as fast,
    ):
        await service.stack.post("s1", {"type": "turn/start", "turn": 1}, chunk("x"))
        idle, held = await following(slow, "s1"), await following(fast, "s1")
        slow.connection.transport.pause_reading()
        for number in range(120):
            await service.stack.post("s1", chunk("y" * 100_000))
            await held.until(fast, number + 2)
        slow.connection.transport.resume_reading()
        await idle.until(slow, 121)
        assert idle.resets == ["slow"]
        assert canonical(idle.held) == canonical(held.held) == canonical(await transcript(service, "s1"))


async def test_a_drain_warns_before_it_closes(tmp_path: Path) -> None:
    """W-5: `drain` says when to come back, and the close code that coming back is right."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        draining = asyncio.create_task(service.live.drain(within_s=2))
        assert (await peer.next_of("drain"))["reconnect_after_ms"] >= 0
        assert await peer.closed_with() == 4000
        await draining


async def test_a_socket_that_closes_is_forgotten(tmp_path: Path) -> None:
    """Nothing of a client stays behind: its socket, its subscriptions."""
    async with serving_sockets(tmp_path) as service:
        async with service.socket() as peer:
            await following(peer, "s1")
            assert service.live.socket_count == 1
        await wait_until(lambda: service.live.socket_count == 0, "the socket is forgotten")
