"""One turn as seats: its rows in their places, with the headers and footers of its steps (D-3, D-5).

A step's header stands above its first row, its footer below its last. A step without any row stands, header and footer
alone, before the first row of a later step, else at the end of the turn. A change touches the row that it names and
those that begin or end a step anew by it.
"""

from bisect import bisect_left

from clients.tui.cards import (
    Look,
    body_pieces,
    footer_piece,
    queued_pieces,
    row_pieces,
    step_notes,
    tail_piece,
)
from clients.tui.piece import Piece
from clients.tui.stack import Seat, Stack, Stackable
from clients.wire.held import Change, HeldRow, HeldTurn
from clients.wire.messages import Json

_MODEL = ("assistant_step", "tool_call", "search")
_ERRORS = ("turn_error", "turn_max_tokens")
_ENDS = (*_ERRORS, "turn_tail")


class RowPart:
    """One row: its seat, the pieces of its blocks, and what stands in the turn's stack for it."""

    __slots__ = ("blocks", "node", "seat")

    def __init__(self, row: HeldRow, path: tuple[str, ...]) -> None:
        self.seat = Seat(row.key, row, path)
        self.node: Stackable = self.seat
        self.blocks: dict[int | None, Piece] = {}


class TurnPart:
    """A turn's seats; the last one says what waits to be sent, and that the turn runs."""

    def __init__(self, held: HeldTurn, look: Look) -> None:
        self.held = held
        self.look = look
        self.stack = Stack()
        self.rows: dict[str, RowPart] = {}
        self.end = Seat(f"end:{held.number}")
        self.is_away = False
        self._build()

    def _build(self) -> None:
        self._numbers: list[int] = []
        self._step: dict[int, Json] = {}
        self._members: dict[int, list[str]] = {}
        self._bare: set[int] = set()
        self._leads: dict[int, list[int]] = {}
        self._trailing: list[int] = []
        # The error that the trailing steps stand above; without one they stand at the end.
        self._ends_with: str | None = None
        self._read_steps(0, 0, None)
        for row in self.held.rows:
            if self._is_model(row):
                self._members.setdefault(row.value["step"], []).append(row.key)
        self._bare = {number for number in self._numbers if number not in self._members}
        self._place_bare()
        for row in self.held.rows:
            self.rows.setdefault(row.key, RowPart(row, self.look.path))
            self._draw(row)
        self.stack.arrange([*(self.rows[row.key].node for row in self.held.rows), self.end])
        self.draw_end()

    def draw_end(self) -> None:
        """Draw what stands below the last row."""
        facts, words = self.held.facts, self.look.words
        pieces = [] if self._ends_with else self._trailing_pieces()
        pieces.extend(queued_pieces(facts.get("queued") or (), self.look))
        tail = self.held.rows.get(f"tail:{self.held.number}")
        if tail is not None:
            pieces.append(tail_piece(tail.value, self.look))
        if facts.get("status") == "open":
            waiting = facts.get("waiting") or 0
            waits = f" · {words['waiting']} ({waiting})" if waiting else ""
            away = f" · {words['as_of']}" if self.is_away else ""
            pieces.append(self.look.piece("life", f"{words['running']}{waits}{away}", "● "))
        self.end.fill(pieces)

    def inserted(self, change: Change) -> RowPart:
        """Take a new row in."""
        assert change.row is not None
        row, part = change.row, RowPart(change.row, self.look.path)
        self.rows[row.key] = part
        self.stack.insert(change.place, part.node)
        again: list[str] = []
        if self._is_model(row):
            again = self._joins(row, change.place)
        elif row.value.get("kind") in _ENDS:
            self._place_bare()
        self._draw(row)
        self._draw_again(again)
        return part

    def _joins(self, row: HeldRow, place: int) -> list[str]:
        """Note a row of a step; gives those that began or ended the step before."""
        step = row.value["step"]
        members = self._members.setdefault(step, [])
        at = bisect_left(members, place, key=lambda key: self.held.rows.place(key) or 0)
        around = [*members[:1], *members[-1:]] if at in (0, len(members)) else []
        members.insert(at, row.key)
        if step in self._bare or self._leads or self._trailing:
            self._bare.discard(step)
            self._place_bare()
        return around

    def removed(self, change: Change) -> None:
        """Let a row go, with all that hung on it."""
        assert change.row is not None
        row = change.row
        self.rows.pop(row.key, None)
        self.stack.remove(change.place)
        if row.value.get("kind") in _ENDS:
            self._place_bare()
        if not self._is_model(row):
            return
        step = row.value["step"]
        members = self._members[step]
        members.remove(row.key)
        if not members:
            del self._members[step]
            if step in self._step:
                self._bare.add(step)
            self._place_bare()
        self._draw_again([*members[:1], *members[-1:]])

    def redraw(self, row: HeldRow) -> None:
        """Draw a row anew."""
        self._draw(row)
        if row.value.get("kind") == "turn_tail":
            self.draw_end()

    def grew(self, change: Change) -> None:
        """Put text at the end of a block or of a call's progress."""
        assert change.row is not None
        part = self.rows[change.row.key]
        piece = part.blocks.get(change.block)
        if piece is None or _splits_line_end(change):
            if change.block is not None or self.look.phase == "expanded":
                self._draw(change.row)
            return
        piece.grow(change.text)
        part.seat.changed()

    def steps_changed(self, change: Change) -> None:
        """Follow the service's word on headers, bodies and footers."""
        if change.path != ("steps",) or change.splice is None:
            self._build()
            return
        at, removed, inserted = change.splice
        old = self._numbers[at : at + removed]
        self._read_steps(at, removed, inserted)
        new = self._numbers[at : at + inserted]
        for number in {*old, *new}:
            if number in self._step and number not in self._members:
                self._bare.add(number)
            elif number not in self._step:
                self._bare.discard(number)
        self._place_bare()
        if not self._bare.isdisjoint(new):
            self._draw_again([self._members[step][0] for step in self._leads])
        for number in {*old, *new}:
            members = self._members.get(number, [])
            self._draw_again([*members[:1], *members[-1:], f"step:{self.held.number}:{number}"])

    def _read_steps(self, at: int, removed: int, inserted: int | None) -> None:
        steps = (self.held.presentation or {}).get("steps") or []
        end = len(steps) if inserted is None else at + inserted
        for number in self._numbers[at : at + removed]:
            self._step.pop(number, None)
        self._numbers[at : at + removed] = [step["step"] for step in steps[at:end]]
        self._step.update((step["step"], step) for step in steps[at:end])

    def _is_model(self, row: HeldRow) -> bool:
        return row.value.get("kind") in _MODEL and row.value.get("step") is not None

    def _place_bare(self) -> None:
        """Find where the steps without any row stand; mostly there is none, or the newest alone."""
        trailing: list[int] = []
        for number in reversed(self._numbers):
            if number not in self._bare:
                break
            trailing.insert(0, number)
        leads: dict[int, list[int]] = {}
        if len(trailing) != len(self._bare):
            leads, trailing = self._spread_bare()
        touched = [step for step in {**leads, **self._leads} if leads.get(step) != self._leads.get(step)]
        before = self._ends_with
        self._leads, self._trailing = leads, trailing
        self._ends_with = self._error_at_end() if trailing else None
        self._draw_again([self._members[step][0] for step in touched if step in self._members])
        self._draw_again([key for key in (before, self._ends_with) if key is not None])
        self.draw_end()

    def _error_at_end(self) -> str | None:
        """The first error that stands below all work."""
        found = None
        for place in range(len(self.held.rows) - 1, -1, -1):
            row = self.held.rows[place]
            if self._is_model(row):
                break
            if row.value.get("kind") in _ERRORS:
                found = row.key
        return found

    def _trailing_pieces(self) -> list[Piece]:
        return [piece for number in self._trailing for piece in self._bare_pieces(number)]

    def _spread_bare(self) -> tuple[dict[int, list[int]], list[int]]:
        at = {number: place for place, number in enumerate(self._numbers)}
        first = {
            step: self.held.rows.place(keys[0]) or 0 for step, keys in self._members.items() if step in at
        }
        left = [number for number in self._numbers if number in self._bare]
        leads: dict[int, list[int]] = {}
        for step in sorted(first, key=lambda one: first[one]):
            before = [number for number in left if at[number] < at[step]]
            if before:
                leads[step] = before
                left = [number for number in left if number not in before]
        return leads, left

    def _draw_again(self, keys: list[str]) -> None:
        for key in dict.fromkeys(keys):
            row = self.held.rows.get(key)
            if row is not None and key in self.rows:
                self._draw(row)

    def _draw(self, row: HeldRow) -> None:
        part, value = self.rows[row.key], row.value
        pieces: list[Piece] = self._trailing_pieces() if row.key == self._ends_with else []
        step = self._step.get(value["step"]) if self._is_model(row) else None
        members = self._members.get(value["step"], []) if step is not None else []
        if step is not None and members and members[0] == row.key:
            for number in self._leads.get(value["step"], ()):
                pieces.extend(self._bare_pieces(number))
            pieces.extend(self._header(step))
        if value.get("kind") == "assistant_step":
            body = tuple((step or {}).get("body") or ())
            part.blocks = body_pieces(value, body, self.look)
            if part.blocks and self.look.phase == "hidden" and not (step or {}).get("header"):
                pieces.append(self.look.blank())
            pieces.extend(part.blocks.values())
            pieces.extend(step_notes(value, body, self.look))
        else:
            card = row_pieces(value, self.look)
            part.blocks = _growing(value, card)
            pieces.extend(card)
        if step is not None and members and members[-1] == row.key:
            footer = footer_piece(step, self.look)
            pieces.extend(() if footer is None else (footer,))
        part.seat.fill(pieces)

    def _header(self, step: Json) -> list[Piece]:
        if not step.get("header"):
            return []
        return [self.look.blank(), self.look.piece("name", self.look.words["assistant"], "")]

    def _bare_pieces(self, number: int) -> list[Piece]:
        """A step without any row: its header, where the phase gives it one, and its footer."""
        footer = footer_piece(self._step[number], self.look)
        return [*self._header(self._step[number]), *(() if footer is None else (footer,))]


def _growing(row: Json, card: list[Piece]) -> dict[int | None, Piece]:
    """The piece of a running call that its progress is put to."""
    if row.get("kind") != "tool_call" or row.get("output") is not None or not row.get("progress"):
        return {}
    found = [piece for piece in card if piece.role == "detail"]
    return {None: found[-1]} if found else {}


def _splits_line_end(change: Change) -> bool:
    """Whether a carriage return came before, as a sign of its own, and its newline comes now."""
    if not change.text.startswith("\n") or change.row is None:
        return False
    value = change.row.value
    whole = value.get("progress") if change.block is None else value["blocks"][change.block].get("text")
    return isinstance(whole, str) and whole.endswith("\r" + change.text)
