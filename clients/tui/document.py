"""A session as seats, kept with what is held: turns in order, rows of no turn between them, delegates below calls.

Each change is taken right after it was made, so that its places are those of both. A document that was built at once
from the same transcript is the same (D-4): nothing is remembered but pieces.
"""

from collections.abc import Iterator

import msgspec

from clients.tui.cards import Look, body_pieces, row_pieces, step_notes
from clients.tui.piece import Piece
from clients.tui.stack import Seat, Stack, Stackable
from clients.tui.turn_part import RowPart, TurnPart
from clients.wire.held import Change, HeldRow, HeldTranscript

# Deeper delegates are not indented further: their text would have no room.
_BARS = 3


class Document:
    """The seats of a transcript.

    Attributes:
        root: all of it, `head` first, which whoever shows it may fill.
    """

    def __init__(self, held: HeldTranscript, look: Look) -> None:
        self.look = look
        self.root = Stack()
        self.head = Seat("head")
        self._parts: dict[HeldTranscript, TranscriptPart] = {}
        self._main = TranscriptPart(self, held, look, lead=[self.head], stack=self.root)

    def take(self, change: Change) -> None:
        """Follow a change; one inside a delegate that is not shown needs nothing."""
        part = self._parts.get(change.within)
        if part is not None:
            part.take(change)

    def arrange(self) -> None:
        """Take in turns and rows that came before all others."""
        self._main.arrange()

    def set_away(self, *, is_away: bool) -> None:
        """Say of the turns that run that nobody knows whether they still do."""
        for part in self._main.turns.values():
            if part.held.facts.get("status") == "open" and part.is_away != is_away:
                part.is_away = is_away
                part.draw_end()

    def redraw(self, seat: Seat) -> None:
        """Draw a row anew after its texts were completed."""
        for part in self._parts.values():
            part.redraw(seat)

    def turn_tops(self, width: int) -> list[int]:
        """Give the first row of each turn."""
        tops = self.root.tops(width)
        return [tops[at] for at, child in enumerate(self.root.children) if isinstance(child, Stack)]

    def seats(self) -> Iterator[Seat]:
        """Every seat from the top."""
        yield from _seats(self.root)

    def find(self, key: str) -> Seat | None:
        """Give the seat of a row of the session's own transcript."""
        return next((seat for seat in _seats(self.root) if seat.key == key), None)

    def enter(self, held: HeldTranscript, part: "TranscriptPart") -> None:
        """Note who follows the changes of a transcript."""
        self._parts[held] = part

    def leave(self, held: HeldTranscript) -> None:
        """Follow a transcript no more."""
        self._parts.pop(held, None)


class TranscriptPart:
    """The seats of one transcript: the session's, or a delegate's."""

    def __init__(
        self, document: Document, held: HeldTranscript, look: Look, *, lead: list[Seat], stack: Stack
    ) -> None:
        self._document = document
        self._held = held
        self._look = look
        self._lead = lead
        self.stack = stack
        self.turns: dict[int, TurnPart] = {}
        self._loose: dict[str, RowPart] = {}
        document.enter(held, self)
        self.arrange()

    def arrange(self) -> None:
        """Put turns in their order, and the rows of no turn between them by their anchors."""
        loose = iter([(row, self._loose_part(row).node) for row in self._held.loose])
        waiting = next(loose, None)
        children: list[Stackable] = [*self._lead]
        for turn in self._held.turns:
            start = _anchor(turn.rows[0]) if len(turn.rows) else -1.0
            while waiting is not None and _anchor(waiting[0]) < start:
                children.append(waiting[1])
                waiting = next(loose, None)
            part = self.turns.get(turn.number)
            if part is None or part.held is not turn:
                part = self.turns[turn.number] = TurnPart(turn, self._look)
                for row in turn.rows:
                    self._nest(part, row)
            children.append(part.stack)
        while waiting is not None:
            children.append(waiting[1])
            waiting = next(loose, None)
        self.stack.arrange(children)

    def take(self, change: Change) -> None:
        """Follow a change of this transcript."""
        if change.turn is None:
            self._take_loose(change)
            return
        part = self.turns.get(change.turn.number)
        if change.what == "dropped":
            self._drop(change)
        elif part is None or part.held is not change.turn:
            self.arrange()
        else:
            self._take_turn(part, change)

    def _take_turn(self, part: TurnPart, change: Change) -> None:
        row = change.row
        match change.what:
            case "turn":
                part.draw_end()
            case "inserted" if row is not None:
                part.inserted(change)
                self._nest(part, row)
            case "removed" if row is not None:
                part.removed(change)
                if row.delegate is not None:
                    self._document.leave(row.delegate)
            case "replaced" if row is not None:
                part.redraw(row)
            case "grew":
                part.grew(change)
            case "presentation":
                part.steps_changed(change)
            case "delegate" if row is not None:
                self._nest(part, row)
            case _:
                pass
        if change.place == 0 and change.what != "grew" and len(self._held.loose):
            # A turn stands where its first row stands.
            self.arrange()

    def _nest(self, part: TurnPart, row: HeldRow) -> None:
        """Show a call's own transcript below it, where this phase shows what a call does."""
        if row.delegate is None or self._look.phase != "expanded":
            return
        margin = self._look.margin + ("  │ " if self._look.margin.count("│") < _BARS else "")
        stack, mine = Stack(), part.rows[row.key]
        path = (*self._look.path, str(row.value.get("call_id") or ""))
        look = msgspec.structs.replace(self._look, margin=margin, path=path)
        TranscriptPart(self._document, row.delegate, look, lead=[], stack=stack)
        place = part.held.rows.place(row.key)
        assert place is not None
        part.stack.remove(place)
        both = Stack()
        both.arrange([mine.seat, stack])
        mine.node = both
        part.stack.insert(place, both)

    def redraw(self, seat: Seat) -> None:
        """Draw a row anew, if it is one of these."""
        row = seat.row_held
        if row is None or seat.path != self._look.path:
            return
        turn = self._held.turn_of(row)
        if turn is None:
            if row.key in self._loose:
                seat.fill(_loose_pieces(row, self._look))
        elif turn.number in self.turns:
            self.turns[turn.number].redraw(row)

    def _take_loose(self, change: Change) -> None:
        row = change.row
        if row is None:
            return
        if change.what == "removed":
            self._loose.pop(row.key, None)
        else:
            self._loose_part(row).seat.fill(_loose_pieces(row, self._look))
        if change.what != "grew":
            self.arrange()

    def _loose_part(self, row: HeldRow) -> RowPart:
        part = self._loose.get(row.key)
        if part is None:
            part = self._loose[row.key] = RowPart(row, self._look.path)
            part.seat.fill(_loose_pieces(row, self._look))
        return part

    def _drop(self, change: Change) -> None:
        assert change.turn is not None
        part = self.turns.pop(change.turn.number, None)
        if part is not None:
            for row in change.turn.rows:
                if row.delegate is not None:
                    self._document.leave(row.delegate)
        self.arrange()


def _loose_pieces(row: HeldRow, look: Look) -> list[Piece]:
    """A step of no turn is in no presentation; all of it that is ever shown is shown."""
    if row.value.get("kind") != "assistant_step":
        return row_pieces(row.value, look)
    body = ("reasoning", "text") if look.reasoning else ("text",)
    return [*body_pieces(row.value, body, look).values(), *step_notes(row.value, body, look)]


def pieces_of(document: Document) -> Iterator[Piece]:
    """Every piece from the top."""
    for seat in document.seats():
        yield from seat.pieces


def _anchor(row: HeldRow) -> float:
    anchor = row.value.get("anchor")
    return float(anchor) if isinstance(anchor, int | float) else -1.0


def _seats(stack: Stack) -> Iterator[Seat]:
    for child in stack.children:
        if isinstance(child, Stack):
            yield from _seats(child)
        elif isinstance(child, Seat):
            yield child
