"""The desktop view, steps: where blocks, calls and searches of one step stand, and which of them stream (C-2, C-7)."""

from collections.abc import Iterator

from msgspec import structs

from projections.building import BlockBuilder, Slot, TurnBuilder
from projections.desktop_parts import PartFacts, Sort, own_sort, step_span
from projections.turn_process import final_anchor
from projections.view import DesktopView

_HERE, _BEFORE = 0, -1


class StepSeat:
    """What is known of one step: its row, its blocks, and the rows of calls and searches that belong to it."""

    __slots__ = ("_at_call", "_blocks", "_host", "_newest", "last", "number", "rows", "streams")

    def __init__(self, number: int) -> None:
        self.number = number
        self.rows: dict[str, None] = {}
        self.last: Sort | None = None  # the last part of the step
        self.streams = False  # whether one of its blocks does
        self._host: Slot | None = None
        self._blocks: list[BlockBuilder] = []
        self._at_call: dict[str, int] = {}
        self._newest = -1

    def look(self, turn: TurnBuilder) -> None:
        """Take the step as it is now."""
        step = turn.steps.get(self.number)
        self._host = turn.slots.get(f"step:{turn.tag}:{self.number}")
        self._blocks = [] if step is None or self._host is None else step.blocks
        self._at_call, self._newest = {}, -1
        for at, block in enumerate(self._blocks):
            if block.kind == "tool_call" and block.call_id is not None:
                self._at_call.setdefault(block.call_id, at)
            elif block.visible_seq >= 0:
                self._newest = max(self._newest, block.visible_seq)

    def sort_of(self, slot: Slot) -> Sort:
        """Give where a call or search of this step stands."""
        own, host = own_sort(slot), self._host
        if host is None:
            return own
        at = self._at_call.get(slot.key.removeprefix("tool:")) if slot.kind == "tool_call" else None
        if at is not None:
            return (host.place, host.order, at, _HERE, 0)
        is_after_row = own > own_sort(host)
        if slot.anchor >= self._newest:
            at = len(self._blocks)
            return own if is_after_row else (host.place, host.order, at, _BEFORE, slot.anchor)
        later = (
            at
            for at, block in enumerate(self._blocks)
            if block.kind != "tool_call" and block.visible_seq > slot.anchor
        )
        at = next(later)
        is_first = all(block.kind == "tool_call" or block.visible_seq < 0 for block in self._blocks[:at])
        return own if is_first and not is_after_row else (host.place, host.order, at, _BEFORE, slot.anchor)

    def parts(self, turn: TurnBuilder, view: DesktopView) -> Iterator[PartFacts]:
        """Give the parts of the step's own row; `last` must be known. Notes whether one of them streams."""
        self.streams = False
        host, step = self._host, turn.steps.get(self.number)
        if host is None or step is None:
            return
        span = step_span(turn, step)
        runs = step.message is None and step.end_seq is None and turn.closing is None
        for at, block in enumerate(step.blocks):
            if block.visible_seq < 0 or block.kind == "tool_call":
                continue
            sort = (host.place, host.order, at, _HERE, 0)
            streams = runs and block.is_prose and not block.ended and sort == self.last
            self.streams = self.streams or streams
            message = PartFacts(
                ref=f"{host.key}#{at}",
                sort=sort,
                since=block.visible_seq,
                kind="message",
                step=step.number,
                is_streaming=streams,
                is_open=None,
                span=span,
            )
            yield _thinking(message, turn.latest_step, view) if block.kind == "reasoning" else message

    def block_sorts(self) -> Iterator[Sort]:
        """Give where the visible blocks of the step's own row stand."""
        if self._host is not None:
            for at, block in enumerate(self._blocks):
                if block.visible_seq >= 0 and block.kind != "tool_call":
                    yield (self._host.place, self._host.order, at, _HERE, 0)


def was_cut(turn: TurnBuilder, number: int) -> bool:
    """Whether a step's row is interrupted (A-2, A-4)."""
    step = turn.steps.get(number)
    if step is None:
        return False
    if step.message is not None:
        return step.message.interrupted
    return final_anchor(turn, step) is not None


def _thinking(block: PartFacts, latest_step: int | None, view: DesktopView) -> PartFacts:
    """Hidden thinking leaves one sign while it streams; shown thinking is open as C-8 says."""
    streams = block.is_streaming
    is_visible = view.thinking or streams
    opens_itself = streams and (view.mode != "fully-folded" or block.step == latest_step)
    return structs.replace(
        block,
        kind="thinking",
        is_visible=is_visible,
        is_indicator=streams and not view.thinking,
        is_running=streams,
        is_open=view.thinking and (opens_itself or not view.collapse_thinking),
        action="thinking" if is_visible else None,
    )
