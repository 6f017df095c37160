"""Edge stage: the raw ASGI handler of `/v1/ws`: handshake, frames, and the drain of all sockets (W-5).

The edge has let the handshake in by then (Host, Origin, header token). What is left is the subprotocol, and
it is refused over HTTP: a client that speaks something else should hear so before anything is upgraded.
"""

import asyncio
import random
import time
from collections import Counter
from typing import Any, Final

from litestar.types import Receive, Send

from api.auth import Access, Authenticator
from api.codes import CLOSES, CloseCode
from api.hub import Hub
from api.messages import Codec, Limits
from api.metrics import EdgeMetrics
from api.parts import ACCESS_KEY
from api.problems import PROBLEM_MEDIA_TYPE, Refusal, encode_problem, problem_of
from api.socket_client import SocketClient, transcoded

SUBPROTOCOLS: Final[dict[str, Codec]] = {"turnfold.v1.json": "json", "turnfold.v1.msgpack": "msgpack"}
#: W-7. A subject that is not named (no authentication configured) is not limited: it is this machine's user.
MAX_SOCKETS_PER_SUBJECT: Final = 100
#: How fast sockets are closed in a drain: a burst of reconnects that another process takes easily.
_CLOSES_PER_S: Final = 200
_STALL_CHECK_S: Final = 15.0
_GONE_WITHIN_S: Final = 2.0

_Scope = Any


class Sockets:
    """Every open socket of this process, as one ASGI application of WebSocket scopes."""

    def __init__(
        self, hub: Hub, authenticator: Authenticator, metrics: EdgeMetrics, limits: Limits | None = None
    ) -> None:
        self._hub = hub
        self._metrics = metrics
        self._authenticator = authenticator
        self._limits = Limits() if limits is None else limits
        self._clients: dict[SocketClient, asyncio.Task[Any]] = {}
        self._per_subject: Counter[str] = Counter()
        self._is_draining = False

    def __len__(self) -> int:
        return len(self._clients)

    @property
    def subscription_count(self) -> int:
        """How many subscriptions all sockets have, of sessions and of the list."""
        return sum(client.subscription_count for client in self._clients)

    async def __call__(self, scope: _Scope, receive: Receive, send: Send) -> None:
        """Serve one socket to its end."""
        message: Any = await receive()
        if message["type"] != "websocket.connect":
            return
        name = next((one for one in scope["subprotocols"] if one in SUBPROTOCOLS), None)
        if self._is_draining:
            await _refuse(scope, send, Refusal(code="not_ready", detail="The service is stopping."))
            return
        if name is None:
            offered = ", ".join(scope["subprotocols"])[:128] or "none"
            detail = f"Offer one of the subprotocols {', '.join(SUBPROTOCOLS)}; offered: {offered}."
            refused = Refusal(code="bad_request", detail=detail, where="header Sec-WebSocket-Protocol")
            await _refuse(scope, send, refused)
            return
        await send({"type": "websocket.accept", "subprotocol": name, "headers": []})
        access: Access | None = scope["state"].get(ACCESS_KEY)
        await self._serve(_AsgiWire(receive, send, SUBPROTOCOLS[name]), access, SUBPROTOCOLS[name])

    async def drain(self, within_s: float) -> None:
        """Warn every client, close all in batches spread over at most `within_s`, and wait for them to go."""
        self._is_draining = True
        clients = list(self._clients)
        random.shuffle(clients)
        window_s = min(within_s, len(clients) / _CLOSES_PER_S)
        for client in clients:
            client.drain(int(random.uniform(0, 1000 + window_s * 1000)))
        started = time.monotonic()
        for number, client in enumerate(clients):
            due_s = started + window_s * number / max(1, len(clients)) - time.monotonic()
            if due_s > 0:
                await asyncio.sleep(due_s)
            client.close(CloseCode.DRAINING)
        if self._clients:
            await asyncio.wait(tuple(self._clients.values()), timeout=_GONE_WITHIN_S)

    async def watch(self) -> None:
        """Cut off sockets whose peer reads nothing, for ever; for a background task."""
        while True:
            await asyncio.sleep(_STALL_CHECK_S)
            for client, task in tuple(self._clients.items()):
                if client.is_stalled:
                    self._metrics.slow("closed")
                    task.cancel(CLOSES[CloseCode.SLOW])

    async def _serve(self, wire: "_AsgiWire", access: Access | None, codec: Codec) -> None:
        client = SocketClient(
            hub=self._hub,
            authenticator=self._authenticator,
            access=access,
            wire=wire,
            limits=self._limits,
            metrics=self._metrics,
            codec=codec,
            now_ms=lambda: time.time_ns() // 1_000_000,
            admitted=self._admit,
        )
        serving = asyncio.create_task(client.run(wire.read))
        self._clients[client] = serving
        try:
            await asyncio.wait((serving,))
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
            del self._clients[client]
            if client.subject is not None:
                self._per_subject[client.subject] -= 1
        if not serving.cancelled() and (bug := serving.exception()) is not None:
            raise bug

    def _admit(self, subject: str) -> bool:
        self._per_subject[subject] += 1
        return not subject or self._per_subject[subject] <= MAX_SOCKETS_PER_SUBJECT


class _AsgiWire:
    """The frames of one ASGI WebSocket."""

    def __init__(self, receive: Receive, send: Send, codec: Codec) -> None:
        self._receive = receive
        self._send = send
        self._codec = codec

    async def read(self) -> str | bytes | None:
        event: Any = await self._receive()
        if event["type"] != "websocket.receive":
            return None
        text: str | None = event.get("text")
        data: bytes | None = event.get("bytes")
        return text if text is not None else data

    async def send_frame(self, frame: str) -> None:
        if self._codec == "json":
            await self._send({"type": "websocket.send", "text": frame, "bytes": None})
        else:
            await self._send({"type": "websocket.send", "text": None, "bytes": transcoded(frame)})

    async def send_close(self, code: int, reason: str) -> None:
        # A close frame has room for 123 bytes of reason.
        await self._send({"type": "websocket.close", "code": code, "reason": reason[:120]})


async def _refuse(scope: _Scope, send: Send, refused: Refusal) -> None:
    if "websocket.http.response" not in scope.get("extensions", {}):
        reason = CLOSES[CloseCode.NO_SUBPROTOCOL]
        await send({"type": "websocket.close", "code": CloseCode.NO_SUBPROTOCOL, "reason": reason})
        return
    problem = problem_of(refused)
    body = encode_problem(problem)
    headers = [
        (b"content-type", PROBLEM_MEDIA_TYPE.encode()),
        (b"cache-control", b"no-store"),
        (b"content-length", b"%d" % len(body)),
    ]
    start: Any = {"type": "websocket.http.response.start", "status": problem.status, "headers": headers}
    rest: Any = {"type": "websocket.http.response.body", "body": body, "more_body": False}
    await send(start)
    await send(rest)
