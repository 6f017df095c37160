"""A projector in this process, and a way to wait until it has committed what was sent."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from benchmarks.engines import Deployment
from service.projector import Projector, ProjectorLimits

_POLL_S: Final = 0.001

Reach = Callable[[int], Awaitable[None]]
"""Waits until so many entries of the stream were committed, from its start."""


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        """Epoch milliseconds."""
        return time.time_ns() // 1_000_000


@asynccontextmanager
async def projecting(deployment: Deployment) -> AsyncIterator[Reach]:
    """Project for the length of the block."""
    limits = ProjectorLimits(stale_turn_ms=0)
    projector = Projector(deployment.store, deployment.source, [0], SystemClock(), limits=limits)
    running = asyncio.create_task(projector.run())

    async def reach(count: int) -> None:
        while projector.progress()[0].consumed_count < count and not running.done():  # noqa: ASYNC110 - a projector has no event for its commits
            await asyncio.sleep(_POLL_S)

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
