"""Heights of a transcript: stacks of stacks of pieces, with the way from a row of the screen to a piece and back.

Each stack remembers how far its sums hold. What changes at the end of a long turn is summed up from there; the way up
to the top is as long as the nesting is deep.
"""

from bisect import bisect_right
from typing import Protocol

from clients.tui.piece import Piece, Row
from clients.wire.held import HeldRow


class Stackable(Protocol):
    """What a stack is made of."""

    parent: "Stack | None"

    def height(self, width: int) -> int:
        """Give the number of rows in so many cells."""

    def row(self, number: int, width: int) -> Row:
        """Give a row."""


class Seat:
    """The pieces of one thing: a row of the transcript (`row_held`, below the calls of `path`), or what is between."""

    __slots__ = ("_height", "_width", "key", "parent", "path", "pieces", "row_held")

    def __init__(self, key: str, row_held: HeldRow | None = None, path: tuple[str, ...] = ()) -> None:
        self.key = key
        self.row_held = row_held
        self.path = path
        self.pieces: list[Piece] = []
        self.parent: Stack | None = None
        self._width = 0
        self._height = 0

    def fill(self, pieces: list[Piece]) -> None:
        """Show other pieces."""
        self.pieces = pieces
        self.changed()

    def changed(self) -> None:
        """Note that a piece has another height."""
        self._width = 0
        if self.parent is not None:
            self.parent.changed(self)

    def height(self, width: int) -> int:
        """Give the number of rows in so many cells."""
        if width != self._width:
            self._height = sum(piece.height(width) for piece in self.pieces)
            self._width = width
        return self._height

    def row(self, number: int, width: int) -> Row:
        """Give a row by its number."""
        for piece in self.pieces:
            height = piece.height(width)
            if number < height:
                return piece.row(number, width)
            number -= height
        raise LookupError(number)

    def top_of(self, piece: Piece, width: int) -> int:
        """Give the number of a piece's first row; 0 where it is none of these."""
        top = 0
        for one in self.pieces:
            if one is piece:
                return top
            top += one.height(width)
        return 0


class Stack:
    """Things one below the other."""

    __slots__ = ("_tops", "_width", "children", "parent")

    def __init__(self) -> None:
        self.children: list[Stackable] = []
        self.parent: Stack | None = None
        self._width = 0
        self._tops: list[int] = [0]  # the first row of each child, as far as it is known

    def insert(self, place: int, child: Stackable) -> None:
        """Put a child at a place."""
        child.parent = self
        self.children.insert(place, child)
        self._forget(place)

    def remove(self, place: int) -> None:
        """Take a child away."""
        self.children[place].parent = None
        del self.children[place]
        self._forget(place)

    def arrange(self, children: list[Stackable]) -> None:
        """Hold other children, in this order."""
        for child in children:
            child.parent = self
        self.children = children
        self._forget(0)

    def changed(self, child: Stackable) -> None:
        """Note that a child has another height; what is written to stands near the end."""
        for place in range(len(self.children) - 1, -1, -1):
            if self.children[place] is child:
                self._forget(place)
                return

    def height(self, width: int) -> int:
        """Give the number of rows in so many cells."""
        self._sum(width)
        return self._tops[-1]

    def row(self, number: int, width: int) -> Row:
        """Give a row by its number."""
        place, within = self.at(number, width)
        return self.children[place].row(within, width)

    def at(self, number: int, width: int) -> tuple[int, int]:
        """Give the child that a row belongs to, and the row's number in it."""
        self._sum(width)
        place = min(bisect_right(self._tops, number) - 1, len(self.children) - 1)
        return place, number - self._tops[place]

    def top_of(self, child: Stackable, width: int) -> int:
        """Give the number of a child's first row.

        Raises:
            LookupError: it is none of these.
        """
        self._sum(width)
        for place in range(len(self.children) - 1, -1, -1):
            if self.children[place] is child:
                return self._tops[place]
        raise LookupError("no child of this stack")

    def tops(self, width: int) -> list[int]:
        """Give the number of each child's first row, and that of the row below the last."""
        self._sum(width)
        return self._tops

    def _forget(self, place: int) -> None:
        del self._tops[place + 1 :]
        if self.parent is not None:
            self.parent.changed(self)

    def _sum(self, width: int) -> None:
        if width != self._width:
            self._width = width
            self._tops = [0]
        top = self._tops[-1]
        for child in self.children[len(self._tops) - 1 :]:
            top += child.height(width)
            self._tops.append(top)


def seat_at(stack: Stack, number: int, width: int) -> tuple[Seat, int] | None:
    """Give the seat that shows a row, and the row's number in it; None below the last row."""
    if not 0 <= number < stack.height(width):
        return None
    found: Stackable = stack
    while isinstance(found, Stack):
        place, number = found.at(number, width)
        found = found.children[place]
    assert isinstance(found, Seat)
    return found, number


def top_of(seat: Seat, width: int) -> int | None:
    """Give the first row of a seat from the top of all; None where it is not shown any more."""
    top = 0
    child: Stackable = seat
    try:
        while child.parent is not None:
            top += child.parent.top_of(child, width)
            child = child.parent
    except LookupError:
        return None
    return top
