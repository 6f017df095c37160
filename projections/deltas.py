"""Stage 6, deltas: what changed, as ops that bring one snapshot to the next (`wire.md`, *Ops*; W-1).

1. Two ways in, one way out: a live hub hands over what a drain collected; a resume asks what changed since a `seq`.
   Both make ops from the present state, so a delta from any version costs what changed, not what stands there.
2. Facts first: the ops of a turn's rows are the same for every view and are made once; a view adds its presentation.
3. A row that took its place after `since` comes with `before`; they are given from the last to the first, so that
   the row it goes before is always there already.
4. A `row` op says that a call has a delegate, never what is in it: the client keeps the one it has, and what is
   nested comes as ops with `in`.
"""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import UNSET, Struct, UnsetType

from projections.building import Place, TurnBuilder
from projections.changes import OUTPUT, Changes, RowChange, Touched
from projections.edits import Splice
from projections.fold import Fold
from projections.rows import Row
from projections.session import SessionFold, waiting_in
from projections.spec import TurnProcessSpec
from projections.transcript import QueuedSteering, outcome_of, queued_in, row_alone, times_of

Path = tuple[str, ...]


class OpFields(Struct, frozen=True, kw_only=True, tag_field="op"):
    """What every op may carry: `in` names the calls that lead to a delegate's transcript."""

    inside: Path | UnsetType = msgspec.field(name="in", default=UNSET)


class TurnOp(OpFields, frozen=True, kw_only=True, tag="turn"):
    """A turn's head; an unknown turn is new and goes last."""

    turn: int
    status: str
    outcome: str | None
    waiting: int
    started_at_ms: int | float | None
    ended_at_ms: int | float | None
    queued: tuple[QueuedSteering, ...]


class RowOp(OpFields, frozen=True, kw_only=True, tag="row"):
    """Insert, replace or move: `before` absent keeps the place, a key moves before it, null is last."""

    turn: int | None
    row: Row
    before: str | UnsetType | None = UNSET


class AppendOp(OpFields, frozen=True, kw_only=True, tag="append"):
    """Text to add to one block of a step."""

    turn: int | None
    key: str
    block: int
    text: str


class OutputOp(OpFields, frozen=True, kw_only=True, tag="output"):
    """Text to add to a tool call's `progress`; with `bytes` it is a head already, and this is the size of the whole."""

    turn: int | None
    key: str
    text: str
    whole_bytes: int | UnsetType = msgspec.field(name="bytes", default=UNSET)


class RemoveOp(OpFields, frozen=True, kw_only=True, tag="remove"):
    """A row leaves; a key that is not there is no error."""

    turn: int | None
    key: str


class DropTurnsOp(OpFields, frozen=True, kw_only=True, tag="drop_turns"):
    """Turns from this number on leave (a rewind)."""

    from_turn: int = msgspec.field(name="from")


class SpecOp(OpFields, frozen=True, kw_only=True, tag="spec"):
    """A turn's spec, whole."""

    turn: int
    spec: TurnProcessSpec | None


class PresentationOp(OpFields, frozen=True, kw_only=True, tag="presentation"):
    """Change what a path of field names and ids leads to in a turn's presentation; an empty path is the whole."""

    turn: int
    path: Path
    set: object = UNSET
    splice: Splice | UnsetType = UNSET


Op = TurnOp | RowOp | AppendOp | OutputOp | RemoveOp | DropTurnsOp | SpecOp | PresentationOp


class TurnOps(Struct, frozen=True):
    """The ops of one turn that are the same for every view, and where the turn stands for a window.

    Attributes:
        top_seq: `first_seq` of the session's own turn that holds it (for rows of no turn: each op's own anchor
            decides); a window with a greater floor does not hold it.
        whole: whether a client that holds the turn is told everything of it, the presentation included.
        keys: rows that changed by more than text that was added, rows that left included.
        steps: numbers of the steps that something happened in, with or without a row.
    """

    fold: Fold
    turn: TurnBuilder
    ops: tuple[Op, ...]
    top_seq: int
    whole: bool
    keys: tuple[str, ...] = ()
    steps: tuple[int, ...] = ()


def facts(changes: Changes) -> tuple[TurnOps, ...]:
    """Make the ops of a drain that every view shares."""
    found = [_drop_ops(fold, before) for fold, before in changes.drops]
    held = (one for one in changes.touched if is_held(one.fold, one.turn))
    found.extend(_turn_ops(one, changes.since) for one in held)
    return tuple(found)


def facts_since(session: SessionFold, since: int) -> tuple[TurnOps, ...]:
    """Make the ops that bring a client from the state after `since` (-1: nothing) to the present one."""
    return tuple(_fold_since(session.main, since))


def _fold_since(fold: Fold, since: int) -> Iterator[TurnOps]:
    since = -1 if fold.born > since else since
    dropped = next((before for before, seq in fold.dropped if seq > since), None)
    if dropped is not None:
        yield _drop_ops(fold, dropped)
    held = [turn for turn in (*fold.turns.values(), fold.none) if turn.rev > since]
    for turn in held:
        rows = tuple(RowChange(slot, None) for slot in turn.rows if slot.rev > since)
        yield _turn_ops(Touched(fold, turn, rows, ()), since, whole=True)
    for turn in held:
        for call_id in turn.tools:
            below = fold.delegates.get(call_id)
            if below is not None and below.rev > since:
                yield from _fold_since(below, since)


def is_held(fold: Fold, turn: TurnBuilder) -> bool:
    """Whether a turn still stands in the projection: a rewind may have taken it, or the call above it, back."""
    while True:
        if turn.number is not None and fold.turns.get(turn.number) is not turn:
            return False
        if fold.parent is None:
            return not fold.path
        if fold.parent[0].delegates.get(fold.path[-1]) is not fold:
            return False
        fold, turn = fold.parent


def _drop_ops(fold: Fold, before: int) -> TurnOps:
    op = DropTurnsOp(from_turn=before, inside=fold.path or UNSET)
    return TurnOps(fold, fold.none, (op,), _top_seq(fold, fold.none), False)


def _top_seq(fold: Fold, turn: TurnBuilder) -> int:
    while fold.parent is not None:
        fold, turn = fold.parent
    return turn.first_seq


def _turn_ops(touched: Touched, since: int, *, whole: bool = False) -> TurnOps:
    fold, turn = touched.fold, touched.turn
    rows = touched.rows
    if fold.born > since:
        since, whole = -1, True
        rows = tuple(RowChange(slot, None) for slot in turn.rows)
    inside: Path | UnsetType = fold.path or UNSET
    ops: list[Op] = []
    if turn.head_rev > since and turn.number is not None:
        ops.append(_head_op(fold, turn, inside))
    ops.extend(_row_ops(fold, turn, rows, since))
    if turn.spec_rev > since and turn.number is not None:
        ops.append(SpecOp(turn=turn.number, spec=turn.spec, inside=inside))
    keys = (
        () if whole else (*_removed_since(turn, since), *(one.slot.key for one in rows if one.grown is None))
    )
    return TurnOps(fold, turn, tuple(ops), _top_seq(fold, turn), whole, keys, touched.steps)


def _head_op(fold: Fold, turn: TurnBuilder, inside: Path | UnsetType) -> TurnOp:
    assert turn.number is not None
    status, outcome = outcome_of(turn)
    started, ended = times_of(turn)
    return TurnOp(
        turn=turn.number,
        status=status,
        outcome=outcome,
        waiting=waiting_in(fold, turn),
        started_at_ms=started,
        ended_at_ms=ended,
        queued=queued_in(fold, turn),
        inside=inside,
    )


def _row_ops(fold: Fold, turn: TurnBuilder, rows: Iterable[RowChange], since: int) -> Iterator[Op]:
    inside: Path | UnsetType = fold.path or UNSET
    for key in _removed_since(turn, since):
        yield RemoveOp(turn=turn.number, key=key, inside=inside)
    held = [one for one in rows if turn.slots.get(one.slot.key) is one.slot]
    for one in sorted(held, key=_from_last, reverse=True):
        slot = one.slot
        if slot.born > since:
            yield RowOp(
                turn=turn.number, row=row_alone(fold, turn, slot), before=turn.after(slot), inside=inside
            )
        elif one.grown is None:
            yield RowOp(turn=turn.number, row=row_alone(fold, turn, slot), inside=inside)
        else:
            yield from _grown_ops(turn, one, inside)


def _from_last(one: RowChange) -> tuple[Place, int]:
    return one.slot.sort_key


def _grown_ops(turn: TurnBuilder, one: RowChange, inside: Path | UnsetType) -> Iterator[Op]:
    for at, text in one.grown or ():
        if at == OUTPUT:
            yield OutputOp(
                turn=turn.number, key=one.slot.key, text=text, whole_bytes=one.whole_bytes, inside=inside
            )
        else:
            yield AppendOp(turn=turn.number, key=one.slot.key, block=at, text=text, inside=inside)


def _removed_since(turn: TurnBuilder, since: int) -> list[str]:
    found: dict[str, None] = {}
    for key, seq in reversed(turn.removed):
        if seq <= since:
            break
        if key not in turn.slots:
            found[key] = None
    return list(found)


def in_window(one: TurnOps, ops: tuple[Op, ...], floor: int) -> tuple[Op, ...]:
    """Leave out what a window does not hold: turns that begin below its floor, rows of no turn below it."""
    if one.fold.path or one.turn.number is not None:
        return ops if one.top_seq >= floor or one.top_seq < 0 else ()
    return tuple(op for op in ops if _is_in(one.turn, op, floor))


def _is_in(none: TurnBuilder, op: Op, floor: int) -> bool:
    key = op.row.key if isinstance(op, RowOp) else op.key if isinstance(op, AppendOp | OutputOp) else None
    slot = None if key is None else none.slots.get(key)
    return slot is None or slot.place[0] >= floor
