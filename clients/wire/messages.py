"""Wire stage 0, messages: what the service sends, as far as this client reads it.

Fields and messages that are not known here are left alone, since both may be added. Rows and presentations stay JSON:
their readers say what they show of them, and take any field for absent.
"""

from typing import Any

import msgspec

Json = Any  # decoded JSON of the wire
SUBPROTOCOL = "turnfold.v1.json"
SOCKET_PATH = "/v1/ws"


class NotOursError(Exception):
    """What came is no message of this protocol: something else answers there."""


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """Where a client stands in a session's history: `version` counts inside `epoch`."""

    epoch: str
    version: int


class TurnValue(msgspec.Struct, frozen=True, kw_only=True):
    """A turn as it came; times in ms since 1970, absent where unknown."""

    turn: int
    status: str = "open"
    outcome: str | None = None
    waiting: int = 0
    started_at_ms: float | None = None
    ended_at_ms: float | None = None
    queued: tuple[Json, ...] = ()
    rows: tuple[dict[str, Json], ...] = ()
    presentation: Json = None


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """A page of a session over HTTP."""

    position: Position
    history_complete: bool
    before: str | None
    session_rows: tuple[dict[str, Json], ...]
    turns: tuple[TurnValue, ...]


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What a client has to keep to; `max_answer_bytes` is 0 where answers are not forwarded."""

    max_answer_bytes: int = 0


class Welcome(msgspec.Struct, frozen=True, kw_only=True):
    """The socket is open."""

    server_time_ms: float
    limits: Limits = Limits()


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    """One part of many turns; parts count from 0 to the one that is `last`, and mean something together."""

    sub: str
    view_rev: int
    history_complete: bool
    session_rows: tuple[dict[str, Json], ...] = ()
    turns: tuple[TurnValue, ...] = ()
    part: int = 0
    last: bool = True


class Snapshot(_Part, frozen=True, kw_only=True):
    """The state at `position`; it replaces all that was held."""

    position: Position
    view: dict[str, Json]


class Earlier(_Part, frozen=True, kw_only=True):
    """Older turns, to put before those held."""


class Delta(msgspec.Struct, frozen=True, kw_only=True):
    """What changed from version `since` to `to`."""

    sub: str
    view_rev: int
    since: int = msgspec.field(name="from")
    to: int
    epoch: str
    ops: tuple[dict[str, Json], ...]


class CaughtUp(msgspec.Struct, frozen=True, kw_only=True):
    """A resumed subscription is at the present."""

    sub: str
    view_rev: int
    position: Position


class Reset(msgspec.Struct, frozen=True, kw_only=True):
    """What was sent is void; a snapshot follows."""

    sub: str
    view_rev: int


class Sessions(msgspec.Struct, frozen=True, kw_only=True):
    """The list of sessions: the newest, in the place of all that was told (`whole`), or what changed since."""

    sub: str
    whole: bool
    sessions: tuple[dict[str, Json], ...] = ()
    gone: tuple[str, ...] = ()


class Error(msgspec.Struct, frozen=True, kw_only=True):
    """One message was refused, or the subscription `sub` ended."""

    code: str
    message: str = ""
    sub: str | None = None


class Drain(msgspec.Struct, frozen=True, kw_only=True):
    """The socket will be closed; come back after this time."""

    reconnect_after_ms: float


OfSubscription = Snapshot | Earlier | Delta | CaughtUp | Reset | Sessions | Error
Frame = OfSubscription | Welcome | Drain


class _Tag(msgspec.Struct, frozen=True):
    type: str


_TAG = msgspec.json.Decoder(_Tag)
_DECODERS: dict[str, msgspec.json.Decoder[Frame]] = {
    "welcome": msgspec.json.Decoder(Welcome),
    "snapshot": msgspec.json.Decoder(Snapshot),
    "earlier": msgspec.json.Decoder(Earlier),
    "delta": msgspec.json.Decoder(Delta),
    "caught_up": msgspec.json.Decoder(CaughtUp),
    "reset": msgspec.json.Decoder(Reset),
    "sessions": msgspec.json.Decoder(Sessions),
    "error": msgspec.json.Decoder(Error),
    "drain": msgspec.json.Decoder(Drain),
}


def decode_frame(raw: str | bytes) -> Frame | None:
    """Read a message of the service; None for one that this client has no use for.

    Raises:
        NotOursError: it is none.
    """
    try:
        # One error class stands for an unknown type and for a broken message, so the type is read first.
        decoder = _DECODERS.get(_TAG.decode(raw).type)
        return None if decoder is None else decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise NotOursError(f"what came is no message of a Turnfold service: {error}") from None


def encode(message: Json) -> str:
    """Write a message to the service."""
    return msgspec.json.encode(message).decode()
