"""Edge stage: the rest of what a row holds only a part of, over HTTP: great texts, page by page (wire, *Size*)."""

from typing import Annotated, Any, Final

import msgspec
from litestar import Request, Response, get
from litestar.params import PathParameter, QueryParameter

from api.answers import answer, not_modified, weak_etag
from api.openapi import SESSION, given, problems
from api.parts import access_of, allowed_session, known_summary, parts_of
from api.problems import ProblemError
from projections.position import Position
from projections.row_text import page_of, texts_of
from service.keys import SessionId

#: One answer of a text: some ms of work, and few requests for the greatest one.
_PAGE_BYTES: Final = 1024 * 1024
_SHOWN_CHARS: Final = 64

Key = Annotated[
    str,
    PathParameter(
        description="The row's key; it may hold slashes.", schema_extra={"minLength": 1, "pattern": "^[^/]"}
    ),
]
Field = Annotated[
    str | None,
    QueryParameter(
        name="field",
        max_length=1024,
        description="Which text: a JSON pointer into the row, as `/blocks/0/text`. Without it the first that travelled "
        "as its head, else the row's own.",
    ),
]
Way = Annotated[
    list[str] | None,
    QueryParameter(
        name="in", description="The calls that lead to a delegate's row, outermost first, one each."
    ),
]
Offset = Annotated[
    int, QueryParameter(name="offset", ge=0, le=2**53, description="Where to begin, in bytes of UTF-8.")
]
Limit = Annotated[
    int, QueryParameter(name="limit", ge=4, le=_PAGE_BYTES, description="At most so many bytes of the text.")
]


class RowTextPart(msgspec.Struct, frozen=True, kw_only=True):
    """A part of one text of a row; `next_offset` is null at its end, `json` says that the text is JSON."""

    session: SessionId
    position: Position
    inside: tuple[str, ...] = msgspec.field(name="in")
    key: str
    field: str
    json: bool
    offset: int
    text: str
    next_offset: int | None
    bytes: int


@get(
    "/v1/sessions/{session:str}/rows/{key:path}",
    operation_id="getRowText",
    summary="A part of a great text of a row",
    tags=["transcripts"],
    responses={
        200: given(RowTextPart, "The part, and where the next one begins."),
        304: given(None, "The client holds this very answer."),
        **problems(400, 401, 403, 404, 410, 503),
    },
)
async def get_row_text(
    request: Request[Any, Any, Any],
    *,
    session: SESSION,
    key: Key,
    field: Field = None,
    way: Way = None,
    offset: Offset = 0,
    limit: Limit = _PAGE_BYTES,
) -> Response[bytes]:
    """A text of which a row holds the head: the part from `offset` on.

    The text is the one of the answer's position: one that grew meanwhile begins as before, and `bytes` tells.
    """
    parts = parts_of(request)
    known = allowed_session(request, session)
    summary = await known_summary(parts, known)
    fold, position = await parts.transcripts.look(known, summary.version)
    inside, key = tuple(way or ()), key.removeprefix("/")
    facts = (known, position.epoch, str(position.version), *inside, key, str(field), str(offset), str(limit))
    etag = weak_etag(request, access_of(request), "row", *facts)
    if (held := not_modified(request, etag)) is not None:
        return held
    texts = texts_of(fold, inside, key)
    if texts is None:
        raise ProblemError(
            "row_unknown", f"There is no row {key[:_SHOWN_CHARS]!r}.", where="path parameter key"
        )
    found = texts.find(field)
    if found is None:
        named = "of its own" if field is None else repr(field[:_SHOWN_CHARS])
        raise ProblemError("text_unknown", f"The row has no text {named}.", where="query parameter field")
    page = page_of(found.text, offset, limit)
    if page is None:
        detail = "No character of the text begins at this offset; offsets count bytes of UTF-8."
        raise ProblemError("invalid_parameter", detail, where="query parameter offset")
    part = RowTextPart(
        session=known, position=position, inside=inside, key=key, field=found.field, json=found.json,
        offset=offset, text=page.text, next_offset=page.next_offset, bytes=page.bytes,
    )  # fmt: skip
    return answer(request, part, etag=etag)
