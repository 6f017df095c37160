"""Small Claude Code sessions for the importer's tests, and what a reader of the transcript sees of them."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from projections.decode import decode_event
from projections.events import Malformed
from projections.position import Position
from projections.session import SessionFold
from projections.transcript import snapshot, window_of
from projections.view import WebView
from service.importers.accounting import ImportReport, Ledger
from service.importers.claude_code import ClaudeCodeReader
from service.importers.claude_delegates import Delegates
from service.importers.emit import NativeEvent
from service.importers.lines import Line

Json = dict[str, Any]


class Log:
    """Writes lines as the host does: each has an id and names the line before it.

    `leaf` is the line that the next one hangs at; setting it is how a human goes back.
    """

    def __init__(self) -> None:
        self.lines: list[Json] = []
        self.leaf: str | None = None

    def line(self, kind: str, **fields: Any) -> str:
        """A line of any type that is part of the conversation; gives its id."""
        uuid = fields.pop("uuid", None) or f"{kind[0]}{len(self.lines)}"
        minutes, seconds = divmod(len(self.lines), 60)
        line = {
            "parentUuid": self.leaf,
            "isSidechain": False,
            "cwd": "/srv/app",
            "sessionId": "s1",
            "type": kind,
            "uuid": uuid,
            "timestamp": f"2026-01-01T00:{minutes:02}:{seconds:02}.000Z",
            **fields,
        }
        self.lines.append(line)
        self.leaf = uuid
        return uuid

    def about(self, kind: str, **fields: Any) -> None:
        """A line about the session, which has no id."""
        self.lines.append({"type": kind, "sessionId": "s1", **fields})

    def human(self, content: object, **fields: Any) -> str:
        """What a human wrote, in a version without `origin`."""
        return self.line("user", message={"role": "user", "content": content}, **fields)

    def model(self, *blocks: Json | str, message: str | None = None, **fields: Any) -> str:
        """A line of the model; without a message id of its own it is a message of its own."""
        content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
        body: Json = {"role": "assistant", "content": content, "model": "claude-x"}
        body["id"] = message or f"m{len(self.lines)}"
        body["stop_reason"] = fields.pop("stop_reason", None)
        return self.line("assistant", message=body, **fields)

    def result(self, call_id: str | None, output: object = "done", **fields: Any) -> str:
        """A tool's result."""
        block: Json = {"type": "tool_result", "content": output}
        block |= {} if call_id is None else {"tool_use_id": call_id}
        block |= {"is_error": True} if fields.pop("failed", False) else {}
        beside = fields.pop("beside", [])
        return self.line("user", message={"role": "user", "content": [block, *beside]}, **fields)

    def system(self, subtype: str, **fields: Any) -> str:
        """A line of the host."""
        return self.line("system", subtype=subtype, **fields)

    def attachment(self, kind: str, **fields: Any) -> str:
        """What the host put before the model."""
        return self.line("attachment", attachment={"type": kind, **fields})


def begun() -> Log:
    """A session whose turn runs."""
    log = Log()
    log.human("Go")
    return log


def call(call_id: str | None, name: str = "Bash", **tool_input: Any) -> Json:
    """The model's request to run a tool."""
    named = {} if call_id is None else {"id": call_id}
    return {"type": "tool_use", **named, "name": name, "input": tool_input}


def thought(text: str) -> Json:
    """The model's thinking."""
    return {"type": "thinking", "thinking": text, "signature": "x"}


def raw(lines: Iterable[Json | bytes]) -> list[bytes]:
    """The lines as bytes."""
    return [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]


def read(lines: Iterable[Json | bytes], *, leave_open: bool = False) -> list[NativeEvent]:
    """The events of one file, read line by line."""
    return _read(lines, Ledger(), leave_open=leave_open)


def _read(lines: Iterable[Json | bytes], ledger: Ledger, *, leave_open: bool) -> list[NativeEvent]:
    reader = ClaudeCodeReader(ledger, Delegates(), leave_open=leave_open)
    found: list[NativeEvent] = []
    for number, line in enumerate(raw(lines), start=1):
        found += reader.read(Line(number=number, raw=line))
    return found if leave_open else [*found, *reader.finish()]


def account(lines: Iterable[Json | bytes]) -> ImportReport:
    """What became of each line."""
    ledger = Ledger()
    _read(lines, ledger, leave_open=False)
    return ledger.report()


def natives(lines: Iterable[Json | bytes], *kinds: str, leave_open: bool = False) -> list[Json]:
    """The native events of these types (of all without), without their ids and times."""
    found: list[Json] = [json.loads(event.body) for event in read(lines, leave_open=leave_open)]
    return [
        {key: value for key, value in one.items() if key not in {"event_id", "ts_ms"}}
        for one in found
        if not kinds or one["type"] in kinds
    ]


def shown(lines: Iterable[Json | bytes], *, leave_open: bool = False) -> list[list[str]]:
    """What a reader sees: a list of rows for each turn, its outcome last, and before them rows of no turn."""
    return rows_of(read(lines, leave_open=leave_open))


def rows_of(events: Iterable[NativeEvent]) -> list[list[str]]:
    """What a reader sees of these events."""
    fold = SessionFold()
    for event in events:
        decoded = decode_event(event.body)
        assert not isinstance(decoded, Malformed), decoded.reason
        fold.apply(fold.next_seq, decoded)
    window = window_of(fold, limit=max(len(fold.main.turns), 1))
    transcript = snapshot(fold, "s", Position(epoch="", version=0), WebView(), window)
    document: Json = json.loads(msgspec.json.encode(transcript))
    loose = [text for row in document["session_rows"] for text in _row(row)]
    return [*([loose] if loose else []), *(_turn(turn) for turn in document["turns"])]


def _turn(turn: Json) -> list[str]:
    rows = [text for row in turn["rows"] for text in _row(row)]
    queued = [f"queued: {_said(one['content'])}" for one in turn.get("queued", ())]
    return [*rows, *queued, *(["running"] if turn["status"] == "open" else [])]


def _row(row: Json) -> Iterator[str]:
    match row["kind"]:
        case "user" | "steering" as kind:
            yield f"{kind}: {_said(row['content'])}"
        case "assistant_step":
            yield from _step(row)
        case "tool_call":
            yield f"{row['name']} [{row['status']}] {_output(row['output'])}".rstrip()
            for turn in row.get("delegate", {}).get("turns", ()):
                yield from (f"| {text}" for text in _turn(turn))
        case "context":
            yield f"context {row['source']}: {_said(row['content'])}"
        case "notice":
            yield f"{row['level']}: {row['text']}"
        case "command":
            yield f"command {row['name']} {row.get('input') or ''} [{row['status']}] {row.get('output') or ''}".strip()
        case "compaction":
            yield f"compaction: {row.get('summary', '')}"
        case "retry":
            yield f"retry {row['retry']} [{row['status']}]"
        case "turn_error":
            yield f"failed: {row.get('message', '')}"
        case "turn_tail":
            yield f"-- {row['outcome']}"
        case "search":
            yield f"search {row.get('query', '')} [{row['status']}]"
        case _:
            pass


def _step(row: Json) -> Iterator[str]:
    cut = " (cut)" if row["status"] == "interrupted" else ""
    for block in row["blocks"]:
        if block["type"] == "reasoning" and block["text"]:
            yield f"thinks: {block['text']}"
        elif block["type"] == "text":
            yield f"says: {block['text']}{cut}"
        elif block["type"] not in {"reasoning", "tool_call"}:
            yield f"[{block['type']}]"


def _said(blocks: list[Json]) -> str:
    return " ".join(block.get("text") or f"[{block['type']}]" for block in blocks)


def _output(value: Any) -> str:
    return _said(value) if isinstance(value, list) else (value or "")


def written(path: Path, lines: Iterable[Json | bytes]) -> Path:
    """A session file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(line + b"\n" for line in raw(lines)))
    return path
