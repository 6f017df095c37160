"""Edge stage: the shell of one socket: it carries out what the protocol says and holds its followers.

1. One task reads, and always receives, also while the socket is being closed: a handler that only sends does
   not notice that its peer is gone. Nothing waits for a frame to be sent.
2. Everything the protocol decides is done at once and without waiting; what has to wait for a session runs
   in the background, in the order it was asked for and while the client reads the answers.
3. What the hub ends, an error says, and the name is free again.
4. A token that expires ends the subscriptions (W-6); a warning comes before, and `refresh` keeps
   everything.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

import structlog

from api.auth import Access
from api.codes import CloseCode, ErrorCode
from api.credentials import Credentials
from api.frames import frame_of
from api.hub import Hub
from api.hub_channel import Follower
from api.hub_list import ListFollower
from api.hub_session import LiveSession
from api.messages import Codec, Limits, ServerMessage, error
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
    Redeem,
    Renew,
    Send,
    Show,
)
from api.turnstile import Turnstile
from api.wire import Wire, nobody
from projections.preferences import Preferences
from service.errors import SessionGone, StoreRefused, StoreUnavailable
from service.keys import SessionId

#: How long before its end a token's holder is warned; long against a round trip to whoever issues tokens.
WARN_S: Final = 60

_log = structlog.get_logger(__name__)
_Work = Callable[[], Coroutine[Any, Any, None]]


class SocketClient:
    """One open socket. `run` serves it; the other methods are for whoever stops it."""

    def __init__(
        self,
        *,
        hub: Hub,
        credentials: Credentials,
        access: Access | None,
        wire: Wire,
        limits: Limits,
        metrics: EdgeMetrics,
        codec: Codec,
        max_unsent_bytes: int,
        now_ms: Callable[[], int],
        admitted: Callable[[str], bool],
        preferences: Callable[[str], Awaitable[Preferences]],
    ) -> None:
        """Make the shell of a socket that was just accepted.

        Args:
            access: what the handshake proved; None: `hello` must.
            max_unsent_bytes: the bound on unsent deltas (W-4).
            now_ms: the wall clock, epoch milliseconds.
            admitted: told the subject of a socket; False: it holds too many.
            preferences: what a subject prefers.
        """
        self.access = access
        self.subject: str | None = None
        self.prefers_as: str | None = None
        self._hub = hub
        self._credentials = credentials
        self._wire = wire
        self._metrics = metrics
        self._now_ms = now_ms
        self._admitted = admitted
        self._preferences = preferences
        self._admitting: Access | None = None
        self._redeeming: Redeem | None = None
        self._connection = Connection(limits=limits, known=access is not None, now_ms=now_ms(), codec=codec)
        self._outbox = Outbox(
            wire,
            codec,
            skip=self._skip,
            drained=self._restart,
            moved=self._look_again,
            max_delta_bytes=max_unsent_bytes,
        )
        self._turnstile = Turnstile(lambda: self._outbox.waiting_bytes <= max_unsent_bytes)
        self._sessions: dict[str, tuple[Follower, LiveSession]] = {}
        self._lists: dict[str, ListFollower] = {}
        self._timers: list[asyncio.TimerHandle] = []
        self._expiry: list[asyncio.TimerHandle] = []

    async def run(self) -> None:
        """Serve the socket until it is closed, by whichever side; raises what `preferences` and tickets raise."""
        loop = asyncio.get_running_loop()
        self._timers.append(
            loop.call_later(
                self._connection.limits.hello_timeout_ms / 1000,
                lambda: self._perform(self._connection.hello_timeout()),
            )
        )
        try:
            if self.access is not None:
                await self._learn(self.access.subject)
                self._enter(self.access)
            while (frame := await self._wire.read()) is not None:
                self._perform(self._connection.receive(frame, self._now_ms()))
                if self._redeeming is not None:
                    await self._take(self._redeeming)
                if self._admitting is not None:
                    await self._admit(self._admitting)
        finally:
            for timer in (*self._timers, *self._expiry):
                timer.cancel()
            for sub in (*self._sessions, *self._lists):
                self._forget(sub)
            self._turnstile.open()
            self._wire.on_writable = nobody

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

    def cut_off(self) -> None:
        """Close the socket of a client that is too slow, without what it did not read (W-4)."""
        self._outbox.clear()
        self.close(CloseCode.SLOW)

    def abort(self) -> None:
        """Cut the connection."""
        self._wire.abort()

    def late_s(self) -> float:
        """Return for how long the client has been late with reading; see `Outbox.late_s`."""
        return self._outbox.late_s()

    # Effects

    def _perform(self, effects: list[Effect]) -> None:
        for effect in effects:
            self._perform_one(effect)

    def _perform_one(self, effect: Effect) -> None:
        match effect:
            case Send():
                self._send(effect.message)
            case Authenticate():
                self._authenticated(self._credentials.of_token(effect.token))
            case Renew():
                self._renewed(self._credentials.of_token(effect.token))
            case Redeem():
                self._redeeming = effect
            case Follow():
                self._follow(effect)
            case FollowList():
                self._follow_list(effect.sub)
            case Drop():
                self._forget(effect.sub)
            case Show():
                self._show(effect)
            case Reach():
                self._reach(effect)
            case Close():
                code, reason = effect.code, effect.reason
                self._metrics.closed(code)
                self._outbox.finish(lambda: self._wire.close(code, reason))

    def _send(self, message: ServerMessage) -> None:
        self._outbox.put(frame_of(message, self._outbox.codec))

    async def _take(self, asked: Redeem) -> None:
        """Use a ticket up. No other message is read meanwhile."""
        self._redeeming = None
        found = await self._credentials.of_ticket(asked.ticket, self._now_ms())
        if asked.renews:
            self._renewed(found)
        else:
            self._authenticated(found)

    def _authenticated(self, found: Access | Refusal) -> None:
        if isinstance(found, Refusal):
            self._perform(self._connection.refuse(found.detail))
            return
        self._admitting = found

    async def _admit(self, found: Access) -> None:
        """Let the client in, once it is known what it prefers; it has said nothing else meanwhile."""
        self._admitting = None
        await self._learn(found.subject)
        self.access = found
        self._perform(self._connection.admit(self._now_ms(), _expires_at_ms(found)))
        self._enter(found)

    async def _learn(self, subject: str) -> None:
        # Named first, so that a change that comes while this is read is told as well.
        self.prefers_as = subject
        self._connection.prefer(await self._preferences(subject))

    def prefer(self, preferences: Preferences) -> None:
        """Tell the client what its subject prefers now, and show it so."""
        self._perform(self._connection.prefer(preferences))

    def _renewed(self, found: Access | Refusal) -> None:
        if isinstance(found, Refusal):
            self._send(error(ErrorCode.UNAUTHENTICATED, found.detail))
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
        self._send(error(ErrorCode.TOKEN_EXPIRING))

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
        self._background(follower, lambda: live.follow(follower, asked.position, asked.from_turn))

    def _show(self, asked: Show) -> None:
        follower, live = self._sessions[asked.sub]
        self._background(follower, lambda: live.show(follower, asked.view, asked.view_rev))

    def _reach(self, asked: Reach) -> None:
        follower, live = self._sessions[asked.sub]
        self._background(follower, lambda: live.reach(follower, asked.limit))

    def _follow_list(self, sub: str) -> None:
        refused = self._refusal(None)
        if refused is not None:
            self._ended(sub, refused, None)
            return
        follower = ListFollower(sub=sub, outbox=self._outbox, may_read=self._may_read, end=self._ended)
        self._lists[sub] = follower
        self._background(follower, lambda: self._hub.list.follow(follower))

    def _may_read(self, session: str) -> bool:
        return self.access is not None and self.access.may_read(session)

    # What the hub says

    def _background(self, follower: Follower | ListFollower, work: _Work) -> None:
        if self._turnstile.join():
            self._hub.spawn(self._guarded(follower, work))
        else:
            self.close(CloseCode.TOO_MANY_MESSAGES)

    async def _guarded(self, follower: Follower | ListFollower, work: _Work) -> None:
        """Do a session's work; what it raises ends the subscription, not the socket."""
        try:
            async with self._turnstile.passing():
                await work()
        except SessionGone:
            self._end_of(follower, ErrorCode.GONE)
        except (StoreUnavailable, StoreRefused):
            self._end_of(follower, ErrorCode.UNAVAILABLE)
        except Exception:  # noqa: BLE001 - nobody awaits this: unlogged, a bug would leave a subscription silent for ever
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
            self._hub.list.skip(self._lists[sub])

    def _look_again(self) -> None:
        self._turnstile.look_again()

    def _restart(self, subs: tuple[str, ...]) -> None:
        for sub in subs:
            if sub in self._sessions:
                self._restart_session(*self._sessions[sub])
            elif sub in self._lists:
                self._restart_list(self._lists[sub])

    def _restart_session(self, follower: Follower, live: LiveSession) -> None:
        self._background(follower, lambda: live.restart(follower, "slow"))

    def _restart_list(self, follower: ListFollower) -> None:
        self._background(follower, lambda: self._hub.list.follow(follower))


def _expires_at_ms(access: Access) -> int | None:
    return None if access.expires_at_s is None else access.expires_at_s * 1000
