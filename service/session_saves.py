"""When a session's folded state is saved, and what (R-6).

A save is due when the log has grown, since the last one, by as much as that one wrote and by at least 64
KiB. So the bytes written for saves stay proportional to the bytes of the log, and a cold start replays at
most that much. A save holds the head and the turns that changed since the last one; the first holds every
turn.
"""

from collections.abc import Iterable, Iterator

import msgspec

from projections.building import TurnBuilder
from projections.errors import SavedStateError
from projections.fold import Fold
from projections.saved import SAVED_FORMAT, encode_head, encode_turn, encode_turns, restoring
from projections.session import SessionFold
from service.stored import SavedState

_encode_spec = msgspec.json.Encoder().encode


class SavePolicy:
    """What was logged and what changed since a session's last save."""

    __slots__ = ("_first_bytes", "_has_save", "_saved_bytes", "_turns", "_unsaved_bytes")

    def __init__(self, first_bytes: int) -> None:
        self._first_bytes = first_bytes
        self._has_save = False
        self._saved_bytes = 0
        self._unsaved_bytes = 0
        self._turns: dict[str, TurnBuilder] = {}

    @property
    def is_due(self) -> bool:
        """Whether the next commit should carry a save."""
        return self._unsaved_bytes >= max(self._first_bytes, self._saved_bytes)

    def grow(self, size_bytes: int) -> None:
        """Count bytes of events that no save covers yet."""
        self._unsaved_bytes += size_bytes

    def restoring(self, state: SavedState) -> Iterator[SessionFold]:
        """The fold of a stored save, turn by turn; raises SavedStateError when it is of no use."""
        if state.projection != SAVED_FORMAT:
            raise SavedStateError(f"format {state.projection}, this is {SAVED_FORMAT}")
        yield from restoring(state.head, state.turns)
        self._has_save = True
        self._saved_bytes = state.size_bytes

    def note(self, touched: Iterable[tuple[Fold, TurnBuilder]], first_seq: int) -> dict[str, bytes]:
        """Note the changed turns for the next save, and give the specs that changed from `first_seq` on."""
        specs: dict[str, bytes] = {}
        for fold, turn in touched:
            if fold.path:
                continue  # a part of the turn that the delegate's call stands in, which is touched too
            self._turns[turn.tag] = turn
            if turn.number is not None and turn.spec_rev >= first_seq and turn.spec is not None:
                specs[str(turn.number)] = _encode_spec(turn.spec)
        return specs

    def save(self, fold: SessionFold, version: int) -> SavedState:
        """The save that is due; counts from zero again."""
        head = encode_head(fold)
        if self._has_save:
            turns = {tag: encode_turn(fold.main, turn) for tag, turn in self._turns.items()}
        else:
            turns = encode_turns(fold)
        self._has_save = True
        self._saved_bytes = len(head) + sum(map(len, turns.values()))
        self._unsaved_bytes = 0
        self._turns = {}
        return SavedState(
            next_seq=fold.next_seq,
            version=version,
            projection=SAVED_FORMAT,
            size_bytes=self._saved_bytes,
            head=head,
            turns=turns,
        )
