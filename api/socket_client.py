"""Edge stage: the shell of one socket: it carries out what the protocol says and holds its followers.

1. One task reads and one writes. The reader always receives, also while the socket is being closed: a
   handler that only sends does not notice that its peer is gone.
2. Everything the protocol decides is done at once and without waiting; what has to wait for a session runs
   in the background, in the order of that session.
3. What the hub ends, an error says, and the name is free again.
4. A token that expires ends the subscriptions (W-6); a warning comes before, and `refresh` keeps
   everything.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, Protocol

import msgspec
import structlog

from api.auth import Access, Authenticator
from api.codes import CloseCode, ErrorCode
from api.frames import whole
from api.hub import Hub
from api.hub_channel import Follower
from api.hub_list import ListFollower
from api.hub_session import LiveSession
from api.messages import Codec, Limits, error
from api.metrics import EdgeMetrics
from api.outbox import Outbox
from api.problems import Refusal
from api.protocol import (
    Authenticate,
    Close,
    Connection,
    Drop,
    Effect,
    Follow,
    FollowList,
    Reach,
    Renew,
    Send,
    Show,
)
from service.errors import SessionGone, StoreRefused, StoreUnavailable
from service.keys import SessionId

#: How long before its end a token's holder is warned; long against a round trip to whoever issues tokens.
WARN_S: Final = 60
#: A single frame that could not be written for so long: nobody reads there any more.
STALL_S: Final = 60.0

_log = structlog.get_logger(__name__)


class Wire(Protocol):
    """What a socket's server offers: text or binary frames, and the closing handshake."""

    async def send_frame(self, frame: str) -> None:
        """Send one frame; waits while the peer does not read; raises OSError once it is gone."""
        ...

    async def send_close(self, code: int, reason: str) -> None:
        """Begin the closing handshake."""
        ...


class SocketClient:
    """One open socket. `run` it; `receive` and `drain` are for whoever reads it and stops it."""

    def __init__(
        self,
        *,
        hub: Hub,
        authenticator: Authenticator,
        access: Access | None,
        wire: Wire,
        limits: Limits,
        metrics: EdgeMetrics,
        codec: Codec,
        now_ms: Callable[[], int],
        admitted: Callable[[str], bool],
    ) -> None:
        """Make the shell of a socket that was just accepted.

        Args:
            access: what the handshake proved; None: `hello` must.
            now_ms: the wall clock, epoch milliseconds.
            admitted: told the subject of a socket; False: it holds too many.
        """
        self.access = access
        self.subject: str | None = None
        self._hub = hub
        self._authenticator = authenticator
        self._wire = wire
        self._metrics = metrics
        self._now_ms = now_ms
        self._admitted = admitted
        self._connection = Connection(limits=limits, known=access is not None, now_ms=now_ms(), codec=codec)
        self._outbox = Outbox(skip=self._skip, drained=self._restart)
        self._sessions: dict[str, tuple[Follower, LiveSession]] = {}
        self._lists: dict[str, ListFollower] = {}
        self._timers: list[asyncio.TimerHandle] = []
        self._expiry: list[asyncio.TimerHandle] = []
        self._closing: Close | None = None
        self._sending_since = 0.0

    async def run(self, read: Callable[[], Awaitable[str | bytes | None]]) -> None:
        """Serve the socket until the peer is gone: `read` gives one frame, None at the end."""
        loop = asyncio.get_running_loop()
        writer = loop.create_task(self._write())
        self._timers.append(
            loop.call_later(
                self._connection.limits.hello_timeout_ms / 1000,
                lambda: self._perform(self._connection.hello_timeout()),
            )
        )
        try:
            if self.access is not None:
                self._enter(self.access)
            while (frame := await read()) is not None:
                self._perform(self._connection.receive(frame, self._now_ms()))
        finally:
            for timer in (*self._timers, *self._expiry):
                timer.cancel()
            for sub in (*self._sessions, *self._lists):
                self._forget(sub)
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)

    def drain(self, reconnect_after_ms: int) -> None:
        """Tell the client that this socket will be closed soon."""
        self._perform(self._connection.drain(reconnect_after_ms))

    def close(self, code: CloseCode) -> None:
        """Close the socket from our side."""
        self._perform(self._connection.close(code))

    @property
    def subscription_count(self) -> int:
        """How many subscriptions the socket has, of sessions and of the list."""
        return len(self._sessions) + len(self._lists)

    @property
    def is_stalled(self) -> bool:
        """Whether one frame has been waiting for the peer for longer than `STALL_S`."""
        since = self._sending_since
        return since > 0 and asyncio.get_running_loop().time() - since > STALL_S

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._closing is None or len(self._outbox):
                frame = await self._outbox.take()
                if frame:
                    self._sending_since = loop.time()
                    await self._wire.send_frame(frame)
                    self._sending_since = 0.0
            await self._wire.send_close(self._closing.code, self._closing.reason)
        except OSError:
            return  # the peer is gone; the reader is told the same

    # Effects

    def _perform(self, effects: list[Effect]) -> None:
        for effect in effects:
            self._perform_one(effect)

    def _perform_one(self, effect: Effect) -> None:
        match effect:
            case Send():
                self._outbox.put(whole(effect.message))
            case Authenticate():
                self._authenticate(effect.token)
            case Renew():
                self._renew(effect.token)
            case Follow():
                self._follow(effect)
            case FollowList():
                self._follow_list(effect.sub)
            case Drop():
                self._forget(effect.sub)
            case Show():
                follower, live = self._sessions[effect.sub]
                self._background(follower, live.show(follower, effect.view, effect.view_rev))
            case Reach():
                follower, live = self._sessions[effect.sub]
                self._background(follower, live.reach(follower, effect.limit))
            case Close():
                self._closing = effect
                self._metrics.closed(effect.code)
                self._outbox.put("")  # wakes the writer, which closes behind all that is still to be sent

    def _authenticate(self, token: str) -> None:
        found = self._authenticator.authenticate(token)
        if isinstance(found, Refusal):
            self._perform(self._connection.refuse(found.detail))
            return
        self.access = found
        self._perform(self._connection.admit(self._now_ms(), _expires_at_ms(found)))
        self._enter(found)

    def _renew(self, token: str) -> None:
        found = self._authenticator.authenticate(token)
        if isinstance(found, Refusal):
            self._outbox.put(whole(error(ErrorCode.UNAUTHENTICATED, found.detail)))
            return
        self.access = found
        self._perform(self._connection.renewed(self._now_ms(), _expires_at_ms(found)))
        self._watch_expiry(found)
        for sub, (_, live) in tuple(self._sessions.items()):
            if not found.may_read(live.session):
                self._ended(sub, ErrorCode.FORBIDDEN, None)

    def _enter(self, access: Access) -> None:
        self.subject = access.subject
        self._watch_expiry(access)
        if not self._admitted(access.subject):
            self.close(CloseCode.TOO_MANY_SOCKETS)

    def _watch_expiry(self, access: Access) -> None:
        for timer in self._expiry:
            timer.cancel()
        self._expiry = []
        if access.expires_at_s is None:
            return
        loop = asyncio.get_running_loop()
        left_s = max(0.0, access.expires_at_s - self._now_ms() / 1000)
        self._expiry = [
            loop.call_later(max(0.0, left_s - WARN_S), self._warn),
            loop.call_later(left_s, self._expire),
        ]

    def _warn(self) -> None:
        self._outbox.put(whole(error(ErrorCode.TOKEN_EXPIRING)))

    def _expire(self) -> None:
        self.access = None
        for sub in (*self._sessions, *self._lists):
            self._ended(sub, ErrorCode.TOKEN_EXPIRED, None)

    def _refusal(self, session: str | None) -> ErrorCode | None:
        if self.access is None:
            return ErrorCode.TOKEN_EXPIRED
        allowed = self.access.has_scope("read") if session is None else self.access.may_read(session)
        return None if allowed else ErrorCode.FORBIDDEN

    def _follow(self, asked: Follow) -> None:
        refused = self._refusal(asked.session)
        if refused is not None:
            self._ended(asked.sub, refused, None)
            return
        follower = Follower(
            sub=asked.sub,
            view=asked.view,
            view_rev=asked.view_rev,
            outbox=self._outbox,
            end=self._ended,
            metrics=self._metrics,
        )
        live = self._hub.enter(SessionId(asked.session))
        self._sessions[asked.sub] = (follower, live)
        self._background(follower, live.follow(follower, asked.position, asked.from_turn))

    def _follow_list(self, sub: str) -> None:
        refused = self._refusal(None)
        if refused is not None:
            self._ended(sub, refused, None)
            return
        follower = ListFollower(sub=sub, outbox=self._outbox, may_read=self._may_read, end=self._ended)
        self._lists[sub] = follower
        self._background(follower, self._hub.list.follow(follower))

    def _may_read(self, session: str) -> bool:
        return self.access is not None and self.access.may_read(session)

    # What the hub says

    def _background(self, follower: Follower | ListFollower, work: Coroutine[Any, Any, None]) -> None:
        self._hub.spawn(self._guarded(follower, work))

    async def _guarded(self, follower: Follower | ListFollower, work: Coroutine[Any, Any, None]) -> None:
        """Do a session's work; what it raises ends the subscription, not the socket."""
        try:
            await work
        except SessionGone:
            self._end_of(follower, ErrorCode.GONE)
        except (StoreUnavailable, StoreRefused):
            self._end_of(follower, ErrorCode.UNAVAILABLE)
        except Exception:  # noqa: BLE001 - the supervisor of a socket's background work: a bug ends one subscription
            _log.exception("subscription_failed", sub=follower.sub)
            self._end_of(follower, ErrorCode.INTERNAL)

    def _end_of(self, follower: Follower | ListFollower, code: ErrorCode) -> None:
        held = self._sessions.get(follower.sub)
        if (held is not None and held[0] is follower) or self._lists.get(follower.sub) is follower:
            self._ended(follower.sub, code, None)

    def _ended(self, sub: str, code: ErrorCode, message: str | None) -> None:
        self._forget(sub)
        self._perform(self._connection.ended(sub, code, message))

    def _forget(self, sub: str) -> None:
        held = self._sessions.pop(sub, None)
        if held is not None:
            held[1].leave(held[0])
            self._hub.exit(held[1])
        listed = self._lists.pop(sub, None)
        if listed is not None:
            self._hub.list.leave(listed)
        self._outbox.drop(sub)

    def _skip(self, sub: str) -> None:
        self._metrics.slow("skipped")
        if sub in self._sessions:
            follower, live = self._sessions[sub]
            live.skip(follower)
        elif sub in self._lists:
            self._hub.list.leave(self._lists[sub])

    def _restart(self, subs: tuple[str, ...]) -> None:
        for sub in subs:
            if sub in self._sessions:
                follower, live = self._sessions[sub]
                self._background(follower, live.restart(follower, "slow"))
            elif sub in self._lists:
                self._background(self._lists[sub], self._hub.list.follow(self._lists[sub]))


def _expires_at_ms(access: Access) -> int | None:
    return None if access.expires_at_s is None else access.expires_at_s * 1000


def transcoded(frame: str) -> bytes:
    """Return a JSON frame as MessagePack."""
    return msgspec.msgpack.encode(msgspec.json.decode(frame))
