"""Stage 6, the whole transcript as a walk: each turn and row once, in the order in which a reader meets them.

1. Rows are whole, however great their texts, and each is made when it is asked for and kept by nobody.
2. The transcript of a delegate comes right behind the row of its call, between `ThreadBegins` and `ThreadEnds`.
   What is open stands on a stack of ours, however deep a session holds them (`session.MOST_DEPTH`).
3. The rows of no turn stand before the first turn that begins after them.
4. Every `TurnBegins` and `ThreadBegins` has its end.

The fold must not move while it is walked.
"""

from collections.abc import Iterator

from msgspec import Struct

from projections.building import Slot, TurnBuilder
from projections.fold import Fold
from projections.rows import Row, ToolRow
from projections.session import SessionFold
from projections.slices import finished
from projections.transcript import TurnValue, turn_alone, whole_row
from projections.view import View


class ThreadBegins(Struct, frozen=True, kw_only=True, gc=False):
    """The transcript of what a call delegated follows."""

    call_id: str


class ThreadEnds(Struct, frozen=True, kw_only=True, gc=False):
    """It is over; the transcript around it goes on."""

    call_id: str


class TurnBegins(Struct, frozen=True, kw_only=True):
    """A turn follows; `turn` has everything of it but its rows."""

    turn: TurnValue


class TurnEnds(Struct, frozen=True, kw_only=True):
    """All rows of that turn were given."""

    turn: TurnValue


class RowGiven(Struct, frozen=True, kw_only=True):
    """A whole row, of the turn that began last or, with `row.turn` null, of none."""

    row: Row


Step = ThreadBegins | ThreadEnds | TurnBegins | TurnEnds | RowGiven


def walk(session: SessionFold, view: View) -> Iterator[Step]:
    """Walk through a session's transcript, those of its delegates included."""
    stack = [("", session.main, _thread(session.main, view))]
    while stack:
        call_id, fold, steps = stack[-1]
        step = next(steps, None)
        if step is None:
            stack.pop()
            if stack:
                yield ThreadEnds(call_id=call_id)
            continue
        yield step
        below = _delegate_of(fold, step)
        if below is not None:
            yield ThreadBegins(call_id=below.path[-1])
            stack.append((below.path[-1], below, _thread(below, view)))


def _delegate_of(fold: Fold, step: Step) -> Fold | None:
    if isinstance(step, RowGiven) and isinstance(step.row, ToolRow):
        return fold.delegates.get(step.row.call_id)
    return None


def _thread(fold: Fold, view: View) -> Iterator[Step]:
    loose = list(fold.none.rows)
    at = 0
    for turn in fold.turns.values():
        begins = turn.rows[0].anchor if turn.rows else turn.first_seq
        while at < len(loose) and loose[at].anchor < begins:
            yield _row(fold.none, loose[at])
            at += 1
        value = finished(turn_alone(fold, turn, view))
        yield TurnBegins(turn=value)
        for slot in turn.rows:
            yield _row(turn, slot)
        yield TurnEnds(turn=value)
    for slot in loose[at:]:
        yield _row(fold.none, slot)


def _row(turn: TurnBuilder, slot: Slot) -> RowGiven:
    return RowGiven(row=whole_row(turn, slot))
