"""Searching, the way to a hit: what has to be opened to see a row in a view, and what hides it all the same (C-16).

1. Only ancestors are opened: the disclosure that holds the row, and its group. Neither the row's own detail nor any
   neighbour is.
2. A preference is never overruled: what it hides is named in `hidden_by`, and stays hidden until the reader changes it.
"""

from collections.abc import Callable
from typing import Literal, assert_never

from msgspec import Struct, structs

from projections.building import TurnBuilder
from projections.desktop import present_desktop
from projections.desktop_values import DesktopNode, DesktopPresentation, Group, Item, Topology
from projections.fold import Fold
from projections.search_texts import Text
from projections.tui import TOOL_CARDS, present_tui
from projections.view import DesktopView, TuiView, View, WebView
from projections.web import present_web

Hiding = Literal["show_thinking", "phase", "reasoning", "view"]


class Opening(Struct, frozen=True, kw_only=True, rename={"inside": "in"}):
    """One thing to open: `id` is a control's or call's row, an entry, a group or a topology of the turn, in the
    transcript that `in` leads to.
    """

    turn: int | None
    id: str
    inside: tuple[str, ...] = ()


class Way(Struct, frozen=True, kw_only=True):
    """What to open, outermost first, and what hides the text even then."""

    openings: tuple[Opening, ...]
    hidden_by: tuple[Hiding, ...]


_Found = tuple[tuple[str, ...], tuple[Hiding, ...]]
_Sight = Callable[[Text], _Found]
_SEEN: _Found = ((), ())


class Ways:
    """The ways to the texts of a session in one view; what a turn shows is worked out once for all of its texts."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._sights: dict[tuple[tuple[str, ...], int, int], _Sight] = {}

    def to(self, fold: Fold, turn: TurnBuilder, text: Text) -> Way:
        """Find the way to a text of a turn."""
        openings: tuple[Opening, ...] = ()
        hidden_by: tuple[Hiding, ...] = ()
        if fold.parent is not None:
            above, its_turn = fold.parent
            call = f"tool:{fold.path[-1]}"
            outer = self.to(above, its_turn, Text(key=call, ref=call, field="name", text=""))
            openings = (*outer.openings, Opening(turn=its_turn.number, id=call, inside=above.path))
            hidden_by = outer.hidden_by
        ids, hiding = self._sight(fold, turn)(text)
        found = (Opening(turn=turn.number, id=one, inside=fold.path) for one in ids)
        return Way(openings=(*openings, *found), hidden_by=tuple(dict.fromkeys((*hidden_by, *hiding))))

    def _sight(self, fold: Fold, turn: TurnBuilder) -> _Sight:
        name = (fold.path, turn.ordinal, turn.rev)
        if name not in self._sights:
            self._sights[name] = _sight_of(fold, turn, self._view)
        return self._sights[name]


def _sight_of(fold: Fold, turn: TurnBuilder, view: View) -> _Sight:
    if turn.number is None:
        return _outside_turns(view)
    match view:
        case WebView():
            return _web(turn, view)
        case DesktopView():
            return _desktop(fold, turn, view)
        case TuiView():
            return _tui(turn, view)
        case _ as never:
            assert_never(never)


def _outside_turns(view: View) -> _Sight:
    """Rows of no turn are shown as they are, but for prompts, which are not part of the desktop's view (C-2)."""
    is_desktop = isinstance(view, DesktopView)
    return lambda text: ((), ("view",)) if is_desktop and text.key.startswith("prompt:") else _SEEN


def _web(turn: TurnBuilder, view: WebView) -> _Sight:
    shown = present_web(turn, view)
    if shown is None or not shown.foldable:
        return lambda _: _SEEN
    members, control = frozenset(shown.members), (f"process:{turn.tag}",)
    reasoner = shown.answer if shown.reasoning_hidden_when_closed else None

    def sight(text: Text) -> _Found:
        behind = text.key in members or (text.key == reasoner and text.field == "reasoning")
        return (control, ()) if behind else _SEEN

    return sight


def _desktop(fold: Fold, turn: TurnBuilder, view: DesktopView) -> _Sight:
    ids, words = _ids(present_desktop(fold, turn, view))
    thinking: dict[str, tuple[str, ...]] = {}
    if not view.thinking:
        thinking, _ = _ids(present_desktop(fold, turn, structs.replace(view, thinking=True)))

    def sight(text: Text) -> _Found:
        for ref in (text.ref, text.key):
            if ref in ids:
                return ids[ref], ("show_thinking",) if ref in words else ()
            if ref in thinking:
                return thinking[ref], ("show_thinking",)
        return (), ("view",)

    return sight


def _ids(shown: DesktopPresentation) -> tuple[dict[str, tuple[str, ...]], set[str]]:
    """What to open for each ref, and the refs in whose place only a word stands (C-7)."""
    found: dict[str, tuple[str, ...]] = {}
    words: set[str] = set()
    for entry in shown.entries:
        for ref in (*entry.answer, *entry.outside, *((entry.boundary,) if entry.boundary else ())):
            found[ref] = ()
        for node in entry.disclosure.items if entry.disclosure is not None else ():
            items, ids = _listed(node, entry.id)
            for item in items:
                found[item.ref] = ids
                if item.indicator is True:
                    words.add(item.ref)
    return found, words


def _listed(node: DesktopNode, entry: str) -> tuple[tuple[Item, ...], tuple[str, ...]]:
    if isinstance(node, Group):
        return node.items, (entry, node.group)
    if isinstance(node, Topology):
        return node.tasks, (entry, node.topology)
    assert isinstance(node, Item)
    return (node,), (entry,)


def _tui(turn: TurnBuilder, view: TuiView) -> _Sight:
    bodies = {f"step:{turn.tag}:{one.step}": one.body for one in present_tui(turn, view).steps}

    def sight(text: Text) -> _Found:
        if text.field == "reasoning" and not view.reasoning:
            return (), ("reasoning",)
        body = bodies.get(text.key)
        if body is not None:
            cut = text.field in ("reasoning", "text") and text.field not in body
        else:
            slot = turn.slots.get(text.key)
            cut = view.phase == "hidden" and slot is not None and slot.kind in TOOL_CARDS
        return ((), ("phase",)) if cut else _SEEN

    return sight
