"""Stage 3, the fold of model output: chunks, settled messages, retries, system prompts (`views.md` A-2 to A-6, A-11).

A chunk costs the same whatever stands before it: it appends one part to one block, and only the chunk that first
shows something (or ends a block) looks at its step.
"""

from hashlib import blake2b
from typing import assert_never

from projections import events as ev
from projections.building import (
    TEXT_GREW,
    BlockBuilder,
    MessageFacts,
    StepBuilder,
    TurnBuilder,
    is_blank,
    kept,
    present_json,
    present_ms,
)
from projections.fold import Fold
from projections.fold_blocks import block_kind, fill_block, is_whole, join_halves, shows, whole_block
from projections.rows import RetryRow, SystemPromptRow


def whole_ms(value: float | None) -> int | None:
    """Give an event's time in whole milliseconds."""
    return None if value is None else int(value)


def ensure_step(fold: Fold, turn: TurnBuilder, number: object, seq: int, ms: int | None) -> StepBuilder:
    """Find the step an event belongs to; one that never started starts here (rule 7)."""
    if not isinstance(number, int):
        number = turn.open_step if turn.open_step is not None else max(turn.top_step + 1, 1)
    step = turn.steps.get(number)
    if step is None:
        step = StepBuilder(number=number, first_seq=seq, start_ms=ms)
        turn.steps[number] = step
        turn.latest_step = turn.open_step = number
        turn.top_step = max(turn.top_step, number)
        fold.stir(turn, step, seq)
        if turn.spec is not None and turn.spec.answer_step is not None:
            # The answer is one no longer; nothing else of a spec knows the latest step.
            fold.respec(turn, seq)
    return step


def step_of(fold: Fold, turn: TurnBuilder, event: ev.Stamps, seq: int) -> int | None:
    """Give the step an event belongs to, starting it if it names one that never started."""
    if isinstance(event.step, int):
        return ensure_step(fold, turn, event.step, seq, whole_ms(event.ts_ms)).number
    return None if event.step is None else turn.open_step


def start_step(fold: Fold, turn: TurnBuilder, seq: int, event: ev.StepStart) -> None:
    """`step/start`."""
    ms = whole_ms(event.ts_ms)
    step = ensure_step(fold, turn, event.step, seq, ms)
    if step.start_seq is None:
        step.start_seq, step.start_ms = seq, ms if ms is not None else step.start_ms
        _touch_row(fold, turn, step, seq)
        fold.stir(turn, step, seq)
    else:
        fold.root.count("duplicate_step_start")


def end_step(fold: Fold, turn: TurnBuilder, seq: int, event: ev.StepEnd) -> None:
    """`step/end`: an unsettled step that streamed something is an interrupted final from here (A-4)."""
    step = ensure_step(fold, turn, event.step, seq, whole_ms(event.ts_ms))
    if step.end_seq is not None:
        fold.root.count("duplicate_step_end")
        return
    step.end_seq, step.end_ms = seq, whole_ms(event.ts_ms)
    fold.stir(turn, step, seq)
    if turn.open_step == step.number:
        turn.open_step = None
    if step.message is None:
        fold.root.count("surrogate_replaced", step.end_halves())
        fold.sync_step(turn, step, seq)
        _settled(fold, turn, seq)


def _settled(fold: Fold, turn: TurnBuilder, seq: int) -> None:
    if turn.closing is not None:
        fold.end_rows(turn, seq)
    fold.respec(turn, seq)


def fold_chunk(fold: Fold, turn: TurnBuilder, seq: int, event: ev.AssistantChunk) -> None:
    """`assistant/chunk`."""
    step = turn.steps.get(event.step) if isinstance(event.step, int) else None
    if step is None:
        step = ensure_step(fold, turn, event.step, seq, whole_ms(event.ts_ms))
    settled = step.message is not None
    match event.kind:
        case "text" | "reasoning":
            _prose(fold, turn, step, seq, event)
        case "usage":
            step.usage = kept(event.usage)
            if settled:
                _touch_row(fold, turn, step, seq)
                fold.stir(turn, step, seq)
        case "finish":
            pass
        case "block_start" | "tool_input" | "block_end" if settled:
            fold.root.count("chunk_after_message")
        case "block_start":
            _start_block(fold, turn, step, seq, event)
        case "tool_input":
            _tool_input(fold, turn, step, seq, event)
        case "block_end":
            _end_block(fold, turn, step, seq, event)
        case _ as never:
            assert_never(never)


def _prose(fold: Fold, turn: TurnBuilder, step: StepBuilder, seq: int, event: ev.AssistantChunk) -> None:
    if step.message is not None:
        fold.root.count("chunk_after_message")
        return
    text = event.text or ""
    at = step.by_index.get(event.index or 0)
    block = _first_of(fold, turn, step, seq, event) if at is None else step.blocks[at]
    if block.kind != event.kind:
        fold.root.count("block_kind_changed")
        block = _first_of(fold, turn, step, seq, event)
    if block.half or not (text.isascii() or is_whole(text)):
        text, block.half = join_halves(fold, block.half, text)
    if not text:
        return
    block.parts.append(text)
    block.encoded = None
    if block.visible_seq >= 0:
        if step.end_seq is None and turn.closing is None:
            fold.touch(turn, turn.slots[f"step:{turn.tag}:{step.number}"], seq, TEXT_GREW)
        else:
            fold.sync_step(turn, step, seq)
    elif not is_blank(text):
        _show(fold, turn, step, block, seq)


def _first_of(
    fold: Fold, turn: TurnBuilder, step: StepBuilder, seq: int, event: ev.AssistantChunk
) -> BlockBuilder:
    return _add_block(fold, turn, step, seq, BlockBuilder(kind=event.kind, index=event.index or 0, parts=[]))


def _add_block(
    fold: Fold, turn: TurnBuilder, step: StepBuilder, seq: int, block: BlockBuilder
) -> BlockBuilder:
    step.add(block)
    if step.others and (step.end_seq is not None or turn.closing is not None):
        # A step that was cut without a word is an interrupted final once a late block comes, and has a row.
        fold.sync_step(turn, step, seq)
        _settled(fold, turn, seq)
    else:
        # Positions count in the row's list of blocks, so a block that shows nothing yet is part of the row too.
        _touch_row(fold, turn, step, seq)
    return block


def _touch_row(fold: Fold, turn: TurnBuilder, step: StepBuilder, seq: int) -> None:
    slot = turn.slots.get(f"step:{turn.tag}:{step.number}")
    if slot is not None:
        fold.touch(turn, slot, seq)


def _show(fold: Fold, turn: TurnBuilder, step: StepBuilder, block: BlockBuilder, seq: int) -> None:
    step.show(block, seq)
    fold.sync_step(turn, step, seq)
    _note_material(fold, turn, step, seq)
    _settled(fold, turn, seq)


def _note_material(fold: Fold, turn: TurnBuilder, step: StepBuilder, seq: int) -> None:
    evidence = turn.process.step_evidence
    if not evidence or (len(evidence) == 1 and evidence[0][0] != step.number):
        evidence.append((step.number, seq))
    fold.note_evidence(turn, seq)


def _start_block(
    fold: Fold, turn: TurnBuilder, step: StepBuilder, seq: int, event: ev.AssistantChunk
) -> None:
    index, kind = event.index or 0, event.block_type or ""
    at = step.by_index.get(index)
    if at is not None and step.blocks[at].kind == kind and not step.blocks[at].ended:
        fold.root.count("duplicate_block_start")
        return
    block = _add_block(fold, turn, step, seq, BlockBuilder(kind=kind, index=index, parts=[]))
    if not block.is_prose and kind != "tool_call":
        _show(fold, turn, step, block, seq)


def _tool_input(fold: Fold, turn: TurnBuilder, step: StepBuilder, seq: int, event: ev.AssistantChunk) -> None:
    at = step.by_index.get(event.index or 0)
    if at is None or step.blocks[at].kind != "tool_call":
        block = _add_block(
            fold, turn, step, seq, BlockBuilder(kind="tool_call", index=event.index or 0, parts=[])
        )
    else:
        block = step.blocks[at]
    call_id, name = event.call_id or block.call_id, event.name or block.name
    # The text itself is not kept: the input comes whole with the block's end, the message and the call.
    if (call_id, name) != (block.call_id, block.name):
        block.call_id, block.name, block.encoded = call_id, name, None
        _touch_row(fold, turn, step, seq)


def _end_block(fold: Fold, turn: TurnBuilder, step: StepBuilder, seq: int, event: ev.AssistantChunk) -> None:
    index, whole = event.index or 0, event.block
    at = step.by_index.get(index)
    if at is None:
        if whole is None:
            fold.root.count("block_end_alone")
            return
        block = _add_block(fold, turn, step, seq, BlockBuilder(kind=block_kind(whole), index=index, parts=[]))
    else:
        block = step.blocks[at]
    if not block.ended:
        block.ended = True
        fold.stir(turn, step, seq)
    if block.half:
        block.end_half()
    if whole is not None and fill_block(fold, seq, block, whole):
        _touch_row(fold, turn, step, seq)
    if block.visible_seq < 0 and shows(block):
        _show(fold, turn, step, block, seq)


def settle_step(fold: Fold, turn: TurnBuilder, seq: int, event: ev.AssistantMessage) -> None:
    """`assistant/message`: settles the step and replaces its streamed blocks; of two the last counts (A-6)."""
    ms = whole_ms(event.ts_ms)
    step = ensure_step(fold, turn, event.step, seq, ms)
    if step.message is not None:
        fold.root.count("second_message")
    shown = step.shown_seq
    streamed = step.texts > 0 if step.message is None else step.message.streamed
    was: dict[int, int] = {}
    if step.blocks:
        was = {block.index: block.visible_seq for block in step.blocks}
        step.clear()
    for index, whole in enumerate(event.blocks):
        block = whole_block(fold, seq, index, whole)
        step.add(block)
        if shows(block):
            # When it was first seen in the stream still decides where calls stand beside it (C-2).
            step.show(block, was[index] if was.get(index, -1) >= 0 else seq)
    step.message = MessageFacts(seq, ms, event.interrupted, event.phase, event.duration_ms, streamed)
    step.shown_seq = shown if shown >= 0 else (seq if step.visible else -1)
    if event.usage:
        step.usage = event.usage
    if step.replies:
        step.reply_messages += 1
        turn.process.messages += 1
    fold.sync_step(turn, step, seq)
    fold.stir(turn, step, seq)
    if step.visible:
        _note_material(fold, turn, step, seq)
    _settled(fold, turn, seq)


def retry_step(fold: Fold, turn: TurnBuilder, seq: int, event: ev.LlmRetry) -> None:
    """`llm/retry`: the attempt is taken back; the chain keeps one row, for good at its first place (A-5)."""
    number = event.step if isinstance(event.step, int) or turn.open_step is not None else turn.latest_step
    step = ensure_step(fold, turn, number, seq, whole_ms(event.ts_ms))
    step.clear()
    step.message = None
    fold.sync_step(turn, step, seq)
    fold.stir(turn, step, seq)
    _retry_row(fold, turn, seq, event, "waiting")
    if turn.process.other is None:
        turn.process.other = seq
    fold.note_evidence(turn, seq)
    _settled(fold, turn, seq)


def start_retry(fold: Fold, turn: TurnBuilder, seq: int, event: ev.LlmRetryStarted) -> None:
    """`llm/retry_started`."""
    _retry_row(fold, turn, seq, event, "started")


def _retry_row(
    fold: Fold, turn: TurnBuilder, seq: int, event: ev.LlmRetry | ev.LlmRetryStarted, status: str
) -> None:
    key = f"retry:{event.retry_id}"
    found = fold.find(key)
    if found is None and status == "started":
        fold.root.count("retry_started_alone")
    old = found[1].row if found else None
    before = old if isinstance(old, RetryRow) else None
    delay, failure = present_ms(event.delay_ms), present_json(kept(event.failure))
    step = event.step if isinstance(event.step, int) else turn.open_step
    row = RetryRow(
        key=key,
        turn=turn.number,
        step=before.step if before else step,
        anchor=before.anchor if before else seq,
        retry_id=event.retry_id,
        status=status,
        retry=event.retry,
        delay_ms=before.delay_ms if before and status == "started" and not event.delay_ms else delay,
        failure=before.failure if before and status == "started" and not event.failure else failure,
    )
    if found is None:
        fold.add_row(turn, key, "retry", seq, step=row.step, row=row)
    else:
        fold.set_row(found[0], found[1], row, seq)


def fold_prompt(fold: Fold, turn: TurnBuilder, seq: int, event: ev.SystemPrompt) -> None:
    """`system/prompt`: a row where the request shows it, none when it repeats the one before (A-11)."""
    digest = blake2b(event.text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    first, same = fold.prompt is None, fold.prompt == digest
    fold.prompt = digest
    if not event.text or same:
        return
    number = event.step if isinstance(event.step, int) else turn.open_step
    anchor = seq
    if number is not None and number in turn.steps and not (first and event.reason == "change"):
        step = turn.steps[number]
        began = step.first_seq if step.start_seq is None else step.start_seq
        is_first = next(iter(turn.steps)) == number
        anchor = turn.start_seq if is_first and turn.start_seq is not None else began
    else:
        number = None
    row = SystemPromptRow(
        key=f"prompt:{seq}",
        turn=turn.number,
        step=number,
        anchor=anchor,
        text=event.text,
        reason=event.reason,
    )
    fold.add_row(turn, row.key, "system_prompt", seq, step=number, anchor=anchor, row=row)
