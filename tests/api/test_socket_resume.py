"""Coming back by position: what was missed and no more, or a snapshot where that cannot be known."""

import asyncio
import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.api.socket_stack import Replica, SocketStack, canonical, serving_sockets
from tests.projections.logs import LOGS

TURN = [
    {"type": "turn/start", "turn": 1},
    {"type": "assistant/chunk", "turn": 1, "step": 1, "index": 0, "kind": "text", "text": "hello "},
]
MORE = {"type": "assistant/chunk", "turn": 1, "step": 1, "index": 0, "kind": "text", "text": "world"}
VIEWS: list[dict[str, Any]] = [
    {"kind": "web", "mode": "compact"},
    {"kind": "web", "mode": "normal", "locale": "zh-CN"},
    {"kind": "desktop", "mode": "fully-folded", "thinking": False},
    {"kind": "desktop", "mode": "command-first", "collapse_groups": False, "locale": "zh-CN"},
    {"kind": "desktop", "mode": "flat", "collapse_thinking": False},
    {"kind": "tui", "phase": "hidden", "reasoning": False},
]


async def transcript(service: SocketStack, session: str, view: dict[str, Any]) -> dict[str, object]:
    """What the HTTP side shows of the session now."""
    params = {"view": view["kind"], **{name: value for name, value in view.items() if name != "kind"}}
    response = await service.stack.client.get(f"/v1/sessions/{session}/transcript", params=params)
    assert response.status_code == 200, response.text
    return {name: response.json()[name] for name in ("turns", "session_rows")}


async def held_after_a_while(service: SocketStack) -> Replica:
    """A client that saw a session's beginning and then lost its socket."""
    await service.stack.post("s1", *TURN)
    async with service.socket() as peer:
        await peer.subscribe("a", "s1")
        held = await Replica("a").live(peer)
    await service.stack.post("s1", MORE)
    await service.stack.post("s1", {"type": "turn/end", "turn": 1, "reason": "completed"})
    return held


async def test_a_client_that_comes_back_gets_what_it_missed(tmp_path: Path) -> None:
    """W-2: deltas, `caught_up`, and no snapshot."""
    async with serving_sockets(tmp_path) as service:
        held = await held_after_a_while(service)
        async with service.socket() as peer:
            await peer.subscribe("a", "s1", position=held.position)
            await held.live(peer)
        assert (held.snapshots, held.version) == (1, 3)
        assert canonical(held.held) == canonical(await transcript(service, "s1", VIEWS[0]))


async def test_a_client_that_missed_nothing_is_told_so(tmp_path: Path) -> None:
    """`caught_up` alone: no snapshot, no delta."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await service.stack.post("s1", *TURN)
        await peer.subscribe("a", "s1")
        held = await Replica("a").live(peer)
        await peer.subscribe("b", "s1", position=held.position)
        assert (await peer.next())["type"] == "caught_up"


@pytest.mark.parametrize(
    "position",
    [
        pytest.param({"epoch": "another", "version": 1}, id="another epoch"),
        pytest.param({"epoch": None, "version": 99}, id="a version that is not there yet"),
    ],
)
async def test_a_position_that_does_not_fit_gets_a_snapshot(tmp_path: Path, position: dict[str, Any]) -> None:
    """Never a partial recovery: another history or an unknown version means all of it."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await service.stack.post("s1", *TURN)
        await peer.subscribe("a", "s1")
        held = await Replica("a").live(peer)
        asked = {**position, "epoch": position["epoch"] or held.epoch}
        await peer.subscribe("b", "s1", position=asked)
        assert (await peer.next())["type"] == "snapshot"


async def test_a_hub_that_was_started_later_knows_older_versions(tmp_path: Path) -> None:
    """The versions are found in the log, so a restart of the service costs its clients no snapshot."""
    async with serving_sockets(tmp_path) as service:
        held = await held_after_a_while(service)
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await peer.subscribe("a", "s1", position=held.position)
        await held.live(peer)
        assert (held.snapshots, held.version) == (1, 3)
        assert canonical(held.held) == canonical(await transcript(service, "s1", VIEWS[0]))


@pytest.mark.timeout(180)  # 25 engines and services, one after the other
@settings(
    max_examples=25,
    deadline=None,
    # No shrinking: each example speaks to a running service, and a shrink would take minutes.
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    derandomize=True,
)
@given(data=st.data())
def test_random_sessions_converge_through_real_sockets(data: st.DataObject, tmp_path: Path) -> None:
    """W-1: any session, any batches, any resume points, any texts cut: what is held equals the transcript."""
    log = data.draw(LOGS.filter(len))
    cuts = data.draw(st.lists(st.integers(1, 40), max_size=5))
    leaves = data.draw(st.sets(st.integers(0, 5), max_size=3))
    view = data.draw(st.sampled_from(VIEWS))
    bounds = sorted({0, len(log), *(cut for cut in cuts if cut < len(log))})
    batches = [log[begin:end] for begin, end in itertools.pairwise(bounds)]
    directory = tmp_path / f"case-{len(list(tmp_path.iterdir()))}"
    inline_bytes = data.draw(st.sampled_from([4, 16 * 1024]))
    asyncio.run(_converge(directory, batches, leaves, view, inline_bytes))


async def _converge(
    directory: Path,
    batches: list[list[dict[str, Any]]],
    leaves: set[int],
    view: dict[str, Any],
    inline_bytes: int,
) -> None:
    async with serving_sockets(directory, flush_ms=1, inline_bytes=inline_bytes) as service:
        held = Replica("a")
        live = service.socket()
        peer = await live.__aenter__()
        await peer.subscribe("a", "s", view=view)
        await held.live(peer)
        for number, batch in enumerate(batches):
            if number in leaves:
                await live.__aexit__(None, None, None)
            await service.stack.post("s", *batch)
            if number in leaves:
                live = service.socket()
                peer = await live.__aenter__()
                await peer.subscribe("a", "s", view=view, position=held.position)
            summary = (await service.stack.client.get("/v1/sessions/s")).json()
            await held.until(peer, summary["position"]["version"])
            assert canonical(held.held) == canonical(await transcript(service, "s", view))
        await live.__aexit__(None, None, None)
