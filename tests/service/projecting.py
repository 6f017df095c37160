"""A projector at work in a test: its clock, its events, and waiting for what it did."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from service.connection_redis import ask
from service.keys import SessionId
from service.projector import Projector, ProjectorLimits
from service.read_ahead import ReadLimits
from service.stored import Summary
from tests.deployments import NOW_MS, Deployment
from tests.waiting import wait_until

S1 = SessionId("s1")
LIMITS = ProjectorLimits(read=ReadLimits(block_ms=20), stale_check_ms=0, retry_first_ms=5, retry_most_ms=20)


class SetClock:
    """A clock that stands where the test puts it."""

    def __init__(self) -> None:
        self.ms = NOW_MS

    def now_ms(self) -> int:
        """Epoch milliseconds."""
        return self.ms


class TickingClock(SetClock):
    """A clock that goes on: without a rest, two marks of one millisecond count as one, and the later is forgotten."""

    def now_ms(self) -> int:
        """Epoch milliseconds."""
        self.ms += 1
        return self.ms


@asynccontextmanager
async def projecting(
    deployment: Deployment, *, clock: SetClock | None = None, limits: ProjectorLimits = LIMITS
) -> AsyncIterator[Projector]:
    """A projector of all partitions for the length of the block; it must end without an error."""
    partitions = range(deployment.keys.partition_count)
    projector = Projector(deployment.store, deployment.source, partitions, clock or SetClock(), limits=limits)
    task = asyncio.create_task(projector.run())
    try:
        yield projector
    finally:
        projector.stop()
        await task


async def append(deployment: Deployment, *events: dict[str, Any] | bytes, session: str = "s1") -> None:
    """Append events, each with its own `event_id` field if it has one."""
    raws = [event if isinstance(event, bytes) else json.dumps(event).encode() for event in events]
    ids = [event.get("event_id") if isinstance(event, dict) else None for event in events]
    await deployment.source.append(SessionId(session), raws, ids)


async def xadd(deployment: Deployment, *fields: str | bytes) -> None:
    """Write to the ingest stream of `s1` as any client could."""
    await ask(deployment.raw, "XADD", deployment.keys.of_session("s1").ingest, "*", *fields)


async def projected(deployment: Deployment, next_seq: int, session: str = "s1") -> Summary:
    """Wait until the session has so many events, and give its summary."""
    found: list[Summary] = []

    async def there() -> bool:
        summary = await deployment.reader.summary(SessionId(session))
        if summary is None or summary.next_seq < next_seq:
            return False
        found.append(summary)
        return True

    await wait_until(there, f"{session} has {next_seq} events")
    return found[0]


def notice(text: str, **more: object) -> dict[str, Any]:
    """The simplest event that makes a row."""
    return {"type": "notice", "id": text, "level": "info", "text": text, **more}


def one_turn(number: int, notice_count: int) -> list[dict[str, Any]]:
    """A turn with so many notices, closed."""
    inside = [notice(f"{number}.{index}", event_id=f"{number}.{index}") for index in range(notice_count)]
    end = {"type": "turn/end", "turn": number, "reason": "completed"}
    return [{"type": "turn/start", "turn": number}, *inside, end]
