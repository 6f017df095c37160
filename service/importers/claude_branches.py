"""The tree of a session's lines: which were read, and which turns a new line takes back.

Every line names the line it answers. When a human goes back and asks again, the new prompt hangs at an earlier line,
and the turns behind that one are taken back: the transcript follows the newest leaf. This is the one thing of an
import whose memory grows with the file: two numbers a line.
"""

from hashlib import blake2b
from typing import Literal

import msgspec

Known = Literal["new", "same", "other"]

_CHECKSUM_BITS = 32
_CHECKSUM_MASK = 2**_CHECKSUM_BITS - 1
_BEFORE_ALL = 0


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """Turns that are taken back, from `before_turn` on.

    `is_left_branch` says that the line hangs at a turn that was taken back before: that one is not shown again.
    """

    before_turn: int
    is_left_branch: bool = False


class Branches:
    """Lines and turns of one transcript."""

    def __init__(self) -> None:
        self._lines: dict[int, int] = {}
        self._path: list[int] = []
        self._turn_above: dict[int, int] = {}
        self._newest = _BEFORE_ALL
        self._has_links = False

    def known(self, uuid: str, checksum: int) -> Known:
        """Whether a line of this id was read: the same one, or another (ids repeat in trimmed logs)."""
        found = self._lines.get(_digest(uuid))
        if found is None:
            return "new"
        is_first = found & _CHECKSUM_MASK == checksum
        return "same" if is_first or _digest(f"{uuid}:{checksum}") in self._lines else "other"

    def note(self, uuid: str, checksum: int, parent: str | None, *, is_work: bool) -> None:
        """A line was read: what the model did is of the newest turn, anything else of its parent's."""
        above = None if parent is None else self._turn_of(parent)
        self._has_links = self._has_links or above is not None
        turn = self._here() if is_work or above is None else above
        first = self._lines.get(_digest(uuid))
        if first is not None:
            self._lines[_digest(f"{uuid}:{checksum}")] = checksum
            checksum = first & _CHECKSUM_MASK
        self._lines[_digest(uuid)] = (turn << _CHECKSUM_BITS) | checksum

    def turns_started(self, count: int) -> None:
        """So many turns were started so far; a new one follows the newest that is left."""
        while self._newest < count:
            self._newest += 1
            self._turn_above[self._newest] = self._here()
            self._path.append(self._newest)

    def cut(self, parent: str | None, *, is_root: bool) -> Cut | None:
        """What a line that starts a turn takes back, given the line it answers.

        A root of its own (`is_root`) takes back everything, if the log links its lines at all. A parent that was
        never read says nothing.
        """
        turn = _BEFORE_ALL if is_root and self._has_links else None
        if parent is not None:
            turn = self._turn_of(parent)
        if turn is None:
            return None
        is_left = False
        while turn != _BEFORE_ALL and turn not in self._path:
            turn, is_left = self._turn_above[turn], True
        kept = 0 if turn == _BEFORE_ALL else self._path.index(turn) + 1
        if kept == len(self._path):
            return None
        del self._path[kept:]
        return Cut(before_turn=kept + 1, is_left_branch=is_left)

    def _turn_of(self, uuid: str) -> int | None:
        found = self._lines.get(_digest(uuid))
        return None if found is None else found >> _CHECKSUM_BITS

    def _here(self) -> int:
        return self._path[-1] if self._path else _BEFORE_ALL


def _digest(uuid: str) -> int:
    return int.from_bytes(blake2b(uuid.encode("utf-8", "surrogatepass"), digest_size=8).digest())
