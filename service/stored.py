"""What a store holds, and what it is asked to hold: the values that pass through the ports.

Values are frozen. `EntryId` is an id of an ingest stream, ``ms-n``; `seq` counts a session's events from 0;
`version` counts its committed batches from 1; times are epoch milliseconds of the caller's clock.
"""

from collections.abc import Mapping
from typing import Final, Literal, NewType

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
