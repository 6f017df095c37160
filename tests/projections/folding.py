"""Short ways to build a log and to look at what came of it."""

import json
from typing import Any

import msgspec

from projections.decode import decode_event
from projections.position import Position
from projections.session import SessionFold
from projections.transcript import snapshot
from projections.view import View, WebView

Event = dict[str, Any]
AT = Position(epoch="e", version=1)


def fold(*events: Event | bytes) -> SessionFold:
    """Fold a log given as objects, or as bytes where the bytes matter."""
    return more(SessionFold(), *events)


def more(session: SessionFold, *events: Event | bytes) -> SessionFold:
    """Go on with a log."""
    for event in events:
        raw = event if isinstance(event, bytes) else json.dumps(event).encode()
        session.apply(session.next_seq, decode_event(raw))
    return session


def transcript(session: SessionFold, view: View | None = None) -> Event:
    """The snapshot of a session as a client decodes it."""
    made = snapshot(session, "s", AT, view or WebView())
    decoded: Event = json.loads(msgspec.json.encode(made))
    return decoded


def keys(session: SessionFold, turn: int = 1) -> list[str]:
    """The row keys of a turn, in order."""
    return [slot.key for slot in session.main.turns[turn].rows]


def row(session: SessionFold, key: str) -> Event:
    """One row as a client decodes it, delegates' rows included."""
    shown = transcript(session)
    found = [one for one in _all_rows(shown) if one["key"] == key]
    assert len(found) == 1, f"{key}: {len(found)} rows"
    return found[0]


def _all_rows(shown: Event) -> list[Event]:
    rows = [*shown["session_rows"], *(one for turn in shown["turns"] for one in turn["rows"])]
    return rows + [one for outer in rows if "delegate" in outer for one in _all_rows(outer["delegate"])]


def start(turn: int = 1) -> Event:
    """`turn/start`."""
    return {"type": "turn/start", "turn": turn}


def end(reason: str = "completed", turn: int = 1, **fields: Any) -> Event:
    """`turn/end`."""
    return {"type": "turn/end", "turn": turn, "reason": reason, **fields}


def user(text: str = "q", turn: int | None = 1, ident: str = "u1", **fields: Any) -> Event:
    """`user/message`."""
    return {
        "type": "user/message",
        "turn": turn,
        "id": ident,
        "content": [{"type": "text", "text": text}],
        **fields,
    }


def say(text: str, step: int = 1, turn: int = 1, **fields: Any) -> Event:
    """A settled `assistant/message` of one text."""
    return message([{"type": "text", "text": text}], step, turn, **fields)


def message(blocks: list[Event], step: int = 1, turn: int = 1, **fields: Any) -> Event:
    """A settled `assistant/message`."""
    return {"type": "assistant/message", "turn": turn, "step": step, "blocks": blocks, **fields}


def chunk(text: str, index: int = 0, step: int = 1, kind: str = "text", **fields: Any) -> Event:
    """A streamed piece of text or reasoning."""
    return {
        "type": "assistant/chunk",
        "turn": 1,
        "step": step,
        "index": index,
        "kind": kind,
        "text": text,
        **fields,
    }


def call(call_id: str = "c1", step: int = 1, name: str = "read", **fields: Any) -> Event:
    """`tool/call`."""
    return {
        "type": "tool/call",
        "turn": 1,
        "step": step,
        "call_id": call_id,
        "name": name,
        "input": {},
        **fields,
    }


def result(call_id: str = "c1", output: str = "out", status: str = "ok", **fields: Any) -> Event:
    """`tool/result`."""
    return {"type": "tool/result", "call_id": call_id, "status": status, "output": output, **fields}


def tool_progress(output: str, call_id: str = "c1") -> Event:
    """`tool/progress`."""
    return {"type": "tool/progress", "call_id": call_id, "output": output}


def below(parent: str, *events: Event) -> list[Event]:
    """Events of a delegate."""
    return [{**event, "parent_call_id": parent} for event in events]


def rewind(turn: int) -> Event:
    """`session/rewind`."""
    return {"type": "session/rewind", "before_turn": turn}
