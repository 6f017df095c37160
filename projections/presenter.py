"""Stage 6, presenting: the ops of a view, after those that all views share (`wire.md`, *Ops*: `presentation`)."""

from msgspec import UNSET, UnsetType

from projections.building import TurnBuilder
from projections.deltas import DropTurnsOp, Op, Path, PresentationOp, TurnOps, is_held
from projections.fold import Fold
from projections.presentation import Telling, edits_of, telling
from projections.session import SessionFold
from projections.slices import Slices, finished
from projections.view import View

# Not by path and number: after a rewind both may come again.
_Key = tuple[Fold, int]


class Presenter:
    """A view's presentations as they were last told, so that only what differs is told again (B-3)."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._told: dict[_Key, tuple[TurnBuilder, Telling]] = {}
        self._ready: dict[_Key, Telling] = {}

    def tell_all(self, session: SessionFold) -> None:
        """Note that whoever listens holds the present state of every turn."""
        finished(self._tell(session.main, is_open_only=False))

    def tell_open(self, session: SessionFold) -> Slices[None]:
        """Note that whoever listens holds the present state; a turn that is over is told whole if it changes yet."""
        return self._tell(session.main, is_open_only=True)

    def _tell(self, fold: Fold, *, is_open_only: bool) -> Slices[None]:
        for turn in fold.turns.values() if not is_open_only else (fold.open,):
            if turn is not None:
                self._told[_key(fold, turn)] = turn, (yield from telling(fold, turn, self.view))
                for call_id in turn.open_calls if is_open_only else turn.tools:
                    if call_id in fold.delegates:
                        yield from self._tell(fold.delegates[call_id], is_open_only=is_open_only)

    def telling_of(self, fold: Fold, turn: TurnBuilder) -> Telling | None:
        """Give what was told of a turn, None where nothing was; it is the present if every change was told."""
        _, told = self._told.get(_key(fold, turn), (turn, None))
        return told

    def prepare(self, session: SessionFold) -> Slices[None]:
        """Make in slices what `ops` tells whole of all that was folded since the last drain.

        Nothing more is folded before that is drained; without this `ops` does it at once, however great the turn.
        """
        self._ready = {}
        for fold, turn in tuple(session.dirty):
            is_new = fold.born > session.drained_seq or self.telling_of(fold, turn) is None
            if is_new and turn.number is not None and is_held(fold, turn):
                self._ready[_key(fold, turn)] = yield from telling(fold, turn, self.view)

    def ops(self, one: TurnOps) -> tuple[Op, ...]:
        """Give a turn's ops in this view: the shared ones, and what changed in its presentation."""
        return finished(self.ops_in_slices(one))

    def ops_in_slices(self, one: TurnOps) -> Slices[tuple[Op, ...]]:
        """The same in slices: a turn that nothing was told of is told whole, however great it is."""
        turn, fold = one.turn, one.fold
        if turn.number is None:
            if any(isinstance(op, DropTurnsOp) for op in one.ops):
                self._forget_dropped()
            return one.ops
        inside: Path | UnsetType = fold.path or UNSET
        told = self.telling_of(fold, turn)
        if told is None or one.whole:
            told = self._ready.pop(_key(fold, turn), None) or (yield from telling(fold, turn, self.view))
            self._told[_key(fold, turn)] = turn, told
            whole = PresentationOp(turn=turn.number, path=(), set=told.told, inside=inside)
            return (*one.ops, whole)
        edits = edits_of(told, fold, turn, one.keys, one.steps)
        return one.ops + tuple(
            PresentationOp(turn=turn.number, path=edit.path, set=edit.set, splice=edit.splice, inside=inside)
            for edit in edits
        )

    def _forget_dropped(self) -> None:
        """Let go of turns that a rewind took back, here and in delegates below them."""
        self._told = {key: one for key, one in self._told.items() if is_held(key[0], one[0])}


def _key(fold: Fold, turn: TurnBuilder) -> _Key:
    return fold, turn.ordinal
