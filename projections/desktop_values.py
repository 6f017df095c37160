"""The desktop presentation as it stands on the wire (`wire.md`, *Transcript*; `views.md` C).

A `ref` names a row by its key, or one block of a step: `step:1:2#0`. Ids are stable: an entry's comes from the row
that opens it, a group's and a topology's from the member that appeared first. What is open is told as a default; what
the reader opened or closed by hand is the client's.
"""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from projections.view import Presentation

ItemKind = Literal[
    "message",
    "thinking",
    "tool",
    "command",
    "search",
    "task",
    "context",
    "retry",
    "interaction",
    "custom",
]
Status = Literal["running", "completed", "failed", "stopped"]
Phase = Literal["compacting", "recovering", "thinking"]
Flag = bool | UnsetType


class DesktopNode(Struct, frozen=True, kw_only=True):
    """What a disclosure lists: an item, a group or a topology."""


class Item(DesktopNode, frozen=True, kw_only=True, gc=False):
    """One row of a disclosure.

    Attributes:
        default_open: absent on messages, which have nothing to open.
        streaming: a block that streams, a call that runs.
        indicator: reasoning that streams while thinking is hidden: its place shows a word, never its text (C-7).
        failed: the row failed or was denied (C-14).
        group_id: the group that holds it, where it stands by itself (C-6); absent in `flat`.
    """

    ref: str
    kind: ItemKind
    default_open: Flag = UNSET
    streaming: Flag = UNSET
    indicator: Flag = UNSET
    failed: Flag = UNSET
    group_id: str | UnsetType = UNSET


class Title(Struct, frozen=True, kw_only=True):
    """What a group is made of (C-13).

    Attributes:
        actions: at most three, in order of first appearance, `thinking` among them.
        more: whether there are further ones.
        operation_count: tools, commands and searches.
        thinking_count: visible pieces of thinking.
    """

    actions: tuple[str, ...]
    more: bool
    operation_count: int
    thinking_count: int
    text: str


class Group(DesktopNode, frozen=True, kw_only=True):
    """Neighbouring activity, two or more visible items of it; `items` are the visible ones."""

    group: str
    items: tuple[Item, ...]
    visible_count: int
    live: bool
    failed: bool
    default_open: bool
    title: Title


class Topology(DesktopNode, frozen=True, kw_only=True):
    """Neighbouring delegations, one alone too (C-5)."""

    topology: str
    tasks: tuple[Item, ...]
    live: bool
    default_open: bool


class Header(Struct, frozen=True, kw_only=True):
    """How an entry's process goes or went (C-10); unknown times are absent, and the duration while it is active."""

    status: Status
    phase: Phase | None
    started_at_ms: int | UnsetType
    duration_ms: int | UnsetType
    tool_count: int
    text: str


class Disclosure(Struct, frozen=True, kw_only=True):
    """An entry's process: everything that came before its answer, behind one header."""

    header: Header
    default_open: bool
    items: tuple[DesktopNode, ...]


class Entry(Struct, frozen=True, kw_only=True):
    """One part of a turn, shown as boundary row, disclosure, outside errors, answer, other outside surfaces (C-1).

    Attributes:
        active: the turn is open and this is its last entry (C-9).
        disclosure: null where there is no visible process.
        outside: errors, then what waits for the reader, then queued steering (`steering:ID`, no row yet).
        boundary: the row that opens it, null for what comes before the first.
    """

    id: str
    active: bool
    disclosure: Disclosure | None
    answer: tuple[str, ...]
    outside: tuple[str, ...]
    boundary: str | None


class DesktopPresentation(Presentation, frozen=True, kw_only=True):
    """A turn cut into display entries."""

    entries: tuple[Entry, ...]
