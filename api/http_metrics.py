"""Edge stage: `/metrics`, for Prometheus; with authentication configured it needs the scope `admin`."""

from typing import Any

from litestar import Request, Response, get

from api.health import examine
from api.metrics import EXPOSITION_TYPE
from api.openapi import given, problems
from api.parts import demand, parts_of


@get(
    "/metrics",
    operation_id="metrics",
    summary="Prometheus metrics",
    tags=["probes"],
    responses={200: given(None, "The text form, version 0.0.4.", EXPOSITION_TYPE), **problems(401, 403)},
)
async def metrics(request: Request[Any, Any, Any]) -> Response[bytes]:
    """What this process measured, and how the deployment is; also where the store does not answer.

    How many sessions there are and how busy they are is no reader's business, so it is an admin call (W-8, R-16);
    a token for a scraper alone has the scope `admin` and an empty list of `sessions`.
    """
    demand(request, "admin")
    parts = parts_of(request)
    condition = await examine(parts)
    page = parts.metrics.exposition(condition, parts.transcripts.counts())
    return Response(content=page, media_type=EXPOSITION_TYPE, headers={"Cache-Control": "no-store"})
