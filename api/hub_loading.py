"""Hub stage, loading: a session's fold out of its saved state and the tail of its log, in slices.

1. The log is the truth; a saved state only shortens the way, and one of another format is left aside.
2. Folding a long log would hold the event loop, so it is shared out (`unhurried.py`).
3. Two reads may see two commits. The epoch is read before and after, and a load that straddled a change of
   epoch starts again, so that a fold never mixes two histories.
4. A fold that raises is a bug: the session stops there for this process (`FoldBroken`), and no other does
   (R-9).
"""

from collections.abc import Sequence

import msgspec

from api.hub_handed import HandedBatch
from api.unhurried import Pace
from projections.decode import decode_event
from projections.errors import SavedStateError
from projections.saved import SAVED_FORMAT, restoring
from projections.session import SessionFold
from service.keys import SessionId
from service.ports import Reader
from service.stored import LogBatch, SavedState

# Batches read at once: a batch of the projector's backlog holds at most 8,000 events.
BATCHES_PER_READ = 16
# A repair or rebuild changes the epoch once; a load that meets three changes is in a loop.
_MAX_ATTEMPTS = 3
# How many versions a client can come back from. Each costs two numbers, and only for sessions in use.
RETAINED_VERSIONS = 4096
# How many events are folded between two looks at the clock.
_EVENTS_PER_LOOK = 64


class FoldBroken(Exception):
    """The fold raised at `seq` of `session`; reaction: stop this session here, loudly, and report the bug."""

    def __init__(self, session: str, seq: int) -> None:
        super().__init__(f"the fold of session {session!r} raised at seq {seq}; it stands still there")
        self.session = session
        self.seq = seq


class HistoryChanged(Exception):
    """The log does not go on where the fold ends: it is another history; reaction: load the session again."""

    def __init__(self, session: str) -> None:
        super().__init__(f"the log of session {session!r} does not continue the one that was folded")
        self.session = session


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """A session at a version; a session that does not exist is empty at version 0 of the epoch ``""``."""

    epoch: str
    version: int
    fold: SessionFold
    ends: tuple[tuple[int, int], ...]
    """(version, next seq) of each batch that was read, oldest first."""


class KnownVersions:
    """Where each recent version of one session ends, for clients that come back (W-2)."""

    __slots__ = ("_next_seqs", "_reader", "_session")

    def __init__(self, session: SessionId, reader: Reader) -> None:
        self._session = session
        self._reader = reader
        self._next_seqs = {0: 0}

    def add(self, ends: Sequence[tuple[int, int]]) -> None:
        """Note (version, next seq) of batches, oldest first; the oldest beyond the bound are forgotten."""
        self._next_seqs.update(ends)
        while len(self._next_seqs) > RETAINED_VERSIONS:
            del self._next_seqs[next(iter(self._next_seqs))]

    async def next_seq_of(self, version: int, present: int) -> int | None:
        """Return the first seq that `version` does not hold; None where it is too far behind `present`."""
        if version not in self._next_seqs and present - version < RETAINED_VERSIONS:
            found = await self._reader.log_versions(self._session, version - 1, RETAINED_VERSIONS)
            known = {end.version: end.last_seq + 1 for end in found}
            self._next_seqs = {**known, **self._next_seqs}
        return self._next_seqs.get(version)


async def load(reader: Reader, session: SessionId) -> Loaded:
    """Load a session as it is now; raises FoldBroken, and what the reader raises."""
    for _ in range(_MAX_ATTEMPTS):
        before = await reader.summary(session)
        if before is None:
            return Loaded(epoch="", version=0, fold=SessionFold(), ends=())
        state = await reader.load_state(session)
        fold = await restored(state)
        ends = [] if state is None or not fold.next_seq else [(state.version, state.next_seq)]
        await fold_on(reader, session, fold, ends)
        after = await reader.summary(session)
        if after is not None and after.epoch == before.epoch:
            fold.drain()
            return Loaded(epoch=after.epoch, version=ends[-1][0] if ends else 0, fold=fold, ends=tuple(ends))
    raise HistoryChanged(session)


async def load_at(reader: Reader, session: SessionId, seq: int) -> SessionFold:
    """Fold a session up to and with `seq`: time travel. Raises FoldBroken, and what the reader raises."""
    state = await reader.load_state(session)
    fold = await restored(state if state is not None and state.next_seq <= seq + 1 else None)
    await fold_on(reader, session, fold, [], until_seq=seq)
    return fold


async def restored(state: SavedState | None) -> SessionFold:
    """Return the fold of a saved state; a fresh one where there is none, or none that this version reads."""
    fold = SessionFold()
    if state is None or state.projection != SAVED_FORMAT:
        return fold
    clock = Pace()
    try:
        for growing in restoring(state.head, state.turns):
            fold = growing
            await clock.breathe()
    except SavedStateError:
        return SessionFold()  # the log holds everything
    return fold


async def fold_on(
    reader: Reader,
    session: SessionId,
    fold: SessionFold,
    ends: list[tuple[int, int]],
    *,
    until_seq: int | None = None,
) -> None:
    """Fold what the log holds beyond the fold; add (version, next seq) of each batch to `ends`.

    `ends` is true also when this raises. With `until_seq` it stops behind that event, in mid-batch.
    Raises HistoryChanged, FoldBroken, and what the reader raises.
    """
    clock = Pace()
    while until_seq is None or fold.next_seq <= until_seq:
        page = await reader.read_log(session, fold.next_seq - 1, BATCHES_PER_READ)
        for batch in page.batches:
            await _fold_batch(session, fold, batch, until_seq, clock)
            ends.append((batch.version, batch.first_seq + len(batch.events)))
        if not page.more:
            break


async def fold_handed(
    session: SessionId, fold: SessionFold, batches: Sequence[HandedBatch], ends: list[tuple[int, int]]
) -> None:
    """Fold batches that continue the fold; `ends` and errors as in `fold_on`, but that nothing is read."""
    clock = Pace()
    for batch in batches:
        await _fold_batch(session, fold, batch, None, clock)
        ends.append((batch.version, batch.first_seq + len(batch.events)))


async def _fold_batch(
    session: SessionId,
    fold: SessionFold,
    batch: LogBatch | HandedBatch,
    until_seq: int | None,
    clock: Pace,
) -> None:
    if batch.first_seq > fold.next_seq:
        raise HistoryChanged(session)
    for seq, raw in enumerate(batch.events, batch.first_seq):
        if seq < fold.next_seq:
            continue
        if until_seq is not None and seq > until_seq:
            return
        try:
            fold.apply(seq, decode_event(raw))
        except Exception as bug:
            raise FoldBroken(session, seq) from bug
        if seq % _EVENTS_PER_LOOK == 0:
            await clock.breathe()
