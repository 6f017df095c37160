"""A projector in this process, and a way to wait until it has committed what was sent."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from benchmarks.engines import Deployment
from service.metrics import NoProjectorMetrics
from service.projector import Projector, ProjectorLimits
from service.stored import Commit

Reach = Callable[[int], Awaitable[None]]
"""Waits until so many entries of the stream were committed, from its start."""


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        """Epoch milliseconds."""
        return time.time_ns() // 1_000_000


class _Committed(NoProjectorMetrics):
    """Wakes whoever waits for a commit, by whichever answer that is known."""

    def __init__(self, event: asyncio.Event) -> None:
        self._event = event

    def advanced(self, commit: Commit, entry_count: int) -> None:
        """As ProjectorMetrics."""
        del commit, entry_count
        self._event.set()


@asynccontextmanager
async def projecting(deployment: Deployment) -> AsyncIterator[Reach]:
    """Project for the length of the block."""
    limits = ProjectorLimits(stale_turn_ms=0)
    committed = asyncio.Event()
    projector = Projector(
        deployment.store, deployment.source, [0], SystemClock(), limits=limits, metrics=_Committed(committed)
    )
    running = asyncio.create_task(projector.run())
    # A projector that ends by an error commits nothing any more: whoever waits must hear of it.
    running.add_done_callback(lambda _: committed.set())

    async def reach(count: int) -> None:
        while projector.progress()[0].consumed_count < count and not running.done():
            committed.clear()
            await committed.wait()

    try:
        yield reach
    finally:
        projector.stop()
        await running


async def project(deployment: Deployment, count: int) -> float:
    """Commit this many entries from the stream's start with a fresh projector; returns the seconds that took."""
    started = time.perf_counter()
    async with projecting(deployment) as reach:
        await reach(count)
        return time.perf_counter() - started
