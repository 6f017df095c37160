"""Stage 5, the desktop view: a turn as entries with one process disclosure each (`views.md` C; S000).

1. The facts of each row are kept beside the row, the sums of each group beside the group: a change is taken in and
   told at the cost of what changed, not of what stands in the turn.
2. All modes and preferences are made from the same facts by the same code; another view is another layout.
3. A layout that was brought up to date equals one that was made afresh (W-1): the only way to make one is to take
   rows in.
"""

from operator import attrgetter

from msgspec import Struct

from projections.building import TurnBuilder
from projections.desktop_entry import EntryParts
from projections.desktop_header import header_of
from projections.desktop_layout import Layout
from projections.desktop_nodes import Scene
from projections.desktop_values import DesktopPresentation, Disclosure, Entry, Header
from projections.edits import Edit, Names, splice
from projections.fold import Fold
from projections.ordered import place_of
from projections.slices import Slices, portions
from projections.view import DesktopView

_ENTRIES = ("entries",)


def desktop_telling(fold: Fold, turn: TurnBuilder, view: DesktopView) -> Slices["DesktopTelling"]:
    """Begin to tell a turn, in slices: row after row is taken in as if it had just come (rule 3)."""
    telling = DesktopTelling(turn, view)
    seen: set[int] = set()
    for rows in portions(tuple(turn.rows)):
        steps = {slot.step: None for slot in rows if slot.step is not None and slot.step in turn.steps}
        seen.update(steps)
        telling.edits(fold, turn, tuple(slot.key for slot in rows), tuple(steps))
        yield
    for bare in portions([number for number in turn.steps if number not in seen]):
        telling.edits(fold, turn, (), bare)
        yield
    telling.edits(fold, turn, (), ())
    return telling


class _Frame(Struct, frozen=True, kw_only=True):
    """What was told of an entry besides its items; without a header there is no disclosure."""

    active: bool
    header: Header | None
    default_open: bool
    answer: tuple[str, ...]
    outside: tuple[str, ...]


class DesktopTelling:
    """A turn's desktop presentation as it was last told, and the edits that bring it to the present."""

    def __init__(self, turn: TurnBuilder, view: DesktopView) -> None:
        """Make one that has told nothing yet."""
        self._view = view
        self._layout = Layout(turn, view)
        self._shown: list[EntryParts] = []
        self._frames: dict[EntryParts, _Frame] = {}

    @property
    def told(self) -> DesktopPresentation:
        """What the readers hold."""
        return DesktopPresentation(entries=tuple(self._value(entry) for entry in self._shown))

    def edits(
        self, fold: Fold, turn: TurnBuilder, keys: tuple[str, ...], steps: tuple[int, ...]
    ) -> list[Edit]:
        """Bring what was told to the present.

        Args:
            keys: rows that changed by more than added text, or left.
            steps: numbers of the steps that something happened in.
        """
        layout = self._layout
        layout.take(fold, turn, keys, steps)
        touched, layout.touched = sorted(layout.touched, key=_key), {}
        wanted = {entry for entry in touched if self._is_wanted(turn, entry)}
        found = [self._take_out(entry) for entry in touched if entry in self._frames and entry not in wanted]
        for entry in touched:
            if entry in wanted and entry in self._frames:
                found.extend(self._renew(turn, entry))
        found.extend(
            self._put_in(turn, entry) for entry in touched if entry in wanted and entry not in self._frames
        )
        return found

    def _is_wanted(self, turn: TurnBuilder, entry: EntryParts) -> bool:
        """An entry is shown where something stands in it, or a row opens it, or it is the only place for an error."""
        at = place_of(self._layout.entries, entry.key, _key)
        if at == len(self._layout.entries) or self._layout.entries[at] is not entry:
            return False
        return entry.boundary is not None or not entry.is_empty or bool(self._outside(turn, entry))

    def _take_out(self, entry: EntryParts) -> Edit:
        at = place_of(self._shown, entry.key, _key)
        del self._shown[at]
        del self._frames[entry]
        return splice(_ENTRIES, at, 1)

    def _put_in(self, turn: TurnBuilder, entry: EntryParts) -> Edit:
        self._tell_items(turn, entry, ())
        self._frames[entry] = self._frame(turn, entry)
        at = place_of(self._shown, entry.key, _key)
        self._shown.insert(at, entry)
        return splice(_ENTRIES, at, 0, self._value(entry))

    def _renew(self, turn: TurnBuilder, entry: EntryParts) -> list[Edit]:
        path = (*_ENTRIES, entry.id)
        items = self._tell_items(turn, entry, (*path, "disclosure", "items"))
        old, new = self._frames[entry], self._frame(turn, entry)
        self._frames[entry] = new
        found = []
        if old.header is None or new.header is None:
            if old.header is not new.header:
                found.append(Edit(path=(*path, "disclosure"), set=self._disclosure(entry)))
        else:
            found.extend(items)
            if new.header != old.header:
                found.append(Edit(path=(*path, "disclosure", "header"), set=new.header))
            if new.default_open != old.default_open:
                found.append(Edit(path=(*path, "disclosure", "default_open"), set=new.default_open))
        fields = [
            name for name in ("active", "answer", "outside") if getattr(new, name) != getattr(old, name)
        ]
        return [*found, *(Edit(path=(*path, name), set=getattr(new, name)) for name in fields)]

    def _tell_items(self, turn: TurnBuilder, entry: EntryParts, path: Names) -> list[Edit]:
        entry.settle_answer()
        live = entry.live_unit if self._is_active(turn, entry) else None
        if live is not entry.live:
            entry.touch_units([unit for unit in (live, entry.live) if unit is not None])
            entry.live = live
        return entry.tell(Scene(self._view, live, is_open=turn.closing is None), path)

    # Values

    def _is_active(self, turn: TurnBuilder, entry: EntryParts) -> bool:
        return turn.closing is None and entry is self._layout.last

    def _frame(self, turn: TurnBuilder, entry: EntryParts) -> _Frame:
        is_active = self._is_active(turn, entry)
        return _Frame(
            active=is_active,
            header=header_of(turn, self._layout, entry, self._view) if entry.nodes else None,
            default_open=is_active or entry.running_count > 0,
            answer=entry.answer,
            outside=self._outside(turn, entry),
        )

    def _outside(self, turn: TurnBuilder, entry: EntryParts) -> tuple[str, ...]:
        """Errors first, then what waits for the reader here, then what is still to be sent (C-3)."""
        waiting = tuple(key for _, key in entry.pending)
        if entry is not self._layout.last:
            return waiting
        ends = (f"error:{turn.tag}", f"max_tokens:{turn.tag}")
        errors = tuple(key for key in ends if key in turn.slots)
        return errors + waiting + tuple(f"steering:{one}" for one in turn.queued)

    def _disclosure(self, entry: EntryParts) -> Disclosure | None:
        frame = self._frames[entry]
        if frame.header is None:
            return None
        items = tuple(node.value() for node in entry.nodes)
        return Disclosure(header=frame.header, default_open=frame.default_open, items=items)

    def _value(self, entry: EntryParts) -> Entry:
        frame = self._frames[entry]
        return Entry(
            id=entry.id,
            active=frame.active,
            disclosure=self._disclosure(entry),
            answer=frame.answer,
            outside=frame.outside,
            boundary=entry.boundary,
        )


_key = attrgetter("key")
