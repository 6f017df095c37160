"""Edge stage: the one table of everything the service refuses, as RFC 9457 problem documents.

Each refusal names a `code` of this table. The code is stable and is what a client may branch on; the title,
the advice and the detail are prose for people and may be reworded. `docs/problems.md` holds the same table.
"""

from typing import Final

import msgspec

PROBLEM_MEDIA_TYPE: Final = "application/problem+json"

#: Problems are named by a URN: the service has no public address of its own that a URL could point to.
TYPE_PREFIX: Final = "urn:turnfold:problem:"


class ProblemKind(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table: what every problem of this `code` has in common.

    `retry` is True when the very same request may succeed later without any change.
    """

    code: str
    status: int
    title: str
    advice: str
    retry: bool = False


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The problem document on the wire: what (`detail`), where (`where`) and what to do (`advice`).

    `where` points at the part of the request at fault, as `query parameter limit`, `event 3` or `line 12`.
    `incident` is set for internal errors alone and finds the record in the service's own log.
    """

    type: str
    title: str
    status: int
    code: str
    detail: str
    advice: str
    retry: bool
    where: str | None = None
    incident: str | None = None


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """A decision not to serve, as a value: a row of the table, what happened and where in the request."""

    code: str
    detail: str
    where: str | None = None


class ProblemError(Exception):
    """Raised inside a request to end it with a problem document.

    `headers` are added to the answer, as `Retry-After` or `WWW-Authenticate`.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        where: str | None = None,
        incident: str | None = None,
        headers: tuple[tuple[str, str], ...] = (),
    ) -> None:
        super().__init__(detail)
        self.refusal = Refusal(code=code, detail=detail, where=where)
        self.incident = incident
        self.headers = headers


def _kind(code: str, status: int, title: str, advice: str, *, retry: bool = False) -> ProblemKind:
    return ProblemKind(code=code, status=status, title=title, advice=advice, retry=retry)


KINDS: Final[tuple[ProblemKind, ...]] = (
    _kind("bad_request", 400, "The request cannot be understood", "Correct the request as the detail says."),
    _kind(
        "invalid_session_id",
        400,
        "The session id is not valid",
        "Use 1 to 256 characters of A-Z a-z 0-9 . _ : @ and -.",
    ),
    _kind(
        "invalid_parameter",
        400,
        "A parameter is not valid",
        "Correct the named parameter; /schema lists them.",
    ),
    _kind(
        "invalid_cursor",
        400,
        "The cursor was not given out by this service",
        "Pass a cursor on exactly as an answer gave it, or start without one.",
    ),
    _kind(
        "malformed_body",
        400,
        "The body cannot be read",
        "Send one JSON object, an array of objects, NDJSON or MessagePack, as the content type says.",
    ),
    _kind(
        "invalid_preference",
        400,
        "A preference is not valid",
        "Send one of the values that the detail names; nothing of this request was kept.",
    ),
    _kind("no_events", 400, "The request holds no event", "Send at least one event."),
    _kind(
        "invalid_event",
        400,
        "An event is not valid; none was accepted",
        "Correct the named event and send the whole request again.",
    ),
    _kind(
        "beyond_log", 400, "The log does not reach that far", "Ask for a seq below the session's next_seq."
    ),
    _kind(
        "token_missing",
        401,
        "A token is needed",
        "Send `Authorization: Bearer TOKEN` with a token signed by this deployment.",
    ),
    _kind("token_invalid", 401, "The token is not valid", "Get a new token from whoever issues them here."),
    _kind("token_expired", 401, "The token has expired", "Get a new token and repeat the request."),
    _kind(
        "origin_not_allowed",
        403,
        "The page's origin is not allowed",
        "Add the origin to TURNFOLD_ALLOWED_ORIGINS, or call from the service's own page.",
    ),
    _kind("scope_missing", 403, "The token lacks a scope", "Use a token with the named scope."),
    _kind(
        "session_forbidden",
        403,
        "The token does not cover this session",
        "Use a token whose `sessions` patterns match the session.",
    ),
    _kind("not_found", 404, "There is nothing at this address", "Check the path; /schema lists every call."),
    _kind(
        "session_unknown",
        404,
        "The session is not known",
        "Check the id; GET /v1/sessions lists what is there.",
    ),
    _kind(
        "turn_unknown",
        404,
        "The session has no such turn",
        "Check the number; the transcript lists the turns.",
    ),
    _kind(
        "row_unknown",
        404,
        "The session has no such row",
        "Name it as the transcript does, and the calls above it by `in`.",
    ),
    _kind(
        "text_unknown",
        404,
        "The row has no such text",
        "Name it by a JSON pointer into the row, as /blocks/0/text; what is no head has no rest.",
    ),
    _kind(
        "blob_unknown",
        404,
        "The session has no such image or file",
        "Take the digest from a block's `blob`.",
    ),
    _kind(
        "interaction_unknown",
        404,
        "The session has no such interaction",
        "Take the id from the row, and name the calls above it by `in`.",
    ),
    _kind(
        "method_not_allowed",
        405,
        "The address does not take this method",
        "Use a method that the Allow header names.",
    ),
    _kind(
        "not_acceptable",
        406,
        "The answer cannot be given in the form asked for",
        "Ask for application/json.",
    ),
    _kind(
        "epoch_changed",
        409,
        "The session's history is another one now",
        "Fetch the session again and use the epoch of its position.",
    ),
    _kind(
        "interaction_over",
        409,
        "The interaction does not wait any more",
        "Read the session again: what became of it stands there.",
    ),
    _kind("session_gone", 410, "The session was deleted", "Use another session id; this one stays deleted."),
    _kind(
        "request_too_large", 413, "The request is too large", "Send the events in several smaller requests."
    ),
    _kind(
        "event_too_large", 413, "An event is too large", "Shorten the event, or split its text over several."
    ),
    _kind("answer_too_large", 413, "The answer is too large", "Shorten the answer."),
    _kind(
        "content_type_unsupported",
        415,
        "The content type is not supported",
        "Send application/json, application/x-ndjson or application/msgpack, in UTF-8 and not compressed.",
    ),
    _kind(
        "host_not_allowed",
        421,
        "The service does not answer to this Host",
        "Without authentication it answers on localhost alone; set TURNFOLD_JWT_SECRET to serve others.",
    ),
    _kind("too_many_requests", 429, "There are too many requests", "Wait a little and repeat.", retry=True),
    _kind(
        "internal_error",
        500,
        "The service failed",
        "Report the incident id to whoever runs the service; the log has the rest.",
        retry=True,
    ),
    _kind(
        "answers_not_configured",
        501,
        "Answers are not forwarded here",
        "Answer where the session runs, or have TURNFOLD_ANSWERS_URL set.",
    ),
    _kind(
        "answer_refused",
        502,
        "The receiver refused the answer",
        "Read the session again; if it still waits, tell whoever runs the receiver.",
    ),
    _kind(
        "answer_undelivered",
        502,
        "The receiver did not take the answer",
        "Read the session again; if it still waits, answer again.",
        retry=True,
    ),
    _kind("store_unreachable", 503, "The store cannot be reached", "Wait a little and repeat.", retry=True),
    _kind(
        "session_parked",
        503,
        "The session stands still at an event",
        "Report it to whoever runs the service: after a fix, the session goes on by itself.",
    ),
    _kind("not_ready", 503, "The service is not ready", "Wait until /readyz answers 200.", retry=True),
    _kind(
        "wait_timeout",
        504,
        "What was waited for did not come in time",
        "Accepted events will appear: read again later. Send again only events that have event ids.",
        retry=True,
    ),
)

KIND_BY_CODE: Final = {kind.code: kind for kind in KINDS}

_encode = msgspec.json.Encoder().encode


def problem_of(refusal: Refusal, *, incident: str | None = None) -> Problem:
    """The problem document of a refusal; a code outside the table is a bug and raises KeyError."""
    kind = KIND_BY_CODE[refusal.code]
    return Problem(
        type=TYPE_PREFIX + kind.code,
        title=kind.title,
        status=kind.status,
        code=kind.code,
        detail=refusal.detail,
        advice=kind.advice,
        retry=kind.retry,
        where=refusal.where,
        incident=incident,
    )


def encode_problem(problem: Problem) -> bytes:
    """The document as JSON bytes."""
    return _encode(problem)
