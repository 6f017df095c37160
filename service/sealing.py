"""Stage 5, sealing: what a log no longer adds to is packed, behind the projector's back (R-5).

1. The commit notes which logs became worth it, in the same step; so a crash forgets none, and nothing is held here.
2. A log is left alone for a moment first: whoever follows the session reads its newest batches from the stream.
3. Nothing depends on it. An engine in trouble is met by the projector as well; here it only means to try later.
"""

import asyncio
from collections.abc import Sequence

import structlog
from msgspec import Struct

from service.errors import KeyRefused, StoreRefused, StoreUnavailable
from service.ports import Clock, Store
from service.stored import Sealable

_log = structlog.get_logger(__name__)
_SESSIONS_PER_CHECK = 100


class SealLimits(Struct, frozen=True, kw_only=True):
    """When logs are sealed.

    Attributes:
        rest_ms: how long a log that is due stays as it is.
        check_ms: how often to look when nothing was due.
    """

    rest_ms: int = 1_000
    check_ms: int = 1_000


class Sealer:
    """Seals the logs of some partitions; any number of them may work on one partition."""

    def __init__(self, store: Store, partitions: Sequence[int], clock: Clock, limits: SealLimits) -> None:
        self._store = store
        self._partitions = partitions
        self._clock = clock
        self._limits = limits
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Finish the segment that is under way, then stop."""
        self._stopping.set()

    async def run(self) -> None:
        """Work until `stop`."""
        stopped = asyncio.create_task(self._stopping.wait())
        try:
            while not self._stopping.is_set():
                if not await self._seal_all():
                    await asyncio.wait({stopped}, timeout=self._limits.check_ms / 1000)
        finally:
            stopped.cancel()

    async def _seal_all(self) -> bool:
        """Whether anything was sealed; then there may be more."""
        sealed = False
        for partition in self._partitions:
            try:
                sealed |= await self._seal_partition(partition)
            except (StoreUnavailable, StoreRefused) as error:
                _log.warning("sealing_postponed", partition=partition, kind=type(error).__name__)
                return False
        return sealed

    async def _seal_partition(self, partition: int) -> bool:
        now_ms = self._clock.now_ms()
        sealed = False
        found = await self._store.sealable_sessions(
            partition, now_ms - self._limits.rest_ms, now_ms, _SESSIONS_PER_CHECK
        )
        for due in found:
            try:
                await self._seal_session(due)
                sealed = True
            except KeyRefused as error:
                _log.warning("sealing_refused", session=due.session, key=error.key)
        return sealed

    async def _seal_session(self, due: Sealable) -> None:
        more = True
        while more and not self._stopping.is_set():
            more = await self._store.seal(due)
