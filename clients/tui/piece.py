"""A piece: lines of one kind in one margin, which may grow at the end; it knows its rows at a width."""

import re
from bisect import bisect_right
from itertools import accumulate
from typing import Literal

import msgspec

from clients.tui.harmless import harmless
from clients.tui.wrap import cut, row_starts

# What a piece is, and so how it looks; `markup` says how its lines are read.
Role = Literal[
    "blank", "user_name", "user", "name", "text", "reasoning", "card", "card_failed", "card_running", "detail",
    "diff", "context", "footer", "pending", "notice", "warning", "error", "divider", "tail", "life", "queued", "more",
]  # fmt: skip
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+|\s+")
_FENCE = re.compile(r"\s*(```|~~~)")
# Of a narrow terminal, at most this part is given to a list's indentation.
_WIDEST_HANG = 3
# Below this nothing can be read; a narrower terminal cuts the rows.
NARROWEST = 8


class Row(msgspec.Struct, frozen=True, gc=False):
    """One row on the screen: `margin` before `text`, which begins at `offset` of line `line` of its piece."""

    piece: "Piece"
    margin: str
    text: str
    line: int
    offset: int


class Piece:
    """Lines with their margin.

    Args:
        text: harmless already.
        first: the margin of its first row; `rest` that of the others, as wide.
        is_prose: whether lines are read as Markdown, and lists hang.
        kept: None where a line wraps; else how much of each line is always shown: the rest only as far as its row goes.
    """

    __slots__ = (
        "_open_after",
        "_starts",
        "_tops",
        "_width",
        "first",
        "is_prose",
        "kept",
        "lines",
        "rest",
        "role",
    )

    def __init__(
        self,
        role: Role,
        text: str = "",
        *,
        first: str = "",
        rest: str = "",
        is_prose: bool = False,
        kept: int | None = None,
    ) -> None:
        self.role = role
        self.first = first
        self.rest = rest or " " * len(first)
        self.is_prose = is_prose
        self.kept = kept
        self.lines = text.split("\n")
        # For each line of prose: whether a fenced block is open after it.
        self._open_after: list[bool] = []
        self._width = 0
        self._starts: list[tuple[int, ...] | list[int]] = []
        self._tops: list[int] = []
        if is_prose:
            self._mark_code(0)

    def grow(self, text: str) -> None:
        """Put text of a stranger at the end."""
        more = harmless(text).split("\n")
        at = len(self.lines) - 1
        hung = self._hang(at)
        self.lines[at] += more[0]
        self.lines.extend(more[1:])
        if self.is_prose:
            self._mark_code(at)
        if not self._width:
            return
        known = self._starts[at]
        hang = self._hang(at)
        # A list's marker, or a fence, may come in two chunks; what hangs is mostly known from the first row on.
        seen = list(known) if len(known) > 1 and hang == hung else None
        self._starts[at] = row_starts(self.lines[at], self._width, hang, seen)
        for line in range(at + 1, len(self.lines)):
            self._starts.append(row_starts(self.lines[line], self._width, self._hang(line)))
        del self._tops[at + 1 :]
        self._tops.extend(list(accumulate(map(len, self._starts[at:]), initial=self._tops[at]))[1:])

    def height(self, width: int) -> int:
        """Give the number of rows in a terminal of so many cells."""
        self._measure(width)
        return self._tops[-1]

    def row(self, number: int, width: int) -> Row:
        """Give a row by its number."""
        self._measure(width)
        line = bisect_right(self._tops, number) - 1
        starts, nth = self._starts[line], number - self._tops[line]
        begin = starts[nth]
        end = starts[nth + 1] if nth + 1 < len(starts) else None
        margin = self.first if number == 0 else self.rest
        text = self.lines[line][begin:end]
        if nth:
            margin += " " * self._hang(line)
        if end is not None:
            text = text.rstrip(" ")
        elif self.kept is not None:
            text = cut(text, self._width)
        return Row(self, margin, text, line, begin)

    def row_at(self, line: int, offset: int, width: int) -> int:
        """Give the number of the row that shows a place."""
        self._measure(width)
        return self._tops[line] + bisect_right(self._starts[line], offset) - 1

    def _measure(self, width: int) -> None:
        room = max(width - len(self.first), NARROWEST)
        if room == self._width:
            return
        self._width = room
        if self.kept is not None:
            self._starts = [row_starts(text[: self.kept], room) for text in self.lines]
        elif self.is_prose:
            self._starts = [row_starts(text, room, self._hang(at)) for at, text in enumerate(self.lines)]
        else:
            self._starts = [row_starts(text, room) for text in self.lines]
        self._tops = list(accumulate(map(len, self._starts), initial=0))

    def _hang(self, line: int) -> int:
        if not self.is_prose or self.in_code(line):
            return 0
        found = _BULLET.match(self.lines[line])
        return 0 if found is None else min(found.end(), self._width // _WIDEST_HANG)

    def _mark_code(self, begin: int) -> None:
        """Read fences anew from a line on."""
        del self._open_after[begin:]
        for text in self.lines[begin:]:
            inside = bool(self._open_after) and self._open_after[-1]
            self._open_after.append(inside is not bool(_FENCE.match(text)))

    def in_code(self, line: int) -> bool:
        """Say whether a line of prose stands in a fenced block, or opens or ends one."""
        return self._open_after[line] or (line > 0 and self._open_after[line - 1])
