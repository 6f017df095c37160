"""The desktop view, nodes: what was told of a unit (an item, a group or a topology), and how it is told anew."""

from operator import itemgetter
from typing import Any

from msgspec import UNSET

from projections.desktop_parts import PartFacts, Sort
from projections.desktop_units import Part, Unit, by_sort
from projections.desktop_values import DesktopNode, Group, Item, Title, Topology
from projections.edits import Edit, Names, splice
from projections.labels import NAMED_ACTIONS, title_text
from projections.ordered import place_of
from projections.view import DesktopView

# The shape, and the ref or id that it is found by.
Name = tuple[str, str]


class Scene:
    """What a unit's state depends on besides the unit.

    Attributes:
        live: the unit that holds the last part of the active entry.
        is_open: whether the turn is.
    """

    __slots__ = ("is_open", "live", "view")

    def __init__(self, view: DesktopView, live: Unit | None, *, is_open: bool) -> None:
        self.view = view
        self.live = live
        self.is_open = is_open

    def opens(self, unit: Unit) -> bool:
        """Whether a group or topology is open by default (C-8): running work never closes by itself."""
        is_busy = unit is self.live or unit.running_count > 0
        recovers = unit.failed_count > 0 and self.is_open
        return is_busy or recovers or not self.view.collapse_groups


class Node:
    """What was told of a unit; `rows` are the items of a group or topology, by where they stand."""

    __slots__ = ("_head", "item", "key", "name", "rows")

    def __init__(self, unit: Unit, name: Name, scene: Scene) -> None:
        self.name = name
        self.key = unit.sort
        self.item: Item | None = None
        self.rows: list[tuple[Sort, Item]] = []
        self._head: dict[str, Any] = {}
        if name[0] == "item":
            self.item = _single(unit, scene)
        else:
            self._head = _head_of(unit, scene)
            self.rows = [(part.sort, item_of(part.facts)) for part in unit.visible]

    def value(self) -> DesktopNode:
        """Give the node as it stands on the wire."""
        shape, ident = self.name
        if self.item is not None:
            return self.item
        items = tuple(item for _, item in self.rows)
        if shape == "topology":
            return Topology(topology=ident, tasks=items, **self._head)
        return Group(group=ident, items=items, **self._head)

    def renew(self, unit: Unit, scene: Scene, path: Names) -> list[Edit]:
        """Bring a group or topology to the present; gives the edits below the list that `path` leads to."""
        shape, ident = self.name
        self.key = unit.sort
        rows_path = (*path, ident, "tasks" if shape == "topology" else "items")
        found = [edit for sort in sorted(unit.gone) for edit in self._take(sort, rows_path)]
        for part in sorted(unit.changed, key=by_sort):
            found.extend(self._put(part, rows_path))
        head = _head_of(unit, scene)
        differing = [name for name in head if head[name] != self._head[name]]
        found.extend(Edit(path=(*path, ident, name), set=head[name]) for name in differing)
        self._head = head
        return found

    def _find(self, sort: Sort) -> tuple[int, Item | None]:
        at = place_of(self.rows, sort, _row_sort)
        is_there = at < len(self.rows) and self.rows[at][0] == sort
        return at, self.rows[at][1] if is_there else None

    def _take(self, sort: Sort, path: Names) -> list[Edit]:
        at, told = self._find(sort)
        if told is None:
            return []
        del self.rows[at]
        return [splice(path, at, 1)]

    def _put(self, part: Part, path: Names) -> list[Edit]:
        if not part.facts.is_visible:
            return self._take(part.sort, path)
        at, told = self._find(part.sort)
        new = item_of(part.facts)
        if told is None:
            self.rows.insert(at, (part.sort, new))
            return [splice(path, at, 0, new)]
        if told == new:
            return []
        self.rows[at] = (part.sort, new)
        return [splice(path, at, 1, new)]

    def replace_item(self, unit: Unit, scene: Scene) -> bool:
        """Bring an item that stands by itself to the present; says whether it differs."""
        old, self.item, self.key = self.item, _single(unit, scene), unit.sort
        return self.item != old


def name_of(unit: Unit, answer: frozenset[Part]) -> Name | None:
    """Say in what shape a unit is shown (C-6): None where nothing of it is visible, or it is the answer."""
    if not unit.visible or unit.visible[0] in answer:
        return None
    if unit.kind == "tasks":
        return ("topology", unit.id)
    if unit.kind == "run" and len(unit.visible) > 1:
        return ("group", unit.id)
    return ("item", unit.visible[0].facts.ref)


def item_of(facts: PartFacts, group_id: str | None = None) -> Item:
    """Give a part as an item."""
    return Item(
        ref=facts.ref,
        kind=facts.kind,
        default_open=UNSET if facts.is_open is None else facts.is_open,
        streaming=facts.is_streaming or UNSET,
        indicator=facts.is_indicator or UNSET,
        failed=facts.is_failed or UNSET,
        group_id=UNSET if group_id is None else group_id,
    )


def _single(unit: Unit, scene: Scene) -> Item:
    holds = unit.kind == "run" and scene.view.mode != "flat"
    return item_of(unit.visible[0].facts, unit.id if holds else None)


def _head_of(unit: Unit, scene: Scene) -> dict[str, Any]:
    is_live = unit is scene.live
    if unit.kind == "tasks":
        return {"live": is_live, "default_open": scene.opens(unit)}
    return {
        "visible_count": len(unit.visible),
        "live": is_live,
        "failed": unit.failed_count > 0,
        "default_open": scene.opens(unit),
        "title": _title(unit, scene.view),
    }


def _title(unit: Unit, view: DesktopView) -> Title:
    actions = unit.actions
    named, more = actions[:NAMED_ACTIONS], len(actions) > NAMED_ACTIONS
    text = title_text(
        named,
        more=more,
        operations=unit.operation_count,
        segments=unit.thinking_count,
        items=len(unit.visible),
        locale=view.locale,
    )
    return Title(
        actions=named,
        more=more,
        operation_count=unit.operation_count,
        thinking_count=unit.thinking_count,
        text=text,
    )


_row_sort = itemgetter(0)
