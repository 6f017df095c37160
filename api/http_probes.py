"""Edge stage: liveness, readiness and the OpenAPI document."""

from typing import Any, Final

import msgspec
from litestar import Request, Response, get

from api.answers import answer
from api.condition import PartitionLag
from api.health import examine
from api.openapi import encode_document, given, problems
from api.parts import parts_of
from api.problems import ProblemError

Anyone = Request[Any, Any, Any]
_RETRY_AFTER: Final = (("Retry-After", "1"),)


class Alive(msgspec.Struct, frozen=True, kw_only=True):
    """The process answers."""

    status: str = "alive"


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
    condition = await examine(parts_of(request))
    if condition.trouble is not None:
        raise ProblemError("not_ready", condition.trouble, headers=_RETRY_AFTER)
    return answer(request, Ready(partitions=condition.partitions), cache="no-store")


@get("/schema", include_in_schema=False)
async def schema(request: Anyone) -> Response[bytes]:
    """The OpenAPI 3.1 document."""
    body = encode_document(request.app.openapi_schema, request.app.state.answers)
    return Response(content=body, media_type="application/vnd.oai.openapi+json;version=3.1")
