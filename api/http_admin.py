"""Edge stage: admin calls; every one needs the scope `admin`."""

import base64
from typing import Annotated, Any

import msgspec
from litestar import Request, Response, get
from litestar.params import QueryParameter

from api.answers import answer
from api.condition import LiveCounts, PartitionLag
from api.health import examine
from api.openapi import given, problems
from api.parts import access_of, demand, parts_of, session_id
from api.problems import ProblemError
from api.version import service_version
from service.stored import Inventory, Quarantined

Anyone = Request[Any, Any, Any]


class QuarantineEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An entry that could not be decoded; `seq` is -1 and `session` empty where no session could be read.

    `raw` is the entry as text; `raw_base64` is there too where the bytes are not UTF-8.
    """

    session: str
    seq: int
    entry_id: str
    reason: str
    raw: str
    raw_base64: str | None = None


class QuarantineList(msgspec.Struct, frozen=True, kw_only=True):
    """Quarantined entries, oldest first; a null `cursor` is the end."""

    entries: tuple[QuarantineEntry, ...]
    cursor: str | None


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """How the deployment and this process are; `trouble` says why no work should be sent here, null that it may.

    `partitions` is empty and `store` null where the store does not answer.
    """

    ready: bool
    trouble: str | None
    version: str
    store: Inventory | None
    partitions: tuple[PartitionLag, ...]
    live: LiveCounts


@get(
    "/v1/admin/status",
    operation_id="status",
    summary="How the deployment is",
    tags=["admin"],
    responses={200: given(Status, "As it is now, ready or not."), **problems(401, 403)},
)
async def status(request: Anyone) -> Response[bytes]:
    """Readiness, version, engine, lag of every partition, and what is stored; 200 also where it is not ready."""
    demand(request, "admin")
    parts = parts_of(request)
    condition = await examine(parts)
    found = Status(
        ready=condition.trouble is None,
        trouble=condition.trouble,
        version=service_version(),
        store=condition.inventory,
        partitions=condition.partitions,
        live=parts.transcripts.counts(),
    )
    return answer(request, found, cache="no-store")


@get(
    "/v1/admin/quarantine",
    operation_id="listQuarantine",
    summary="What could not be decoded",
    tags=["admin"],
    responses={200: given(QuarantineList, "One page."), **problems(400, 401, 403, 503)},
)
async def list_quarantine(
    request: Anyone,
    session: Annotated[
        str | None, QueryParameter(name="session", description="Of this session alone.")
    ] = None,
    cursor: Annotated[
        str | None, QueryParameter(name="cursor", max_length=1024, description="As the page before gave it.")
    ] = None,
    limit: Annotated[
        int, QueryParameter(name="limit", ge=1, le=500, description="At most so many entries.")
    ] = 100,
) -> Response[bytes]:
    """The quarantine of one session or of all, with the bytes as they came."""
    known = None if session is None else session_id(session)
    demand(request, "admin", known)
    if known is None and not access_of(request).sees_every_session:
        raise ProblemError(
            "session_forbidden",
            "The token covers some sessions alone, and the call asks for all.",
            where="query parameter session",
        )
    page = await parts_of(request).reader.quarantine(known, cursor, limit)
    entries = tuple(_entry(one) for one in page.entries)
    return answer(request, QuarantineList(entries=entries, cursor=page.cursor), cache="no-store")


def _entry(one: Quarantined) -> QuarantineEntry:
    try:
        text, packed = one.raw.decode(), None
    except UnicodeDecodeError:
        text, packed = one.raw.decode(errors="replace"), base64.b64encode(one.raw).decode()
    return QuarantineEntry(
        session=one.session,
        seq=one.seq,
        entry_id=one.entry_id,
        reason=one.reason,
        raw=text,
        raw_base64=packed,
    )
