"""Every error code and close code of the socket, in two tables: what happened, and whether to come back.

1. An error is answered to one message; the socket goes on. `retry` says whether the same message may
   succeed later unchanged.
2. A close ends the socket. Its number says what to do: 4000-4499 connect again with back-off, 4500-4999 do
   not (W-5).
3. Codes are added, never changed: clients compare them. `docs/protocol.md` prints both tables, the browser
   client holds the closes as well (`close_codes.js`), and a test compares them all.
"""

from enum import IntEnum, StrEnum, auto

import msgspec


class ErrorCode(StrEnum):
    """Why one message was refused, or why one subscription ended; on the wire the name in lower case."""

    NOT_JSON = auto()
    WRONG_FRAME = auto()
    UNKNOWN_TYPE = auto()
    INVALID_MESSAGE = auto()
    MESSAGE_TOO_LARGE = auto()
    UNEXPECTED_MESSAGE = auto()
    TOO_MANY_MESSAGES = auto()
    TOO_MANY_SUBSCRIPTIONS = auto()
    SUB_IN_USE = auto()
    NO_SUCH_SUB = auto()
    UNAUTHENTICATED = auto()
    FORBIDDEN = auto()
    TOKEN_EXPIRING = auto()
    TOKEN_EXPIRED = auto()
    GONE = auto()
    UNAVAILABLE = auto()
    INTERNAL = auto()


class ErrorMeaning(msgspec.Struct, frozen=True, kw_only=True):
    """What a code tells the client: `retry`, whether the subscription it names is over, and why in words."""

    retry: bool
    ends_subscription: bool = False
    meaning: str


ERRORS: dict[ErrorCode, ErrorMeaning] = {
    ErrorCode.NOT_JSON: ErrorMeaning(retry=False, meaning="the message is not one JSON value"),
    ErrorCode.WRONG_FRAME: ErrorMeaning(
        retry=False, meaning="a binary frame on a JSON socket, or a text frame on a MessagePack socket"
    ),
    ErrorCode.UNKNOWN_TYPE: ErrorMeaning(
        retry=False, meaning="no client message has this `type`, or it has none"
    ),
    ErrorCode.INVALID_MESSAGE: ErrorMeaning(
        retry=False, meaning="a field is missing, of a wrong type, or out of its range; the text names it"
    ),
    ErrorCode.MESSAGE_TOO_LARGE: ErrorMeaning(retry=False, meaning="the message is over `max_message_bytes`"),
    ErrorCode.UNEXPECTED_MESSAGE: ErrorMeaning(
        retry=False,
        meaning="a known message at the wrong time: a request before `hello`, or another `hello`",
    ),
    ErrorCode.TOO_MANY_MESSAGES: ErrorMeaning(
        retry=True, meaning="over `max_messages_per_minute`; the message was not acted on"
    ),
    ErrorCode.TOO_MANY_SUBSCRIPTIONS: ErrorMeaning(
        retry=True, meaning="the socket already holds `max_subscriptions`; unsubscribe one first"
    ),
    ErrorCode.SUB_IN_USE: ErrorMeaning(retry=False, meaning="this socket has a subscription of that name"),
    ErrorCode.NO_SUCH_SUB: ErrorMeaning(retry=False, meaning="this socket has no subscription of that name"),
    ErrorCode.UNAUTHENTICATED: ErrorMeaning(
        retry=False, meaning="the token or ticket is missing, wrong or used up"
    ),
    ErrorCode.FORBIDDEN: ErrorMeaning(
        retry=False, ends_subscription=True, meaning="the token may not read this session"
    ),
    ErrorCode.TOKEN_EXPIRING: ErrorMeaning(
        retry=True, meaning="a warning: send `refresh` before the token expires"
    ),
    ErrorCode.TOKEN_EXPIRED: ErrorMeaning(
        retry=True, ends_subscription=True, meaning="the token expired; `refresh`, then subscribe by position"
    ),
    ErrorCode.GONE: ErrorMeaning(
        retry=False, ends_subscription=True, meaning="the session was deleted, whole and for good"
    ),
    ErrorCode.UNAVAILABLE: ErrorMeaning(
        retry=True, ends_subscription=True, meaning="the store does not answer; subscribe again later"
    ),
    ErrorCode.INTERNAL: ErrorMeaning(
        retry=True, ends_subscription=True, meaning="a fault of the service, logged there with its cause"
    ),
}


class CloseCode(IntEnum):
    """Why the service closed a socket."""

    DRAINING = 4000
    HELLO_TIMEOUT = 4001
    SLOW = 4002
    TOO_MANY_MESSAGES = 4003
    INTERNAL = 4004
    TOO_MANY_SOCKETS = 4005
    UNAUTHENTICATED = 4500
    NO_SUBPROTOCOL = 4502


CLOSES: dict[CloseCode, str] = {
    CloseCode.DRAINING: "the service stops or moves; connect again after the time that `drain` named",
    CloseCode.HELLO_TIMEOUT: "no valid `hello` within `hello_timeout_ms`",
    CloseCode.SLOW: "the client read too slowly, or not at all, for too long",
    CloseCode.TOO_MANY_MESSAGES: "messages kept coming far over the limit, or while the answers were not read",
    CloseCode.INTERNAL: "a fault of the service, logged there with its cause",
    CloseCode.TOO_MANY_SOCKETS: "the subject holds too many sockets",
    CloseCode.UNAUTHENTICATED: "the token or ticket in `hello` was refused; get another one",
    CloseCode.NO_SUBPROTOCOL: "the handshake offered neither `turnfold.v1.json` nor `turnfold.v1.msgpack`",
}


def may_reconnect(code: int) -> bool:
    """True where a client comes back by itself after this close code (W-5); other ranges, 1006 say, too."""
    return not 4500 <= code <= 4999
