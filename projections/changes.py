"""What a drain collects: which turns were touched since the last one, and which rows of them (`deltas` reads it)."""

from msgspec import Struct

from projections.building import CHANGED, CLEAN, TEXT_GREW, Slot, TurnBuilder
from projections.fold import Fold


class RowChange(Struct, frozen=True, gc=False):
    """A row that changed: `grown` holds (block position, new text) where nothing but text was added.

    A tool call's output has position -1. `grown` is None where the row changed as a whole.
    """

    slot: Slot
    grown: tuple[tuple[int, str], ...] | None


class Touched(Struct, frozen=True):
    """One turn that something happened in, the rows of it that changed, and the steps, with or without a row."""

    fold: Fold
    turn: TurnBuilder
    rows: tuple[RowChange, ...]
    steps: tuple[int, ...]


class Changes(Struct, frozen=True):
    """What was touched since the last drain, outer transcripts first, turns in log order.

    Attributes:
        since: the last `seq` that the previous drain had seen (-1: none).
        drops: (transcript, first dropped turn number) of rewinds.
    """

    since: int
    touched: tuple[Touched, ...]
    drops: tuple[tuple[Fold, int], ...]


def log_order(one: Touched) -> tuple[int, tuple[str, ...], int]:
    """Outer transcripts first, turns as they started."""
    return (len(one.fold.path), one.fold.path, one.turn.ordinal)


def taken_changes(turn: TurnBuilder) -> tuple[tuple[RowChange, ...], tuple[int, ...]]:
    """Take what changed in a turn since the last call: rows, and the numbers of steps."""
    turn.listed = False
    steps = _steps(turn)
    found = []
    for slot in turn.dirty:
        if slot.dirty == TEXT_GREW:
            found.append(RowChange(slot, _grown(turn, slot)))
        else:
            _note_sent(turn, slot)
            found.append(RowChange(slot, None))
        slot.dirty = CLEAN
    turn.dirty = []
    return tuple(found), steps


def forget_changes(turn: TurnBuilder) -> None:
    """Note that nobody asks what changed in a turn."""
    turn.listed = False
    turn.stirred = {}
    for slot in turn.dirty:
        slot.dirty = CLEAN
    turn.dirty = []


def _steps(turn: TurnBuilder) -> tuple[int, ...]:
    steps, turn.stirred = turn.stirred, {}
    shown = (slot.step for slot in turn.dirty if slot.kind == "assistant_step" and slot.dirty == CHANGED)
    return tuple(dict.fromkeys([*steps, *(step for step in shown if step is not None)]))


def _note_sent(turn: TurnBuilder, slot: Slot) -> None:
    """Note that all text is given with the whole row."""
    if slot.kind == "tool_call":
        tool = turn.tools[slot.key.removeprefix("tool:")]
        tool.sent = len(tool.progress)
    elif slot.kind == "assistant_step" and slot.step in turn.steps:
        for block in turn.steps[slot.step].blocks:
            block.sent = len(block.parts)


def _grown(turn: TurnBuilder, slot: Slot) -> tuple[tuple[int, str], ...]:
    """Take the text that was added since the last drain."""
    if slot.kind == "tool_call":
        tool = turn.tools[slot.key.removeprefix("tool:")]
        text, tool.sent = "".join(tool.progress[tool.sent :]), len(tool.progress)
        return ((-1, text),) if text else ()
    if slot.kind != "assistant_step" or slot.step not in turn.steps:
        return ()
    found = []
    for at, block in enumerate(turn.steps[slot.step].blocks):
        if block.sent < len(block.parts):
            found.append((at, "".join(block.parts[block.sent :])))
            block.sent = len(block.parts)
    return tuple(found)
