"""Long work on the loop: everybody else gets a turn, and a session stands still for whoever reads it meanwhile."""

import asyncio
from pathlib import Path
from typing import TypeVar

import pytest

from api import unhurried
from api.hub_channels import Channels
from api.unhurried import unhurried as worked_off
from projections import presenter
from projections.session import SessionFold
from projections.slices import Slices
from tests.api.socket_stack import Replica, SocketPeer, SocketStack, canonical, serving_sockets

_Result = TypeVar("_Result")
STEPS = 300
Event = dict[str, object]


def step_of(number: int) -> list[Event]:
    """A step: reasoning, a call and its result."""
    place = {"turn": 1, "step": number}
    return [
        {"type": "assistant/message", **place, "blocks": [{"type": "reasoning", "text": "hm"}]},
        {"type": "tool/call", **place, "call_id": f"c{number}", "name": "read", "input": {}},
        {"type": "tool/result", "call_id": f"c{number}", "status": "ok", "output": "out"},
    ]


@pytest.fixture
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every rest gives the loop a turn, so that whatever can come in between does."""
    monkeypatch.setattr(unhurried, "SLICE_S", 0.0)


@pytest.mark.usefixtures("short_slices")
async def test_others_get_a_turn_at_every_rest() -> None:
    """Ten rests, ten turns for somebody else."""
    done: list[str] = []

    def work() -> Slices[int]:
        for _ in range(10):
            done.append("mine")
            yield
        return 7

    async def other() -> None:
        while True:
            done.append("theirs")
            await asyncio.sleep(0)

    beside = asyncio.create_task(other())
    assert await worked_off(work()) == 7
    beside.cancel()
    assert [one for one, before in zip(done[1:], done, strict=False) if one == before] == []


async def follow(service: SocketStack, peer: SocketPeer, mode: str) -> None:
    """Follow the session until its turn is over, and hold what the HTTP side shows of it."""
    await peer.subscribe("a", "s1", view={"kind": "desktop", "mode": mode})
    held = await Replica("a").live(peer)
    while held.held["turns"][0]["status"] == "open":
        held.take(await peer.next())
    shown = await service.stack.client.get(f"/v1/sessions/s1/transcript?view=desktop&mode={mode}")
    await held.until(peer, shown.json()["position"]["version"])
    assert canonical(held.held) == canonical({name: shown.json()[name] for name in held.held})


@pytest.mark.usefixtures("short_slices")
async def test_a_great_turn_is_the_same_for_all_who_come_while_it_grows(tmp_path: Path) -> None:
    """Snapshots are made in slices while events come and others of the same view leave in the middle of theirs."""
    async with serving_sockets(tmp_path) as service:
        post = service.stack.post
        await post(
            "s1", {"type": "turn/start", "turn": 1}, *(one for at in range(STEPS) for one in step_of(at))
        )
        async with (
            service.socket() as first,
            service.socket() as second,
            service.socket() as third,
            asyncio.TaskGroup() as tasks,
        ):
            for peer, mode in ((first, "flat"), (second, "flat"), (third, "fully-folded")):
                tasks.create_task(follow(service, peer, mode))
            for number in range(STEPS, STEPS + 10):
                async with service.socket() as leaving:
                    await leaving.subscribe("a", "s1", view={"kind": "desktop", "mode": "flat"})
                await post("s1", *step_of(number))
            await post("s1", {"type": "turn/end", "turn": 1, "reason": "completed"})


async def change_after_the_end(service: SocketStack, peer: SocketPeer) -> None:
    """Follow a great turn that is over, in a view that nothing was told of it; it changes once more."""
    steps = (one for at in range(STEPS) for one in step_of(at))
    ended = {"type": "turn/end", "turn": 1, "reason": "completed"}
    await service.stack.post("s1", {"type": "turn/start", "turn": 1}, *steps, ended)
    await peer.subscribe("a", "s1", view={"kind": "desktop", "mode": "flat"})
    held = await Replica("a").live(peer)
    await service.stack.post("s1", *step_of(STEPS))
    shown = (await service.stack.client.get("/v1/sessions/s1/transcript?view=desktop&mode=flat")).json()
    await held.until(peer, shown["position"]["version"])
    assert canonical(held.held) == canonical({name: shown[name] for name in held.held})


@pytest.mark.usefixtures("short_slices")
async def test_a_turn_that_changes_after_its_end_is_told_in_slices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told whole; what is made at once when it is published does not grow with the turn."""
    rests = []

    def counted(work: Slices[_Result]) -> _Result:
        count = 0
        while True:
            try:
                next(work)
            except StopIteration as done:
                rests.append(count)
                result: _Result = done.value
                return result
            count += 1

    monkeypatch.setattr(presenter, "finished", counted)
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await change_after_the_end(service, peer)
    assert set(rests) == {0}


async def test_a_change_is_published_when_whoever_made_it_ready_is_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half way: what the fold holds is always what the followers were sent (W-2)."""

    async def cancelled(_channels: Channels, _fold: SessionFold) -> None:
        raise asyncio.CancelledError

    monkeypatch.setattr(Channels, "prepare", cancelled)
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await change_after_the_end(service, peer)
