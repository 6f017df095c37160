"""Turns for tests of the desktop presentation, as a producer would send them."""

from tests.browser.service import Event
from tests.browser.transcript_page import text


def start(turn: int = 1) -> list[Event]:
    """A turn begins with a question."""
    return [
        {"type": "turn/start", "turn": turn},
        {"type": "user/message", "id": f"u{turn}", "content": text("How many rows?")},
    ]


def call(call_id: str, name: str = "read", *, step: int = 1, **given: object) -> Event:
    """A tool is called."""
    return {
        "type": "tool/call",
        "turn": 1,
        "step": step,
        "call_id": call_id,
        "name": name,
        "input": given or {"path": f"{call_id}.txt"},
    }


def result(call_id: str, output: str = "42 needle", status: str = "ok") -> Event:
    """It has put out something."""
    return {"type": "tool/result", "call_id": call_id, "status": status, "output": output}


def calls(*names: str, step: int = 1) -> list[Event]:
    """Tools that are called and over."""
    return [one for name in names for one in (call(name, step=step), result(name))]


def chunk(kind: str, *, step: int = 1, index: int = 0, **fields: object) -> Event:
    """A chunk of a step that streams."""
    return {"type": "assistant/chunk", "turn": 1, "step": step, "index": index, "kind": kind, **fields}


def streams(kind: str, value: str, *, step: int = 1, index: int = 0) -> list[Event]:
    """A block begins to stream."""
    return [
        chunk(
            "block_start", step=step, index=index, block_type="reasoning" if kind == "reasoning" else "text"
        ),
        chunk(kind, step=step, index=index, text=value),
    ]


def message(step: int, *blocks: Event) -> Event:
    """A step settles."""
    return {"type": "assistant/message", "turn": 1, "step": step, "blocks": list(blocks)}
