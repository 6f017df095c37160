"""Edge stage: whatever ends a request early to a problem document, Litestar's own refusals included."""

import secrets
from typing import Any, Final

import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from api.hub_loading import FoldBroken, HistoryChanged
from api.problems import PROBLEM_MEDIA_TYPE, Problem, ProblemError, Refusal, encode_problem, problem_of
from projections.errors import CursorError
from service.errors import CursorRefused, NotDurable, SessionGone, StoreRefused, StoreUnavailable

_log = structlog.get_logger(__name__)

#: What Litestar refuses by itself, by status; its own words go into the detail where they help.
_CODE_BY_STATUS: Final = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    413: "request_too_large",
    415: "content_type_unsupported",
    429: "too_many_requests",
}
_RETRY_AFTER: Final = (("Retry-After", "1"),)


def answer_problem(problem: Problem, headers: tuple[tuple[str, str], ...] = ()) -> Response[bytes]:
    """The response that carries a problem document; never cached."""
    return Response(
        content=encode_problem(problem),
        status_code=problem.status,
        media_type=PROBLEM_MEDIA_TYPE,
        headers={"Cache-Control": "no-store", **dict(headers)},
    )


def on_exception(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Litestar's exception handler for everything."""
    error = _as_problem_error(error, request.scope["path"])
    headers = error.headers
    if error.refusal.code.startswith("token_"):
        headers = (*headers, ("WWW-Authenticate", "Bearer"))
    return answer_problem(problem_of(error.refusal, incident=error.incident), headers)


def failure_of(error: Exception, where: str) -> ProblemError:
    """An unexpected exception as an internal error; the traceback goes to the log under the incident's id."""
    incident = secrets.token_hex(8)
    _log.error("request_failed", incident=incident, path=where, exc_info=error)
    return ProblemError(
        "internal_error",
        f"The request failed inside the service; the incident is {incident}.",
        incident=incident,
    )


def _as_problem_error(error: Exception, path: str) -> ProblemError:
    match error:
        case ProblemError():
            return error
        case ValidationException():
            return _of_validation(error)
        case HTTPException() if error.status_code in _CODE_BY_STATUS:
            return _of_litestar(error, path)
        case CursorError() | CursorRefused():
            return ProblemError("invalid_cursor", str(error), where="query parameter")
        case SessionGone():
            return ProblemError("session_gone", str(error), where="path")
        case FoldBroken():
            _log.error("session_parked", path=path, exc_info=error)
            return ProblemError("session_parked", str(error), where="path parameter session")
        case StoreUnavailable() | StoreRefused() | NotDurable() | HistoryChanged():
            _log.warning("store_unavailable", path=path, why=str(error))
            return ProblemError("store_unreachable", str(error), headers=_RETRY_AFTER)
        case _:
            return failure_of(error, path)


def _of_validation(error: ValidationException) -> ProblemError:
    """Litestar names each parameter that does not fit; the first one is enough to go on."""
    faults = error.extra if isinstance(error.extra, list) else []
    fault = next((one for one in faults if isinstance(one, dict)), {})
    source, key = (
        str(getattr(fault.get("source"), "value", fault.get("source", ""))),
        str(fault.get("key", "")),
    )
    where = " ".join(part for part in (f"{source} parameter" if source else "parameter", key) if part)
    detail = str(fault.get("message") or "A parameter is missing or has the wrong type.")
    return ProblemError("invalid_parameter", detail, where=where)


def _of_litestar(error: HTTPException, path: str) -> ProblemError:
    refusal = Refusal(code=_CODE_BY_STATUS[error.status_code], detail=error.detail)
    details = {
        404: f"There is nothing at {path[:200]!r}.",
        413: "The body is larger than the service accepts (TURNFOLD_MAX_REQUEST_BYTES).",
    }
    return ProblemError(
        refusal.code,
        details.get(error.status_code, error.detail),
        where="path"
        if error.status_code in (404, 405)
        else "body"
        if error.status_code in (413, 415)
        else None,
        headers=tuple((error.headers or {}).items()),
    )
