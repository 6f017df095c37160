"""Edge stage: sessions over HTTP: the list, one session, its deletion."""

from typing import Annotated, Any

from litestar import Request, Response, delete, get
from litestar.params import QueryParameter

from api.answers import answer, not_modified, weak_etag
from api.listing import SessionEntry, SessionPage, entry_of
from api.openapi import SESSION, given, problems
from api.parts import access_of, allowed_session, demand, known_summary, parts_of
from service.stored import Summary

Anyone = Request[Any, Any, Any]
PageLimit = Annotated[int, QueryParameter(name="limit", ge=1, le=500, description="At most so many entries.")]
Cursor = Annotated[
    str | None, QueryParameter(name="cursor", max_length=1024, description="As the page before gave it.")
]
#: A token that covers few of many sessions must not make one request read them all.
_MAX_READS = 20


@get(
    "/v1/sessions",
    operation_id="listSessions",
    summary="Sessions, newest first",
    tags=["sessions"],
    responses={200: given(SessionPage, "One page."), **problems(400, 401, 403, 503)},
)
async def list_sessions(request: Anyone, cursor: Cursor = None, limit: PageLimit = 50) -> Response[bytes]:
    """Sessions by the time of their last commit; those that the token does not cover are left out.

    A page may be short, and even empty, before the end: only a null `cursor` is the end.
    """
    demand(request, "read")
    reader, access = parts_of(request).reader, access_of(request)
    found: list[Summary] = []
    for _ in range(_MAX_READS):
        page = await reader.summaries(cursor, limit - len(found))
        found += [summary for summary in page.summaries if access.covers(summary.session)]
        cursor = page.cursor
        if cursor is None or len(found) >= limit:
            break
    return answer(request, SessionPage(sessions=tuple(entry_of(one) for one in found), cursor=cursor))


@get(
    "/v1/sessions/{session:str}",
    operation_id="getSession",
    summary="One session",
    tags=["sessions"],
    responses={200: given(SessionEntry, "The session."), **problems(400, 401, 403, 404, 410, 503)},
)
async def get_session(request: Anyone, session: SESSION) -> Response[bytes]:
    """One session's entry of the list."""
    parts = parts_of(request)
    summary = await known_summary(parts, allowed_session(request, session))
    etag = weak_etag(
        request, access_of(request), session, summary.epoch, str(summary.version), str(summary.duplicates)
    )
    return not_modified(request, etag) or answer(request, entry_of(summary), etag=etag)


@delete(
    "/v1/sessions/{session:str}",
    operation_id="deleteSession",
    summary="Delete a session for good",
    tags=["sessions"],
    status_code=204,
    responses={204: given(None, "It is gone."), **problems(400, 401, 403, 404, 410, 503)},
)
async def delete_session(request: Anyone, session: SESSION) -> None:
    """Remove log, state and quarantine of a session and leave a tombstone: later events of it are refused."""
    parts = parts_of(request)
    known = allowed_session(request, session, "write")
    if not await parts.reader.delete(known, parts.clock.now_ms()):
        await known_summary(parts, known)
