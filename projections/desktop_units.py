"""The desktop view, units: parts that stand together, with the sums that a group's title and state need (C-5 to C-8).

A unit is one message, one row by itself, a run of activity, or a run of tasks. It keeps counts, so that a change of
one part costs the same in a unit of two and of ten thousand; only when the very part is taken away that a unit is
named by, or an action was first seen at, the unit is walked.
"""

from operator import attrgetter
from typing import Literal

from projections.desktop_parts import PartFacts, Sort
from projections.ordered import itself, let_go, place_of, take_in
from projections.rows import Anchor
from projections.view import DesktopView

UnitKind = Literal["message", "lone", "run", "tasks"]
by_sort = attrgetter("sort")
JOINING: frozenset[UnitKind] = frozenset({"run", "tasks"})


class Part:
    """One part in its seat: the facts change, the seat is where it is."""

    __slots__ = ("facts", "sort", "unit")

    def __init__(self, facts: PartFacts, unit: "Unit") -> None:
        self.facts = facts
        self.sort = facts.sort
        self.unit = unit


def kind_of(facts: PartFacts, view: DesktopView) -> UnitKind:
    """Say in what kind of unit a part stands in a display mode (C-5)."""
    if facts.kind == "message":
        return "message"
    if facts.kind == "task":
        return "tasks"
    is_command = facts.kind == "command" and not facts.is_plain
    if view.mode == "flat" or (view.mode == "command-first" and is_command):
        return "lone"
    return "run"


class Unit:
    """Neighbouring parts of one kind.

    Attributes:
        visible: the parts that are shown under the present thinking preference.
        changed: parts to be told anew.
        gone: where parts stood that were told and left.
    """

    __slots__ = (
        "_actions",
        "_first",
        "changed",
        "failed_count",
        "gone",
        "kind",
        "operation_count",
        "parts",
        "running_count",
        "thinking_count",
        "visible",
    )

    def __init__(self, kind: UnitKind) -> None:
        self.kind: UnitKind = kind
        self.parts: list[Part] = []
        self.changed: dict[Part, None] = {}
        self.gone: list[Sort] = []
        self.visible: list[Part] = []
        self.running_count = self.failed_count = 0
        self.operation_count = self.thinking_count = 0
        self._first: tuple[Anchor, Sort, str] | None = None
        self._actions: dict[str, list[Sort]] = {}  # by action: where it was seen, sorted

    @property
    def id(self) -> str:
        """The name of a group or topology: its first member's, hidden ones included (C-1)."""
        if self._first is None:
            self._first = min((_age(part.facts) for part in self.parts), default=None)
        ref = self._first[2] if self._first is not None else ""
        return f"{'tasks' if self.kind == 'tasks' else 'group'}:{ref}"

    @property
    def sort(self) -> Sort:
        """Where it stands among the units: where its first part does."""
        return self.parts[0].sort

    @property
    def actions(self) -> tuple[str, ...]:
        """The distinct actions of the visible parts, in order of first appearance (C-13)."""
        return tuple(sorted(self._actions, key=lambda action: self._actions[action][0]))

    def add(self, part: Part) -> None:
        """Take a part in."""
        part.unit = self
        self.changed[part] = None
        take_in(self.parts, part, by_sort)
        self._count(part, 1)
        if self._first is not None:
            self._first = min(self._first, _age(part.facts))

    def remove(self, part: Part) -> None:
        """Let a part go."""
        let_go(self.parts, part.sort, by_sort)
        self.changed.pop(part, None)
        self.gone.append(part.sort)
        self._count(part, -1)
        if self._first is not None and self._first[2] == part.facts.ref:
            self._first = None

    def renew(self, part: Part, facts: PartFacts) -> None:
        """Give a part other facts, at the same place."""
        self._count(part, -1)
        part.facts = facts
        self._count(part, 1)
        self.changed[part] = None

    def _count(self, part: Part, by: int) -> None:
        facts = part.facts
        self.running_count += by * facts.is_running
        self.failed_count += by * facts.is_failed
        if not facts.is_visible:
            return
        if by > 0:
            take_in(self.visible, part, by_sort)
        else:
            let_go(self.visible, part.sort, by_sort)
        self.operation_count += by * facts.is_counted
        self.thinking_count += by * (facts.kind == "thinking")
        if facts.action is not None:
            self._note_action(facts.action, facts.sort, by)

    def _note_action(self, action: str, sort: Sort, by: int) -> None:
        seen = self._actions.setdefault(action, [])
        if by > 0:
            take_in(seen, sort, itself)
        else:
            let_go(seen, sort, itself)
            if not seen:
                del self._actions[action]

    def cut(self, sort: Sort) -> "Unit":
        """Split before `sort`; gives a new unit of the shorter half, this one keeps the other."""
        at = place_of(self.parts, sort, by_sort)
        moved = self.parts[at:] if len(self.parts) - at <= at else self.parts[:at]
        other = Unit(self.kind)
        for part in moved:
            self.remove(part)
            other.add(part)
        return other

    def absorb(self, other: "Unit") -> None:
        """Take all parts of a neighbour in."""
        for part in list(other.parts):
            other.remove(part)
            self.add(part)


def _age(facts: PartFacts) -> tuple[Anchor, Sort, str]:
    return (facts.since, facts.sort, facts.ref)
