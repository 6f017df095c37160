"""What is fuzzed, and what must hold for any bytes. Each target returns what came of the input, in few words.

An input whose outcome was not seen before is kept for further mutation, so that the fuzzer finds its way past the
first check without looking into the code.
"""

import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import msgspec

from api.event_bodies import read_events
from api.frames import frame_of, payload_of
from api.messages import Codec, Limits, ServerMessage
from api.problems import Refusal
from api.protocol import Authenticate, Close, Connection, Effect, Redeem, Renew, Send
from api.text_view import harmless
from projections.decode import decode_event
from projections.events import Malformed
from projections.position import Position
from projections.saved import encode_head, encode_turns, restore
from projections.session import SessionFold
from projections.transcript import snapshot
from projections.view import DesktopView, TuiView, View, WebView
from service.importers import open_session_file
from service.importers.detect import Format
from service.importers.errors import UnknownFormatError

Target = Callable[[bytes], str]
_AT = Position(epoch="e", version=1)
_BEFORE = (
    {"type": "turn/start", "turn": 1},
    {"type": "user/message", "turn": 1, "id": "u1", "content": [{"type": "text", "text": "q"}]},
    {"type": "assistant/chunk", "turn": 1, "step": 1, "index": 0, "kind": "text", "text": "t"},
    {"type": "tool/call", "turn": 1, "step": 1, "call_id": "c1", "name": "read", "input": {}},
)
_VIEWS: tuple[View, ...] = (WebView(), DesktopView(), DesktopView(mode="flat", thinking=False), TuiView())
_MEDIA_TYPES = ("application/json", "application/x-ndjson", "application/msgpack")


def decode(data: bytes) -> str:
    """Entries of a stream, one a line: an event or a reason, folded without raising, shown and saved whole."""
    fold = SessionFold()
    kinds = []
    for raw in (*(json.dumps(event).encode() for event in _BEFORE), *data.split(b"\n")):
        event = decode_event(raw)
        if isinstance(event, Malformed):
            assert 0 < len(event.reason) <= 500
            event.reason.encode()
        fold.apply(fold.next_seq, event)
        kinds.append(_kind(event))
    again = restore(encode_head(fold), encode_turns(fold))
    for view in _VIEWS:
        shown = msgspec.json.encode(snapshot(fold, "s", _AT, view))
        json.loads(shown)
        assert msgspec.json.encode(snapshot(again, "s", _AT, view)) == shown
    doors = [_door(data, media_type) for media_type in _MEDIA_TYPES]
    return repr((kinds[len(_BEFORE) :][:3], sorted(fold.anomalies), doors))


def _kind(event: object) -> str:
    if isinstance(event, Malformed):
        return re.sub(r"['`\"].*?['`\"]|\d+", "", event.reason)[:60]
    return type(event).__name__


def _door(data: bytes, media_type: str) -> str:
    """What the door takes, the projector can read: nothing that was accepted ends in the quarantine."""
    found = read_events(data, media_type, max_event_bytes=8 * 1024)
    if isinstance(found, Refusal):
        return found.code
    assert not [one.raw for one in found if isinstance(decode_event(one.raw), Malformed)]
    return "taken"


def importers(data: bytes) -> str:
    """A session file of any content: every line accounted for, every event on one line and readable."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "session.jsonl"
        path.write_bytes(data)
        try:
            found: str = open_session_file(path).format
        except UnknownFormatError:
            found = "unknown"
        formats: tuple[Format, ...] = get_args(Format)
        return repr((found, *(_imported(path, one, is_open) for one in formats for is_open in (False, True))))


def _imported(path: Path, file_format: Format, leave_open: bool) -> object:
    file = open_session_file(path, file_format, leave_open)
    events = list(file)
    report = file.report
    assert report.is_complete
    assert report.event_count == len(events)
    for event in events:
        assert b"\n" not in event.body
        if file_format != "native":
            assert not isinstance(decode_event(event.body), Malformed), event.body
    harmless(str(report)).encode()
    ignored = tuple(one.name for one in report.ignored)
    return min(report.projected_count, 3), min(report.quarantined_count, 3), ignored, report.synthetic_end


def socket(data: bytes) -> str:
    """The client's frames, one a line, in both codecs and both beginnings: an answer for each, until a close."""
    codecs: tuple[Codec, ...] = ("json", "msgpack")
    return repr([_spoken(data, codec, known) for codec in codecs for known in (True, False)])


def _spoken(data: bytes, codec: Codec, known: bool) -> list[str]:
    limits = Limits(max_subscriptions=4, max_messages_per_minute=40, max_message_bytes=8 * 1024)
    connection = Connection(limits=limits, known=known, now_ms=0, codec=codec)
    said: list[str] = []
    is_closed = False
    for number, line in enumerate(data.split(b"\n")):
        effects = _performed(connection, connection.receive(_frame(line, codec), number * 500))
        assert not (is_closed and effects)
        is_closed = is_closed or any(isinstance(one, Close) for one in effects)
        assert len(connection.subs) <= limits.max_subscriptions
        assert all(1 <= len(name) <= 64 for name in connection.subs)
        said += [_said(one) for one in effects]
    return list(dict.fromkeys(said))


def _frame(line: bytes, codec: Codec) -> str | bytes:
    """A frame of the codec; a line that begins with a blank comes as the other kind of frame."""
    if (codec == "json") is not line.startswith(b" "):
        return line.decode(errors="replace")
    try:
        return msgspec.msgpack.encode(msgspec.json.decode(line))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OverflowError):
        return line


def _performed(connection: Connection, effects: list[Effect]) -> list[Effect]:
    """The effects, with those of the shell's answers."""
    found = list(effects)
    for effect in effects:
        if isinstance(effect, Authenticate):
            good = effect.token != "bad"
            found += connection.admit(0) if good else connection.refuse("no")
        elif isinstance(effect, Redeem) and not effect.renews:
            found += connection.admit(0) if effect.ticket != "bad" else connection.refuse("no")
        elif isinstance(effect, Renew | Redeem):
            found += connection.renewed(0, None)
    for effect in found:
        if isinstance(effect, Send):
            _check_frame(effect.message)
    return found


def _check_frame(message: ServerMessage) -> None:
    assert json.loads(payload_of(frame_of(message, "json")))["type"] == type(message).__struct_config__.tag


def _said(effect: Effect) -> str:
    if isinstance(effect, Send):
        return f"{type(effect.message).__name__} {getattr(effect.message, 'code', '')}"
    return type(effect).__name__


TARGETS: dict[str, Target] = {"decode": decode, "importers": importers, "socket": socket}
