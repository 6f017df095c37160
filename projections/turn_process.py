"""Stage 4, specs: one immutable `TurnProcessSpec` a turn, from facts that the fold keeps (`views.md` B-2).

1. Every function here costs the same whatever stands in the turn: the fold keeps counts, and nothing is walked.
2. The control's anchor is the smallest evidence and never moves, whatever is taken back later.
3. The answer is the latest step (by first appearance) if it is final, has reply content and no tool-call block.
4. An equal spec keeps its identity (B-3), so `is` tells a publisher whether there is anything to say.
"""

from projections.building import StepBuilder, TurnBuilder
from projections.rows import Anchor
from projections.spec import TurnProcessSpec

# where an interrupted final stands, before the boundary that cut it.
INTERRUPTED_OFFSET = 0.9
# Anchors have one decimal by rule; rounding keeps binary fractions out of the wire.
ANCHOR_DIGITS = 2


def boundary_seq(turn: TurnBuilder, step: StepBuilder) -> int | None:
    """Give the seq that closed a step: its own `step/end`, else the turn's end; `None` while it may go on."""
    if step.end_seq is not None:
        return step.end_seq
    return None if turn.closing is None else turn.closing.seq


def settled_ms(turn: TurnBuilder, step: StepBuilder) -> int | None:
    """Give when a step was settled or cut, by the producer's clock; `None` while it runs, and where nobody said."""
    if step.message is not None:
        return step.message.ms
    if step.end_seq is not None:
        return step.end_ms
    return None if turn.closing is None else turn.closing.ms


def final_anchor(turn: TurnBuilder, step: StepBuilder) -> Anchor | None:
    """Give the anchor of a final step (settled, or cut with something streamed: A-4), `None` of any other."""
    if step.message is not None:
        return step.message.seq
    boundary = boundary_seq(turn, step)
    if boundary is None or not (step.visible or step.others):
        return None
    return round(boundary - INTERRUPTED_OFFSET, ANCHOR_DIGITS)


def answer_of(turn: TurnBuilder) -> tuple[StepBuilder, Anchor] | None:
    """Give the answer step and its anchor, open turns included; `None` while the latest step is no answer."""
    if turn.latest_step is None:
        return None
    step = turn.steps[turn.latest_step]
    anchor = final_anchor(turn, step)
    if anchor is None or not step.replies or step.tool_blocks:
        return None
    return step, anchor


def spec_of(turn: TurnBuilder) -> TurnProcessSpec | None:
    """Compute a turn's spec; `None` without model or tool evidence, and for what belongs to no turn."""
    process = turn.process
    if turn.number is None or process.evidence is None:
        return None
    answer = answer_of(turn)
    step, anchor = answer or (None, None)
    return TurnProcessSpec(
        turn=turn.number,
        control_anchor_seq=process.evidence,
        process_start_seq=process.evidence if anchor is None else _process_start(turn, step, anchor),
        answer_anchor_seq=anchor,
        answer_step=step.number if step else None,
        inline_reasoning=bool(step and step.thoughts),
        message_count=_messages_before(turn, step),
        tool_call_count=process.tool_calls,
        subagent_count=process.subagents,
    )


def _process_start(turn: TurnBuilder, answer: StepBuilder | None, anchor: Anchor) -> Anchor:
    if turn.start_seq is not None:
        return turn.start_seq
    candidates = [seq for step, seq in turn.process.step_evidence if answer is None or step != answer.number][
        :1
    ]
    if turn.process.other is not None:
        candidates.append(turn.process.other)
    return min(candidates, default=anchor)


def _messages_before(turn: TurnBuilder, answer: StepBuilder | None) -> int:
    if answer is None:
        return turn.process.messages
    if answer.number >= turn.top_step:
        return turn.process.messages - answer.reply_messages
    return sum(step.reply_messages for step in turn.steps.values() if step.number < answer.number)
