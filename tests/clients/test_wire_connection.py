"""The Python client on a running service: it comes back by position after every loss, and says how it is."""

import asyncio
import json
from pathlib import Path

import jwt
import pytest

from api.codes import CLOSES
from api.codes import may_reconnect as service_says
from clients.wire.address import WireError, address_of
from clients.wire.backoff import FIRST_S, LONGEST_S, BackOff
from clients.wire.connection import may_reconnect
from clients.wire.messages import NotOursError, Snapshot, decode_frame
from clients.wire.service import reaching
from clients.wire.subscription import Prepended, Subscription
from tests.api.socket_stack import serving_sockets
from tests.api.stack import SECRET
from tests.clients.wire_service import VIEW, Event, following, process
from tests.waiting import wait_until

START: Event = {"type": "turn/start", "turn": 1}


def chunk(text: str, turn: int = 1) -> Event:
    """A piece of streamed text."""
    return {"type": "assistant/chunk", "turn": turn, "step": 1, "index": 0, "kind": "text", "text": text}


def whole_turn(turn: int) -> list[Event]:
    """A turn with an answer."""
    block = {"type": "text", "text": f"answer {turn};"}
    return [
        {"type": "turn/start", "turn": turn},
        {"type": "assistant/message", "turn": turn, "step": 1, "blocks": [block]},
        {"type": "turn/end", "turn": turn, "reason": "completed"},
    ]


async def test_text_streams_and_only_the_first_comes_as_a_snapshot(tmp_path: Path) -> None:
    """W-2 on the client's side."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s", START, chunk("one "))
        async with following(f"http://127.0.0.1:{service.port}", "s") as client:
            await client.reads("one ")
            await service.stack.post("s", chunk("two"))
            await client.reads("one two")
            assert client.snapshots == 1
            assert [link.name for link in client.links] == ["connecting", "open"]


async def test_a_killed_service_is_waited_for_and_resumed_by_position(tmp_path: Path) -> None:
    """`kill -9`, engine included: said as a loss with its time, never as an end; no second snapshot, nothing twice."""
    async with process(tmp_path / "data") as service:
        await service.append("s", START, chunk("before "))
        async with following(service.url, "s") as client:
            await client.reads("before ")
            await service.kill()
            await client.is_linked("waiting")
            assert client.subscription.state == "live"
            assert client.text() == "before "
            assert client.subscription.held.turns[0].facts["status"] == "open"
            await service.start()
            await service.append("s", chunk("after"))
            await client.reads("before after")
            assert client.snapshots == 1
            assert client.links[-1].name == "open"


async def test_a_service_that_stops_names_the_time_to_come_back(tmp_path: Path) -> None:
    """`drain`, then 4000: the wait is the named one, and the position holds."""
    async with process(tmp_path / "data", TURNFOLD_DRAIN_WINDOW_MS="400") as service:
        await service.append("s", START, chunk("a"))
        async with following(service.url, "s") as client:
            await client.reads("a")
            await service.stop()
            await client.is_linked("waiting")
            await service.start()
            await service.append("s", chunk("b"))
            await client.reads("ab")
            assert client.snapshots == 1


async def test_a_wiped_history_comes_as_a_snapshot(tmp_path: Path) -> None:
    """Another epoch: an old position never resumes wrongly."""
    async with process(tmp_path / "one") as service:
        await service.append("s", START, chunk("old"))
        async with following(service.url, "s") as client:
            await client.reads("old")
            await service.kill()
            async with process(tmp_path / "two", TURNFOLD_PORT=service.url.rpartition(":")[2]) as other:
                await other.append("s", START, chunk("new"))
                await client.reads("new")
                assert client.snapshots > 1


async def test_a_session_that_is_not_there_yet_appears(tmp_path: Path) -> None:
    """Empty at first, then a reset and a snapshot."""
    async with (
        serving_sockets(tmp_path) as service,
        following(f"http://127.0.0.1:{service.port}", "later") as client,
    ):
        await wait_until(lambda: client.subscription.state == "live", "the empty session is there")
        await service.stack.post("later", START, chunk("now"))
        await client.reads("now")


async def test_a_deleted_session_ends_it(tmp_path: Path) -> None:
    """`gone` is final, and what was read stays."""
    async with process(tmp_path / "data") as service:
        await service.append("s", START, chunk("a"))
        async with following(service.url, "s") as client:
            await client.reads("a")
            assert (await service.delete("s")).is_success
            await client.is_linked("ended")
            assert (client.subscription.state, client.subscription.code) == ("ended", "gone")
            assert client.text() == "a"


async def test_a_token_that_is_refused_is_final(tmp_path: Path) -> None:
    """4500: nobody comes back by himself with the same token."""
    async with serving_sockets(tmp_path, secret=SECRET) as service:
        async with following(f"http://127.0.0.1:{service.port}", "s", token="nonsense") as client:
            await client.is_linked("ended")
        good = jwt.encode({"sub": "r", "scope": "read", "sessions": ["*"]}, SECRET, algorithm="HS256")
        async with following(f"http://127.0.0.1:{service.port}", "s", token=good) as client:
            await client.is_linked("open")


async def test_another_view_of_the_same_session_comes_at_once(tmp_path: Path) -> None:
    """`set_view`: frames of the old view are void, and a lost connection comes back in the new one."""
    async with process(tmp_path / "data") as service:
        await service.append("s", START, chunk("a"))
        async with following(service.url, "s") as client:
            await client.reads("a")
            hidden = {**VIEW, "phase": "hidden"}
            client.connection.send(client.subscription.set_view(hidden))
            await wait_until(lambda: client.subscription.shown == hidden, "the other view is shown")
            await service.append("s", chunk("b"))
            await client.reads("ab")
            await service.kill()
            await client.is_linked("waiting")
            client.subscription.set_view(VIEW)
            await service.start()
            await wait_until(
                lambda: client.subscription.shown == VIEW,
                "the view asked for meanwhile is shown",
                within_s=30,
            )
            assert client.text() == "ab"


async def test_earlier_turns_come_before_those_held(tmp_path: Path) -> None:
    """F-3: page by page up to the beginning, in order, and a live delta meanwhile finds its place."""
    async with serving_sockets(tmp_path) as service:
        for turn in range(1, 2_101, 100):
            await service.stack.post(
                "s", *(event for one in range(turn, turn + 100) for event in whole_turn(one))
            )
        async with following(f"http://127.0.0.1:{service.port}", "s") as client:
            await wait_until(lambda: client.subscription.state == "live", "the tail is there")
            held = client.subscription.held

            def is_whole() -> bool:
                return client.subscription.history_complete

            assert not is_whole()
            assert held.turns[len(held.turns) - 1].number == 2_100
            while not is_whole():
                count = sum(isinstance(one, Prepended) for one in client.told)
                assert client.connection.send(client.subscription.load_earlier(500))
                assert client.subscription.load_earlier() is None
                await wait_until(
                    lambda before=count: sum(isinstance(one, Prepended) for one in client.told) > before,
                    "older turns are there",
                )
            assert [turn.number for turn in held.turns] == list(range(1, 2_101))
            await service.stack.post("s", {"type": "turn/start", "turn": 2_101}, chunk("end", 2_101))
            await wait_until(lambda: client.text().endswith("answer 2100;end"), "the newest turn streams")


async def test_a_stranger_is_told_in_one_line() -> None:
    """Something else answers there, or nobody, or it is no address."""
    for url in ("nonsense", "ftp://x", "http://", "http://x y", "http://x:99999"):
        with pytest.raises(WireError, match="is not an address"):
            address_of(url)
    async with reaching(address_of("http://127.0.0.1:1")) as service:
        with pytest.raises(WireError, match="does not answer"):
            await service.knows("s")

    async def stranger(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(stranger, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        async with reaching(address_of(f"http://127.0.0.1:{port}")) as service:
            with pytest.raises(WireError, match="is no Turnfold service"):
                await service.window("s", VIEW, None)


def test_what_is_no_message_says_so() -> None:
    """And a message of a later version is passed over."""
    for raw in (b"\xff", "[]", "{", '{"type": 1}', '{"type": "delta", "ops": 3}', "[" * 5000):
        with pytest.raises(NotOursError):
            decode_frame(raw)
    assert decode_frame('{"type": "of/tomorrow", "more": 1}') is None


def test_a_frame_that_cannot_be_understood_is_no_crash() -> None:
    """A row without a key, from whoever answers there."""
    subscription = Subscription("s", VIEW)
    subscription.subscribe()
    raw = {
        "type": "snapshot", "sub": subscription.sub, "view_rev": 0, "position": {"epoch": "e", "version": 1},
        "view": VIEW, "history_complete": True, "turns": [{"turn": 1, "rows": [{}]}], "part": 0, "last": True,
    }  # fmt: skip
    frame = decode_frame(json.dumps(raw))
    assert isinstance(frame, Snapshot)
    with pytest.raises(NotOursError):
        list(subscription.receive(frame))


def test_close_codes_are_judged_as_the_service_means_them() -> None:
    """W-5: one table; its numbers say what to do."""
    for code in (*CLOSES, 1000, 1006, 1011, 4499, 4999, 5000):
        assert may_reconnect(code) is service_says(code)


def test_waits_grow_up_to_a_bound_and_start_over() -> None:
    """Full jitter under a bound that doubles; a named time goes before it, once."""
    back_off = BackOff(lambda: 1.0)
    waits = [back_off.next_s() for _ in range(10)]
    assert waits[:3] == [FIRST_S, 2 * FIRST_S, 4 * FIRST_S]
    assert waits[-1] == LONGEST_S
    back_off.name(3.5)
    assert [back_off.next_s(), back_off.next_s()] == [3.5, LONGEST_S]
    back_off.reset()
    assert back_off.next_s() == FIRST_S
    assert 0 <= BackOff().next_s() < FIRST_S
