"""Edge stage: full text search over HTTP, with the way to each hit in the asked view (C-16)."""

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from litestar import Request, Response, get
from litestar.params import QueryParameter

from api.answers import answer
from api.openapi import SESSION, given, problems
from api.parts import allowed_session, known_summary, parts_of
from api.problems import ProblemError
from api.unhurried import Pace, unhurried
from api.view_parameters import ASKED_VIEW, ViewOfRequest
from projections.position import Position
from projections.search import MAX_QUERY_CHARS, MAX_WORDS, Found, Hit, Query, locate, query_of, search
from service.keys import SessionId

Anyone = Request[Any, Any, Any]


class SearchPage(msgspec.Struct, frozen=True, kw_only=True):
    """Hits in the order of the transcript; a null `cursor` is the end."""

    session: SessionId
    position: Position
    hits: tuple[Hit, ...]
    cursor: str | None


Words = Annotated[
    str | None,
    QueryParameter(
        name="q",
        description=f"At most {MAX_WORDS} words of together at most {MAX_QUERY_CHARS} characters, which all stand "
        "in one text, whatever their case; those in double quotes stand together.",
    ),
]
Key = Annotated[
    str | None, QueryParameter(name="key", max_length=1024, description="Or: the row of this key.")
]
Inside = Annotated[
    list[str] | None,
    QueryParameter(name="in", description="With `key`: the calls that lead to its delegate's transcript."),
]
PageLimit = Annotated[int, QueryParameter(name="limit", ge=1, le=500, description="At most so many hits.")]
Cursor = Annotated[
    str | None, QueryParameter(name="cursor", max_length=64, description="As the page before gave it.")
]


@get(
    "/v1/sessions/{session:str}/search",
    operation_id="searchSession",
    summary="What a session says, and how to get there",
    tags=["transcripts"],
    dependencies=ASKED_VIEW,
    responses={200: given(SearchPage, "One page."), **problems(400, 401, 403, 404, 410, 503)},
)
async def search_session(
    request: Anyone,
    *,
    session: SESSION,
    asked: ViewOfRequest,
    q: Words = None,
    key: Key = None,
    inside: Inside = None,
    limit: PageLimit = 50,
    cursor: Cursor = None,
) -> Response[bytes]:
    """Every text of every row, folded, hidden and delegated ones too, with what to open to see it in the asked view.

    Nothing is opened and no preference is changed by asking; `hidden_by` names what hides a hit all the same.
    """
    parts = parts_of(request)
    known = allowed_session(request, session)
    query = _query(q, key)
    summary = await known_summary(parts, known)
    fold, position = await parts.transcripts.look(known, summary.version)
    if query is None:
        hit = await unhurried(locate(fold, key or "", tuple(inside or ()), asked))
        there = () if hit is None else (hit,)
        return answer(request, SearchPage(session=known, position=position, hits=there, cursor=None))
    found = await _taken(search(fold, query, asked, cursor), limit + 1)
    hits = tuple(one.hit for one in found[:limit])
    more = found[limit - 1].cursor if len(found) > limit else None
    return answer(request, SearchPage(session=known, position=position, hits=hits, cursor=more))


def _query(q: str | None, key: str | None) -> Query | None:
    """The query; None where a key is asked for instead. Raises the problem `invalid_parameter`."""
    if (q is None) is (key is None):
        raise ProblemError("invalid_parameter", "Either q or key is expected.", where="query parameter q")
    if q is None:
        return None
    query = query_of(q)
    if query is None:
        detail = f"One to {MAX_WORDS} words of together at most {MAX_QUERY_CHARS} characters are expected."
        raise ProblemError("invalid_parameter", detail, where="query parameter q")
    return query


async def _taken(steps: Iterator[Found | None], limit: int) -> list[Found]:
    """The first hits of a search; others get the loop whenever a slice of time is used up."""
    found: list[Found] = []
    pace = Pace()
    for step in steps:
        if step is not None:
            found.append(step)
            if len(found) == limit:
                break
        await pace.breathe()
    return found
