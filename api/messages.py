"""Every message of the socket, both ways, as frozen structs, and the strict decoder of the client's.

1. A message is one JSON object (or one MessagePack map) with its name in `type`.
2. Unknown fields are ignored, known ones are strict: a number in a string is a wrong type, not a number.
3. `decode` returns a message or a `Refused`; no bytes make it raise. It reads the tag first, because
   msgspec has one error class for an unknown tag and for a malformed body, and the client deserves to know
   which.
4. Server messages of a subscription begin with `type`, `sub`, `view_rev`, so that all after these three can
   be encoded once and shared (`frames.py`).
5. Fields are added with a default, never changed or removed.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import UnsetType

from api.codes import ERRORS, ErrorCode
from projections.asked_view import AskedTui, AskedView
from projections.deltas import Op
from projections.languages import known_language, known_locales
from projections.position import Position
from projections.preferences import Preferences
from projections.rows import Row
from projections.transcript import TurnValue
from projections.view import View

SubName = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
# The look-ahead stands for "and nothing more", since `$` lets a line break pass and `\Z` is no ECMA pattern.
SessionName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._:@-]{1,256}(?![\s\S])")]
Token = Annotated[str, msgspec.Meta(min_length=1, max_length=8192)]
TurnNumber = Annotated[int, msgspec.Meta(ge=0)]
PageSize = Annotated[int, msgspec.Meta(ge=1, le=2000)]

Codec = Literal["json", "msgpack"]


class _Client(msgspec.Struct, frozen=True, kw_only=True):
    """A message from the client."""


class Hello(_Client, frozen=True, kw_only=True, tag="hello"):
    """The first message: who the client is, by a token or by a ticket; by neither if the handshake said it."""

    token: Token | None = None
    ticket: Token | None = None


class Subscribe(_Client, frozen=True, kw_only=True, tag="subscribe"):
    """Follow one session in one view; `position` and `from_turn` say what the client already holds of it.

    `shown` is the view in which it reached the position, as the snapshot named it: the position counts only if what
    is asked for, completed by the preferences as they are now, is that view.
    """

    sub: SubName
    session: SessionName
    view: AskedView
    shown: View | None = None
    from_turn: TurnNumber | None = None
    position: Position | None = None


class SubscribeSessions(_Client, frozen=True, kw_only=True, tag="subscribe_sessions"):
    """Follow the list of sessions."""

    sub: SubName


class Unsubscribe(_Client, frozen=True, kw_only=True, tag="unsubscribe"):
    """End a subscription; frames already on their way may still come and are void."""

    sub: SubName


class SetView(_Client, frozen=True, kw_only=True, tag="set_view"):
    """Show the same session in another view; `view_rev` grows by one and a snapshot follows."""

    sub: SubName
    view: AskedView


class LoadEarlier(_Client, frozen=True, kw_only=True, tag="load_earlier"):
    """Ask for at most `limit` turns before the oldest that the client holds."""

    sub: SubName
    limit: PageSize = 20


class Refresh(_Client, frozen=True, kw_only=True, tag="refresh"):
    """A fresh token or ticket for this socket; subscriptions and positions stay."""

    token: Token | None = None
    ticket: Token | None = None


class Ping(_Client, frozen=True, kw_only=True, tag="ping"):
    """Ask for a `pong`."""


Request = Subscribe | SubscribeSessions | Unsubscribe | SetView | LoadEarlier | Refresh | Ping
ClientMessage = Hello | Request


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What a client has to keep to (W-7); `max_answer_bytes` is 0 where answers to interactions are not forwarded
    (E-16).
    """

    max_message_bytes: int = 64 * 1024
    max_subscriptions: int = 128
    max_messages_per_minute: int = 600
    hello_timeout_ms: int = 10_000
    max_answer_bytes: int = 0


class _Server(msgspec.Struct, frozen=True, kw_only=True):
    """A message from the service."""


class Welcome(_Server, frozen=True, kw_only=True, tag="welcome"):
    """The answer to `hello` and to `refresh`; always the first message of the service."""

    limits: Limits
    server_time_ms: int
    token_expires_at_ms: int | None = None
    preferences: Preferences = Preferences()


class Snapshot(_Server, frozen=True, kw_only=True, tag="snapshot"):
    """One part of the state at `position`; parts are joined and replace all that was held, at `last`."""

    sub: str
    view_rev: int
    position: Position
    view: View
    history_complete: bool
    before: str | None
    session_rows: tuple[Row, ...]
    turns: tuple[TurnValue, ...]
    part: int
    last: bool


class Delta(_Server, frozen=True, kw_only=True, tag="delta"):
    """What changed from version `from` to version `to`; `from` equals the last `to`."""

    sub: str
    view_rev: int
    since: int = msgspec.field(name="from")
    to: int
    epoch: str
    ops: tuple[Op, ...]


class CaughtUp(_Server, frozen=True, kw_only=True, tag="caught_up"):
    """A resumed subscription is at the present; live deltas follow."""

    sub: str
    view_rev: int
    position: Position


class Earlier(_Server, frozen=True, kw_only=True, tag="earlier"):
    """Older turns, to put before those held, as they are at `position`, which equals the last `to`.

    In more than one part only where a single turn is too great for one; the parts are joined as those of a snapshot.
    """

    sub: str
    view_rev: int
    position: Position
    before: str | None
    history_complete: bool
    session_rows: tuple[Row, ...]
    turns: tuple[TurnValue, ...]
    part: int = 0
    last: bool = True


ResetReason = Literal["appeared", "epoch", "slow"]


class Reset(_Server, frozen=True, kw_only=True, tag="reset"):
    """Void what was sent of this subscription; a snapshot follows."""

    sub: str
    view_rev: int
    reason: ResetReason


class Sessions(_Server, frozen=True, kw_only=True, tag="sessions"):
    """The list when `whole`, else the entries that changed; each as in `GET /v1/sessions`."""

    sub: str
    whole: bool
    sessions: tuple[msgspec.Raw, ...]
    gone: tuple[str, ...] = ()


class PreferencesChanged(_Server, frozen=True, kw_only=True, tag="preferences"):
    """The subject's preferences, as they are now; what is shown by them follows in snapshots."""

    preferences: Preferences


class Error(_Server, frozen=True, kw_only=True, tag="error", omit_defaults=True):
    """One message was refused, or the subscription `sub` ended; `retry`: the same may succeed later."""

    code: ErrorCode
    message: str
    retry: bool
    sub: str | None = None


class Drain(_Server, frozen=True, kw_only=True, tag="drain"):
    """The socket will be closed; connect elsewhere after `reconnect_after_ms`."""

    reconnect_after_ms: int


class Pong(_Server, frozen=True, kw_only=True, tag="pong"):
    """The answer to `ping`."""

    server_time_ms: int


# What begins with `type`, `sub`, `view_rev`, in this order.
Shared = Snapshot | Delta | CaughtUp | Earlier | Reset
ServerMessage = (
    Welcome
    | Snapshot
    | Delta
    | CaughtUp
    | Earlier
    | Reset
    | Sessions
    | PreferencesChanged
    | Error
    | Drain
    | Pong
)


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """A client's message that is none; `sub` is the subscription it named, where that could be read."""

    code: ErrorCode
    message: str
    sub: str | None = None

    def as_error(self) -> Error:
        """Return the message that tells the client."""
        return error(self.code, self.message, self.sub)


def error(code: ErrorCode, message: str | None = None, sub: str | None = None) -> Error:
    """Return the error message of `code`; without `message`, its meaning in the table."""
    entry = ERRORS[code]
    return Error(code=code, message=message or entry.meaning, retry=entry.retry, sub=sub)


class _Tag(msgspec.Struct, frozen=True):
    """The part of a message that is read first."""

    type: str = ""
    sub: object = None


_TYPES: dict[str, type[ClientMessage]] = {
    "hello": Hello,
    "subscribe": Subscribe,
    "subscribe_sessions": SubscribeSessions,
    "unsubscribe": Unsubscribe,
    "set_view": SetView,
    "load_earlier": LoadEarlier,
    "refresh": Refresh,
    "ping": Ping,
}
_JSON_TAG = msgspec.json.Decoder(_Tag)
_JSON = {name: msgspec.json.Decoder(kind) for name, kind in _TYPES.items()}
_MSGPACK_TAG = msgspec.msgpack.Decoder(_Tag)
_MSGPACK = {name: msgspec.msgpack.Decoder(kind) for name, kind in _TYPES.items()}


def decode(raw: bytes, codec: Codec = "json") -> ClientMessage | Refused:
    """Return the client's message in `raw`, or why it is none; never raises."""
    peek = (_JSON_TAG if codec == "json" else _MSGPACK_TAG).decode
    try:
        tag = peek(raw)
    except msgspec.ValidationError as problem:
        return Refused(code=ErrorCode.INVALID_MESSAGE, message=f"not a message: {problem}")
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
        return Refused(code=ErrorCode.NOT_JSON, message=f"not one {codec} value: {problem}")
    sub = tag.sub if isinstance(tag.sub, str) and len(tag.sub) <= 64 else None
    decoder = (_JSON if codec == "json" else _MSGPACK).get(tag.type)
    if decoder is None:
        named = f"unknown type {tag.type[:64]!r}" if tag.type else "the message has no `type`"
        return Refused(code=ErrorCode.UNKNOWN_TYPE, message=named, sub=sub)
    try:
        message = decoder.decode(raw)
    except (msgspec.DecodeError, RecursionError) as problem:
        return Refused(code=ErrorCode.INVALID_MESSAGE, message=f"{tag.type}: {problem}", sub=sub)
    return _ambiguous(message) or _unspoken(message) or message


def _ambiguous(message: ClientMessage) -> Refused | None:
    """Refuse a message that says who the client is twice, or a `refresh` that does not say it at all."""
    if not isinstance(message, Hello | Refresh):
        return None
    said = (message.token is not None) + (message.ticket is not None)
    if said == 1 or (said == 0 and isinstance(message, Hello)):
        return None
    name = "hello" if isinstance(message, Hello) else "refresh"
    return Refused(code=ErrorCode.INVALID_MESSAGE, message=f"{name}: give either `token` or `ticket`")


def _unspoken(message: ClientMessage) -> Refused | None:
    """Refuse a view whose labels are there in another language alone."""
    if not isinstance(message, Subscribe | SetView) or isinstance(message.view, AskedTui):
        return None
    locale = message.view.locale
    if isinstance(locale, UnsetType) or known_language(locale) is not None:
        return None
    detail = f"no labels in {locale!r}; there are {', '.join(known_locales())} - at `$.view.locale`"
    return Refused(code=ErrorCode.INVALID_MESSAGE, message=detail, sub=message.sub)
