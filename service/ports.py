"""The ports on one screen: what the projector and the API need of a store, and what each promises.

Values are frozen. `EntryId` is an id of an ingest stream, ``ms-n``; `seq` counts a session's events from 0;
`version` counts its committed batches from 1; times are epoch milliseconds of the caller's clock.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NewType, Protocol

from msgspec import Struct

from projections.events import ParentRef
from projections.session import TurnFacts
from service.keys import SessionId

EntryId = NewType("EntryId", str)
START: Final = EntryId("0-0")
NO_SESSION: Final = SessionId("")
IngestEntry = tuple[bytes, bytes | None, bytes | None]
"""(entry id, field `s`, field `e`), each as it came; a plain tuple because millions of them pass."""


def entry_order(entry_id: EntryId) -> tuple[int, int]:
    """What entry ids are ordered by."""
    ms, _, number = entry_id.partition("-")
    return int(ms), int(number)


class Appended(Struct, frozen=True, kw_only=True):
    """What became of one appended event: its entry, or the entry that already had its event id."""

    entry_id: EntryId
    duplicate: bool


class Parked(Struct, frozen=True, kw_only=True):
    """A session whose fold raised (a bug): its log goes on, its state stands still at `seq` (R-9)."""

    seq: int
    error: str


class Summary(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the session list, and the position of the session; replaced by every commit that touches
    it, whose `consumed_count` it keeps: clocks may be set back, that number never.
    """

    session: SessionId
    epoch: str
    version: int
    next_seq: int
    created_at_ms: int
    updated_at_ms: int
    title: str | None = None
    agent: str | None = None
    model: str | None = None
    cwd: str | None = None
    parent: ParentRef | None = None
    turn: TurnFacts | None = None
    waiting: int = 0
    turn_count: int = 0
    row_count: int = 0
    event_count: int = 0
    anomalies: Mapping[str, int] = {}
    quarantined: int = 0
    duplicates: int = 0
    parked: Parked | None = None
    first_ts_ms: int | None = None
    last_ts_ms: int | None = None
    consumed_count: int = 0


class SummaryPage(Struct, frozen=True, kw_only=True):
    """Sessions newest first; `cursor` is None at the end."""

    summaries: tuple[Summary, ...]
    cursor: str | None


class LogBatch(Struct, frozen=True, kw_only=True):
    """One committed batch of one session: `events[i]` has the seq `first_seq + i`, as the bytes that came."""

    version: int
    first_seq: int
    packed_ids: bytes
    events: tuple[bytes, ...]


class LogPage(Struct, frozen=True, kw_only=True):
    """Batches of one session, oldest first; with `more`, others may follow them."""

    batches: tuple[LogBatch, ...]
    more: bool


class Sealable(Struct, frozen=True, kw_only=True):
    """A session whose log is due for sealing since `due_ms`."""

    session: SessionId
    due_ms: int


class VersionEnd(Struct, frozen=True, kw_only=True):
    """The last seq that a version of a session holds."""

    version: int
    last_seq: int


class SavedState(Struct, frozen=True, kw_only=True):
    """A fold as it was saved: it covers the seqs below `next_seq`; `size_bytes` is what the save wrote, and
    `held_bytes`, of one that was read, the size of its head and of all its turns.
    """

    next_seq: int
    version: int
    projection: int
    size_bytes: int
    head: bytes
    turns: Mapping[str, bytes] = {}
    held_bytes: int = 0


class StoredSession(Struct, frozen=True, kw_only=True):
    """All that a cold start needs at once, but for the tail of the log."""

    session: SessionId
    gone: bool
    summary: Summary | None
    state: SavedState | None


class FeedEntry(Struct, frozen=True, kw_only=True):
    """One session's part of one commit; `gone` means that it was deleted."""

    session: SessionId
    epoch: str
    version: int
    first_seq: int
    count: int
    gone: bool


class Quarantined(Struct, frozen=True, kw_only=True):
    """An entry that could not be decoded; `seq` is -1 and `session` empty where none could be read."""

    session: SessionId
    seq: int
    entry_id: EntryId
    reason: str
    raw: bytes


class QuarantinePage(Struct, frozen=True, kw_only=True):
    """Quarantined entries, oldest first; `cursor` is None at the end."""

    entries: tuple[Quarantined, ...]
    cursor: str | None


class SessionCommit(Struct, frozen=True, kw_only=True):
    """What one commit writes for one session; without events only the summary. `sealable`: its log is due."""

    expected_next_seq: int
    summary: Summary
    stale_timer: bool
    sealable: bool = False
    entry_ids: tuple[bytes, ...] = ()
    events: tuple[bytes, ...] = ()
    specs: Mapping[str, bytes] = {}
    save: SavedState | None = None


class Commit(Struct, frozen=True, kw_only=True):
    """One batch of one partition: from the checkpoint `expected_id` to `new_id`, under `token`.

    `consumed_count` is the number of entries ever consumed, with this batch; `dropped_count` those of this
    batch that belonged to deleted sessions; entries before `trim_before` are no longer needed.
    """

    partition: int
    token: int
    expected_id: EntryId
    new_id: EntryId
    consumed_count: int
    at_ms: int
    sessions: tuple[SessionCommit, ...]
    quarantined: tuple[Quarantined, ...] = ()
    dropped_count: int = 0
    trim_before: EntryId | None = None


CommitStatus = Literal["committed", "moved", "fenced", "stale_checkpoint", "bad_key", "gone"]


class CommitOutcome(Struct, frozen=True, kw_only=True):
    """`committed` and `moved` (already done, the reply was lost) are success; all others wrote nothing.

    `detail` names the key of `bad_key` or the session of `gone`.
    """

    status: CommitStatus
    detail: str = ""


class Checkpoint(Struct, frozen=True, kw_only=True):
    """How far a partition is; `token` is 0 where nobody ever owned it or the data was wiped.

    Sessions last committed at or below `lost_count` consumed entries may have shown versions that are lost.
    """

    entry_id: EntryId
    consumed_count: int
    token: int
    lost_count: int = -1


class Backlog(Struct, frozen=True, kw_only=True):
    """What a partition's ingest stream holds behind its checkpoint; `oldest_at_ms` is None where that is nothing.

    `event_count` is None where the engine cannot tell: before Redis 7, or when somebody removed the stream's group.
    """

    event_count: int | None
    oldest_at_ms: int | None


class Inventory(Struct, frozen=True, kw_only=True):
    """What a store holds, and what it is: `engine` as ``valkey 9.1.0``, `address` without a password."""

    engine: str
    address: str
    session_count: int
    quarantined_count: int


class Clock(Protocol):
    """Wall clock time; injected, so that tests own it. It may jump."""

    def now_ms(self) -> int:
        """Epoch milliseconds."""
        ...


class Source(Protocol):
    """The ingest streams, one per partition.

    Order: entries are read in the order of the stream; one `append` stays together and in its order.
    Loss: none once `append` has returned, at the level of `TURNFOLD_ACK`; an error means that the outcome is
    unknown.
    Duplicates: an event id seen in the session within the hour is appended once and reported; without ids a
    repeated `append` appends again. Adapters never retry by themselves.
    Atomicity: an `append` is taken whole or not at all.
    Concurrency: any number of producers and readers; reading takes nothing away.
    """

    async def append(
        self, session: SessionId, events: Sequence[bytes], event_ids: Sequence[str | None]
    ) -> tuple[Appended, ...]:
        """Append events of one session; raises SessionGone for a deleted one."""
        ...

    async def read(self, partition: int, after: EntryId, limit: int, block_ms: int) -> Sequence[IngestEntry]:
        """At most `limit` entries after `after`; waits up to `block_ms` (0: not at all) for the first."""
        ...

    async def backlog(self, partition: int, after: EntryId) -> Backlog:
        """How much waits behind the checkpoint `after`, and since when by the engine's clock."""
        ...


class Store(Protocol):
    """What a projector needs: ownership, cold starts and the commit (R-3, R-4, R-6).

    Order: commits of a partition form one chain by checkpoint; a session's log grows by whole batches.
    Loss: none that the engine itself does not lose; after StoreUnavailable the outcome is unknown and
        `read_checkpoint` tells it.
    Duplicates: a commit that is sent again finds its checkpoint moved and writes nothing.
    Atomicity: a commit is visible whole or not at all; readers never see half of one.
    Concurrency: any number may try; only the newest token of a partition commits.
    """

    async def take_ownership(self, partition: int) -> Checkpoint:
        """Fence every earlier owner and return the checkpoint with our new token."""
        ...

    async def read_checkpoint(self, partition: int) -> Checkpoint:
        """The stored checkpoint with the newest token."""
        ...

    async def record_loss(self, partition: int, consumed_count: int) -> None:
        """Note that the checkpoint went back to `consumed_count`: what was committed until then gets a new epoch
        when it is next touched.
        """
        ...

    async def load(self, partition: int, sessions: Sequence[SessionId]) -> tuple[StoredSession, ...]:
        """Summary and saved state of each session, in their order, each session's as of one instant."""
        ...

    async def read_log(self, session: SessionId, after_seq: int, limit: int) -> LogPage:
        """The batches that hold a seq above `after_seq` (-1: all), without hole: at most `limit`, or those of
        one segment; the first may begin before it.
        """
        ...

    async def commit(self, commit: Commit) -> CommitOutcome:
        """Check everything, then write everything, the checkpoint last."""
        ...

    async def stale_sessions(
        self, partition: int, before_ms: int, now_ms: int, limit: int
    ) -> tuple[Summary, ...]:
        """Sessions with an open turn and nothing waiting whose last commit is at or before `before_ms`,
        oldest first; behind them those of a clock that was ahead of `now_ms` and has been set back.
        """
        ...

    async def sealable_sessions(
        self, partition: int, before_ms: int, now_ms: int, limit: int
    ) -> tuple[Sealable, ...]:
        """Sessions due for sealing at or before `before_ms`, longest first; clocks as in `stale_sessions`."""
        ...

    async def seal(self, due: Sealable) -> bool:
        """Replace the oldest unsealed batches by one compressed segment (R-5); False when the rest may stay.

        Readers see the same batches before and after, at every instant. Any number may try at once: the log
        is append-only, so that a second one finds another beginning and changes nothing.
        """
        ...


class Feed(Protocol):
    """The change feed of all partitions, from the moment it was opened.

    Order: per partition the order of commits; none between partitions.
    Loss: none silently; FeedGap when the feed no longer holds what comes next, then it goes on from its end.
    Duplicates: none. Concurrency: one reader per Feed; any number of Feeds.
    """

    async def read(self, block_ms: int) -> tuple[FeedEntry, ...]:
        """What was committed since the last call; waits up to `block_ms` for the first entry."""
        ...

    async def close(self) -> None:
        """Give the connection back."""
        ...


class Reader(Protocol):
    """What an API process needs.

    Order: lists are newest first; logs oldest first. Loss and duplicates: none within one page; a session
    that moves while a list is paged is seen at most once more. Atomicity: each call sees whole commits; two
    calls may see different ones, which (epoch, version) tells. Concurrency: any number of readers.
    """

    async def summary(self, session: SessionId) -> Summary | None:
        """The session's summary; None when there is none."""
        ...

    async def is_gone(self, session: SessionId) -> bool:
        """Whether the session was deleted."""
        ...

    async def summaries(self, cursor: str | None, limit: int) -> SummaryPage:
        """Sessions by time of their last commit, newest first; raises CursorRefused."""
        ...

    async def load_state(self, session: SessionId) -> SavedState | None:
        """The last saved fold; None when none was saved: replay from the start."""
        ...

    async def read_log(self, session: SessionId, after_seq: int, limit: int) -> LogPage:
        """As Store.read_log."""
        ...

    async def log_versions(
        self, session: SessionId, after_version: int, limit: int
    ) -> tuple[VersionEnd, ...]:
        """The newest versions above `after_version`, oldest first, at most `limit`: complete if the first is
        `after_version` + 1.
        """
        ...

    async def open_feed(self) -> Feed:
        """A feed of every commit after this call."""
        ...

    async def quarantine(self, session: SessionId | None, cursor: str | None, limit: int) -> QuarantinePage:
        """The quarantine of one session or of all; raises CursorRefused."""
        ...

    async def inventory(self) -> Inventory:
        """How much is stored, counted by the engine and not by us, and in which engine."""
        ...

    async def delete(self, session: SessionId, at_ms: int) -> bool:
        """Remove a session and leave a tombstone, atomically; False when there was nothing to remove."""
        ...
