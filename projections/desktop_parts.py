"""The desktop view, parts: what each row of a turn contributes, told from the row alone (`views.md` C-2).

1. A part is a piece of activity (thinking, tool, command, search, task, plain rows) or of message (text, image,
   unknown block). Blank text is neither. System prompts, the web's control and the tail are not part of this view.
2. Parts have a sort key: the place of the row they stand at, then a position inside of it. A call stands where its
   `tool_call` block stands; a search, or a call without a block, before the first block of its step that showed
   something later than it did; else each stands at its own row's place.
3. Facts are values: equal facts mean that nothing has to be told.
"""

from msgspec import Struct

from projections.actions import action_of
from projections.building import Place, Slot, StepBuilder, ToolBuilder, TurnBuilder
from projections.desktop_values import ItemKind
from projections.fold import Fold
from projections.rows import Anchor, CommandRow, SearchRow
from projections.turn_process import settled_ms

# Place and order of the row that a part stands at, position inside of it, before (-1) or at (0) that, own anchor.
Sort = tuple[Place, int, int, int, Anchor]
BOUNDARIES = frozenset({"user", "steering", "notice", "compaction"})
PLAIN: dict[str, ItemKind] = {
    "context": "context",
    "retry": "retry",
    "command": "command",
    "custom": "custom",
    "interaction": "interaction",
}
FAILED = frozenset({"error", "denied", "failed"})


class Span(Struct, frozen=True, kw_only=True, gc=False):
    """When something started and ended, in the producer's milliseconds; None: unknown (A-7, C-12)."""

    start_ms: int | None = None
    end_ms: int | None = None


class PartFacts(Struct, frozen=True, kw_only=True, gc=False):
    """What the layout needs to know of one part.

    Attributes:
        since: when it appeared, as a `seq`; ids come from the member that was first.
        is_plain: a row that takes no answer and is not counted (C-3).
        is_visible: false for reasoning that is hidden by preference and over.
        is_running: it keeps its group open (C-8).
        is_open: by default; None where there is nothing to open.
        action: what it is named by in a title (C-13), None where it is not.
        is_counted: one direct operation (C-11).
    """

    ref: str
    sort: Sort
    since: Anchor
    kind: ItemKind
    step: int | None = None
    is_plain: bool = False
    is_visible: bool = True
    is_streaming: bool = False
    is_indicator: bool = False
    is_running: bool = False
    is_failed: bool = False
    is_open: bool | None = False
    action: str | None = None
    is_counted: bool = False
    span: Span = Span()


def own_sort(slot: Slot) -> Sort:
    """Give the sort key of a row that stands at its own place."""
    return (slot.place, slot.order, 0, 0, slot.anchor)


def plain_part(turn: TurnBuilder, slot: Slot) -> PartFacts:
    """Give the part of a plain activity row: context, retry, host command, custom, resolved interaction."""
    status = slot.row.status if isinstance(slot.row, CommandRow) else ""
    return PartFacts(
        ref=slot.key,
        sort=own_sort(slot),
        since=slot.anchor,
        kind=PLAIN[slot.kind],
        is_plain=True,
        is_running=status == "running" and turn.closing is None,
        is_failed=status in FAILED,
    )


def search_part(turn: TurnBuilder, slot: Slot, sort: Sort) -> PartFacts:
    """Give the part of a search round."""
    assert isinstance(slot.row, SearchRow)
    return PartFacts(
        ref=slot.key,
        sort=sort,
        since=slot.anchor,
        kind="search",
        step=slot.step,
        is_running=slot.row.status == "searching" and turn.closing is None,
        is_failed=slot.row.status == "failed",
        action="search",
        is_counted=True,
        span=_bare_step_span(turn, slot, Span()),
    )


def tool_part(fold: Fold, turn: TurnBuilder, slot: Slot, sort: Sort) -> PartFacts:
    """Give the part of a tool call: a task where it delegates, a command where it runs one."""
    tool = turn.tools[slot.key.removeprefix("tool:")]
    action = action_of(tool.name)
    is_task = action == "delegate" or tool.call_id in fold.delegates
    is_command = action == "run" and not is_task
    is_running = tool.result is None and turn.closing is None
    return PartFacts(
        ref=slot.key,
        sort=sort,
        since=slot.anchor,
        kind="task" if is_task else "command" if is_command else "tool",
        step=slot.step,
        is_streaming=is_running,
        is_running=is_running,
        is_failed=tool.result in FAILED or (is_command and tool.exit_code not in (None, 0)),
        action="delegate" if is_task else action,
        is_counted=True,
        span=_bare_step_span(turn, slot, _tool_span(tool)),
    )


def step_span(turn: TurnBuilder, step: StepBuilder) -> Span:
    """Give when a step ran: from its start to start + duration, else to its settlement (C-12)."""
    start, end = _valid(step.start_ms), _valid(settled_ms(turn, step))
    duration = step.message.duration_ms if step.message else None
    if start is not None and duration is not None and duration >= 0:
        end = int(start + duration)
    return Span(start_ms=start, end_ms=end)


def _tool_span(tool: ToolBuilder) -> Span:
    start, end = _valid(tool.start_ms), _valid(tool.end_ms)
    if end is None and start is not None:
        duration = tool.duration_ms
        end = int(start + duration) if duration is not None and duration >= 0 else start
    return Span(start_ms=start, end_ms=end)


def _bare_step_span(turn: TurnBuilder, slot: Slot, own: Span) -> Span:
    """A step that shows nothing itself has no row: its calls stand for its time as well."""
    step = None if slot.step is None else turn.steps.get(slot.step)
    if step is None or f"step:{turn.tag}:{step.number}" in turn.slots:
        return own
    whole = step_span(turn, step)
    starts = [one for one in (own.start_ms, whole.start_ms) if one is not None]
    ends = [one for one in (own.end_ms, whole.end_ms) if one is not None]
    return Span(start_ms=min(starts, default=None), end_ms=max(ends, default=None))


def _valid(ms: int | None) -> int | None:
    return ms if ms is not None and ms > 0 else None


def is_canceled(turn: TurnBuilder, slot: Slot) -> bool:
    """Whether a call was canceled, by its result or by the end of its turn (C-10)."""
    tool = turn.tools[slot.key.removeprefix("tool:")]
    if tool.result is not None:
        return tool.result == "canceled"
    return turn.closing is not None and turn.closing.reason == "aborted"
