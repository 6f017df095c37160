"""Stages 1 to 5 in a loop: read, decode, fold, commit, one asyncio task per partition (R-2, R-3, R-7).

1. The stored checkpoint is the truth; what is in memory is a guess that a commit confirms.
2. After a refusal or an unknown outcome: read the checkpoint. At our new id under our token the commit
   happened; else drop the touched sessions and go on from what is stored.
3. A larger token means that another projector owns the partition: stop, loudly. A smaller one, or none, means
   that the engine lost data: take the partition again and trust nothing in memory.
4. An engine that does not answer is waited for, with back-off, as long as it takes; that is said once, not
   per try.
"""

import asyncio
import os
from base64 import b32encode
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Literal

import structlog
from msgspec import Struct

from service.errors import KeyRefused, LeaseLost, SessionGone, StoreRefused, StoreUnavailable
from service.metrics import NoProjectorMetrics, ProjectorMetrics
from service.partition_batch import Batch, BatchFolder, FoldLimits
from service.ports import Clock, Source, Store
from service.read_ahead import ReadAhead, ReadLimits
from service.sealing import Sealer, SealLimits
from service.stored import (
    START,
    Checkpoint,
    Commit,
    CommitOutcome,
    EntryId,
    IngestEntry,
    Summary,
    entry_order,
)

Told = Callable[[Commit], None]
"""Told each commit that the store confirmed at once; cheap, total, and called from one event loop."""

_log = structlog.get_logger(__name__)
_STALE_PER_CHECK = 100


class ProjectorLimits(Struct, frozen=True, kw_only=True):
    """How a projector behaves.

    Attributes:
        stale_turn_ms: an open turn without a commit for so long is ended as interrupted; 0: never (rule 9).
        stale_check_ms: how often to look for such turns.
        retry_first_ms: the first pause after a failure; doubled up to `retry_most_ms`.
    """

    read: ReadLimits = ReadLimits()
    fold: FoldLimits = FoldLimits()
    seal: SealLimits = SealLimits()
    stale_turn_ms: int = 900_000
    stale_check_ms: int = 5_000
    retry_first_ms: int = 50
    retry_most_ms: int = 5_000


class PartitionProgress(Struct, frozen=True, kw_only=True):
    """How far one partition's loop is; counts are of this process, but for `consumed_count`."""

    partition: int
    entry_id: EntryId
    consumed_count: int
    commit_count: int
    event_count: int
    refused_count: int
    available: bool


def random_epoch() -> str:
    """Twelve random base32 characters: one incarnation of a session's history."""
    return b32encode(os.urandom(8))[:12].decode().lower()


class Projector:
    """Drives several partitions in one event loop."""

    def __init__(
        self,
        store: Store,
        source: Source,
        partitions: Sequence[int],
        clock: Clock,
        *,
        limits: ProjectorLimits | None = None,
        make_epoch: Callable[[], str] = random_epoch,
        metrics: ProjectorMetrics | None = None,
        tell: Told = lambda _: None,
    ) -> None:
        limits = limits or ProjectorLimits()
        self._sealer = Sealer(store, partitions, clock, limits.seal)
        metrics = metrics or NoProjectorMetrics()
        self._loops = tuple(
            PartitionLoop(
                store,
                source,
                one,
                clock=clock,
                limits=limits,
                make_epoch=make_epoch,
                metrics=metrics,
                tell=tell,
            )
            for one in partitions
        )

    async def run(self) -> None:
        """Work until `stop`; raises LeaseLost, after every partition has stopped, when another projector took
        one.
        """
        tasks = [asyncio.create_task(loop.run(), name=f"partition-{loop.partition}") for loop in self._loops]
        sealing = asyncio.create_task(self._sealer.run(), name="sealing")
        try:
            await asyncio.gather(*tasks)
        except LeaseLost:
            self.stop()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._sealer.stop()
            await sealing

    def stop(self) -> None:
        """Finish the batch that is under way, commit it, then stop."""
        for loop in self._loops:
            loop.stop()

    def progress(self) -> tuple[PartitionProgress, ...]:
        """How far each partition is."""
        return tuple(loop.progress() for loop in self._loops)


class PartitionLoop:
    """The loop of one partition."""

    def __init__(
        self,
        store: Store,
        source: Source,
        partition: int,
        *,
        clock: Clock,
        limits: ProjectorLimits,
        make_epoch: Callable[[], str],
        metrics: ProjectorMetrics,
        tell: Told,
    ) -> None:
        self.partition = partition
        self._metrics = metrics
        self._tell = tell
        self._store = store
        self._source = source
        self._clock = clock
        self._limits = limits
        self._reading = ReadAhead(source, partition, limits.read)
        self._folder = BatchFolder(store, partition, clock, limits.fold, make_epoch)
        self._checkpoint = Checkpoint(entry_id=START, consumed_count=0, token=0)
        self._in_flight: Batch | None = None
        self._stopping = asyncio.Event()
        self._available = True
        self._is_unsure = False
        self._trouble = ""
        self._stale_checked_ms = 0
        self._commit_count = self._event_count = self._refused_count = 0

    def stop(self) -> None:
        """Finish the batch that is under way, then stop."""
        self._stopping.set()

    def progress(self) -> PartitionProgress:
        """How far this partition is."""
        return PartitionProgress(
            partition=self.partition,
            entry_id=self._checkpoint.entry_id,
            consumed_count=self._checkpoint.consumed_count,
            commit_count=self._commit_count,
            event_count=self._event_count,
            refused_count=self._refused_count,
            available=self._available,
        )

    async def run(self) -> None:
        """Work until `stop`; raises LeaseLost."""
        pause_ms = self._limits.retry_first_ms
        stopped = asyncio.create_task(self._stopping.wait())
        try:
            while not self._stopping.is_set():
                try:
                    if self._checkpoint.token == 0:
                        await self._take()
                    elif self._is_unsure:
                        await self._resume()
                    await self._step(stopped)
                except (StoreUnavailable, StoreRefused) as error:
                    self._is_unsure = True
                    self._note_trouble(error)
                    await asyncio.wait({stopped}, timeout=pause_ms / 1000)
                    pause_ms = min(2 * pause_ms, self._limits.retry_most_ms)
                else:
                    pause_ms = self._limits.retry_first_ms
                    self._note_recovery()
        finally:
            stopped.cancel()
            await self._reading.close()

    async def _take(self) -> None:
        self._checkpoint = await self._store.take_ownership(self.partition)
        self._in_flight = None
        self._is_unsure = False
        self._folder.reset(self._checkpoint)
        self._reading.seek(self._checkpoint.entry_id)
        _log.info("partition_taken", partition=self.partition, token=self._checkpoint.token)

    async def _step(self, stopped: "asyncio.Task[Literal[True]]") -> None:
        entries = await self._reading.next(stopped)
        if entries:
            await self._project(entries)
        if self._reading.is_caught_up and not self._stopping.is_set():
            await self._end_stale_turns()

    async def _project(self, entries: Sequence[IngestEntry]) -> None:
        began = perf_counter()
        batch = await self._folder.fold(entries, self._checkpoint)
        sent = perf_counter()
        self._metrics.folded(batch.entry_count, sent - began)
        self._in_flight = batch
        outcome = await self._store.commit(batch.commit)
        self._metrics.answered(outcome.status, perf_counter() - sent)
        if outcome.status == "committed":
            self._folder.confirm(batch)
            self._advance(batch)
            # Not after a lost reply: there an earlier try may be what was committed, with another epoch.
            self._tell(batch.commit)
            return
        if outcome.status != "moved":
            self._refused_count += 1
        await self._resume()
        if outcome.status != "moved":
            self._explain(outcome)

    def _advance(self, batch: Batch) -> None:
        self._in_flight = None
        self._checkpoint = Checkpoint(
            entry_id=batch.commit.new_id,
            consumed_count=batch.commit.consumed_count,
            token=self._checkpoint.token,
            lost_count=self._checkpoint.lost_count,
        )
        self._commit_count += 1
        self._event_count += batch.entry_count
        self._metrics.advanced(batch.commit, batch.entry_count)

    def _explain(self, outcome: CommitOutcome) -> None:
        """Say what a refusal means where a person has to act; the others were answered by going on."""
        if outcome.status == "bad_key":
            raise KeyRefused(f"partition {self.partition}", outcome.detail)
        _log.info("commit_refused", partition=self.partition, status=outcome.status, detail=outcome.detail)

    async def _resume(self) -> None:
        """Find out what is stored, and go on from there (rules 1 to 3)."""
        stored = await self._store.read_checkpoint(self.partition)
        ours, batch = self._checkpoint, self._in_flight
        if stored.token > ours.token:
            _log.error(
                "partition_lost", partition=self.partition, token=ours.token, newest_token=stored.token
            )
            raise LeaseLost(self.partition, ours.token)
        if stored.token < ours.token:
            _log.error(
                "engine_lost_data", partition=self.partition, token=ours.token, stored_token=stored.token
            )
            await self._store.record_loss(self.partition, stored.consumed_count)
            await self._take()
            return
        self._is_unsure = False
        if batch is not None:
            # Even when it happened: an earlier try may be the one that did, with other epochs for new
            # sessions.
            self._folder.drop(batch)
            if stored.entry_id == batch.commit.new_id:
                self._advance(batch)
                return
        if stored.entry_id != ours.entry_id:
            stored = await self._surprised_by(stored)
        self._in_flight = None
        self._checkpoint = stored
        self._reading.seek(stored.entry_id)

    async def _surprised_by(self, stored: Checkpoint) -> Checkpoint:
        """The checkpoint is neither before nor behind our batch: trust nothing in memory."""
        if entry_order(stored.entry_id) < entry_order(self._checkpoint.entry_id):
            known = self._checkpoint.entry_id
            _log.error("engine_lost_commits", partition=self.partition, known=known, stored=stored.entry_id)
            await self._store.record_loss(self.partition, stored.consumed_count)
            stored = await self._store.read_checkpoint(self.partition)
        # Else it is ahead under our own token: a commit that we gave up waiting for ran late.
        self._folder.reset(stored)
        return stored

    def _note_trouble(self, error: StoreUnavailable | StoreRefused) -> None:
        self._available = False
        self._metrics.failed(error)
        trouble = f"{type(error).__name__} {error.why}"
        if trouble != self._trouble:
            self._trouble = trouble
            _log.error("store_trouble", partition=self.partition, kind=type(error).__name__, error=str(error))

    def _note_recovery(self) -> None:
        self._available = True
        if self._trouble:
            self._trouble = ""
            _log.info("store_recovered", partition=self.partition)

    async def _end_stale_turns(self) -> None:
        """Rule 9. Only when all that came was committed: else an event that waits would be overtaken."""
        now_ms = self._clock.now_ms()
        # Below zero the clock was set back; that must not put the check off.
        checked_already = 0 <= now_ms - self._stale_checked_ms < self._limits.stale_check_ms
        if self._limits.stale_turn_ms == 0 or checked_already:
            return
        self._stale_checked_ms = now_ms
        before_ms = now_ms - self._limits.stale_turn_ms
        for summary in await self._store.stale_sessions(self.partition, before_ms, now_ms, _STALE_PER_CHECK):
            if summary.turn is not None:
                await self._end_turn(summary, summary.turn.turn, now_ms)

    async def _end_turn(self, summary: Summary, turn: int, now_ms: int) -> None:
        # The same silence gives the same id, however many projectors look at it and however often.
        event_id = f"turnfold:stale:{summary.epoch}:{turn}:{summary.next_seq}"
        event = (
            f'{{"type":"turn/end","turn":{turn},"reason":"interrupted","synthetic":true,'
            f'"event_id":"{event_id}","ts_ms":{now_ms}}}'
        )
        try:
            appended = await self._source.append(summary.session, [event.encode()], [event_id])
        except SessionGone:
            return
        if not appended[0].duplicate:
            self._metrics.ended_stale_turn()
            _log.info("stale_turn_ended", session=summary.session, turn=turn)
