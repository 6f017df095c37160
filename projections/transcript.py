"""Stage 5, the transcript: frozen values of rows and turns, and snapshots of a window (`wire.md`, *Transcript*).

A window is a run of whole turns up to the newest; the rows of no turn are paged with it by anchor. `before` names the
oldest `seq` in the window and is the cursor for the page before it. Of great texts a row holds the heads (`heads`).
"""

from collections.abc import Callable, Container

from msgspec import UNSET, Raw, Struct, UnsetType, structs

from projections.building import (
    Slot,
    TurnBuilder,
    is_null,
    present,
    present_json,
    present_ms,
)
from projections.errors import CursorError
from projections.fold import Fold
from projections.heads import cut_blocks, cut_fields, cut_row
from projections.position import Position
from projections.presentation import Telling, telling
from projections.rows import InteractionRow, Row, StepRow, ToolRow
from projections.session import SessionFold, waiting_in
from projections.slices import SLICE_ROWS, Slices, finished
from projections.spec import TurnProcessSpec
from projections.turn_process import final_anchor, settled_ms
from projections.view import Presentation, View

# Finds a turn's presentation as its readers hold it.
TellingOf = Callable[[Fold, TurnBuilder], Telling | None]
# The default window of a transcript (wire, HTTP table).
DEFAULT_WINDOW_ROWS = 2_000


class QueuedSteering(Struct, frozen=True, kw_only=True):
    """Steering that waits to be delivered: a pending surface, not a row."""

    id: str
    content: Raw


class TurnValue(Struct, frozen=True, kw_only=True):
    """One turn as it stands: rows in their places, the spec, the asked presentation."""

    turn: int
    status: str
    outcome: str | None
    waiting: int
    started_at_ms: int | float | None
    ended_at_ms: int | float | None
    queued: tuple[QueuedSteering, ...]
    spec: TurnProcessSpec | None
    rows: tuple[Row, ...]
    presentation: Presentation | None


class DelegateValue(Struct, frozen=True, kw_only=True):
    """The transcript of a delegate, under its call's row."""

    turns: tuple[TurnValue, ...]
    session_rows: tuple[Row, ...]


class DelegatingToolRow(ToolRow, frozen=True, kw_only=True, tag="tool_call"):
    """A tool call with the transcript of what it delegated."""

    delegate: DelegateValue | UnsetType = UNSET


class Transcript(Struct, frozen=True, kw_only=True):
    """A window of a session at a position, in one view."""

    session: str
    position: Position
    history_complete: bool
    before: str | None
    view: View
    session_rows: tuple[Row, ...]
    turns: tuple[TurnValue, ...]


class Window(Struct, frozen=True, kw_only=True):
    """Which part of a session a reader holds.

    Attributes:
        floor: the smallest `seq` in it; rows of no turn below it are outside. -1 when nothing is older.
        ceiling: the `seq` at which the next newer page begins; `None`: it reaches the newest.
        complete: whether nothing is older.
    """

    turns: tuple[TurnBuilder, ...]
    floor: int
    ceiling: int | None
    complete: bool

    @property
    def before(self) -> str | None:
        """The cursor of the page before, `None` when there is none."""
        return None if self.complete else str(self.floor)


def row_of(fold: Fold, turn: TurnBuilder, slot: Slot) -> Row:
    """Make the frozen row that travels from a seat; the same object while nothing changed."""
    if slot.made is None:
        limit = fold.root.inline_bytes
        row = whole_row(turn, slot)
        slot.made = cut_row(row, limit, _whole_blocks(turn, slot)) if limit is not None else row
    return slot.made


def great_texts_of(fold: Fold, turn: TurnBuilder, slot: Slot) -> tuple[str, ...]:
    """Name the texts of a row of which the heads alone travel, by JSON pointer, in the row's order."""
    limit = fold.root.inline_bytes
    return () if limit is None else cut_fields(whole_row(turn, slot), limit, _whole_blocks(turn, slot))


def _whole_blocks(turn: TurnBuilder, slot: Slot) -> Container[int]:
    """Which blocks of a step are not cut: all while it runs, its texts if they streamed before a reader's eyes."""
    if slot.kind != "assistant_step" or slot.step is None:
        return ()
    step = turn.steps[slot.step]
    if final_anchor(turn, step) is None:
        return range(len(step.blocks))
    if step.message is not None and not step.message.streamed:
        return ()
    return frozenset(at for at, block in enumerate(step.blocks) if block.kind == "text")


def whole_row(turn: TurnBuilder, slot: Slot) -> Row:
    """Make the frozen row that sits in a seat, with its whole texts."""
    if slot.kind == "assistant_step":
        return _step_row(turn, slot)
    if slot.kind == "tool_call":
        return _tool_row(turn, slot)
    assert slot.row is not None
    row = slot.row
    if isinstance(row, InteractionRow) and row.status == "pending" and turn.closing is not None:
        return structs.replace(row, status="expired")
    return row


def _step_row(turn: TurnBuilder, slot: Slot) -> StepRow:
    assert slot.step is not None
    step = turn.steps[slot.step]
    message = step.message
    if message is not None:
        status = "interrupted" if message.interrupted else "settled"
    else:
        status = "running" if final_anchor(turn, step) is None else "interrupted"
    return StepRow(
        key=slot.key,
        turn=turn.number,
        step=slot.step,
        anchor=slot.anchor,
        status=status,
        blocks=tuple(block.wire() for block in step.blocks),
        phase=present(message.phase) if message else UNSET,
        started_at_ms=present_ms(step.start_ms),
        ended_at_ms=present_ms(settled_ms(turn, step)) if status != "running" else UNSET,
        duration_ms=present_ms(message.duration_ms) if message else UNSET,
        usage=present_json(step.usage) if message else UNSET,
    )


def _tool_row(turn: TurnBuilder, slot: Slot) -> ToolRow:
    tool = turn.tools[slot.key.removeprefix("tool:")]
    if tool.result is not None:
        status, ended = tool.result, tool.end_ms
    elif turn.closing is None:
        status, ended = "running", None
    else:
        # Rule 10: what the turn's end settles, derived so that it can be taken back.
        status, ended = "canceled" if turn.closing.reason == "aborted" else "unknown", None
    has_output = not is_null(tool.output)
    return ToolRow(
        key=slot.key,
        turn=turn.number,
        step=slot.step,
        anchor=slot.anchor,
        call_id=tool.call_id,
        name=tool.name,
        input=None if is_null(tool.input) else tool.input,
        status=status,
        title=present(tool.title),
        progress=present("".join(tool.progress) or None) if not has_output else UNSET,
        output=tool.output if has_output else None,
        exit_code=UNSET if tool.exit_code is None else tool.exit_code,
        error=present_json(tool.error),
        started_at_ms=present_ms(tool.start_ms),
        ended_at_ms=present_ms(ended),
        duration_ms=present_ms(tool.duration_ms),
    )


def outcome_of(turn: TurnBuilder) -> tuple[str, str | None]:
    """Give a turn's status (`open`, `closed`) and outcome."""
    return ("open", None) if turn.closing is None else ("closed", turn.closing.reason)


def times_of(turn: TurnBuilder) -> tuple[int | float | None, int | float | None]:
    """Give when a turn started and ended, by the producer's clock; unknown is `None` (A-7)."""
    started = turn.started_ms if turn.started_ms is not None and turn.started_ms >= 0 else None
    ended = turn.closing.ms if turn.closing is not None else None
    return started, ended if ended is not None and ended >= 0 else None


def queued_in(fold: Fold, turn: TurnBuilder) -> tuple[QueuedSteering, ...]:
    """Give the steering that waits in a turn."""
    limit = fold.root.inline_bytes
    return tuple(
        QueuedSteering(id=key, content=cut_blocks(content, limit)) for key, content in turn.queued.items()
    )


def turn_alone(
    fold: Fold, turn: TurnBuilder, view: View, telling_of: TellingOf | None = None
) -> Slices[TurnValue]:
    """Make the frozen value of a turn in a view, without its rows, in slices.

    Args:
        telling_of: finds what was told of a turn and is its present state, which need not be made again.
    """
    assert turn.number is not None
    status, outcome = outcome_of(turn)
    started, ended = times_of(turn)
    told = telling_of(fold, turn) if telling_of is not None else None
    if told is None:
        told = yield from telling(fold, turn, view)
    return TurnValue(
        turn=turn.number,
        status=status,
        outcome=outcome,
        waiting=waiting_in(fold, turn),
        started_at_ms=started,
        ended_at_ms=ended,
        queued=queued_in(fold, turn),
        spec=turn.spec,
        rows=(),
        presentation=told.told,
    )


def turn_value(
    fold: Fold, turn: TurnBuilder, view: View, telling_of: TellingOf | None = None
) -> Slices[TurnValue]:
    """Make the frozen value of a turn in a view, in slices; `telling_of` as in `turn_alone`."""
    alone = yield from turn_alone(fold, turn, view, telling_of)
    rows = yield from _rows(fold, turn, view, telling_of)
    return structs.replace(alone, rows=rows)


def _rows(
    fold: Fold,
    turn: TurnBuilder,
    view: View,
    telling_of: TellingOf | None = None,
    *,
    floor: int = -1,
    ceiling: int | None = None,
) -> Slices[tuple[Row, ...]]:
    found = []
    for number, slot in enumerate(turn.rows, 1):
        if number % SLICE_ROWS == 0:
            yield
        if slot.place[0] < floor or (ceiling is not None and slot.place[0] >= ceiling):
            continue
        row = row_of(fold, turn, slot)
        below = fold.delegates.get(row.call_id) if isinstance(row, ToolRow) else None
        found.append(row if below is None else (yield from _with_delegate(row, below, view, telling_of)))
    return tuple(found)


def row_alone(fold: Fold, turn: TurnBuilder, slot: Slot) -> Row:
    """Make a row whose delegate, if it has one, is still empty: ops fill it."""
    row = row_of(fold, turn, slot)
    if isinstance(row, ToolRow) and row.call_id in fold.delegates:
        return _delegating(row, DelegateValue(turns=(), session_rows=()))
    return row


def _with_delegate(
    row: Row, below: Fold, view: View, telling_of: TellingOf | None
) -> Slices[DelegatingToolRow]:
    turns: list[TurnValue] = []
    for turn in below.turns.values():
        value = yield from turn_value(below, turn, view, telling_of)
        turns.append(value)
    session_rows = yield from _rows(below, below.none, view, telling_of)
    return _delegating(row, DelegateValue(turns=tuple(turns), session_rows=session_rows))


def _delegating(row: Row, delegate: DelegateValue) -> DelegatingToolRow:
    fields = {name: getattr(row, name) for name in row.__struct_fields__}
    return DelegatingToolRow(**fields, delegate=delegate)


def window_of(session: SessionFold, limit: int | None = None, before: str | None = None) -> Window:
    """Choose a page of whole turns.

    Args:
        limit: at most so many turns; `None`: the whole page if it has up to 2,000 rows, else as many turns as fit,
            one at least.
        before: the cursor that the page after it gave; `None`: the newest page.

    Raises:
        CursorError: nobody gave this cursor out.
    """
    turns = list(session.main.turns.values())
    ceiling = None if before is None else _ceiling(turns, before)
    end = (
        len(turns)
        if ceiling is None
        else next(at for at, one in enumerate(turns) if one.first_seq == ceiling)
    )
    begin, rows = end, 0
    while begin > 0:
        rows += len(turns[begin - 1].rows)
        if limit is not None and end - begin >= limit:
            break
        if limit is None and rows > DEFAULT_WINDOW_ROWS and begin < end:
            break
        begin -= 1
    complete = begin == 0
    chosen = tuple(turns[begin:end])
    floor = -1 if complete else (chosen[0].first_seq if chosen else turns[begin].first_seq)
    return Window(turns=chosen, floor=floor, ceiling=ceiling, complete=complete)


def _ceiling(turns: list[TurnBuilder], before: str) -> int:
    if before.isascii() and before.isdigit() and len(before) < 17:
        wanted = int(before)
        if any(turn.first_seq == wanted for turn in turns):
            return wanted
    raise CursorError(before)


def session_rows_of(session: SessionFold, window: Window, view: View) -> Slices[tuple[Row, ...]]:
    """Give the rows of no turn that belong to a window, in slices."""
    return _rows(session.main, session.main.none, view, floor=window.floor, ceiling=window.ceiling)


def snapshot(
    fold: SessionFold, session: str, position: Position, view: View, window: Window | None = None
) -> Transcript:
    """Make a snapshot of a window (the default one if none is given)."""
    return finished(snapshot_slices(fold, session, position, view, window or window_of(fold)))


def snapshot_slices(
    fold: SessionFold, session: str, position: Position, view: View, window: Window
) -> Slices[Transcript]:
    """Make a snapshot of a window, in slices."""
    session_rows = yield from session_rows_of(fold, window, view)
    turns: list[TurnValue] = []
    for turn in window.turns:
        value = yield from turn_value(fold.main, turn, view)
        turns.append(value)
        yield
    return Transcript(
        session=session,
        position=position,
        history_complete=window.complete,
        before=window.before,
        view=view,
        session_rows=session_rows,
        turns=tuple(turns),
    )
