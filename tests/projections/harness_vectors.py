"""Reads the harness vectors and folds them the way the service would: through the importer, then the fold."""

from pathlib import Path
from typing import Any

from projections.building import Slot, TurnBuilder
from projections.decode import decode_event
from projections.rows import StepRow
from projections.session import SessionFold
from projections.transcript import whole_row
from projections.view import WebView
from projections.web import WebPresentation, is_independent, present_web
from service.importers.harness import read_harness

VECTORS = sorted((Path(__file__).parent.parent / "vectors" / "harness").glob("*.json"))
# The harness's own words for two outcomes (issue 2: their `error`, `max-tokens` are our `failed`, `max_tokens`).
OUTCOMES = {"error": "failed", "max-tokens": "max_tokens"}


def fold_vector(vector: dict[str, Any]) -> tuple[SessionFold, int]:
    """Fold a vector's log; gives the fold and the log's first seq (a log may begin in mid-history)."""
    fold = SessionFold()
    first = vector["events"][0].get("seq", 0)
    for seq, native in enumerate(read_harness(vector["events"])):
        fold.apply(first + seq, decode_event(native.body))
    return fold, first


def shown_rows(fold: SessionFold, mode: str, history_complete: bool, expanded: bool) -> list[dict[str, Any]]:
    """Derive what a web client shows, from the presentation and the reader's state alone (B-6 to B-9, E-5)."""
    view = WebView(mode="compact" if mode == "compact" else "normal")
    shown: list[dict[str, Any]] = [
        {"kind": slot.kind, "key": slot.key, "turn": None, "anchor": slot.anchor}
        for slot in fold.main.none.rows
    ]
    for turn in fold.main.turns.values():
        presentation = present_web(turn, view)
        applies = mode == "compact" and history_complete and turn.closing is not None
        applied = presentation if applies else None
        shown.extend(_shown_row(turn, slot, applied, expanded) for slot in turn.rows)
    return shown


def _shown_row(turn: TurnBuilder, slot: Slot, view: WebPresentation | None, expanded: bool) -> dict[str, Any]:
    row: dict[str, Any] = {"kind": slot.kind, "key": slot.key, "turn": turn.number, "anchor": slot.anchor}
    closed = view is not None and view.foldable and not expanded
    if slot.kind == "turn_process":
        if view is None or not view.foldable:
            return row | {"hidden": True}
        zh = present_web(turn, WebView(locale="zh-CN"))
        assert zh is not None
        return row | {"foldable": True, "label_en": view.label.text, "label_zh": zh.label.text}
    if slot.kind == "assistant_step":
        row["status"] = step_status(turn, slot)
    if view is None or is_independent(turn, slot):
        return row
    if slot.key in view.members:
        row |= {"member": True, "foldable": True} | ({"hidden": True} if closed else {})
    if slot.key == view.answer:
        row["answer"] = True
        if view.foldable:
            row["foldable"] = True
        if closed and view.compact_answer_when_closed:
            row["compact_answer"] = True
        if closed and view.reasoning_hidden_when_closed:
            row["reasoning_hidden"] = True
    return row


def step_status(turn: TurnBuilder, slot: Slot) -> str:
    """The status that the row would have on the wire."""
    row = whole_row(turn, slot)
    assert isinstance(row, StepRow)
    return row.status


def expected_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Bring a vector's expected rows into our terms: keys for refs."""
    return [_expected(row) for row in rows]


_KEYS = {
    "system_prompt": "prompt",
    "user": "user",
    "steering": "steering",
    "context": "context",
    "assistant_step": "step",
    "tool_call": "tool",
    "retry": "retry",
    "command": "command",
    "compaction": "compaction",
    "turn_process": "process",
    "turn_error": "error",
    "turn_max_tokens": "max_tokens",
    "turn_tail": "tail",
    "interaction": "interaction",
}


def _expected(row: dict[str, Any]) -> dict[str, Any]:
    key = f"{_KEYS[row['kind']]}:{row['ref']}"
    return {name: value for name, value in row.items() if name != "ref"} | {"key": key}
