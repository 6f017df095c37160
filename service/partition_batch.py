"""Stages 2 to 4 for one partition: a batch of entries becomes a commit.

Entries are folded session by session, which is twice as fast as in their order, and in slices, so that
whatever else lives in the process gets its turn. Sessions are independent; each one's own order is kept.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

import structlog
from msgspec import Struct

from projections.errors import SavedStateError
from service.keys import SessionId, is_session_id
from service.live_session import LiveSession, Pending
from service.ports import Clock, Store
from service.session_cache import SessionCache
from service.stored import (
    NO_SESSION,
    Checkpoint,
    Commit,
    EntryId,
    IngestEntry,
    Quarantined,
    StoredSession,
)

_log = structlog.get_logger(__name__)
_LOADS_PER_CALL = 200
# Turns that a cold start restores before others get the event loop: some milliseconds.
_TURNS_PER_SLICE = 64
_LOG_BATCHES_PER_CALL = 200
_Entries = list[tuple[bytes, bytes]]


class FoldLimits(Struct, frozen=True, kw_only=True):
    """What a partition's folds may take.

    Attributes:
        most_sessions, most_cached_bytes: bounds of the folds in memory.
        slice_count: events folded before others get the event loop.
        save_first_bytes: log bytes before a session's first save.
        keep_count: consumed entries that stay in the ingest stream (R-10).
    """

    most_sessions: int = 4_000
    most_cached_bytes: int = 512 * 1024 * 1024
    slice_count: int = 500
    save_first_bytes: int = 64 * 1024
    keep_count: int = 10_000


class Batch(Struct, frozen=True):
    """A commit and the sessions in memory that it was made from."""

    commit: Commit
    touched: tuple[tuple[bytes, LiveSession], ...]
    entry_count: int


class BatchFolder:
    """The folds of one partition; used by one task."""

    def __init__(
        self, store: Store, partition: int, clock: Clock, limits: FoldLimits, make_epoch: Callable[[], str]
    ) -> None:
        self._store = store
        self._partition = partition
        self._clock = clock
        self._limits = limits
        self._make_epoch = make_epoch
        self._cache = SessionCache(limits.most_sessions, limits.most_cached_bytes)
        self._gone: dict[bytes, None] = {}
        self._lost_count = -1
        self._committed: deque[tuple[int, EntryId]] = deque()

    def reset(self, checkpoint: Checkpoint) -> None:
        """Trust nothing in memory."""
        self._cache.clear()
        self._gone.clear()
        self._committed.clear()
        self._lost_count = checkpoint.lost_count

    def drop(self, batch: Batch) -> None:
        """The batch was not committed: forget the sessions that it changed."""
        self._cache.drop(session for session, _ in batch.touched)

    def confirm(self, batch: Batch) -> None:
        """The batch was committed: its sessions are the most recently used."""
        for session, live in batch.touched:
            self._cache.keep(session, live)
        self._cache.evict()
        self._committed.append((batch.commit.consumed_count, batch.commit.new_id))

    async def fold(self, entries: Sequence[IngestEntry], checkpoint: Checkpoint) -> Batch:
        """Fold the entries and build the commit from `checkpoint` to the last of them."""
        groups, quarantined = _grouped(entries)
        lives = await self._lives(groups)
        pendings: list[tuple[LiveSession, Pending]] = []
        dropped_count = folded = 0
        for session, group in groups.items():
            live = lives.get(session)
            if live is None:
                dropped_count += len(group)
                continue
            pending = live.open_batch()
            for start in range(0, len(group), self._limits.slice_count):
                part = group[start : start + self._limits.slice_count]
                live.take(part, pending)
                folded += len(part)
                if folded >= self._limits.slice_count:
                    folded = 0
                    await asyncio.sleep(0)
            quarantined += pending.quarantined
            pendings.append((live, pending))
        at_ms = self._clock.now_ms()
        consumed_count = checkpoint.consumed_count + len(entries)
        commit = Commit(
            partition=self._partition,
            token=checkpoint.token,
            expected_id=checkpoint.entry_id,
            new_id=EntryId(entries[-1][0].decode()),
            consumed_count=consumed_count,
            at_ms=at_ms,
            sessions=tuple(live.close_batch(pending, at_ms, consumed_count) for live, pending in pendings),
            quarantined=tuple(quarantined),
            dropped_count=dropped_count,
            trim_before=self._trim_before(consumed_count),
        )
        return Batch(commit, tuple(lives.items()), len(entries))

    def _trim_before(self, consumed_count: int) -> EntryId | None:
        """The newest checkpoint that lies a safety margin behind (R-10); None when it was said already."""
        found = None
        while self._committed and self._committed[0][0] <= consumed_count - self._limits.keep_count:
            found = self._committed.popleft()[1]
        return found

    async def _lives(self, groups: dict[bytes, _Entries]) -> dict[bytes, LiveSession]:
        """The touched sessions, from memory or by a cold start; deleted ones are missing."""
        lives: dict[bytes, LiveSession] = {}
        cold: list[bytes] = []
        for session in groups:
            live = self._cache.get(session)
            if live is not None:
                lives[session] = live
            elif session not in self._gone:
                cold.append(session)
        for start in range(0, len(cold), _LOADS_PER_CALL):
            names = cold[start : start + _LOADS_PER_CALL]
            stored = await self._store.load(self._partition, [SessionId(name.decode()) for name in names])
            for name, one in zip(names, stored, strict=True):
                if one.gone:
                    self._remember_gone(name)
                else:
                    lives[name] = await self._cold_start(one)
            await asyncio.sleep(0)
        return lives

    def _remember_gone(self, session: bytes) -> None:
        self._gone[session] = None
        if len(self._gone) > self._limits.most_sessions:
            del self._gone[next(iter(self._gone))]

    async def _cold_start(self, stored: StoredSession) -> LiveSession:
        summary = stored.summary
        if summary is None:
            epoch = self._make_epoch()
            return LiveSession(stored.session, epoch, self._clock.now_ms(), self._limits.save_first_bytes)
        live = LiveSession(
            stored.session, summary.epoch, summary.created_at_ms, self._limits.save_first_bytes
        )
        if stored.state is not None:
            try:
                for number, _ in enumerate(live.restoring(stored.state)):
                    if number % _TURNS_PER_SLICE == 0:
                        await asyncio.sleep(0)
            except SavedStateError as error:
                _log.warning("saved_state_unusable", session=stored.session, why=error.why)
        await self._replay(live)
        live.remember(summary)
        if live.next_seq != summary.next_seq or summary.consumed_count <= self._lost_count:
            # Readers may have seen versions that are gone: an old number must not resume into another
            # history.
            live.epoch = self._make_epoch()
            _log.warning(
                "session_epoch_renewed", session=stored.session, seq=live.next_seq, known=summary.next_seq
            )
        return live

    async def _replay(self, live: LiveSession) -> None:
        while True:
            page = await self._store.read_log(live.session, live.next_seq - 1, _LOG_BATCHES_PER_CALL)
            for batch in page.batches:
                live.replay(batch)
                await asyncio.sleep(0)
            if not page.more:
                break
        live.settle()


def _grouped(entries: Sequence[IngestEntry]) -> tuple[dict[bytes, _Entries], list[Quarantined]]:
    """Entries by session, in the order in which each first appears; those that name none go to the
    quarantine.
    """
    groups: dict[bytes, _Entries] = {}
    strange: list[Quarantined] = []
    for entry_id, session, event in entries:
        if session is None or event is None:
            missing = "s" if session is None else "e"
            strange.append(
                _without_session(entry_id, f"the field '{missing}' is missing", event or session or b"")
            )
            continue
        group = groups.get(session)
        if group is not None:
            group.append((entry_id, event))
        elif is_session_id(session):
            groups[session] = [(entry_id, event)]
        else:
            strange.append(_without_session(entry_id, "the field 's' is not a session id", event))
    return groups, strange


def _without_session(entry_id: bytes, reason: str, raw: bytes) -> Quarantined:
    return Quarantined(
        session=NO_SESSION, seq=-1, entry_id=EntryId(entry_id.decode()), reason=reason, raw=raw
    )
