"""The desktop view (E-8 to E-10): choices by entry, group, topology and row over the service's defaults.

1. *Toggle* changes one level. *Touch* changes none. Both store the present state of all that stands above (E-9).
2. *Settle*: what no choice holds open, and what would hide the focus, a selection or a row that the reader opened,
   gets an *open* of its own. Nothing else is ever stored without the reader.
3. *Reveal* stores *open* for what stands above the target, once a request; the target itself is not opened (C-16).
"""

from collections.abc import Iterable

from msgspec import Struct

from clients.expansion.actions import (
    DesktopActions,
    DesktopReveal,
    DesktopSettle,
    DesktopToggle,
    DesktopTouch,
    Point,
)
from clients.expansion.levels import Level, around, call_item, find, is_open, levels, needed
from clients.expansion.reveals import arrived, awaiting, is_new, keeping
from clients.expansion.state import Address, Pane
from clients.expansion.turns import DesktopTurn, Path


class DesktopShown(Struct, frozen=True, kw_only=True):
    """What of a turn's processes shows.

    Attributes:
        open: the levels that are open by themselves, though one above may hide them, in transcript order.
        hidden: the levels that stand in a closed one, in transcript order.
    """

    open: tuple[Address, ...]
    hidden: tuple[Address, ...]


def shown(pane: Pane, turn: DesktopTurn) -> DesktopShown:
    """Derive what shows: a level does while all above it are open. Costs the turn's rows."""
    found = tuple(levels(turn))
    return DesktopShown(
        open=tuple(one.at for one in found if one.default_open is not None and is_open(pane, one)),
        hidden=tuple(one.at for one in found if not all(is_open(pane, above) for above in one.above)),
    )


def reduce_desktop(pane: Pane, action: DesktopActions) -> Pane:
    """Give the pane after an action; this very pane if nothing changed."""
    match action:
        case DesktopToggle():
            return _toggle(pane, action)
        case DesktopTouch():
            level = find(action.turn, action.at)
            return pane if level is None else _claim(pane, level, action)
        case DesktopSettle():
            return _guard(_arrive(pane, action), action)
        case DesktopReveal():
            return _reveal(pane, action)


def header_to_focus(pane: Pane, action: DesktopActions) -> Address | None:
    """Name the header that takes the focus before a manual close hides anything (E-4)."""
    if not isinstance(action, DesktopToggle):
        return None
    level = _openable(action)
    return level.at if level is not None and is_open(pane, level) else None


def _openable(action: DesktopToggle) -> Level | None:
    level = find(action.turn, action.at)
    return None if level is None or level.default_open is None else level


def _toggle(pane: Pane, action: DesktopToggle) -> Pane:
    level = _openable(action)
    if level is None:
        return pane
    chosen = pane.choosing(level.at, is_open=not is_open(pane, level))
    return keeping(_claim(chosen, level, action), level.at)


def _claim(pane: Pane, level: Level, action: DesktopToggle | DesktopTouch) -> Pane:
    """Store the present state of all above, so that a later default moves none of it (E-9)."""
    for above in (*around(action.turn, action.outer), *level.above):
        if above.default_open is not None:
            pane = pane.choosing(above.at, is_open=is_open(pane, above))
    # An item that stands by itself shows; so will its group, once there is one.
    if level.single_of is not None and not pane.has_choice(level.single_of):
        pane = pane.choosing(level.single_of, is_open=True)
    return pane


def _guard(pane: Pane, action: DesktopSettle) -> Pane:
    """Open what would hide something that the reader uses."""
    used = _used(pane, action.turn.path, action.attention)
    if not used:
        return pane
    for level in levels(action.turn):
        if level.at in used:
            held = (*level.above, level) if used[level.at] and level.default_open is not None else level.above
            pane = _open_unchosen(pane, held)
    return pane


def _used(pane: Pane, path: Path, attention: tuple[Point, ...]) -> dict[Address, bool]:
    """Collect what the reader uses in a transcript, and whether in what its header opens.

    What is used inside a delegate's transcript is inside its call.
    """
    depth = len(path)
    used: dict[Address, bool] = {}
    for point in attention:
        if point.path == path:
            at = Address(kind=point.kind, id=point.id, path=path)
            used[at] = point.inside or used.get(at, False)
        elif point.path[:depth] == path:
            used[call_item(point.path, depth)] = True
    for at in pane.open:
        if at.kind == "item" and at.path[:depth] == path:
            used.setdefault(at if at.path == path else call_item(at.path, depth), False)
    return used


def _open_unchosen(pane: Pane, held: Iterable[Level]) -> Pane:
    for level in held:
        if not level.default_open and not pane.has_choice(level.at):
            pane = pane.choosing(level.at, is_open=True)
    return pane


def _reveal(pane: Pane, action: DesktopReveal) -> Pane:
    if not is_new(pane, action.request):
        return pane
    pane = awaiting(pane, action.request, action.target)
    if action.ancestors is not None:
        return arrived(_open(pane, action.ancestors))
    return pane if action.turn is None else _open_target(pane, action.turn, action.outer)


def _arrive(pane: Pane, action: DesktopSettle) -> Pane:
    return pane if pane.waiting is None else _open_target(pane, action.turn, action.outer)


def _open_target(pane: Pane, turn: DesktopTurn, outer: tuple[DesktopTurn, ...]) -> Pane:
    """Let a waiting request have its effect if the turn shows its target."""
    if pane.waiting is None:
        return pane
    found = needed(turn, pane.waiting.target)
    if found is None:
        return pane
    above = (*around(turn, outer), *found)
    openable = [one.at for one in above if one.default_open is not None]
    return arrived(_open(pane, (at for at in openable if at not in pane.waiting.kept)))


def _open(pane: Pane, addresses: Iterable[Address]) -> Pane:
    for at in addresses:
        pane = pane.choosing(at, is_open=True)
    return pane
