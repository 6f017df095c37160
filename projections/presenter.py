"""Stage 6, presenting: the ops of a view, after those that all views share (`wire.md`, *Ops*: `presentation`)."""

from msgspec import UNSET, UnsetType

from projections.deltas import Op, Path, PresentationOp, TurnOps
from projections.fold import Fold
from projections.presentation import Telling, edits_of, telling
from projections.session import SessionFold
from projections.view import View


class Presenter:
    """A view's presentations as they were last told, so that only what differs is told again (B-3)."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._told: dict[tuple[Path, int], Telling] = {}

    def tell_all(self, session: SessionFold) -> None:
        """Note that whoever listens holds the present state of every turn."""
        self._tell(session.main, is_open_only=False)

    def tell_open(self, session: SessionFold) -> None:
        """Note that whoever listens holds the present state; a turn that is over is told whole if it changes yet."""
        self._tell(session.main, is_open_only=True)

    def _tell(self, fold: Fold, *, is_open_only: bool) -> None:
        for turn in fold.turns.values() if not is_open_only else (fold.open,):
            if turn is not None:
                self._told[(fold.path, turn.ordinal)] = telling(fold, turn, self.view)
                for call_id in turn.open_calls if is_open_only else turn.tools:
                    if call_id in fold.delegates:
                        self._tell(fold.delegates[call_id], is_open_only=is_open_only)

    def ops(self, one: TurnOps) -> tuple[Op, ...]:
        """Give a turn's ops in this view: the shared ones, and what changed in its presentation."""
        turn, fold = one.turn, one.fold
        if turn.number is None:
            return one.ops
        inside: Path | UnsetType = fold.path or UNSET
        key = (fold.path, turn.ordinal)
        told = self._told.get(key)
        if told is None or one.whole:
            told = self._told[key] = telling(fold, turn, self.view)
            whole = PresentationOp(turn=turn.number, path=(), set=told.told, inside=inside)
            return (*one.ops, whole)
        edits = edits_of(told, fold, turn, one.keys, one.steps)
        return one.ops + tuple(
            PresentationOp(turn=turn.number, path=edit.path, set=edit.set, splice=edit.splice, inside=inside)
            for edit in edits
        )
