"""The desktop view, entries: the parts between two boundary rows, as units, with what was told of them (C-1 to C-9).

An entry keeps what it told as nodes, in order. To tell changes, stale nodes are taken out, surviving ones are changed
where they stand, new ones are put in: each found by its sort key, so that the cost follows the change.
"""

from operator import attrgetter

from projections.desktop_nodes import Node, Scene, name_of
from projections.desktop_parts import PartFacts, Sort
from projections.desktop_units import JOINING, Part, Unit, by_sort, kind_of
from projections.edits import Edit, Names, splice
from projections.ordered import itself, let_go, place_of, take_in
from projections.view import DesktopView


class EntryParts:
    """An entry's parts and units, and the nodes that were told of them.

    Attributes:
        key: the sort key of the boundary row; what stands before the first one has the smallest.
        pending: (sort key, ref) of what waits for the reader here.
        span_starts, span_ends: times of all parts, sorted.
        live: the unit that was told as live.
    """

    __slots__ = (
        "_answer",
        "_node_of",
        "_solid",
        "_touched",
        "_view",
        "boundary",
        "counted",
        "id",
        "key",
        "live",
        "nodes",
        "parts",
        "pending",
        "running_count",
        "span_ends",
        "span_starts",
    )

    def __init__(self, view: DesktopView, key: Sort, entry_id: str, boundary: str | None) -> None:
        self.key = key
        self.id = entry_id
        self.boundary = boundary
        self.parts: list[Part] = []
        self.pending: list[tuple[Sort, str]] = []
        self.span_starts: list[int] = []
        self.span_ends: list[int] = []
        self.counted = self.running_count = 0
        self.nodes: list[Node] = []
        self.live: Unit | None = None
        self._view = view
        self._solid: list[Part] = []  # the parts that take the answer, or are it
        self._answer: tuple[Part, ...] = ()
        self._node_of: dict[Unit, Node] = {}
        self._touched: dict[Unit, None] = {}

    @property
    def is_empty(self) -> bool:
        """Whether nothing stands in it."""
        return not self.parts and not self.pending

    # Parts

    def insert(self, facts: PartFacts) -> Part:
        """Seat a new part, in the unit that it joins, or in one of its own."""
        kind = kind_of(facts, self._view)
        at = place_of(self.parts, facts.sort, by_sort)
        before = self.parts[at - 1].unit if at > 0 else None
        after = self.parts[at].unit if at < len(self.parts) else None
        joins = kind in JOINING
        if joins and before is not None and before.kind == kind:
            unit = before
        elif joins and after is not None and after.kind == kind:
            unit = after
        else:
            if before is not None and before is after:
                self._touch(before.cut(facts.sort))
                self._touch(before)
            unit = Unit(kind)
        part = Part(facts, unit)
        unit.add(part)
        self._touch(unit)
        self.parts.insert(at, part)
        if not facts.is_plain:
            take_in(self._solid, part, by_sort)
        self._sum(facts, 1)
        return part

    def remove(self, part: Part) -> None:
        """Take a part away; what stood on both sides of it may join."""
        unit = part.unit
        at = place_of(self.parts, part.sort, by_sort)
        del self.parts[at]
        if not part.facts.is_plain:
            let_go(self._solid, part.sort, by_sort)
        self._sum(part.facts, -1)
        unit.remove(part)
        self._touch(unit)
        if unit.parts or not 0 < at < len(self.parts):
            return
        before, after = self.parts[at - 1].unit, self.parts[at].unit
        if before is not after and before.kind == after.kind and before.kind in JOINING:
            keeps, goes = (before, after) if len(before.parts) >= len(after.parts) else (after, before)
            keeps.absorb(goes)
            self._touch(keeps)
            self._touch(goes)

    def renew(self, part: Part, facts: PartFacts) -> None:
        """Give a part other facts; its place and the kind of its unit are the same."""
        self._sum(part.facts, -1)
        part.unit.renew(part, facts)
        self._sum(facts, 1)
        self._touch(part.unit)

    def touch_units(self, units: list[Unit]) -> None:
        """Note units whose state is to be looked at again."""
        for unit in units:
            self._touch(unit)

    def _touch(self, unit: Unit) -> None:
        self._touched[unit] = None

    def _sum(self, facts: PartFacts, by: int) -> None:
        self.counted += by * facts.is_counted
        self.running_count += by * facts.is_running
        for times, ms in ((self.span_starts, facts.span.start_ms), (self.span_ends, facts.span.end_ms)):
            if ms is not None and by > 0:
                take_in(times, ms, itself)
            elif ms is not None:
                let_go(times, ms, itself)

    # Answer and life

    def settle_answer(self) -> None:
        """Find the answer: the trailing run of messages of one step; plain rows behind it do not take it (C-3)."""
        answer: list[Part] = []
        for part in reversed(self._solid):
            if part.facts.kind != "message" or (answer and part.facts.step != answer[0].facts.step):
                break
            answer.append(part)
        answer.reverse()
        found = tuple(answer)
        if found != self._answer:
            for part in (*self._answer, *found):
                part.unit.changed[part] = None
                self._touch(part.unit)
            self._answer = found

    @property
    def answer(self) -> tuple[str, ...]:
        """The refs of the answer's blocks."""
        return tuple(part.facts.ref for part in self._answer)

    @property
    def live_unit(self) -> Unit | None:
        """The unit that would be live were the entry active: the last part's, unless the answer is there (C-9)."""
        if self._answer or not self.parts or self.parts[-1].unit.kind not in JOINING:
            return None
        return self.parts[-1].unit

    # Telling

    def tell(self, scene: Scene, path: Names) -> list[Edit]:
        """Bring the nodes to the present; gives the edits of the list of items that `path` leads to."""
        touched, self._touched = self._touched, {}
        answer = frozenset(self._answer)
        stale: list[Node] = []
        fresh: list[Node] = []
        lasting: list[Unit] = []
        for unit in touched:
            name, old = name_of(unit, answer), self._node_of.get(unit)
            if old is not None and old.name == name:
                lasting.append(unit)
                continue
            if old is not None:
                stale.append(self._node_of.pop(unit))
            if name is not None:
                fresh.append(Node(unit, name, scene))
                self._node_of[unit] = fresh[-1]
        edits = self._take_out(stale, path)
        # Places are looked up before any key changes; then every node that stays is at its unit's present place,
        # before a new one is put in between.
        places = [(unit, self._index(self._node_of[unit])) for unit in lasting]
        for unit, at in places:
            edits.extend(self._renew(unit, at, scene, path))
        edits.extend(self._put_in(fresh, path))
        for unit in touched:
            unit.changed, unit.gone = {}, []
        return edits

    def _index(self, node: Node) -> int:
        return place_of(self.nodes, node.key, _key)

    def _take_out(self, stale: list[Node], path: Names) -> list[Edit]:
        found = []
        for node in sorted(stale, key=_key):
            at = self._index(node)
            del self.nodes[at]
            found.append(splice(path, at, 1))
        return found

    def _renew(self, unit: Unit, at: int, scene: Scene, path: Names) -> list[Edit]:
        node = self.nodes[at]
        if node.item is None:
            return node.renew(unit, scene, path)
        return [splice(path, at, 1, node.item)] if node.replace_item(unit, scene) else []

    def _put_in(self, fresh: list[Node], path: Names) -> list[Edit]:
        found = []
        for node in sorted(fresh, key=_key):
            at = self._index(node)
            self.nodes.insert(at, node)
            found.append(splice(path, at, 0, node.value()))
        return found


_key = attrgetter("key")
