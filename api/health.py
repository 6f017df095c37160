"""Edge stage: asks the store how the deployment is, for readiness, `/metrics` and `turnfold status` alike."""

import asyncio
from typing import Final

from api.condition import Condition, PartitionLag
from api.parts import Parts
from service.errors import ServiceError

#: A probe must answer before the orchestrator that asks gives up.
PROBE_S: Final = 2.0


async def examine(parts: Parts) -> Condition:
    """The condition at this instant; comes back within `PROBE_S`, whatever the store does."""
    draining = "The process is stopping." if parts.readiness.is_draining else None
    try:
        async with asyncio.timeout(PROBE_S):
            inventory = await parts.reader.inventory()
            lags = await asyncio.gather(*(_lag(parts, one) for one in range(parts.partition_count)))
    except TimeoutError:
        return Condition(trouble=draining or f"The store did not answer within {PROBE_S:g} s.")
    except ServiceError as error:
        return Condition(trouble=draining or str(error))
    return Condition(trouble=draining or _behind(parts, lags), partitions=tuple(lags), inventory=inventory)


def _behind(parts: Parts, lags: list[PartitionLag]) -> str | None:
    allowed_ms = parts.limits.lag_ms
    for lag in lags:
        if lag.lag_ms > allowed_ms:
            return f"Partition {lag.partition} is {lag.lag_ms} ms behind; {allowed_ms} is allowed."
    return None


async def _lag(parts: Parts, partition: int) -> PartitionLag:
    checkpoint = await parts.store.read_checkpoint(partition)
    backlog = await parts.source.backlog(partition, checkpoint.entry_id)
    since_ms = backlog.oldest_at_ms
    return PartitionLag(
        partition=partition,
        entry_id=checkpoint.entry_id,
        lag_ms=0 if since_ms is None else max(0, parts.clock.now_ms() - since_ms),
        lag_events=backlog.event_count,
    )
