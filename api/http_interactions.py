"""Edge stage: a reader's answer to what waits, forwarded to the address that the deployment configured (E-16)."""

from typing import Annotated, Any, Final

import msgspec
import structlog
from litestar import Request, Response, post
from litestar.params import PathParameter, QueryParameter

from api.answers import answer
from api.door import JSON_TYPES, media_type_of
from api.openapi import SESSION, given, problems
from api.parts import Parts, access_of, allowed_session, known_summary, parts_of
from api.problems import ProblemError
from projections.position import Position
from projections.rows import InteractionRow
from projections.transcript import whole_row
from service.answers import Answer, AnswerForwarder, AnswerRefused, AnswerUndelivered
from service.keys import SessionId

#: A word and some fields; what is greater belongs into the session.
MAX_ANSWER_BYTES: Final = 64 * 1024
_SHOWN_CHARS: Final = 64

Ident = Annotated[
    str,
    PathParameter(
        description="The interaction's id; it may hold slashes.",
        schema_extra={"minLength": 1, "pattern": "^[^/]"},
    ),
]
Way = Annotated[
    list[str] | None,
    QueryParameter(
        name="in", description="The calls that lead to the delegate that asked, outermost first, one each."
    ),
]


class AnswerBody(msgspec.Struct, frozen=True, kw_only=True):
    """What the reader answered: a word, and whatever JSON the producer expects with it."""

    outcome: Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
    payload: msgspec.Raw = msgspec.Raw(b"null")


class Forwarded(msgspec.Struct, frozen=True, kw_only=True):
    """The receiver took the answer; the interaction is over when the producer says so in the session."""

    session: SessionId
    id: str
    delivery: str


_log = structlog.get_logger(__name__)
_decode = msgspec.json.Decoder(AnswerBody).decode


@post(
    "/v1/sessions/{session:str}/interactions/{ident:path}",
    operation_id="answerInteraction",
    summary="Answer what waits for the reader",
    tags=["interactions"],
    status_code=202,
    responses={
        202: given(Forwarded, "Forwarded, and taken by the receiver."),
        **problems(400, 401, 403, 404, 409, 410, 413, 415, 501, 502, 503),
    },
)
async def answer_interaction(
    request: Request[Any, Any, Any], *, session: SESSION, ident: Ident, way: Way = None
) -> Response[bytes]:
    """Forward an answer, signed, to the receiver of the deployment (docs/interactions.md); needs the scope `write`.

    Nothing changes here by it: the interaction stays pending until its producer appends what became of it.
    """
    parts = parts_of(request)
    known = allowed_session(request, session, "write")
    if parts.answers is None:
        raise ProblemError("answers_not_configured", "TURNFOLD_ANSWERS_URL is not set.")
    body = _body(await request.body(), request.headers.get("content-type", ""))
    summary = await known_summary(parts, known)
    inside, name = tuple(way or ()), ident.removeprefix("/")
    row, position = await _waiting(parts, known, summary.version, inside, name)
    reply = Answer(
        session=known,
        interaction=row.id,
        inside=inside,
        kind=row.interaction,
        call_id=row.call_id if isinstance(row.call_id, str) else None,
        outcome=body.outcome,
        payload=body.payload,
        subject=access_of(request).subject,
        position=position,
    )
    delivery = await _forwarded(parts.answers, reply, parts.clock.now_ms())
    return answer(request, Forwarded(session=known, id=name, delivery=delivery), status=202, cache="no-store")


def _body(raw: bytes, content_type: str) -> AnswerBody:
    if media_type_of(content_type) not in JSON_TYPES:
        raise ProblemError("content_type_unsupported", "An answer is JSON.", where="header Content-Type")
    if len(raw) > MAX_ANSWER_BYTES:
        detail = f"The answer has {len(raw)} bytes; {MAX_ANSWER_BYTES} are taken."
        raise ProblemError("answer_too_large", detail, where="body")
    try:
        return _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        detail = f"An object with `outcome`, and `payload` if there is one, is expected: {error}."
        raise ProblemError("malformed_body", detail, where="body") from error


async def _waiting(
    parts: Parts, session: SessionId, version: int, inside: tuple[str, ...], ident: str
) -> tuple[InteractionRow, Position]:
    """The interaction, where it waits; raises `interaction_unknown` or `interaction_over`."""
    session_fold, position = await parts.transcripts.look(session, version)
    fold = session_fold.fold_at(inside)
    found = None if fold is None else fold.find(f"interaction:{ident}")
    row = None if found is None else whole_row(*found)
    if not isinstance(row, InteractionRow):
        detail = f"The session has no interaction {ident[:_SHOWN_CHARS]!r}."
        raise ProblemError("interaction_unknown", detail, where="path parameter ident")
    if row.status != "pending":
        detail = f"It is {row.status}" + (f": {row.outcome[:_SHOWN_CHARS]}." if row.outcome else ".")
        raise ProblemError("interaction_over", detail, where="path parameter ident")
    return row, position


async def _forwarded(forwarder: AnswerForwarder, reply: Answer, now_ms: int) -> str:
    try:
        return await forwarder.forward(reply, now_ms)
    except AnswerRefused as refused:
        _log.warning("answer_refused", session=reply.session, status=refused.status)
        raise ProblemError("answer_refused", f"{refused}.") from refused
    except AnswerUndelivered as lost:
        _log.warning("answer_undelivered", session=reply.session, why=lost.why)
        raise ProblemError("answer_undelivered", f"{lost}.") from lost
