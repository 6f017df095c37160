"""The desktop view, layout: a turn's rows as parts in entries, brought up to date row by row (`views.md` C-1, C-2)."""

from collections.abc import Iterable
from operator import attrgetter
from typing import TypeVar

from projections.building import Slot, TurnBuilder
from projections.desktop_entry import EntryParts
from projections.desktop_parts import (
    BOUNDARIES,
    PLAIN,
    PartFacts,
    Sort,
    is_canceled,
    own_sort,
    plain_part,
    search_part,
    tool_part,
)
from projections.desktop_steps import StepSeat, was_cut
from projections.desktop_units import Part, by_sort, kind_of
from projections.fold import Fold
from projections.ordered import itself, place_of, take_in
from projections.rows import CommandRow, SearchRow
from projections.view import DesktopView

_Key = TypeVar("_Key")
# Before every place of a row.
_FIRST: Sort = ((float("-inf"), 0, float("-inf")), 0, 0, 0, 0)


class Layout:
    """The entries of one turn.

    Attributes:
        entries: in transcript order; the first has no boundary row and may be empty.
        touched: entries in which something changed since they were last told.
        stopped: keys of own messages that were cut and own calls that were canceled (C-10).
    """

    def __init__(self, turn: TurnBuilder, view: DesktopView) -> None:
        first = EntryParts(view, _FIRST, f"turn:{turn.tag}", None)
        self.entries = [first]
        self.touched: dict[EntryParts, None] = {first: None}
        self.stopped: dict[str, None] = {}
        self._view = view
        self._parts: dict[str, tuple[Part, EntryParts]] = {}
        self._refs: dict[int, dict[str, None]] = {}  # of the blocks of a step
        self._bounds: dict[str, EntryParts] = {}
        self._pending: dict[str, tuple[EntryParts, Sort]] = {}
        self._steps: dict[int, StepSeat] = {}
        self._unsettled: dict[str, None] = {}  # rows that the turn's end settles
        self._unsettled_steps: dict[int, None] = {}
        self._streaming_steps: dict[int, None] = {}
        self._failed: dict[str, None] = {}
        self._is_open = True
        self._latest: int | None = None

    @property
    def last(self) -> EntryParts:
        """The entry that errors, stops and the turn's life belong to."""
        return self.entries[-1]

    @property
    def is_thinking(self) -> bool:
        """Whether the current step streams reasoning, in the last entry (C-10)."""
        seat = None if self._latest is None else self._steps.get(self._latest)
        if seat is None or not seat.streams:
            return False
        held = (self._parts[ref] for ref in self._refs[seat.number])
        return any(
            part.facts.kind == "thinking" and part.facts.is_streaming and entry is self.last
            for part, entry in held
        )

    def take(self, fold: Fold, turn: TurnBuilder, keys: Iterable[str], steps: Iterable[int]) -> None:
        """Bring the layout to the present.

        Args:
            keys: rows that changed by more than added text, or left.
            steps: numbers of the steps that something happened in.
        """
        due, due_steps = dict.fromkeys(keys), dict.fromkeys(steps)
        is_open, latest = turn.closing is None, turn.latest_step
        if is_open is not self._is_open:
            due.update(self._unsettled)
            due_steps.update(self._unsettled_steps)
            for ref in self._failed:
                part, entry = self._parts[ref]
                entry.touch_units([part.unit])
                self.touched[entry] = None
        if latest != self._latest:
            due_steps.update(self._streaming_steps)
        self._is_open, self._latest = is_open, latest
        before = self.last
        self._take_rows(fold, turn, due, due_steps)
        # What belongs to the whole turn is shown at its last entry.
        self.touched[before] = self.touched[self.last] = None

    def _take_rows(
        self, fold: Fold, turn: TurnBuilder, due: dict[str, None], due_steps: dict[int, None]
    ) -> None:
        rows: list[Slot] = []
        for key in due:
            slot = turn.slots.get(key)
            if slot is None:
                self._drop(key, due_steps)
            elif slot.kind in BOUNDARIES:
                self._bound(slot)
            elif slot.kind == "assistant_step" and slot.step is not None:
                due_steps[slot.step] = None
            else:
                rows.append(slot)
        for slot in rows:
            if slot.kind in ("tool_call", "search"):
                self._take_call(fold, turn, slot, due_steps)
            elif slot.kind in PLAIN:
                self._take_plain(turn, slot)
        for number in due_steps:
            self._take_step(fold, turn, number)

    def _take_call(self, fold: Fold, turn: TurnBuilder, slot: Slot, due_steps: dict[int, None]) -> None:
        if slot.step is None:
            self._put_call(fold, turn, slot, own_sort(slot))
            return
        seat = self._seat_of(slot.step)
        seat.rows[slot.key] = None
        if slot.step in due_steps:
            return
        sort = seat.sort_of(slot)
        if seat.streams and (seat.last is None or sort > seat.last):
            due_steps[slot.step] = None  # a later part of the step ends what streamed
            return
        seat.last = sort if seat.last is None else max(seat.last, sort)
        self._put_call(fold, turn, slot, sort)

    def _take_step(self, fold: Fold, turn: TurnBuilder, number: int) -> None:
        seat = self._seat_of(number)
        seat.look(turn)
        seat.rows = {key: None for key in seat.rows if key in turn.slots}
        sorts = list(seat.block_sorts())
        for key in seat.rows:
            sorts.append(sort := seat.sort_of(turn.slots[key]))
            self._put_call(fold, turn, turn.slots[key], sort)
        seat.last = max(sorts, default=None)
        facts = tuple(seat.parts(turn, self._view))
        refs = dict.fromkeys(one.ref for one in facts)
        for ref in self._refs.get(number, ()):
            if ref not in refs:
                self._take_out(ref)
        self._refs[number] = refs
        for one in facts:
            self._put(one)
        step = turn.steps.get(number)
        runs = step is not None and step.message is None and step.end_seq is None
        _mark(self._unsettled_steps, number, runs)
        _mark(self._streaming_steps, number, seat.streams)
        key = f"step:{turn.tag}:{number}"
        _mark(self.stopped, key, key in turn.slots and was_cut(turn, number))

    def _put_call(self, fold: Fold, turn: TurnBuilder, slot: Slot, sort: Sort) -> None:
        if isinstance(slot.row, SearchRow):
            self._put(search_part(turn, slot, sort))
            _mark(self._unsettled, slot.key, slot.row.status == "searching")
            return
        self._put(tool_part(fold, turn, slot, sort))
        _mark(self._unsettled, slot.key, turn.tools[slot.key.removeprefix("tool:")].result is None)
        _mark(self.stopped, slot.key, is_canceled(turn, slot))

    def _take_plain(self, turn: TurnBuilder, slot: Slot) -> None:
        is_waiting = slot.key in turn.pending
        runs = isinstance(slot.row, CommandRow) and slot.row.status == "running"
        _mark(self._unsettled, slot.key, is_waiting or runs)
        self._settle_pending(slot.key)
        if is_waiting and turn.closing is None:
            self._take_out(slot.key)
            sort = own_sort(slot)
            entry = self._entry_at(sort)
            take_in(entry.pending, (sort, slot.key), itself)
            self._pending[slot.key] = (entry, sort)
            self.touched[entry] = None
        else:
            self._put(plain_part(turn, slot))

    def _settle_pending(self, key: str) -> None:
        entry, sort = self._pending.pop(key, (None, None))
        if entry is not None and sort is not None:
            entry.pending.remove((sort, key))
            self.touched[entry] = None

    def _drop(self, key: str, due_steps: dict[int, None]) -> None:
        """A row left: a step's row and its blocks are looked at with its step."""
        self._unsettled.pop(key, None)
        self.stopped.pop(key, None)
        self._settle_pending(key)
        if key in self._bounds:
            self._unbound(key)
        elif key.startswith("step:"):
            due_steps[int(key.rpartition(":")[2])] = None
        else:
            self._take_out(key)

    # Parts

    def _put(self, facts: PartFacts) -> None:
        _mark(self._failed, facts.ref, facts.is_failed)
        held = self._parts.get(facts.ref)
        if held is not None:
            part, entry = held
            if part.facts == facts:
                return
            if _stays(part.facts, facts, self._view):
                entry.renew(part, facts)
                self.touched[entry] = None
                return
            entry.remove(part)
            self.touched[entry] = None
        entry = self._entry_at(facts.sort)
        self._parts[facts.ref] = (entry.insert(facts), entry)
        self.touched[entry] = None

    def _take_out(self, ref: str) -> None:
        held = self._parts.pop(ref, None)
        self._failed.pop(ref, None)
        if held is not None:
            part, entry = held
            entry.remove(part)
            self.touched[entry] = None

    def _seat_of(self, number: int) -> StepSeat:
        seat = self._steps.get(number)
        if seat is None:
            seat = self._steps[number] = StepSeat(number)
        return seat

    # Entries

    def _entry_at(self, sort: Sort) -> EntryParts:
        return self.entries[place_of(self.entries, sort, _key) - 1]

    def _bound(self, slot: Slot) -> None:
        """A boundary row opens an entry; what stands behind the row belongs to it (C-1)."""
        sort = own_sort(slot)
        held = self._bounds.get(slot.key)
        if held is not None and held.key == sort:
            return
        if held is not None:
            self._unbound(slot.key)
        above = self._entry_at(sort)
        entry = EntryParts(self._view, sort, slot.key, slot.key)
        take_in(self.entries, entry, _key)
        self._bounds[slot.key] = entry
        self._move(above, entry)

    def _unbound(self, key: str) -> None:
        entry = self._bounds.pop(key)
        at = place_of(self.entries, entry.key, _key)
        del self.entries[at]
        self._move(entry, self.entries[at - 1])

    def _move(self, source: EntryParts, target: EntryParts) -> None:
        """Move what stands behind the target's boundary row."""
        self.touched[source] = self.touched[target] = None
        at = place_of(source.parts, target.key, by_sort)
        for part in source.parts[at:]:
            source.remove(part)
            self._parts[part.facts.ref] = (target.insert(part.facts), target)
        for sort, key in [one for one in source.pending if one[0] > target.key]:
            source.pending.remove((sort, key))
            take_in(target.pending, (sort, key), itself)
            self._pending[key] = (target, sort)


def _stays(old: PartFacts, new: PartFacts, view: DesktopView) -> bool:
    """Whether a part keeps its seat."""
    same_kind = kind_of(old, view) == kind_of(new, view) and old.is_plain == new.is_plain
    return same_kind and (old.sort, old.since) == (new.sort, new.since)


def _mark(marked: dict[_Key, None], key: _Key, is_so: bool) -> None:
    if is_so:
        marked[key] = None
    else:
        marked.pop(key, None)


_key = attrgetter("key")
