"""Edge stage: liveness, readiness and the OpenAPI document."""

import asyncio
from typing import Any, Final

import msgspec
from litestar import Request, Response, get

from api.answers import answer
from api.openapi import encode_document, given, problems
from api.parts import Parts, parts_of
from api.problems import ProblemError
from service.errors import ServiceError
from service.ports import EntryId, entry_order

Anyone = Request[Any, Any, Any]
#: A probe must answer before the orchestrator that asks gives up.
_PROBE_S: Final = 2.0
_RETRY_AFTER: Final = (("Retry-After", "1"),)


class Alive(msgspec.Struct, frozen=True, kw_only=True):
    """The process answers."""

    status: str = "alive"


class PartitionLag(msgspec.Struct, frozen=True, kw_only=True):
    """How far a partition is behind: the age of its oldest entry that is not projected; 0 is none."""

    partition: int
    entry_id: str
    lag_ms: int


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """The store answers, the projection keeps up and the process is not draining."""

    status: str = "ready"
    partitions: tuple[PartitionLag, ...]


@get(
    "/livez",
    operation_id="live",
    summary="Liveness",
    tags=["probes"],
    responses={200: given(Alive, "Alive.")},
)
async def livez(request: Anyone) -> Response[bytes]:
    """Whether the process answers at all; needs no token and no store."""
    return answer(request, Alive(), cache="no-store")


@get(
    "/readyz",
    operation_id="ready",
    summary="Readiness",
    tags=["probes"],
    responses={200: given(Ready, "Send work here."), **problems(503)},
)
async def readyz(request: Anyone) -> Response[bytes]:
    """Whether this process wants work: the store answers, the projection keeps up; needs no token."""
    parts = parts_of(request)
    if parts.readiness.is_draining:
        raise _not_ready("The process is stopping.")
    try:
        async with asyncio.timeout(_PROBE_S):
            lags = await asyncio.gather(*(_lag(parts, one) for one in range(parts.partition_count)))
    except TimeoutError:
        raise _not_ready(f"The store did not answer within {_PROBE_S:g} s.") from None
    except ServiceError as error:
        raise _not_ready(str(error)) from error
    for lag in lags:
        if lag.lag_ms > parts.limits.lag_ms:
            raise _not_ready(
                f"Partition {lag.partition} is {lag.lag_ms} ms behind; {parts.limits.lag_ms} is allowed."
            )
    return answer(request, Ready(partitions=tuple(lags)), cache="no-store")


@get("/schema", include_in_schema=False)
async def schema(request: Anyone) -> Response[bytes]:
    """The OpenAPI 3.1 document."""
    body = encode_document(request.app.openapi_schema, request.app.state.answers)
    return Response(content=body, media_type="application/vnd.oai.openapi+json;version=3.1")


async def _lag(parts: Parts, partition: int) -> PartitionLag:
    checkpoint = await parts.store.read_checkpoint(partition)
    waiting = await parts.source.read(partition, checkpoint.entry_id, 1, 0)
    lag_ms = 0
    if waiting:
        since_ms, _ = entry_order(EntryId(waiting[0][0].decode()))
        lag_ms = max(0, parts.clock.now_ms() - since_ms)
    return PartitionLag(partition=partition, entry_id=checkpoint.entry_id, lag_ms=lag_ms)


def _not_ready(detail: str) -> ProblemError:
    return ProblemError("not_ready", detail, headers=_RETRY_AFTER)
