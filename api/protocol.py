"""Subscribe stage, its pure part: the protocol of one socket as a state machine that knows no network.

Rules:

1. In: what the client sent (`receive`) and what the shell found out (`admit`, `refuse`, `hello_timeout`,
   `drain`, `ended`). Out: a list of effects, which the shell carries out in order. Time comes as an
   argument.
2. The legal transitions are the table `TRANSITIONS`. An input that it does not hold, or that breaks a
   limit, is refused with an error message and leaves the state untouched.
3. A socket starts as a `STRANGER`, who must say `hello` with a token or a ticket, or as `KNOWN`, where the handshake
   authenticated it or nobody has to; a known client may leave `hello` out. `welcome` is always the first
   message of the service.
4. While a token or a ticket is being checked (`AUTHENTICATING`), no message is legal: the shell reads on after the
   answer.
5. A subscription's name is the client's; it is free again once the subscription ended, by whichever side.
   Its `view_rev` starts at 1 and grows with each `set_view`, and with each change of a preference that it is
   shown by.
6. Limits (W-7): message size, subscriptions, messages a minute (a token bucket of one minute's worth). A
   client far over its rate, by another whole minute's worth, is closed.
"""

from collections.abc import Callable
from enum import Enum, auto

import msgspec

from api.codes import CLOSES, CloseCode, ErrorCode
from api.messages import (
    Codec,
    Drain,
    Error,
    Hello,
    Limits,
    LoadEarlier,
    Ping,
    Pong,
    PreferencesChanged,
    Refresh,
    Refused,
    Request,
    ServerMessage,
    SetView,
    Subscribe,
    SubscribeSessions,
    Unsubscribe,
    Welcome,
    decode,
    error,
)
from api.rate import Rate
from projections.asked_view import AskedView, completed
from projections.position import Position
from projections.preferences import Preferences
from projections.view import View


class State(Enum):
    """Where a socket stands."""

    STRANGER = auto()
    KNOWN = auto()
    AUTHENTICATING = auto()
    OPEN = auto()
    DRAINING = auto()
    CLOSED = auto()


class Input(Enum):
    """What can happen to a socket."""

    BARE_HELLO = auto()
    TOKEN_HELLO = auto()
    REQUEST = auto()
    ADMITTED = auto()
    REFUSED = auto()
    TIMEOUT = auto()
    DRAIN = auto()
    CLOSE = auto()


TRANSITIONS: dict[tuple[State, Input], State] = {
    (State.STRANGER, Input.TOKEN_HELLO): State.AUTHENTICATING,
    (State.STRANGER, Input.TIMEOUT): State.CLOSED,
    (State.STRANGER, Input.DRAIN): State.STRANGER,
    (State.STRANGER, Input.CLOSE): State.CLOSED,
    (State.KNOWN, Input.BARE_HELLO): State.OPEN,
    (State.KNOWN, Input.TOKEN_HELLO): State.AUTHENTICATING,
    (State.KNOWN, Input.REQUEST): State.OPEN,
    (State.KNOWN, Input.DRAIN): State.KNOWN,
    (State.KNOWN, Input.CLOSE): State.CLOSED,
    (State.AUTHENTICATING, Input.ADMITTED): State.OPEN,
    (State.AUTHENTICATING, Input.REFUSED): State.CLOSED,
    (State.AUTHENTICATING, Input.DRAIN): State.AUTHENTICATING,
    (State.AUTHENTICATING, Input.CLOSE): State.CLOSED,
    (State.OPEN, Input.REQUEST): State.OPEN,
    (State.OPEN, Input.DRAIN): State.DRAINING,
    (State.OPEN, Input.CLOSE): State.CLOSED,
    (State.DRAINING, Input.REQUEST): State.DRAINING,
    (State.DRAINING, Input.CLOSE): State.CLOSED,
}


class _Effect(msgspec.Struct, frozen=True, kw_only=True):
    """Something the shell has to do."""


class Send(_Effect, frozen=True, kw_only=True):
    """Send one message to the client."""

    message: ServerMessage


class Authenticate(_Effect, frozen=True, kw_only=True):
    """Check `token`, then call `admit` or `refuse`."""

    token: str


class Renew(_Effect, frozen=True, kw_only=True):
    """Check the fresh `token` of an open socket, then call `renewed`."""

    token: str


class Redeem(_Effect, frozen=True, kw_only=True):
    """Use up `ticket`, then do as for the token of `hello`, or, where it `renews`, of `refresh`."""

    ticket: str
    renews: bool = False


class Follow(_Effect, frozen=True, kw_only=True):
    """Start a subscription of one session."""

    sub: str
    view_rev: int
    session: str
    view: View
    from_turn: int | None
    position: Position | None


class FollowList(_Effect, frozen=True, kw_only=True):
    """Start a subscription of the list of sessions."""

    sub: str


class Drop(_Effect, frozen=True, kw_only=True):
    """End a subscription, of a session or of the list."""

    sub: str


class Show(_Effect, frozen=True, kw_only=True):
    """Show a followed session in another view."""

    sub: str
    view_rev: int
    view: View


class Reach(_Effect, frozen=True, kw_only=True):
    """Send older turns of a followed session."""

    sub: str
    limit: int


class Close(_Effect, frozen=True, kw_only=True):
    """Close the socket; nothing follows."""

    code: CloseCode
    reason: str


Effect = Send | Authenticate | Renew | Redeem | Follow | FollowList | Drop | Show | Reach | Close


class Connection:
    """The protocol of one socket. Not thread-safe; one caller at a time."""

    __slots__ = ("_asked", "_codec", "_preferences", "_rate", "limits", "state", "subs")

    def __init__(self, *, limits: Limits, known: bool, now_ms: int, codec: Codec = "json") -> None:
        """Start a socket; `known`: it needs no `hello`; `now_ms`: the wall clock, which may be set back."""
        self.limits = limits
        self.state = State.KNOWN if known else State.STRANGER
        self.subs: dict[str, int] = {}
        """The `view_rev` of each subscription by its name; 0 for the list of sessions."""
        self._asked: dict[str, AskedView] = {}
        self._preferences = Preferences()
        self._rate = Rate(limits.max_messages_per_minute, now_ms)
        self._codec: Codec = codec

    def receive(self, data: str | bytes, now_ms: int) -> list[Effect]:
        """Return what one frame of the client asks for; a refused one changes nothing but the rate."""
        if self.state is State.CLOSED:
            return []
        match self._rate.spend(now_ms):
            case "over":
                return [_refusal(ErrorCode.TOO_MANY_MESSAGES)]
            case "far over":
                return self.close(CloseCode.TOO_MANY_MESSAGES)
            case "within":
                pass
        if isinstance(data, str) is (self._codec == "msgpack"):
            return [_refusal(ErrorCode.WRONG_FRAME)]
        raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        if len(raw) > self.limits.max_message_bytes:
            return [_refusal(ErrorCode.MESSAGE_TOO_LARGE)]
        message = decode(raw, self._codec)
        match message:
            case Refused():
                return [Send(message=message.as_error())]
            case Hello():
                return self._hello(message, now_ms)
            case _:
                return self._request(message, now_ms)

    def admit(self, now_ms: int, expires_at_ms: int | None = None) -> list[Effect]:
        """Say that the token or ticket of `hello` is good, until `expires_at_ms` of the epoch where it expires."""
        if not self._step(Input.ADMITTED):
            return []
        return [self._welcome(now_ms, expires_at_ms)]

    def refuse(self, message: str) -> list[Effect]:
        """Say that the token or ticket of `hello` is not good, and why."""
        if not self._step(Input.REFUSED):
            return []
        return [
            Send(message=error(ErrorCode.UNAUTHENTICATED, message)),
            Close(code=CloseCode.UNAUTHENTICATED, reason=CLOSES[CloseCode.UNAUTHENTICATED]),
        ]

    def renewed(self, now_ms: int, expires_at_ms: int | None) -> list[Effect]:
        """Say that the token or ticket of `refresh` is good."""
        return [] if self.state is State.CLOSED else [self._welcome(now_ms, expires_at_ms)]

    def hello_timeout(self) -> list[Effect]:
        """Say that `hello_timeout_ms` have passed since the start; without effect once `hello` was said."""
        if not self._step(Input.TIMEOUT):
            return []
        code = CloseCode.HELLO_TIMEOUT
        return [Close(code=code, reason=CLOSES[code])]

    def prefer(self, preferences: Preferences) -> list[Effect]:
        """Say what the client's subject prefers, first before anything is asked for and then whenever it changes.

        A subscription that left something of its view to the preferences is shown again where that makes a difference.
        """
        before, self._preferences = self._preferences, preferences
        if self.state not in (State.OPEN, State.DRAINING) or before == preferences:
            return []
        effects: list[Effect] = [Send(message=PreferencesChanged(preferences=preferences))]
        for sub, asked in self._asked.items():
            if completed(asked, before) != completed(asked, preferences):
                effects.append(self._shown(sub))
        return effects

    def drain(self, reconnect_after_ms: int) -> list[Effect]:
        """Say that the service will close this socket soon."""
        if not self._step(Input.DRAIN):
            return []
        return [Send(message=Drain(reconnect_after_ms=reconnect_after_ms))]

    def ended(self, sub: str, code: ErrorCode, message: str | None = None) -> list[Effect]:
        """Say that the service ended a subscription, which frees its name."""
        if self.state is State.CLOSED or self.subs.pop(sub, None) is None:
            return []
        self._asked.pop(sub, None)
        return [Send(message=error(code, message, sub))]

    def close(self, code: CloseCode, reason: str | None = None) -> list[Effect]:
        """Close the socket from the service's side."""
        if not self._step(Input.CLOSE):
            return []
        self.subs.clear()
        self._asked.clear()
        return [Close(code=code, reason=reason or CLOSES[code])]

    def _step(self, happened: Input) -> bool:
        """Take the transition of the table; False, and nothing changed, where there is none."""
        after = TRANSITIONS.get((self.state, happened))
        if after is None:
            return False
        self.state = after
        return True

    def _hello(self, message: Hello, now_ms: int) -> list[Effect]:
        is_bare = message.token is None and message.ticket is None
        happened = Input.BARE_HELLO if is_bare else Input.TOKEN_HELLO
        if (self.state, happened) == (State.STRANGER, Input.BARE_HELLO):
            return [_refusal(ErrorCode.UNAUTHENTICATED, "this service needs `hello` with a token or ticket")]
        if not self._step(happened):
            return [_refusal(ErrorCode.UNEXPECTED_MESSAGE, "`hello` was said already")]
        if message.token is not None:
            return [Authenticate(token=message.token)]
        if message.ticket is not None:
            return [Redeem(ticket=message.ticket)]
        return [self._welcome(now_ms)]

    def _request(self, message: Request, now_ms: int) -> list[Effect]:
        greeted = self.state is not State.KNOWN
        sub = None if isinstance(message, Refresh | Ping) else message.sub
        if (self.state, Input.REQUEST) not in TRANSITIONS:
            return [_refusal(ErrorCode.UNEXPECTED_MESSAGE, "say `hello` first", sub)]
        answer = self._answer(message, now_ms)
        self._step(Input.REQUEST)
        return answer if greeted else [self._welcome(now_ms), *answer]

    def _answer(self, message: Request, now_ms: int) -> list[Effect]:
        match message:
            case Ping():
                return [Send(message=Pong(server_time_ms=now_ms))]
            case Refresh():
                return self._renew(message)
            case Subscribe() | SubscribeSessions():
                return self._subscribe(message)
            case Unsubscribe():
                return self._named(message.sub, lambda: self._unsubscribe(message.sub))
            case SetView():
                return self._named(message.sub, lambda: self._set_view(message), session_only=True)
            case LoadEarlier():
                reach = Reach(sub=message.sub, limit=message.limit)
                return self._named(message.sub, lambda: [reach], session_only=True)

    def _subscribe(self, message: Subscribe | SubscribeSessions) -> list[Effect]:
        if message.sub in self.subs:
            return [_refusal(ErrorCode.SUB_IN_USE, sub=message.sub)]
        if len(self.subs) >= self.limits.max_subscriptions:
            return [_refusal(ErrorCode.TOO_MANY_SUBSCRIPTIONS, sub=message.sub)]
        if isinstance(message, SubscribeSessions):
            self.subs[message.sub] = 0
            return [FollowList(sub=message.sub)]
        self.subs[message.sub] = 1
        self._asked[message.sub] = message.view
        view = completed(message.view, self._preferences)
        return [
            Follow(
                sub=message.sub,
                view_rev=1,
                session=message.session,
                view=view,
                from_turn=message.from_turn,
                position=message.position if message.shown in (None, view) else None,
            )
        ]

    def _renew(self, message: Refresh) -> list[Effect]:
        if message.ticket is not None:
            return [Redeem(ticket=message.ticket, renews=True)]
        return [Renew(token=message.token or "")]  # the decoder lets none through that has neither

    def _named(
        self, sub: str, effects: Callable[[], list[Effect]], *, session_only: bool = False
    ) -> list[Effect]:
        view_rev = self.subs.get(sub)
        if view_rev is None or (session_only and view_rev == 0):
            return [_refusal(ErrorCode.NO_SUCH_SUB, sub=sub)]
        return effects()

    def _unsubscribe(self, sub: str) -> list[Effect]:
        del self.subs[sub]
        self._asked.pop(sub, None)
        return [Drop(sub=sub)]

    def _set_view(self, message: SetView) -> list[Effect]:
        self._asked[message.sub] = message.view
        return [self._shown(message.sub)]

    def _shown(self, sub: str) -> Show:
        self.subs[sub] += 1
        return Show(sub=sub, view_rev=self.subs[sub], view=completed(self._asked[sub], self._preferences))

    def _welcome(self, now_ms: int, expires_at_ms: int | None = None) -> Send:
        return Send(
            message=Welcome(
                limits=self.limits,
                server_time_ms=now_ms,
                token_expires_at_ms=expires_at_ms,
                preferences=self._preferences,
            )
        )


def _refusal(code: ErrorCode, message: str | None = None, sub: str | None = None) -> Send:
    refused: Error = error(code, message, sub)
    return Send(message=refused)
