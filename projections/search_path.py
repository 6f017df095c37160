"""Searching, the way to a hit: what has to be opened to see a row in a view, and what hides it all the same (C-16).

1. Only ancestors are opened: the disclosure that holds the row, and its group. Neither the row's own detail nor any
   neighbour is.
2. A preference is never overruled: what it hides is named in `hidden_by`, and stays hidden until the reader changes it.
3. What a great turn shows is worked out in slices, and at once where the turn moved meanwhile. It is worked out again
   only for a row that changed since: a way is that of a moment, as whatever a client is told.
"""

from collections.abc import Callable
from typing import Literal, assert_never

from msgspec import Struct, structs

from projections.building import TurnBuilder
from projections.desktop import desktop_telling
from projections.desktop_values import DesktopNode, Group, Item, Topology
from projections.fold import Fold
from projections.search_texts import Text
from projections.slices import Slices, finished, portions
from projections.tui import TOOL_CARDS, tui_telling
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
        # Each with the `rev` of its turn that it is of.
        self._sights: dict[tuple[Fold, int], tuple[int, _Sight]] = {}

    def to(self, fold: Fold, turn: TurnBuilder, text: Text) -> Slices[Way]:
        """Find the way to a text of a turn."""
        openings: tuple[Opening, ...] = ()
        hidden_by: tuple[Hiding, ...] = ()
        if fold.parent is not None:
            above, its_turn = fold.parent
            call = f"tool:{fold.path[-1]}"
            outer = yield from self.to(above, its_turn, Text(key=call, ref=call, field="name", text=""))
            openings = (*outer.openings, Opening(turn=its_turn.number, id=call, inside=above.path))
            hidden_by = outer.hidden_by
        sight = yield from self._sight(fold, turn, text.key)
        ids, hiding = sight(text)
        found = (Opening(turn=turn.number, id=one, inside=fold.path) for one in ids)
        return Way(openings=(*openings, *found), hidden_by=tuple(dict.fromkeys((*hidden_by, *hiding))))

    def _sight(self, fold: Fold, turn: TurnBuilder, key: str) -> Slices[_Sight]:
        made = self._sights.get((fold, turn.ordinal))
        slot = turn.slots.get(key)
        if made is not None and (slot is None or slot.rev <= made[0]):
            return made[1]
        rev = turn.rev
        sight = yield from _sight_of(fold, turn, self._view)
        if turn.rev != rev:
            sight = finished(_sight_of(fold, turn, self._view))
        self._sights[fold, turn.ordinal] = turn.rev, sight
        return sight


def _sight_of(fold: Fold, turn: TurnBuilder, view: View) -> Slices[_Sight]:
    if turn.number is None:
        return _outside_turns(view)
    match view:
        case WebView():
            return _web(turn, view)
        case DesktopView():
            return (yield from _desktop(fold, turn, view))
        case TuiView():
            return (yield from _tui(turn, view))
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


def _desktop(fold: Fold, turn: TurnBuilder, view: DesktopView) -> Slices[_Sight]:
    ids, words = yield from _ids(fold, turn, view)
    thinking: dict[str, tuple[str, ...]] = {}
    if not view.thinking:
        thinking, _ = yield from _ids(fold, turn, structs.replace(view, thinking=True))

    def sight(text: Text) -> _Found:
        for ref in (text.ref, text.key):
            if ref in ids:
                return ids[ref], ("show_thinking",) if ref in words else ()
            if ref in thinking:
                return thinking[ref], ("show_thinking",)
        return (), ("view",)

    return sight


def _ids(
    fold: Fold, turn: TurnBuilder, view: DesktopView
) -> Slices[tuple[dict[str, tuple[str, ...]], set[str]]]:
    """What to open for each ref, and the refs in whose place only a word stands (C-7)."""
    found: dict[str, tuple[str, ...]] = {}
    words: set[str] = set()
    telling = yield from desktop_telling(fold, turn, view)
    for entry in telling.told.entries:
        for ref in (*entry.answer, *entry.outside, *((entry.boundary,) if entry.boundary else ())):
            found[ref] = ()
        for nodes in portions(entry.disclosure.items if entry.disclosure is not None else ()):
            for node in nodes:
                items, ids = _listed(node, entry.id)
                found.update((item.ref, ids) for item in items)
                words.update(item.ref for item in items if item.indicator is True)
            yield
    return found, words


def _listed(node: DesktopNode, entry: str) -> tuple[tuple[Item, ...], tuple[str, ...]]:
    if isinstance(node, Group):
        return node.items, (entry, node.group)
    if isinstance(node, Topology):
        return node.tasks, (entry, node.topology)
    assert isinstance(node, Item)
    return (node,), (entry,)


def _tui(turn: TurnBuilder, view: TuiView) -> Slices[_Sight]:
    telling = yield from tui_telling(turn, view)
    bodies = {f"step:{turn.tag}:{one.step}": one.body for one in telling.told.steps}

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
