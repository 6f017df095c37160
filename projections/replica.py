"""The reference client: applies snapshots and ops to plain JSON values (`wire.md`, *Ops*).

What a client in any language does, in the fewest lines; the property tests of W-1 compare it with snapshots, and the
terminal commands follow a session with it. Values are JSON as it was decoded, changed in place.
"""

from typing import Any

Json = Any  # decoded JSON of a peer: its shape is the wire's, checked by the socket's tests


class UnknownOpError(Exception):
    """A frame holds an op that this client does not know: subscribe again without a position."""

    def __init__(self, op: str) -> None:
        super().__init__(f"unknown op {op!r}: subscribe again without a position")
        self.op = op


def apply_ops(transcript: dict[str, Json], ops: list[dict[str, Json]]) -> None:
    """Apply the ops of one frame in order.

    Args:
        transcript: an object with `turns` and `session_rows`, changed in place.
        ops: as they came.

    Raises:
        UnknownOpError: before anything was changed.
    """
    for op in ops:
        if op["op"] not in _APPLY:
            raise UnknownOpError(op["op"])
    for op in ops:
        target = _inside(transcript, op.get("in", ()))
        if target is not None:
            _APPLY[op["op"]](target, op)


def _inside(transcript: dict[str, Json], path: list[str]) -> dict[str, Json] | None:
    for call_id in path:
        row = _find_tool(transcript, f"tool:{call_id}")
        if row is None:
            return None
        transcript = row.setdefault("delegate", {"turns": [], "session_rows": []})
    return transcript


def _find_tool(transcript: dict[str, Json], key: str) -> dict[str, Json] | None:
    for turn in reversed(transcript["turns"]):
        rows: list[dict[str, Json]] = turn["rows"]
        for row in rows:
            if row["key"] == key:
                return row
    return next((row for row in transcript["session_rows"] if row["key"] == key), None)


def _turn(transcript: dict[str, Json], number: int) -> dict[str, Json] | None:
    return next((turn for turn in reversed(transcript["turns"]) if turn["turn"] == number), None)


def _rows(transcript: dict[str, Json], number: int | None) -> list[dict[str, Json]]:
    if number is None:
        rows: list[dict[str, Json]] = transcript["session_rows"]
        return rows
    turn = _turn(transcript, number)
    return [] if turn is None else turn["rows"]


def _at(rows: list[dict[str, Json]], key: str | None) -> int | None:
    return next((at for at, row in enumerate(rows) if row["key"] == key), None)


def _apply_turn(transcript: dict[str, Json], op: dict[str, Json]) -> None:
    head = {name: value for name, value in op.items() if name not in ("op", "in")}
    turn = _turn(transcript, op["turn"])
    if turn is None:
        transcript["turns"].append({**head, "spec": None, "rows": [], "presentation": None})
    else:
        turn.update(head)


def _apply_row(transcript: dict[str, Json], op: dict[str, Json]) -> None:
    rows, row = _rows(transcript, op["turn"]), op["row"]
    at = _at(rows, row["key"])
    if at is not None:
        if "delegate" in rows[at]:
            row = {**row, "delegate": rows[at]["delegate"]}
        if "before" not in op:
            rows[at] = row
            return
        del rows[at]
    before = _at(rows, op.get("before"))
    rows.insert(len(rows) if before is None else before, row)


def _apply_append(transcript: dict[str, Json], op: dict[str, Json]) -> None:
    rows = _rows(transcript, op["turn"])
    at = _at(rows, op["key"])
    if at is not None:
        rows[at]["blocks"][op["block"]]["text"] += op["text"]


def _apply_output(transcript: dict[str, Json], op: dict[str, Json]) -> None:
    rows = _rows(transcript, op["turn"])
    at = _at(rows, op["key"])
    if at is not None:
        rows[at]["progress"] = rows[at].get("progress", "") + op["text"]
        if "bytes" in op:
            rows[at]["bytes"] = op["bytes"]


def _apply_remove(transcript: dict[str, Json], op: dict[str, Json]) -> None:
    rows = _rows(transcript, op["turn"])
    at = _at(rows, op["key"])
    if at is not None:
        del rows[at]


def _apply_drop(transcript: dict[str, Json], op: dict[str, Json]) -> None:
    transcript["turns"][:] = [turn for turn in transcript["turns"] if turn["turn"] < op["from"]]


def _apply_spec(transcript: dict[str, Json], op: dict[str, Json]) -> None:
    turn = _turn(transcript, op["turn"])
    if turn is not None:
        turn["spec"] = op["spec"]


def _apply_presentation(transcript: dict[str, Json], op: dict[str, Json]) -> None:
    turn = _turn(transcript, op["turn"])
    if turn is None:
        return
    holder: Json = turn
    last: Json = "presentation"
    for name in op["path"]:
        holder, last = holder[last], name
        if isinstance(holder, list):
            last = next(at for at, item in enumerate(holder) if name in (item.get(field) for field in _IDS))
    if "splice" in op:
        at, remove, insert = (op["splice"][name] for name in ("at", "remove", "insert"))
        holder[last][at : at + remove] = insert
    else:
        holder[last] = op["set"]


# What an item of a list in a presentation is named by.
_IDS = ("id", "group", "topology")
_APPLY = {
    "turn": _apply_turn,
    "row": _apply_row,
    "append": _apply_append,
    "output": _apply_output,
    "remove": _apply_remove,
    "drop_turns": _apply_drop,
    "spec": _apply_spec,
    "presentation": _apply_presentation,
}
