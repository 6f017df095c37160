"""The ports on one screen: what the projector and the API need of a store, and what each promises.

The values that they speak of are in `stored`.
"""

from collections.abc import Sequence
from typing import Protocol

from service.keys import SessionId
from service.stored import (
    Appended,
    Backlog,
    Checkpoint,
    Commit,
    CommitOutcome,
    EntryId,
    FeedEntry,
    IngestEntry,
    Inventory,
    LogPage,
    QuarantinePage,
    SavedState,
    Sealable,
    StoredSession,
    Summary,
    SummaryPage,
    VersionEnd,
)


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
