"""`turnfold tail`: a session as text, live, until it is deleted or the reader stops.

A pipe only grows, so nothing is printed twice: rows come when they first appear, streamed text as it grows, a call
again when it ended, and a turn's label and outcome when it closes. A lost connection is resumed by position.
"""

import json
import random
import sys
import time
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from api.cli_errors import CommandError
from api.cli_import import Target
from api.text_view import harmless, row_lines, transcript_lines, words_of
from projections.replica import UnknownOpError, apply_ops

SUBPROTOCOL = Subprotocol("turnfold.v1.json")
# Close codes from here on are final (W-5).
_FINAL_CLOSE = 4500
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 15.0
_MAX_FRAME_BYTES = None
Json = Any  # decoded JSON of the wire


class _Stream:
    """What was printed, and how to go on with it."""

    def __init__(self, locale: str) -> None:
        self.locale = locale
        self.words = words_of(locale)
        self.transcript: Json = None
        self.position: Json = None
        self._parts: list[Json] = []
        self._seen: dict[str, str | None] = {}
        self._open_text: str | None = None

    def snapshot(self, frame: Json) -> None:
        """Take a part of a snapshot; the first whole one is printed, a later one only for what is new in it."""
        self._parts.append(frame)
        if not frame["last"]:
            return
        turns: list[Json] = []
        for part in self._parts:
            for turn in part["turns"]:
                if turns and turns[-1]["turn"] == turn["turn"]:
                    turns[-1]["rows"].extend(turn["rows"])
                else:
                    turns.append(turn)
        first = self.transcript is None
        self.transcript = {"turns": turns, "session_rows": self._parts[0]["session_rows"]}
        self.position, self._parts = frame["position"], []
        if first:
            for line in transcript_lines(self.transcript, locale=self.locale, expand=False):
                print(line)
        for row in self._rows():
            if not first and row["key"] not in self._seen:
                self._print_row(row)
            self._seen[row["key"]] = row.get("status")
        sys.stdout.flush()

    def delta(self, frame: Json) -> None:
        """Apply the ops of a frame and print what they add."""
        apply_ops(self.transcript, frame["ops"])
        self.position = {"epoch": frame["epoch"], "version": frame["to"]}
        for op in frame["ops"]:
            if "in" not in op:
                self._print_op(op)
        sys.stdout.flush()

    def _rows(self) -> list[Json]:
        return [
            *self.transcript["session_rows"],
            *(row for turn in self.transcript["turns"] for row in turn["rows"]),
        ]

    def _print_op(self, op: Json) -> None:
        match op["op"]:
            case "append":
                self._print_text(op["key"], op["text"])
            case "row":
                row = op["row"]
                if row["key"] not in self._seen or self._seen[row["key"]] != row.get("status"):
                    self._print_row(row)
                self._seen[row["key"]] = row.get("status")
            case "turn" if op["status"] == "closed":
                self._end_text()
                turn = next((one for one in self.transcript["turns"] if one["turn"] == op["turn"]), None)
                view = (turn or {}).get("presentation")
                if view and view["foldable"]:
                    print(f"▸ {view['label']['text']}")
            case _:
                pass

    def _print_row(self, row: Json) -> None:
        if row["kind"] == "turn_process":
            return
        if row["kind"] == "assistant_step" and row["key"] in self._seen:
            # Its text was printed while it streamed.
            self._end_text()
            return
        self._end_text()
        if row["kind"] == "assistant_step" and row["status"] == "running":
            self._open_text = row["key"]
            sys.stdout.write("".join(harmless(block.get("text", "")) for block in row["blocks"]))
            return
        for line in row_lines(row, self.words):
            print(line)

    def _print_text(self, key: str, text: str) -> None:
        if self._open_text != key:
            self._end_text()
            self._open_text = key
        sys.stdout.write(harmless(text))

    def _end_text(self) -> None:
        if self._open_text is not None:
            self._open_text = None
            print()


def tail(session: str, target: Target, locale: str) -> None:
    """Follow a session until it is gone; raises CommandError."""
    stream, wait_s = _Stream(locale), _FIRST_WAIT_S
    while True:
        try:
            with _open(target) as socket:
                wait_s = _FIRST_WAIT_S
                _follow(socket, session, target, stream)
        except InvalidStatus as refused:
            raise CommandError(f"the service at {target.url} refused the socket: {_words(refused)}") from None
        except (InvalidURI, ValueError) as error:
            raise CommandError(f"--url {target.url!r} is not an address: {error}") from None
        except ConnectionClosed as closed:
            code = closed.rcvd.code if closed.rcvd else 0
            if code >= _FINAL_CLOSE:
                reason = closed.rcvd.reason if closed.rcvd else ""
                raise CommandError(f"the service closed the socket for good ({code} {reason})") from None
        except (OSError, InvalidHandshake, TimeoutError) as error:
            if stream.transcript is None:
                raise CommandError(f"the service at {target.url} does not answer: {error}") from None
        print("turnfold: connection lost; trying again", file=sys.stderr)
        # Full jitter: many tails of one service do not come back at once.
        time.sleep(random.uniform(0, wait_s))
        wait_s = min(wait_s * 2, _LONGEST_WAIT_S)


def _open(target: Target) -> ClientConnection:
    scheme, _, rest = target.url.rstrip("/").partition("://")
    url = f"{'wss' if scheme == 'https' else 'ws'}://{rest}/v1/ws"
    return connect(url, subprotocols=[SUBPROTOCOL], max_size=_MAX_FRAME_BYTES, compression=None)


def _words(refused: InvalidStatus) -> str:
    body = refused.response.body or b""
    try:
        problem = json.loads(body)
        return f"{problem['detail']} {problem['advice']}"
    except (ValueError, KeyError):
        return f"HTTP {refused.response.status_code}"


def _follow(socket: ClientConnection, session: str, target: Target, stream: _Stream) -> None:
    hello = {"type": "hello"} | ({"token": target.token} if target.token else {})
    socket.send(json.dumps(hello))
    _subscribe(socket, session, stream, with_position=stream.position is not None)
    for message in socket:
        frame = json.loads(message)
        match frame["type"]:
            case "snapshot":
                stream.snapshot(frame)
            case "delta":
                try:
                    stream.delta(frame)
                except UnknownOpError:
                    socket.send(json.dumps({"type": "unsubscribe", "sub": "tail"}))
                    _subscribe(socket, session, stream, with_position=False)
            case "error" if frame["code"] == "gone":
                raise CommandError(f"session {session!r} was deleted")
            case "error":
                raise CommandError(f"{frame['message']} ({frame['code']})")
            case _:
                pass


def _subscribe(socket: ClientConnection, session: str, stream: _Stream, *, with_position: bool) -> None:
    view = {"kind": "web", "mode": "compact", "locale": stream.locale}
    wanted: Json = {"type": "subscribe", "sub": "tail", "session": session, "view": view}
    if with_position:
        wanted["position"] = stream.position
        turns = stream.transcript["turns"]
        if turns:
            wanted["from_turn"] = turns[0]["turn"]
    socket.send(json.dumps(wanted))
