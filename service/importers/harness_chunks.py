"""The harness log's streamed deltas: packed rows to single events, chunks to native chunks."""

from collections.abc import Iterator

import msgspec

from service.importers.fields import JsonObject, as_table, items, millis, table, text, whole
from service.importers.harness_content import native_block

_PACKED = {
    "text-chunks": ("text-delta", "texts", "text"),
    "reasoning-chunks": ("reasoning-delta", "texts", "text"),
    "tool-call-chunks": ("tool-call-delta", "args", "argumentsDelta"),
}


class LogEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One event of the log; `gap_ms` is the pause before it, where a packed row tells it."""

    kind: str
    data: JsonObject
    surface_op: object = None
    ignorable: bool = False
    seq: int | None = None
    ts_ms: int | float | None = None
    gap_ms: int | float | None = None


def log_events(record: JsonObject, kind: str) -> Iterator[LogEvent]:
    """The log events of one record: one, or as many as a packed row holds deltas."""
    if kind in _PACKED:
        yield from _unpacked(record, kind)
        return
    yield LogEvent(
        kind=kind,
        data=table(record, "data"),
        surface_op=record.get("surfaceOp"),
        ignorable=record.get("ignorable") is True,
        seq=whole(record, "seq"),
        ts_ms=millis(record, "time"),
    )


def _unpacked(record: JsonObject, kind: str) -> Iterator[LogEvent]:
    """A row's deltas: `dt` holds the pauses between them, so one fewer than there are deltas."""
    chunk_type, list_key, text_key = _PACKED[kind]
    data = table(record, "data")
    deltas = items(data, list_key)
    gaps = [gap if isinstance(gap, int | float) else 0 for gap in items(data, "dt")]
    # A row with as many pauses as deltas tells the first one's too.
    gaps = gaps[: len(deltas)] if len(gaps) >= len(deltas) else [0, *gaps]
    seq, ts_ms = whole(record, "seq"), millis(record, "time")
    shared = {key: data[key] for key in ("index", "id", "name") if key in data}
    for position, delta in enumerate(deltas):
        gap_ms = gaps[position] if position < len(gaps) else 0
        ts_ms = None if ts_ms is None else ts_ms + gap_ms
        chunk = {"type": chunk_type, **shared, text_key: delta}
        yield LogEvent(
            kind="assistant/chunk",
            data={"turn": data.get("turn"), "step": data.get("step"), "chunk": chunk},
            seq=None if seq is None else seq + position,
            ts_ms=ts_ms,
            gap_ms=gap_ms,
        )


class ChunkNames:
    """Remembers which call a block's argument deltas belong to: only the first delta must name it."""

    def __init__(self) -> None:
        self._calls: dict[tuple[object, object, int], str] = {}

    def native_chunk(self, data: JsonObject) -> dict[str, object] | None:
        """The native fields of a chunk besides turn and step; nothing for a chunk of another shape."""
        chunk = table(data, "chunk")
        index = whole(chunk, "index") or 0
        match chunk.get("type"):
            case "block-start":
                return self._block_start(data, chunk, index)
            case "text-delta" if (delta := text(chunk, "text", "delta")) is not None:
                return {"kind": "text", "index": index, "text": delta}
            case "reasoning-delta" if (delta := text(chunk, "text", "delta")) is not None:
                return {"kind": "reasoning", "index": index, "text": delta}
            case "tool-call-delta":
                return self._tool_input(data, chunk, index)
            case "block-end" if text(table(chunk, "block"), "type") is not None:
                return {"kind": "block_end", "index": index, "block": native_block(as_table(chunk["block"]))}
            case "usage" if "usage" in chunk:
                return {"kind": "usage", "usage": chunk["usage"]}
            case "finish":
                return _finish(chunk)
            case _:
                return None

    def _block_start(self, data: JsonObject, chunk: JsonObject, index: int) -> dict[str, object]:
        call_id = text(chunk, "id", "callId")
        place = (data.get("turn"), data.get("step"), index)
        self._calls.pop(place, None)
        if call_id is not None:
            self._calls[place] = call_id
        block_type = text(chunk, "blockType") or "text"
        return {
            "kind": "block_start",
            "index": index,
            "block_type": "tool_call" if block_type == "tool-call" else block_type,
        }

    def _tool_input(self, data: JsonObject, chunk: JsonObject, index: int) -> dict[str, object] | None:
        place = (data.get("turn"), data.get("step"), index)
        call_id = text(chunk, "id", "callId") or self._calls.get(place)
        delta = text(chunk, "argumentsDelta", "text")
        if call_id is None or delta is None:
            return None
        self._calls[place] = call_id
        fields: dict[str, object] = {"kind": "tool_input", "index": index, "call_id": call_id, "text": delta}
        if (name := text(chunk, "name")) is not None:
            fields["name"] = name
        return fields


def _finish(chunk: JsonObject) -> dict[str, object]:
    reason = text(table(chunk, "reason"), "kind") or text(chunk, "reason") or "unknown"
    fields: dict[str, object] = {"kind": "finish", "reason": reason}
    if failure := table(chunk, "reason").get("failure"):
        fields["failure"] = failure
    return fields
