"""Edge stage: the outermost ASGI shell: door, token and headers around everything that is served.

Order: door, base path, CORS preflight, stop, token, then the socket or the routes. What is refused here is the same
problem document as inside; a refused handshake is answered with it over HTTP.
"""

from time import perf_counter
from typing import Any, Final, cast

from litestar.types import ASGIApp, Message, Receive, Send

from api.auth import FULL_ACCESS, Access, Authenticator
from api.door import DoorRules, Knock, cors_origin, is_preflight, knock_of, path_below, refusal
from api.http_errors import failure_of
from api.metrics import NO_ROUTE, EdgeMetrics
from api.parts import ACCESS_KEY, STOPPING, Readiness
from api.problems import PROBLEM_MEDIA_TYPE, Problem, Refusal, encode_problem, problem_of

SOCKET_PATH: Final = "/v1/ws"
#: Answered without a token: probes, and the page, which holds no data and cannot send one.
_OPEN_PATHS: Final = frozenset({"/livez", "/readyz", "/"})
_OPEN_PREFIX: Final = "/assets/"
#: Answered to the end of a stop: that the process lives, that it wants no more work, and what it is doing.
_PROBES: Final = frozenset({"/livez", "/readyz", "/metrics"})
#: What a refusal during a stop adds: come back soon, and over another connection, which may lead elsewhere.
_STOPPING: Final = ((b"retry-after", b"1"), (b"connection", b"close"))
_HEADERS: Final = (
    (b"server", b"turnfold"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"vary", b"Accept, Accept-Language, Authorization, Origin"),
)
_EXPOSED: Final = b"Content-Disposition, ETag, Retry-After"
_PREFLIGHT_HEADERS: Final = (
    (b"access-control-allow-methods", b"GET, POST, PATCH, DELETE"),
    (b"access-control-allow-headers", b"Authorization, Content-Type, If-None-Match, Last-Event-ID"),
    (b"access-control-max-age", b"600"),
)

#: Where Litestar leaves the pattern of the route that it found.
_ROUTE_KEY: Final = "path_template"
_SWITCHED: Final = 101

_Headers = tuple[tuple[bytes, bytes], ...]
_Scope = Any


class Edge:
    """The ASGI application: `routes` answers HTTP and the lifespan, `socket` the handshakes at `/v1/ws`."""

    def __init__(
        self,
        routes: ASGIApp,
        socket: ASGIApp | None,
        rules: DoorRules,
        authenticator: Authenticator,
        *,
        metrics: EdgeMetrics,
        readiness: Readiness,
    ) -> None:
        self._routes = routes
        self._socket = socket
        self._rules = rules
        self._authenticator = authenticator
        self._metrics = metrics
        self._readiness = readiness

    async def __call__(self, scope: _Scope, receive: Receive, send: Send) -> None:
        """Serve one scope."""
        if scope["type"] == "lifespan":
            await self._routes(scope, receive, send)
            return
        began = perf_counter()
        knock = knock_of(scope, self._rules)
        answer = _Answer(send, _cors_headers(self._rules, knock), knock.method or "GET", self._metrics)
        try:
            await self._serve(scope, knock, receive, answer)
        except Exception as error:  # the one place that stands between a bug and the client
            failure = failure_of(error, str(scope["path"]))
            if answer.has_started or scope["type"] == "websocket":
                raise
            await _send_problem(answer, problem_of(failure.refusal, incident=failure.incident))
        finally:
            if scope["type"] == "http":
                self._metrics.served(answer.route, perf_counter() - began)

    async def _serve(self, scope: _Scope, knock: Knock, receive: Receive, answer: "_Answer") -> None:
        refused = refusal(self._rules, knock)
        if refused is not None:
            await self._refuse(scope, refused, answer)
            return
        path = path_below(self._rules, scope["path"])
        if path is None:
            outside = f"Everything is below {self._rules.base_path}."
            await self._refuse(scope, Refusal(code="not_found", detail=outside, where="path"), answer)
            return
        if scope["path"] == self._rules.base_path and knock.method == "GET":
            # The page's own addresses are relative, and count from the last slash.
            location = self._rules.base_path.encode() + b"/"
            await _send(answer, 308, ((b"location", location),), b"")
            return
        if is_preflight(knock):
            await _send(answer, 204, _PREFLIGHT_HEADERS, b"")
            return
        if self._readiness.is_draining and path not in _PROBES:
            stopping = Refusal(code="not_ready", detail=STOPPING)
            await self._refuse(scope, stopping, answer, _STOPPING)
            return
        access = self._access(scope, path)
        if isinstance(access, Refusal):
            await self._refuse(scope, access, answer)
            return
        inner: _Scope = {**scope, "path": path, "raw_path": path.encode(errors="replace"), "root_path": ""}
        inner["state"] = {**scope.get("state", {}), ACCESS_KEY: access}
        answer.inner = inner
        if scope["type"] == "http":
            with self._readiness.request():
                await self._routes(inner, receive, answer)
        elif path == SOCKET_PATH and self._socket is not None:
            inner[_ROUTE_KEY] = SOCKET_PATH
            await self._socket(inner, receive, answer)
        else:
            lost = Refusal(code="not_found", detail=f"The socket is at {SOCKET_PATH}.", where="path")
            await self._refuse(scope, lost, answer)

    def _access(self, scope: _Scope, path: str) -> Access | Refusal | None:
        """The caller's access; None for a handshake without a token, which says `hello` with one later."""
        authorization = next(
            (value.decode("latin-1") for name, value in scope["headers"] if name.lower() == b"authorization"),
            None,
        )
        if scope["type"] == "websocket" and authorization is None and self._authenticator.is_configured:
            return None
        if path in _OPEN_PATHS or path.startswith(_OPEN_PREFIX):
            return FULL_ACCESS
        return self._authenticator.authenticate_header(authorization)

    async def _refuse(
        self, scope: _Scope, refused: Refusal, answer: "_Answer", headers: _Headers = ()
    ) -> None:
        is_socket = scope["type"] == "websocket"
        if is_socket and "websocket.http.response" not in scope.get("extensions", {}):
            await answer({"type": "websocket.close", "code": 1008, "reason": refused.code})
            return
        kind = "websocket.http" if is_socket else "http"
        await _send_problem(answer, problem_of(refused), kind, headers)


class _Answer:
    """Sends on, with the headers that every answer carries, and knows whether an answer has begun.

    `inner` is the scope that the routes were given, where they leave the pattern of the route that answers.
    """

    def __init__(self, send: Send, cors: _Headers, method: str, metrics: EdgeMetrics) -> None:
        self._send = send
        self._headers = (*_HEADERS, *cors)
        self._method = method
        self._metrics = metrics
        self.inner: _Scope = {}
        self.has_started = False

    @property
    def route(self) -> str:
        """The pattern of the route that answers, never the path itself: that would name a session."""
        return self.inner.get(_ROUTE_KEY) or NO_ROUTE

    async def __call__(self, message: Message) -> None:
        event: dict[str, Any] = dict(message)
        if event["type"] == "websocket.accept":
            self._metrics.requested(self._method, self.route, _SWITCHED)
        if event["type"] in ("http.response.start", "websocket.http.response.start"):
            self.has_started = True
            self._metrics.requested(self._method, self.route, event["status"])
            ours = {name for name, _ in self._headers}
            theirs = [(name, value) for name, value in event.get("headers", ()) if name.lower() not in ours]
            event["headers"] = [*theirs, *self._headers]
        await self._send(cast("Message", event))  # with more headers it is still the message that it was


def _cors_headers(rules: DoorRules, knock: Knock) -> _Headers:
    origin = cors_origin(rules, knock)
    if origin is None:
        return ()
    return (
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-expose-headers", _EXPOSED),
    )


async def _send_problem(answer: _Answer, problem: Problem, kind: str = "http", more: _Headers = ()) -> None:
    headers: _Headers = (
        *more,
        (b"content-type", PROBLEM_MEDIA_TYPE.encode()),
        (b"cache-control", b"no-store"),
    )
    if problem.code.startswith("token_"):
        headers = (*headers, (b"www-authenticate", b"Bearer"))
    await _send(answer, problem.status, headers, encode_problem(problem), kind)


async def _send(answer: _Answer, status: int, headers: _Headers, body: bytes, kind: str = "http") -> None:
    sized = [*headers, (b"content-length", b"%d" % len(body))] if status != 204 else list(headers)
    # `kind` makes them messages of HTTP or of a refused handshake, which no type checker can see.
    begin = {"type": f"{kind}.response.start", "status": status, "headers": sized}
    await answer(cast("Message", begin))
    await answer(cast("Message", {"type": f"{kind}.response.body", "body": body, "more_body": False}))
