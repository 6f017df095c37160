"""`turnfold tail`: a session as text, live, until it is deleted or the reader stops; the following itself.

A pipe only grows, so nothing is printed twice: rows come when they first appear, streamed text as it grows, a call
again when it ended, and a turn's label and outcome when it closes. A lost connection is resumed by position: after
the time that the service named in `drain`, else after a back-off.
"""

import json
import sys
import time
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from api.cli_errors import CommandError
from api.cli_import import AWAY
from api.cli_tail_text import TailText
from api.cli_target import Target
from api.codes import may_reconnect
from clients.wire.backoff import BackOff
from projections.replica import UnknownOpError

SUBPROTOCOL = Subprotocol("turnfold.v1.json")
_MAX_FRAME_BYTES = None
Json = Any  # decoded JSON of the wire


def tail(session: str, target: Target, locale: str) -> None:
    """Follow a session until it is gone; raises CommandError."""
    text, back_off = TailText(locale), BackOff()
    while True:
        socket = _opened(target, is_first=text.transcript is None)
        if socket is not None:
            back_off.reset()
            try:
                with socket:
                    _follow(socket, session, target, text, back_off)
            except ConnectionClosed as closed:
                _raise_if_final(closed)
        print("turnfold: connection lost; trying again", file=sys.stderr)
        time.sleep(back_off.next_s())


def _opened(target: Target, *, is_first: bool) -> ClientConnection | None:
    """Open the socket; None when a service that was there is away. Raises CommandError.

    Apart from the following, so that an output that cannot be written is not taken for a lost connection.
    """
    try:
        return _open(target)
    except InvalidStatus as refused:
        if is_first or refused.response.status_code not in AWAY:
            words = f"refused the socket: {_words(refused)}"
            raise CommandError(f"the service at {target.url} {words}") from None
    except (InvalidURI, ValueError) as error:
        raise CommandError(f"--url {target.url!r} is not an address: {error}") from None
    except (OSError, InvalidHandshake, TimeoutError) as error:
        if is_first:
            raise CommandError(f"the service at {target.url} does not answer: {error}") from None
    return None


def _raise_if_final(closed: ConnectionClosed) -> None:
    if closed.rcvd is not None and not may_reconnect(closed.rcvd.code):
        words = f"{closed.rcvd.code} {closed.rcvd.reason}".strip()
        raise CommandError(f"the service closed the socket for good ({words})")


def _open(target: Target) -> ClientConnection:
    scheme, _, rest = target.url.rstrip("/").partition("://")
    url = f"{'wss' if scheme == 'https' else 'ws'}://{rest}/v1/ws"
    return connect(url, subprotocols=[SUBPROTOCOL], max_size=_MAX_FRAME_BYTES, compression=None)


def _words(refused: InvalidStatus) -> str:
    body = refused.response.body or b""
    try:
        problem = json.loads(body)
        return f"{problem['detail']} {problem['advice']}"
    except (ValueError, KeyError, TypeError):
        return f"HTTP {refused.response.status_code}"


def _follow(
    socket: ClientConnection, session: str, target: Target, text: TailText, back_off: BackOff
) -> None:
    hello = {"type": "hello"} | ({"token": target.token} if target.token else {})
    socket.send(json.dumps(hello))
    text.restart()
    _subscribe(socket, session, text, with_position=text.position is not None)
    for message in socket:
        frame = json.loads(message)
        match frame["type"]:
            case "snapshot":
                text.snapshot(frame)
            case "delta":
                try:
                    text.delta(frame)
                except UnknownOpError:
                    socket.send(json.dumps({"type": "unsubscribe", "sub": "tail"}))
                    _subscribe(socket, session, text, with_position=False)
            case "drain":
                back_off.name(frame["reconnect_after_ms"] / 1000)
            case "error" if frame["code"] == "gone":
                raise CommandError(f"session {session!r} was deleted")
            case "error":
                raise CommandError(f"{frame['message']} ({frame['code']})")
            case _:
                pass


def _subscribe(socket: ClientConnection, session: str, text: TailText, *, with_position: bool) -> None:
    view = {"kind": "web", "mode": "compact", "locale": text.locale}
    wanted: Json = {"type": "subscribe", "sub": "tail", "session": session, "view": view}
    if with_position:
        wanted["position"] = text.position
        turns = text.transcript["turns"]
        if turns:
            wanted["from_turn"] = turns[0]["turn"]
    socket.send(json.dumps(wanted))
