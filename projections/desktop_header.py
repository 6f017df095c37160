"""The desktop view, headers: how an entry's process goes or went (`views.md` C-10 to C-12)."""

from msgspec import UNSET

from projections.building import TurnBuilder
from projections.desktop_entry import EntryParts
from projections.desktop_layout import Layout
from projections.desktop_values import Header, Phase, Status
from projections.labels import header_text
from projections.view import DesktopView

# Phases that a reader may wait in for long; the others read plain running.
NAMED_PHASES: tuple[Phase, ...] = ("compacting", "recovering")
STOPS = frozenset({"aborted", "interrupted"})
# Ends that do not say why the model's last words broke off; `max_tokens`, `blocked` and unknown reasons do.
_SILENT_ENDS = STOPS | {"completed", "failed"}


def has_error(turn: TurnBuilder) -> bool:
    """Whether an error of the turn was recorded; a failed tool, a delegate's failure and a retry are none."""
    closing = turn.closing
    return closing is not None and (
        closing.reason == "failed" or closing.code is not None or closing.message is not None
    )


def status_of(turn: TurnBuilder, layout: Layout, entry: EntryParts) -> Status:
    """Give an entry's status: failed before stopped before running; errors and stops are the last entry's."""
    is_last = entry is layout.last
    closing = turn.closing
    if is_last and has_error(turn):
        return "failed"
    if is_last and _is_stopped(turn, layout):
        return "stopped"
    return "running" if is_last and closing is None else "completed"


def _is_stopped(turn: TurnBuilder, layout: Layout) -> bool:
    """Whether the turn, or one of its own messages or calls, was aborted, interrupted or canceled."""
    if turn.closing is not None and turn.closing.reason in STOPS:
        return True
    cut = _cut_by_its_end(turn)
    return any(key != cut for key in layout.stopped)


def _cut_by_its_end(turn: TurnBuilder) -> str | None:
    """Give the row of the last step where no message settled it and the turn's end says why: that is no stop (C-10)."""
    step = None if turn.latest_step is None else turn.steps[turn.latest_step]
    if (
        turn.closing is None
        or turn.closing.reason in _SILENT_ENDS
        or step is None
        or step.message is not None
    ):
        return None
    return f"step:{turn.tag}:{step.number}"


def phase_of(turn: TurnBuilder, layout: Layout, status: Status) -> Phase | None:
    """Give the phase that is named while an entry runs."""
    if status != "running":
        return None
    named = [phase for phase in NAMED_PHASES if phase in turn.phases]
    return named[0] if named else "thinking" if layout.is_thinking else None


def header_of(turn: TurnBuilder, layout: Layout, entry: EntryParts, view: DesktopView) -> Header:
    """Make an entry's header; while it is active there is no duration, since the client's clock ticks."""
    status = status_of(turn, layout, entry)
    phase = phase_of(turn, layout, status)
    is_active = entry is layout.last and turn.closing is None
    started = entry.span_starts[0] if entry.span_starts else None
    duration = None
    if started is not None and entry.span_ends and not is_active:
        duration = entry.span_ends[-1] - started
    duration = duration if duration is not None and duration > 0 else None
    return Header(
        status=status,
        phase=phase,
        started_at_ms=UNSET if started is None else started,
        duration_ms=UNSET if duration is None else duration,
        tool_count=entry.counted,
        text=header_text(status, phase, duration, entry.counted, view.locale),
    )
