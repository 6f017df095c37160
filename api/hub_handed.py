"""Hub stage, the short way: what the projector of this very process committed, folded without reading it back.

The projector has a batch's bytes in hand at the moment the store confirms it. Handed on, they spare a follower the way
through the change feed and the store one read for each session and flush. The log stays the truth:

1. Only what the store confirmed is handed on, so the log holds the same bytes under the same seqs.
2. A batch is used where it continues the fold of its own epoch without a hole; else it is let go, and the log is read.
3. What waits is bounded: beyond `MOST_WAITING_BYTES` all of it is let go, and the log is read.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from service.stored import FeedEntry, SessionCommit

# Some flushes of a busy session; a session that is being loaded waits for its lock, and the log serves it then.
MOST_WAITING_BYTES: Final = 1024 * 1024


class HandedBatch(Struct, frozen=True, kw_only=True):
    """One session's part of a confirmed commit: `events[i]` has the seq `first_seq + i`, as the bytes that came."""

    epoch: str
    version: int
    first_seq: int
    events: Sequence[bytes]


class Handed:
    """What was handed to one session and waits for its flush, oldest first."""

    __slots__ = ("_size_bytes", "_waiting")

    def __init__(self) -> None:
        self._waiting: list[HandedBatch] = []
        self._size_bytes = 0

    def put(self, batch: HandedBatch) -> None:
        """Keep a batch for the next flush, within the bound."""
        self._size_bytes += sum([len(event) for event in batch.events])
        if self._size_bytes > MOST_WAITING_BYTES:
            self.clear()
        else:
            self._waiting.append(batch)

    def take(self, epoch: str, next_seq: int) -> Sequence[HandedBatch]:
        """Everything that continues `epoch` at `next_seq` without a hole; nothing waits any longer."""
        waiting = self._waiting
        self.clear()
        fitting = []
        for batch in waiting:
            if batch.epoch == epoch and batch.first_seq == next_seq:
                fitting.append(batch)
                next_seq += len(batch.events)
        return fitting

    def clear(self) -> None:
        """Let go of what waits."""
        self._waiting = []
        self._size_bytes = 0


def announcement(part: SessionCommit) -> FeedEntry:
    """What the change feed is going to say of a session's part of a commit."""
    summary = part.summary
    return FeedEntry(
        session=summary.session,
        epoch=summary.epoch,
        version=summary.version,
        first_seq=part.expected_next_seq,
        count=len(part.events),
        gone=False,
    )


def handed(part: SessionCommit) -> HandedBatch:
    """A session's part of a confirmed commit, to be handed on."""
    summary = part.summary
    return HandedBatch(
        epoch=summary.epoch, version=summary.version, first_seq=part.expected_next_seq, events=part.events
    )
