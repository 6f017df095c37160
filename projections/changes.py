"""What a drain collects: which turns were touched since the last one, and which rows of them (`deltas` reads it)."""

from msgspec import UNSET, Struct, UnsetType

from projections.building import CHANGED, CLEAN, TEXT_GREW, Slot, ToolBuilder, TurnBuilder
from projections.fold import Fold
from projections.heads import size_bytes

# The output of a tool call has no block position.
OUTPUT = -1


class RowChange(Struct, frozen=True, gc=False):
    """A row that changed: `grown` holds (block position, new text) where nothing but text was added.

    A tool call's output has the position `OUTPUT`, and `whole_bytes` its size where its head alone travels. `grown`
    is None where the row changed as a whole.
    """

    slot: Slot
    grown: tuple[tuple[int, str], ...] | None
    whole_bytes: int | UnsetType = UNSET


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


def taken_changes(
    turn: TurnBuilder, inline_bytes: int | None
) -> tuple[tuple[RowChange, ...], tuple[int, ...]]:
    """Take what changed in a turn since the last call: rows, and the numbers of steps.

    Of an output over `inline_bytes` the head alone travels; `None`: all of it.
    """
    turn.listed = False
    steps = _steps(turn)
    found = [_change(turn, slot, inline_bytes) for slot in turn.dirty]
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


def _change(turn: TurnBuilder, slot: Slot, inline_bytes: int | None) -> RowChange:
    only_grew, slot.dirty = slot.dirty == TEXT_GREW, CLEAN
    if not only_grew:
        _note_sent(turn, slot)
        return RowChange(slot, None)
    if slot.kind == "tool_call":
        return _output_change(slot, turn.tools[slot.key.removeprefix("tool:")], inline_bytes)
    return RowChange(slot, _grown_blocks(turn, slot))


def _note_sent(turn: TurnBuilder, slot: Slot) -> None:
    """Note that all text is given with the whole row."""
    if slot.kind == "tool_call":
        tool = turn.tools[slot.key.removeprefix("tool:")]
        tool.sent = len(tool.progress)
    elif slot.kind == "assistant_step" and slot.step in turn.steps:
        for block in turn.steps[slot.step].blocks:
            block.sent = len(block.parts)


def _output_change(slot: Slot, tool: ToolBuilder, inline_bytes: int | None) -> RowChange:
    """Take the output that was added: in the change that takes it over the limit the row goes as a whole."""
    text, tool.sent = "".join(tool.progress[tool.sent :]), len(tool.progress)
    if inline_bytes is None or tool.progress_bytes <= inline_bytes:
        return RowChange(slot, ((OUTPUT, text),) if text else ())
    if tool.progress_bytes - size_bytes(text) <= inline_bytes:
        return RowChange(slot, None)
    return RowChange(slot, ((OUTPUT, ""),), tool.progress_bytes)


def _grown_blocks(turn: TurnBuilder, slot: Slot) -> tuple[tuple[int, str], ...]:
    """Take the text that was added to a step's blocks."""
    if slot.kind != "assistant_step" or slot.step not in turn.steps:
        return ()
    found = []
    for at, block in enumerate(turn.steps[slot.step].blocks):
        if block.sent < len(block.parts):
            found.append((at, "".join(block.parts[block.sent :])))
            block.sent = len(block.parts)
    return tuple(found)
