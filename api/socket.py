"""Edge stage: the raw ASGI handler of `/v1/ws`: handshake, frames, and the drain of all sockets (W-5).

The edge has let the handshake in by then (Host, Origin, header token). What is left is the subprotocol, and
it is refused over HTTP: a client that speaks something else should hear so before anything is upgraded.
"""

import asyncio
import random
import time
from collections import Counter
from typing import Any, Final

import msgspec
from litestar.types import Receive, Send

from api.auth import Access
from api.codes import CLOSES, CloseCode
from api.credentials import Credentials
from api.hub import Hub
from api.messages import Codec, Limits
from api.metrics import EdgeMetrics
from api.parts import ACCESS_KEY
from api.problems import PROBLEM_MEDIA_TYPE, Refusal, encode_problem, problem_of
from api.socket_client import SocketClient
from api.socket_preferences import SubjectPreferences
from api.wire import Wire
from api.wire_asgi import AsgiSocket
from api.wire_uvicorn import READY_EXTENSION
from projections.preferences import Preferences
from service.preferences import PreferenceStore

SUBPROTOCOLS: Final[dict[str, Codec]] = {"turnfold.v1.json": "json", "turnfold.v1.msgpack": "msgpack"}
#: W-7. A subject that is not named (no authentication configured) is not limited: it is this machine's user.
MAX_SOCKETS_PER_SUBJECT: Final = 100
#: How fast sockets are closed in a drain: a burst of reconnects that another process takes easily.
_CLOSES_PER_S: Final = 200
#: A peer that reads has answered a close frame by then; whoever has not is cut off.
_GONE_WITHIN_S: Final = 2.0
#: How often to look for slow clients, as a share of the time that they have.
_LOOKS: Final = 5

_Scope = Any


class SlowLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What a slow client may cost (W-4): unsent bytes of deltas, and ms until it is closed."""

    max_unsent_bytes: int = 1024 * 1024
    slow_ms: int = 15_000


class Sockets:
    """Every open socket of this process, as one ASGI application of WebSocket scopes."""

    def __init__(
        self,
        hub: Hub,
        credentials: Credentials,
        preferences: PreferenceStore,
        metrics: EdgeMetrics,
        *,
        limits: Limits | None = None,
        slow: SlowLimits | None = None,
    ) -> None:
        """Make the application; the limits are the documented ones unless given."""
        self._hub = hub
        self._metrics = metrics
        self._credentials = credentials
        self._limits = limits or Limits()
        self._slow = slow or SlowLimits()
        self._clients: dict[SocketClient, None] = {}
        self._per_subject: Counter[str] = Counter()
        self._preferences = SubjectPreferences(preferences, self._preferring, self._prefer)
        self._is_draining = False
        self._emptied = asyncio.Event()

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
        if name is None:
            offered = ", ".join(scope["subprotocols"])[:128] or "none"
            detail = f"Offer one of the subprotocols {', '.join(SUBPROTOCOLS)}; offered: {offered}."
            refused = Refusal(code="bad_request", detail=detail, where="header Sec-WebSocket-Protocol")
            await _refuse(scope, send, refused)
            return
        await send({"type": "websocket.accept", "subprotocol": name, "headers": []})
        access: Access | None = scope["state"].get(ACCESS_KEY)
        codec = SUBPROTOCOLS[name]
        ready: Wire | None = scope.get("extensions", {}).get(READY_EXTENSION)
        await self._serve(ready or AsgiSocket(receive, send, codec), access, codec)

    async def drain(self, *, window_ms: int, within_s: float) -> None:
        """Send every client away, and wait until all are gone; none is left after `within_s`.

        Each is told a time of its own to come back after, spread over `window_ms`; then they are closed in
        batches. Who does not answer the close in time is cut off.
        """
        ends_at_s = time.monotonic() + within_s
        self._is_draining = True
        clients = list(self._clients)
        random.shuffle(clients)
        for number, client in enumerate(clients):
            client.drain(int(window_ms * (number + random.random()) / len(clients)))
        await self._close_in_batches(clients, min(window_ms / 1000, within_s / 2))
        try:
            async with asyncio.timeout(min(_GONE_WITHIN_S, ends_at_s - time.monotonic())):
                while self._clients:
                    self._emptied.clear()
                    await self._emptied.wait()
        except TimeoutError:
            self.abort()

    def abort(self) -> None:
        """Cut every connection, at once."""
        self._is_draining = True
        for client in tuple(self._clients):
            client.abort()

    async def watch(self) -> None:
        """Cut off clients that are too slow, for ever; for a background task."""
        slow_s = self._slow.slow_ms / 1000
        while True:
            await asyncio.sleep(slow_s / _LOOKS)
            for client in tuple(self._clients):
                if client.late_s() > slow_s:
                    self._metrics.slow("closed")
                    client.cut_off()

    async def follow_preferences(self) -> None:
        """Show every change of a preference to the sockets of its subject, for ever; for a background task."""
        await self._preferences.watch()

    def _preferring(self) -> set[str]:
        return {client.prefers_as for client in self._clients if client.prefers_as is not None}

    def _prefer(self, subject: str, preferences: Preferences) -> None:
        for client in tuple(self._clients):
            if client.prefers_as == subject:
                client.prefer(preferences)

    async def _close_in_batches(self, clients: list[SocketClient], within_s: float) -> None:
        began_s = time.monotonic()
        closing_s = min(within_s, len(clients) / _CLOSES_PER_S)
        for number, client in enumerate(clients):
            early_s = began_s + closing_s * number / len(clients) - time.monotonic()
            if early_s > 0:
                await asyncio.sleep(early_s)
            client.close(CloseCode.DRAINING)

    async def _serve(self, wire: Wire, access: Access | None, codec: Codec) -> None:
        client = SocketClient(
            hub=self._hub,
            credentials=self._credentials,
            access=access,
            wire=wire,
            limits=self._limits,
            metrics=self._metrics,
            codec=codec,
            max_unsent_bytes=self._slow.max_unsent_bytes,
            now_ms=lambda: time.time_ns() // 1_000_000,
            admitted=self._admit,
            preferences=self._preferences.of,
        )
        self._clients[client] = None
        if self._is_draining:
            client.close(CloseCode.DRAINING)
        try:
            await client.run()
        except Exception:
            client.close(CloseCode.INTERNAL)
            raise  # the server logs it
        finally:
            del self._clients[client]
            self._emptied.set()
            if client.subject is not None:
                self._per_subject[client.subject] -= 1
                if not self._per_subject[client.subject]:
                    del self._per_subject[client.subject]

    def _admit(self, subject: str) -> bool:
        self._per_subject[subject] += 1
        return not subject or self._per_subject[subject] <= MAX_SOCKETS_PER_SUBJECT


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
