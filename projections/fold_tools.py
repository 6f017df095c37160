"""Stage 3, the fold of tool calls: one row a call, whatever names it first (`events.md`, rules 3 and 4)."""

import msgspec
from msgspec import Raw

from projections import events as ev
from projections.building import REPLACEMENT, TEXT_GREW, Slot, ToolBuilder, TurnBuilder, kept
from projections.fold import Fold
from projections.fold_blocks import join_halves, wire_blocks
from projections.fold_steps import step_of, whole_ms
from projections.heads import size_bytes

_encode = msgspec.json.encode

Update = ev.ToolCall | ev.ToolProgress | ev.ToolResult
Found = tuple[TurnBuilder, Slot]


def _tool(
    fold: Fold, turn: TurnBuilder, seq: int, event: Update, found: Found | None
) -> tuple[TurnBuilder, ToolBuilder, Slot]:
    """Give a call that was found by its id; whatever names it first gives it its row (rule 3)."""
    if found is not None:
        return found[0], found[0].tools[event.call_id], found[1]
    step = step_of(fold, turn, event, seq)
    call_id = event.call_id
    tool = ToolBuilder(call_id=call_id)
    turn.tools[call_id] = tool
    slot = fold.add_row(turn, f"tool:{call_id}", "tool_call", seq, step=step)
    fold.root.adopt(fold, turn, call_id, seq)
    return turn, tool, slot


def fold_call(fold: Fold, turn: TurnBuilder, seq: int, event: ev.ToolCall) -> None:
    """`tool/call`: counted once; a result that came first is completed where it stands (rules 3, 4)."""
    turn, tool, slot = _tool(fold, turn, seq, event, fold.find(f"tool:{event.call_id}"))
    if tool.called_seq is None:
        tool.called_seq, tool.start_ms = seq, whole_ms(event.ts_ms)
        subagent = event.name == "subagent" or event.name.startswith("subagent_")
        turn.process.subagents += subagent
        turn.process.tool_calls += not subagent
        if tool.result is None:
            turn.open_calls[event.call_id] = None
    else:
        fold.root.count("duplicate_call")
    tool.name, tool.input = event.name, kept(event.input)
    tool.title = event.title if event.title is not None else tool.title
    fold.touch(turn, slot, seq)
    _note_evidence(fold, turn, seq)
    fold.respec(turn, seq)


def _note_evidence(fold: Fold, turn: TurnBuilder, seq: int) -> None:
    if turn.process.other is None:
        turn.process.other = seq
    fold.note_evidence(turn, seq)


def fold_progress(
    fold: Fold, turn: TurnBuilder, seq: int, event: ev.ToolProgress, found: Found | None
) -> None:
    """`tool/progress`: output so far; after the result it is late and only counted."""
    turn, tool, slot = _tool(fold, turn, seq, event, found)
    if tool.result is not None:
        fold.root.count("progress_after_result")
        return
    if tool.called_seq is None:
        turn.open_calls[event.call_id] = None
    text = event.output
    if tool.half or not text.isascii():
        text, tool.half = join_halves(fold, tool.half, text)
    if text:
        tool.progress.append(text)
        tool.progress_bytes += size_bytes(text)
        fold.touch(turn, slot, seq, TEXT_GREW)


def fold_result(fold: Fold, turn: TurnBuilder, seq: int, event: ev.ToolResult, found: Found | None) -> None:
    """`tool/result`: the first wins; a result never moves a row (rule 3)."""
    turn, tool, slot = _tool(fold, turn, seq, event, found)
    if tool.result is not None:
        fold.root.count("duplicate_result")
        return
    if tool.called_seq is None:
        fold.root.count("result_before_call")
    tool.result, tool.end_ms = event.status, whole_ms(event.ts_ms)
    tool.exit_code, tool.duration_ms, tool.error = event.exit_code, event.duration_ms, kept(event.error)
    if event.output is not None:
        tool.output = (
            Raw(_encode(event.output))
            if isinstance(event.output, str)
            else wire_blocks(fold, seq, event.output)
        )
    elif tool.half:
        tool.progress.append(REPLACEMENT)
        tool.progress_bytes += size_bytes(REPLACEMENT)
    tool.half = 0
    turn.open_calls.pop(event.call_id, None)
    fold.close_delegate(event.call_id, _delegate_end(event.status), seq, tool.end_ms)
    fold.touch(turn, slot, seq)
    if turn.process.other is None:  # else a result tells the spec nothing
        _note_evidence(fold, turn, seq)
        fold.respec(turn, seq)


def _delegate_end(status: str) -> str:
    return {"ok": "completed", "canceled": "aborted"}.get(status, "interrupted")
