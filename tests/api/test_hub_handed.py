"""What this process committed itself reaches followers without a read of the log; anything else is read as ever."""

from itertools import count
from pathlib import Path

import pytest

from api.hub_handed import MOST_WAITING_BYTES, Handed, HandedBatch
from service.stored import LogPage
from tests.api.socket_stack import SocketStack, canonical, serving_sockets
from tests.api.test_socket_live import chunk, following, transcript, turn_of


def batch(first_seq: int, *events: bytes, epoch: str = "e") -> HandedBatch:
    """A confirmed batch."""
    return HandedBatch(epoch=epoch, version=first_seq, first_seq=first_seq, events=events or (b"x",))


def test_batches_that_continue_the_fold_are_taken_once() -> None:
    """In their order; the ones that the fold already holds are let go."""
    handed = Handed()
    for one in (batch(3), batch(4, b"y", b"z"), batch(6)):
        handed.put(one)
    assert [one.first_seq for one in handed.take("e", 4)] == [4, 6]
    assert not handed.take("e", 7)


@pytest.mark.parametrize(
    ("batches", "taken"),
    [
        ([batch(5), batch(6)], []),
        ([batch(4), batch(6)], [4]),
        ([batch(4, epoch="another")], []),
        ([batch(3, b"x", b"y"), batch(5)], []),
    ],
    ids=["begins behind a hole", "a hole within", "another history", "begins within what is held"],
)
def test_behind_a_hole_nothing_is_taken(batches: list[HandedBatch], taken: list[int]) -> None:
    """The log has what is missing; a guess would break the history."""
    handed = Handed()
    for one in batches:
        handed.put(one)
    assert [one.first_seq for one in handed.take("e", 4)] == taken


def test_what_waits_is_bounded() -> None:
    """A session that nobody can flush does not grow; what comes after the bound leaves a hole, so the log is read."""
    handed = Handed()
    great = b"x" * (MOST_WAITING_BYTES // 2)
    for number in range(3):
        handed.put(batch(4 + number, great))
    assert not handed.take("e", 4)
    handed.put(batch(7))
    assert [one.first_seq for one in handed.take("e", 7)] == [7]


async def _reads_while_streaming(service: SocketStack, monkeypatch: pytest.MonkeyPatch) -> int:
    """Follow a session through a stream of 20 chunks, compare with the transcript, and count reads of its log."""
    reads: list[int] = []
    reader = service.stack.parts.reader
    read_log = type(reader).read_log

    async def counting(self: object, session: str, after_seq: int, limit: int) -> LogPage:
        reads.append(after_seq)
        return await read_log(self, session, after_seq, limit)  # type: ignore[arg-type]  # bound to a class, not a protocol

    async with service.socket() as peer:
        await service.stack.post("s1", {"type": "turn/start", "turn": 1}, chunk("x"))
        held = await following(peer, "s1")
        monkeypatch.setattr(type(reader), "read_log", counting)
        for version in range(2, 22):
            await service.stack.post("s1", chunk("x"), wait=False)
            await held.until(peer, version)
        monkeypatch.undo()
        assert canonical(held.held) == canonical(await transcript(service, "s1"))
    return len(reads)


async def test_own_commits_are_not_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The projector of the same process hands its events on: a follower costs the store no read.

    Now and then the feed's answer overtakes the commit's, and the log is read after all, where no flush is put off:
    here all but the first are.
    """
    async with serving_sockets(tmp_path, flush_ms=200) as service:
        assert await _reads_while_streaming(service, monkeypatch) < 10


async def test_commits_of_another_process_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The change feed alone is enough, and everything still arrives: one read a flush at least."""
    async with serving_sockets(tmp_path, projects_itself=False) as service:
        assert await _reads_while_streaming(service, monkeypatch) >= 20


async def test_a_commit_that_was_not_handed_on_is_no_hole(tmp_path: Path) -> None:
    """As after a lost reply: every second commit is told by the feed alone, and all of them arrive."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        tell, tells = service.stack.told.pop(), count()
        service.stack.told.append(lambda commit: None if next(tells) % 2 else tell(commit))
        await service.stack.post("s1", *turn_of(1))
        held = await following(peer, "s1")
        for number in range(2, 12):
            await service.stack.post("s1", *turn_of(number), wait=False)
        last = await service.stack.post("s1", *turn_of(12))
        await held.until(peer, last.json()["position"]["version"])
        assert canonical(held.held) == canonical(await transcript(service, "s1"))
