"""A turn as the reducers read it: the wire's names and shapes, with no more of them than decides what is open.

Unknown fields are ignored, as the wire demands.
"""

from msgspec import Struct

Path = tuple[str, ...]
"""Where a transcript hangs: the call ids from the outermost delegate in; empty is the session's own."""


class WebPresentation(Struct, frozen=True, kw_only=True):
    """A turn's web presentation (`views.md` B-6 to B-10); the service computes it as if the history were complete."""

    generation: str
    foldable: bool
    answer: str | None = None
    members: tuple[str, ...] = ()
    reasoning_hidden_when_closed: bool = False
    compact_answer_when_closed: bool = False


class WebTurn(Struct, frozen=True, kw_only=True):
    """A turn in the web view.

    Attributes:
        rows: the keys of all rows of the turn that the client holds.
    """

    turn: int
    status: str
    rows: frozenset[str]
    presentation: WebPresentation | None = None
    path: Path = ()


class Node(Struct, frozen=True, kw_only=True):
    """What a disclosure lists: an item (`ref`), a group or a topology, by which of the three names it has.

    One of a further kind has none of them, and is passed over.

    Attributes:
        default_open: absent on messages, which have nothing to open.
        group_id: on an item that stands by itself, the group that holds it (C-6).
    """

    ref: str | None = None
    group: str | None = None
    topology: str | None = None
    items: tuple["Node", ...] = ()
    tasks: tuple["Node", ...] = ()
    default_open: bool | None = None
    group_id: str | None = None


class Disclosure(Struct, frozen=True, kw_only=True):
    """The process of an entry."""

    default_open: bool
    items: tuple[Node, ...] = ()


class Entry(Struct, frozen=True, kw_only=True):
    """One part of a turn (C-1). What is not in its disclosure is always shown."""

    id: str
    disclosure: Disclosure | None = None
    answer: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    boundary: str | None = None


class DesktopPresentation(Struct, frozen=True, kw_only=True):
    """A turn's desktop presentation (`views.md` C)."""

    entries: tuple[Entry, ...] = ()


class DesktopTurn(Struct, frozen=True, kw_only=True):
    """A turn in the desktop view."""

    presentation: DesktopPresentation | None = None
    path: Path = ()
