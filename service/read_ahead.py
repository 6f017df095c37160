"""Stage 1 for one partition: the next entries are read while the last ones are folded (R-2)."""

import asyncio
from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct

from service.ports import Source
from service.stored import START, EntryId, IngestEntry

_CANCEL_AGAIN_S: Final = 0.05


class ReadLimits(Struct, frozen=True, kw_only=True):
    """How much is read at once.

    Attributes:
        first_count: entries asked for when there is no backlog.
        most_count: entries asked for in a backlog; doubled up to it.
        most_bytes: about so many bytes are folded into one commit, and read at once, where events are great.
        block_ms: how long a read waits for the first entry.
    """

    first_count: int = 500
    most_count: int = 8_000
    most_bytes: int = 32 * 1024 * 1024
    block_ms: int = 1_000


class ReadAhead:
    """Batches of one partition from a position on.

    Order: of the stream. Loss and duplicates: none between two `seek`s. One task may call it.
    """

    def __init__(self, source: Source, partition: int, limits: ReadLimits) -> None:
        self._source = source
        self._partition = partition
        self._limits = limits
        self._position: EntryId = START
        self._count = limits.first_count
        self._left: Sequence[IngestEntry] = ()
        self._task: asyncio.Task[Sequence[IngestEntry]] | None = None
        self.is_caught_up = False

    def seek(self, position: EntryId) -> None:
        """Go on after this entry, whatever was read ahead."""
        self.cancel()
        self._left = ()
        self._position = position
        self._count = self._limits.first_count
        self.is_caught_up = False

    def cancel(self) -> None:
        """Give up what is being read; how that ends is of no interest any more."""
        if self._task is not None:
            self._task.cancel()
            self._task.add_done_callback(_forget)
            self._task = None

    async def close(self) -> None:
        """Give up what is being read, and return when nothing is read any more."""
        task = self._task
        self.cancel()
        # Again and again: redis-py sends under `asyncio.wait_for`, which before Python 3.12 swallows a
        # cancellation that meets its result, and the read goes on.
        while task is not None and not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=_CANCEL_AGAIN_S)

    async def next(self, stopped: "asyncio.Task[Literal[True]]") -> Sequence[IngestEntry]:
        """The next batch; empty when nothing came within `block_ms` or `stopped` is done."""
        entries = self._left or await self._read(stopped)
        batch, self._left = self._cut(entries)
        if entries and not self._left:
            self._start()
        return batch

    async def _read(self, stopped: "asyncio.Task[Literal[True]]") -> Sequence[IngestEntry]:
        task = self._task or self._start()
        await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            return ()
        self._task = None
        entries = await task
        self.is_caught_up = len(entries) < self._count
        if entries:
            self._position = EntryId(entries[-1][0].decode())
            self._count = self._next_count(entries)
        return entries

    def _start(self) -> asyncio.Task[Sequence[IngestEntry]]:
        reading = self._source.read(self._partition, self._position, self._count, self._limits.block_ms)
        self._task = asyncio.create_task(reading)
        return self._task

    def _next_count(self, entries: Sequence[IngestEntry]) -> int:
        """Twice as many while there is a backlog, fewer where the events are great."""
        if self.is_caught_up:
            return self._limits.first_count
        mean_bytes = max(1, _size_bytes(entries) // len(entries))
        by_size = max(1, self._limits.most_bytes // mean_bytes)
        return min(2 * self._count, self._limits.most_count, by_size)

    def _cut(self, entries: Sequence[IngestEntry]) -> tuple[Sequence[IngestEntry], Sequence[IngestEntry]]:
        """Split where a commit would get too great: one command has a bound, and one event may be 10 MiB."""
        if _size_bytes(entries) <= self._limits.most_bytes:
            return entries, ()
        size_bytes = 0
        for index, (_, _, event) in enumerate(entries):
            size_bytes += len(event or b"")
            if size_bytes > self._limits.most_bytes and index:
                return entries[:index], entries[index:]
        return entries, ()


def _size_bytes(entries: Sequence[IngestEntry]) -> int:
    return sum([len(event) for _, _, event in entries if event])


def _forget(task: "asyncio.Task[Sequence[IngestEntry]]") -> None:
    """Look at a task's error, which asyncio would complain of at some later collection of garbage."""
    if not task.cancelled():
        task.exception()
