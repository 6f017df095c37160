"""Wire stage 2, what is held: a session's transcript by snapshots and ops, in memory that its readers only look at.

1. Every op gives one `Change`, which names the place by what is held there and by its number in the list, so that who
   draws follows with the same cost.
2. An op for a turn, row or call that is not held changes nothing: it stands before the window.
3. An op that cannot be applied raises `OutOfStepError`; what is held is then void, and a snapshot has to replace it.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec

from clients.wire.messages import Json, TurnValue
from clients.wire.order import Order

# What an item of a list in a presentation is named by.
_IDS = ("id", "group", "topology")
What = Literal["turn", "inserted", "replaced", "removed", "grew", "dropped", "presentation", "delegate"]


class OutOfStepError(Exception):
    """A frame does not follow from what is held: subscribe again, without a position."""


class HeldRow:
    """A row: `value` is JSON as it came; `delegate` the transcript below a call."""

    __slots__ = ("delegate", "value")

    def __init__(self, value: Json) -> None:
        self.value = value
        self.delegate: HeldTranscript | None = None
        nested = value.pop("delegate", None)
        if nested is not None:
            turns = msgspec.convert(nested.get("turns", ()), tuple[TurnValue, ...])
            self.delegate = HeldTranscript(turns, nested.get("session_rows", ()))

    @property
    def key(self) -> str:
        """The row's name for its whole life."""
        return str(self.value["key"])


class HeldTurn:
    """A turn: its facts (`status`, `outcome`, `waiting`, `queued`, times), its rows, its presentation."""

    __slots__ = ("facts", "number", "presentation", "rows")

    def __init__(self, number: int, facts: dict[str, Json]) -> None:
        self.number = number
        self.facts = facts
        self.rows: Order[str, HeldRow] = Order()
        self.presentation: Json = None


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What one op did.

    Attributes:
        what: `grew` is text at the end of a block (`block`) or of a call's progress (no `block`); `dropped` takes the
            turns from `place` on away; `delegate` gave a call its (still empty) transcript.
        within: the transcript that it happened in.
        turn: the turn, None for a row of no turn.
        row: the row, where it is one.
        place: the row's number in its list, the turn's among the turns; after it was inserted, before it was removed.
        path: where in the presentation; `splice` what happened there, None where it was set.
    """

    what: What
    within: "HeldTranscript"
    turn: HeldTurn | None = None
    row: HeldRow | None = None
    place: int = 0
    block: int | None = None
    text: str = ""
    path: tuple[str, ...] = ()
    splice: tuple[int, int, int] | None = None


class HeldTranscript:
    """A transcript: the session's own, or a delegate's."""

    def __init__(self, turns: tuple[TurnValue, ...] = (), session_rows: tuple[Json, ...] = ()) -> None:
        self.turns: Order[int, HeldTurn] = Order()
        self.loose: Order[str, HeldRow] = Order()
        self._homes: dict[str, Order[str, HeldRow]] = {}
        self.add_rows(self.loose, session_rows)
        for value in turns:
            self.add_turn(len(self.turns), value)

    def add_turn(self, place: int, value: TurnValue) -> None:
        """Take a turn in; what is cut into several parts comes again with the rest of its rows."""
        turn = self.turns.get(value.turn)
        if turn is None:
            turn = HeldTurn(value.turn, _facts_of(value))
            turn.presentation = value.presentation
            self.turns.insert(place, value.turn, turn)
        self.add_rows(turn.rows, value.rows)

    def add_rows(self, rows: Order[str, HeldRow], values: tuple[Json, ...], place: int | None = None) -> None:
        """Take rows in at a place, else at the end; those that are there already stay as they are."""
        for value in values:
            if value["key"] not in rows:
                at = len(rows) if place is None else place
                rows.insert(at, value["key"], HeldRow(value))
                self._homes[value["key"]] = rows
                place = None if place is None else place + 1

    def call(self, call_id: str) -> HeldRow | None:
        """Find the row of a call, wherever it stands in this transcript."""
        return self.row(f"tool:{call_id}")

    def row(self, key: str) -> HeldRow | None:
        """Find a row by its key, wherever it stands in this transcript."""
        home = self._homes.get(key)
        return None if home is None else home.get(key)

    def apply(self, op: Json) -> Iterator[Change]:
        """Apply one op; gives what it did.

        Raises:
            OutOfStepError: it cannot be applied.
        """
        apply = _APPLY.get(op.get("op"))
        if apply is None:
            raise OutOfStepError(f"unknown op {op.get('op')!r}")
        try:
            within: HeldTranscript = self
            for call_id in op.get("in", ()):
                row = within.call(call_id)
                if row is None:
                    return
                if row.delegate is None:
                    row.delegate = HeldTranscript()
                    yield Change(what="delegate", within=within, row=row, turn=within.turn_of(row))
                within = row.delegate
            yield from apply(within, op)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise OutOfStepError(f"op {op.get('op')!r} cannot be applied: {error!r}") from None

    def turn_of(self, row: HeldRow) -> HeldTurn | None:
        """Give the turn that a row stands in; None for one of no turn."""
        number = row.value.get("turn")
        return None if number is None else self.turns.get(number)

    def rows_of(self, number: int | None) -> tuple[HeldTurn | None, Order[str, HeldRow] | None]:
        """Give a turn and its rows; no rows where it is not held."""
        if number is None:
            return None, self.loose
        turn = self.turns.get(number)
        return turn, None if turn is None else turn.rows

    def forget(self, key: str) -> None:
        """Note that a row is gone."""
        self._homes.pop(key, None)

    def note(self, key: str, rows: Order[str, HeldRow]) -> None:
        """Note which list holds a row."""
        self._homes[key] = rows


def _facts_of(value: TurnValue) -> dict[str, Json]:
    names = ("status", "outcome", "waiting", "started_at_ms", "ended_at_ms", "queued")
    return {name: getattr(value, name) for name in names}


def _turn(held: HeldTranscript, op: Json) -> Iterator[Change]:
    facts = {name: value for name, value in op.items() if name not in ("op", "in", "turn")}
    turn = held.turns.get(op["turn"])
    if turn is None:
        place = len(held.turns)
        turn = HeldTurn(op["turn"], facts)
        held.turns.insert(place, op["turn"], turn)
    else:
        turn.facts = {**turn.facts, **facts}
        place = held.turns.place(op["turn"]) or 0
    yield Change(what="turn", within=held, turn=turn, place=place)


def _row(held: HeldTranscript, op: Json) -> Iterator[Change]:
    turn, rows = held.rows_of(op["turn"])
    if rows is None:
        return
    value = op["row"]
    key, delegate = value["key"], None
    place = rows.place(key)
    if place is not None:
        row = rows[place]
        if "before" not in op:
            new = HeldRow(value)
            row.value = new.value
            yield Change(what="replaced", within=held, turn=turn, row=row, place=place)
            if row.delegate is None and new.delegate is not None:
                row.delegate = new.delegate
                yield Change(what="delegate", within=held, turn=turn, row=row, place=place)
            return
        delegate = row.delegate
        yield Change(what="removed", within=held, turn=turn, row=row, place=rows.remove(key))
    row = HeldRow(value)
    row.delegate = delegate or row.delegate
    before = rows.place(op["before"]) if op.get("before") is not None else None
    at = len(rows) if before is None else before
    rows.insert(at, key, row)
    held.note(key, rows)
    yield Change(what="inserted", within=held, turn=turn, row=row, place=at)


def _find(held: HeldTranscript, op: Json) -> tuple[HeldTurn | None, HeldRow | None, int]:
    turn, rows = held.rows_of(op["turn"])
    place = None if rows is None else rows.place(op["key"])
    if rows is None or place is None:
        return turn, None, 0
    return turn, rows[place], place


def _append(held: HeldTranscript, op: Json) -> Iterator[Change]:
    turn, row, place = _find(held, op)
    if row is not None:
        row.value["blocks"][op["block"]]["text"] += op["text"]
        yield Change(
            what="grew", within=held, turn=turn, row=row, place=place, block=op["block"], text=op["text"]
        )


def _output(held: HeldTranscript, op: Json) -> Iterator[Change]:
    turn, row, place = _find(held, op)
    if row is not None:
        row.value["progress"] = (row.value.get("progress") or "") + op["text"]
        if "bytes" in op:
            row.value["bytes"] = op["bytes"]
        yield Change(what="grew", within=held, turn=turn, row=row, place=place, text=op["text"])


def _remove(held: HeldTranscript, op: Json) -> Iterator[Change]:
    turn, row, place = _find(held, op)
    _, rows = held.rows_of(op["turn"])
    if row is not None and rows is not None:
        rows.remove(op["key"])
        held.forget(op["key"])
        yield Change(what="removed", within=held, turn=turn, row=row, place=place)


def _drop(held: HeldTranscript, op: Json) -> Iterator[Change]:
    for turn in [turn for turn in held.turns if turn.number >= op["from"]]:
        place = held.turns.remove(turn.number)
        for row in turn.rows:
            held.forget(row.key)
        yield Change(what="dropped", within=held, turn=turn, place=place)


def _spec(_held: HeldTranscript, _op: Json) -> Iterator[Change]:
    """The terminal shows nothing of a spec: it is the web's."""
    return iter(())


def _presentation(held: HeldTranscript, op: Json) -> Iterator[Change]:
    turn = held.turns.get(op["turn"])
    if turn is None:
        return
    path = tuple(op["path"])
    splice = op.get("splice")
    if not path:
        turn.presentation = op["set"]
        yield Change(what="presentation", within=held, turn=turn)
        return
    holder: Json = turn.presentation
    for name in path[:-1]:
        holder = holder[_place_in(holder, name)]
    last = _place_in(holder, path[-1])
    if splice is None:
        holder[last] = op["set"]
        yield Change(what="presentation", within=held, turn=turn, path=path)
        return
    at, removed, inserted = splice["at"], splice["remove"], splice["insert"]
    holder[last][at : at + removed] = inserted
    yield Change(what="presentation", within=held, turn=turn, path=path, splice=(at, removed, len(inserted)))


def _place_in(holder: Json, name: str) -> Json:
    """A field by its name, an item of a list by the name that it bears."""
    if not isinstance(holder, list):
        return name
    for at, item in enumerate(holder):
        if name in (item.get(field) for field in _IDS):
            return at
    raise LookupError(name)


_APPLY = {
    "turn": _turn,
    "row": _row,
    "append": _append,
    "output": _output,
    "remove": _remove,
    "drop_turns": _drop,
    "spec": _spec,
    "presentation": _presentation,
}
