"""The immutable spec of one turn's process (`views.md` B-2); `turn_process` computes it."""

from msgspec import Struct

from projections.rows import Anchor


class TurnProcessSpec(Struct, frozen=True, kw_only=True, gc=False):
    """What a turn's fold is about (B-2); anchors are `seq` values, fractional for a cut answer.

    Attributes:
        control_anchor_seq: the smallest evidence; it never moves.
        process_start_seq: where the window of members begins.
        answer_anchor_seq: the answer's anchor, `None` while the latest step is no answer.
        answer_step: the answer's step number.
        inline_reasoning: whether the answer step itself holds reasoning.
        message_count: settled messages with reply content in steps below the answer's.
        tool_call_count: calls of ordinary tools, counted at the call.
        subagent_count: calls of delegates; a call counts in one of the two only.
    """

    turn: int
    control_anchor_seq: int
    process_start_seq: Anchor
    answer_anchor_seq: Anchor | None
    answer_step: int | None
    inline_reasoning: bool
    message_count: int
    tool_call_count: int
    subagent_count: int
