"""The transcript on the screen: the rows in sight, and no others; where the reader is stays where it is.

1. What is drawn is asked of the document row by row, so the length of a session costs nothing (F-3).
2. The reader is at a place in a text, not at a row number: whatever changes above, with the width or the phase, the
   same text stays at the top. Only at the end, the end is followed.
3. A change is drawn with the next frame, however many come before it.
"""

import re

import msgspec
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from clients.tui.document import Document
from clients.tui.find import Place
from clients.tui.marked import segments
from clients.tui.palette import styles_of
from clients.tui.piece import NARROWEST, Piece
from clients.tui.stack import Seat, seat_at, top_of

WHEEL_ROWS = 3
# A page leaves this much of the one before in sight.
KEPT_ROWS = 2


class Anchor(msgspec.Struct, frozen=True):
    """The text near the top of the screen, so many rows below it as `above` says.

    `row` is its number in its seat, for when the piece became another one.
    """

    seat: Seat
    piece: Piece
    line: int
    offset: int
    row: int
    above: int = 0


class TranscriptView(Widget, can_focus=True):
    """A document, as much of it as the screen has rows."""

    class Moved(Message):
        """The reader is somewhere else, or the document became another."""

    def __init__(self, document: Document, theme: str) -> None:
        super().__init__(id="transcript")
        self.document = document
        self.styles_by_role = styles_of(theme)
        self.follows = True
        self.top_row = 0
        self.pattern: re.Pattern[str] | None = None
        self.place: Place | None = None
        self._anchor: Anchor | None = None

    @property
    def text_width(self) -> int:
        """The cells of a row; the last column is the position's."""
        return max(self.size.width - 1, NARROWEST)

    @property
    def last_top(self) -> int:
        """The first row of the screen where the end is in sight."""
        return max(self.document.root.height(self.text_width) - self.size.height, 0)

    @property
    def is_at_top(self) -> bool:
        """Whether nothing of what is held is above."""
        return self.top_row == 0

    def set_theme(self, theme: str) -> None:
        """Draw in other colours."""
        self.styles_by_role = styles_of(theme)
        self.refresh()

    def replace(self, document: Document) -> None:
        """Show another document where the reader is in this one, as far as it has that place."""
        anchor = self._anchor
        old, self.document = self.document, document
        if anchor is not None and not self.follows:
            self._anchor = _same_place(old, document, anchor)
        self.place = None
        self.settle()

    def settle(self) -> None:
        """Keep the reader's place after whatever changed."""
        if self.size.height:
            if self.follows:
                self.top_row = self.last_top
            elif self._anchor is not None:
                row = self._row_of(self._anchor) - self._anchor.above
                self.top_row = max(min(row, self.last_top), 0)
            self._note()
        self.refresh()
        self.post_message(self.Moved())

    def scroll_rows(self, count: int) -> None:
        """Go down by so many rows, or up."""
        self.go_to(self.top_row + count)

    def scroll_pages(self, count: int) -> None:
        """Go down by so many screens, or up."""
        self.scroll_rows(count * max(self.size.height - KEPT_ROWS, 1))

    def go_to(self, row: int) -> None:
        """Have a row at the top, as far as there are rows."""
        last = self.last_top
        self.top_row = max(min(row, last), 0)
        self.follows = self.top_row >= last
        self._note()
        self.refresh()
        self.post_message(self.Moved())

    def go_to_place(self, place: Place) -> bool:
        """Bring a place into sight; False where it is not shown any more."""
        top = top_of(place.seat, self.text_width)
        if top is None or place.piece not in place.seat.pieces:
            return False
        width = self.text_width
        row = (
            top + place.seat.top_of(place.piece, width) + place.piece.row_at(place.line, place.offset, width)
        )
        self.place = place
        if self.top_row <= row < self.top_row + self.size.height:
            self.refresh()
        else:
            self.go_to(row - self.size.height // 3)
        return True

    def go_to_seat(self, seat: Seat) -> None:
        """Have a seat near the top of the screen."""
        top = top_of(seat, self.text_width)
        if top is not None:
            self.go_to(top - 1)

    def seats_in_sight(self) -> list[Seat]:
        """Every seat that has a row on the screen, from the top."""
        found: list[Seat] = []
        row = self.top_row
        while row < self.top_row + self.size.height:
            at = seat_at(self.document.root, row, self.text_width)
            if at is None:
                break
            seat, within = at
            found.append(seat)
            row += max(seat.height(self.text_width) - within, 1)
        return found

    def render_line(self, y: int) -> Strip:
        """Draw one row of the screen."""
        width, number = self.text_width, self.top_row + y
        ground = self.rich_style
        if number >= self.document.root.height(width):
            return Strip.blank(self.size.width, ground)
        row = self.document.root.row(number, width)
        place = self.place
        is_current = (
            place is not None
            and row.piece is place.piece
            and row.line == place.line
            and row.offset <= place.offset <= row.offset + len(row.text)
        )
        selection = self.text_selection
        chosen = None if selection is None else selection.get_span(number)
        strip = Strip(segments(row, self.styles_by_role, self.pattern, is_current=is_current, chosen=chosen))
        strip = strip.adjust_cell_length(width).apply_style(ground).apply_offsets(0, number)
        return Strip([*strip, Segment(self._thumb(y), ground + self.styles_by_role["thumb"])], width + 1)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Give what the reader marked, as it was said: without margins, and lines that were wrapped whole again."""
        width, height = self.text_width, self.document.root.height(self.text_width)
        first = 0 if selection.start is None else selection.start.y
        last = height - 1 if selection.end is None else min(selection.end.y, height - 1)
        text, before = "", None
        for number in range(first, last + 1):
            row = self.document.root.row(number, width)
            begin, end = selection.get_span(number) or (0, -1)
            begin = max(begin - len(row.margin), 0)
            end = len(row.text) if end < 0 else min(max(end - len(row.margin), 0), len(row.text))
            is_wrapped = before is not None and before.piece is row.piece and before.line == row.line
            if before is not None and not is_wrapped:
                text += "\n"
            elif before is not None:
                text += row.piece.lines[row.line][before.offset + len(before.text) : row.offset]
            text += row.text[begin:end]
            before = row
        return (text, "\n") if text.strip() else None

    def _thumb(self, y: int) -> str:
        """The sign in the last column: where the screen is in what is held."""
        total, rows = self.document.root.height(self.text_width), self.size.height
        if total <= rows:
            return " "
        size = max(rows * rows // total, 1)
        begin = round((rows - size) * self.top_row / max(total - rows, 1))
        return "▐" if begin <= y < begin + size else " "

    def on_resize(self) -> None:
        """Keep the text at the top where it is."""
        self.settle()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Three rows, as everywhere."""
        event.stop()
        self.scroll_rows(WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Three rows, as everywhere."""
        event.stop()
        self.scroll_rows(-WHEEL_ROWS)

    def _note(self) -> None:
        """Remember the text at the top."""
        width, above = self.text_width, 0
        at = seat_at(self.document.root, self.top_row, width)
        if at is not None and at[0] is self.document.head:
            # Earlier turns come between the head and what is below it, where the reader is.
            above = at[0].height(width) - at[1]
            at = seat_at(self.document.root, self.top_row + above, width)
        if at is None:
            self._anchor = None
            return
        seat, within = at
        row = seat.row(within, width)
        self._anchor = Anchor(seat, row.piece, row.line, row.offset, within, above)

    def _row_of(self, anchor: Anchor) -> int:
        width, seat = self.text_width, anchor.seat
        top = top_of(seat, width)
        if top is None:
            return self.top_row
        if anchor.piece in seat.pieces and anchor.line < len(anchor.piece.lines):
            within = anchor.piece.row_at(anchor.line, anchor.offset, width)
            return top + seat.top_of(anchor.piece, width) + within
        return top + min(anchor.row, max(seat.height(width) - 1, 0))


def _same_place(old: Document, new: Document, anchor: Anchor) -> Anchor | None:
    """Find the place in another document of the same session: the same seat, else the last one before it that shows."""
    there = {seat.key: seat for seat in new.seats() if seat.pieces}
    before: list[Seat] = []
    for seat in old.seats():
        before.append(seat)
        if seat is anchor.seat:
            break
    for seat in reversed(before):
        found = there.get(seat.key)
        if found is not None:
            row = anchor.row if seat is anchor.seat else 0
            return Anchor(found, found.pieces[0], 0, 0, row) if row == 0 else _at_row(found, anchor)
    return None


def _at_row(seat: Seat, anchor: Anchor) -> Anchor:
    """The same line of a piece of the same kind, where there is one."""
    for piece in seat.pieces:
        if piece.role == anchor.piece.role and anchor.line < len(piece.lines):
            return Anchor(seat, piece, anchor.line, anchor.offset, anchor.row)
    return Anchor(seat, seat.pieces[0], 0, 0, 0)
