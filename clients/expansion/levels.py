"""The levels of a desktop turn: what has a header of its own, and what stands above it."""

from collections.abc import Iterator

from msgspec import Struct

from clients.expansion.reveals import leads_to
from clients.expansion.state import Address, Pane, Target
from clients.expansion.turns import DesktopTurn, Entry, Node, Path


class Level(Struct, frozen=True, kw_only=True):
    """An entry's disclosure, a group, a topology or an item.

    Attributes:
        default_open: the service's default; None: nothing to open here, as in a message.
        above: what it stands in, the outermost first.
        single_of: the group of an item that stands by itself now (C-6).
    """

    at: Address
    default_open: bool | None
    above: tuple["Level", ...] = ()
    single_of: Address | None = None


def levels(turn: DesktopTurn) -> Iterator[Level]:
    """Give all levels of a turn in transcript order, each after those above it."""
    if turn.presentation is None:
        return
    for entry in turn.presentation.entries:
        yield from _entry_levels(entry, turn.path)


def _entry_levels(entry: Entry, path: Path) -> Iterator[Level]:
    if entry.disclosure is None:
        return
    at = Address(kind="entry", id=entry.id, path=path)
    disclosure = Level(at=at, default_open=entry.disclosure.default_open)
    yield disclosure
    for node in entry.disclosure.items:
        yield from _node_levels(node, disclosure, path)


def _node_levels(node: Node, disclosure: Level, path: Path) -> Iterator[Level]:
    above = (disclosure,)
    if node.ref is not None:
        yield _item(node.ref, node, above, path)
        return
    if node.group is not None:
        at, items = Address(kind="group", id=node.group, path=path), node.items
    elif node.topology is not None:
        at, items = Address(kind="topology", id=node.topology, path=path), node.tasks
    else:
        return
    container = Level(at=at, default_open=bool(node.default_open), above=above)
    yield container
    for item in items:
        if item.ref is not None:
            yield _item(item.ref, item, (*above, container), path)


def _item(ref: str, node: Node, above: tuple[Level, ...], path: Path) -> Level:
    group = None if node.group_id is None else Address(kind="group", id=node.group_id, path=path)
    at = Address(kind="item", id=ref, path=path)
    return Level(at=at, default_open=node.default_open, above=above, single_of=group)


def find(turn: DesktopTurn, at: Address) -> Level | None:
    """Find a level by its address."""
    return next((level for level in levels(turn) if level.at == at), None)


def call_item(path: Path, depth: int) -> Address:
    """Name the row of the call that a delegate's transcript hangs under, in the transcript `depth` levels in.

    >>> call_item(("c1", "c2"), 1)
    Address(kind='item', id='tool:c2', path=('c1',))
    """
    return Address(kind="item", id=f"tool:{path[depth]}", path=path[:depth])


def around(turn: DesktopTurn, outer: tuple[DesktopTurn, ...]) -> Iterator[Level]:
    """Give what a delegate's turn stands in, out to the session's own transcript: the calls and what is above them."""
    for holder in outer:
        depth = len(holder.path)
        if depth < len(turn.path) and holder.path == turn.path[:depth]:
            call = find(holder, call_item(turn.path, depth))
            if call is not None:
                yield from (*call.above, call)


def needed(turn: DesktopTurn, target: Target) -> tuple[Level, ...] | None:
    """Find what has to be open for a target to be seen (C-16); None: the turn does not show it."""
    if turn.presentation is None or turn.path != target.path:
        return None
    hits = [level for level in levels(turn) if level.at.kind == "item" and leads_to(target, level.at.id)]
    if hits:
        return tuple(dict.fromkeys(one for level in hits for one in level.above))
    return () if any(_shows(entry, target) for entry in turn.presentation.entries) else None


def _shows(entry: Entry, target: Target) -> bool:
    """Whether a target stands outside every disclosure."""
    return any(leads_to(target, ref) for ref in (*entry.answer, *entry.outside, entry.boundary) if ref)


def is_open(pane: Pane, level: Level) -> bool:
    """Whether a level is open by itself: the stored choice, else the default (E-8)."""
    if pane.has_choice(level.at):
        return level.at in pane.open
    return bool(level.default_open)
