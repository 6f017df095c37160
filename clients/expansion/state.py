"""The state: by session, what the reader opened and closed by hand. Frozen all the way down."""

from typing import Literal, Self

from msgspec import Struct
from msgspec.structs import replace

from clients.expansion.turns import Path

Kind = Literal["entry", "group", "topology", "item", "control"]


class Address(Struct, frozen=True, kw_only=True):
    """The name of something with a header of its own.

    Attributes:
        kind: `entry` is an entry's disclosure, `item` a row or block by its ref, `control` a web turn's control.
            A group has the id of its first member, so that the id alone names nothing.
    """

    kind: Kind
    id: str
    path: Path = ()


class Opened(Struct, frozen=True, kw_only=True):
    """A web turn's process that the reader opened: this generation of it alone (B-10, E-3)."""

    turn: int
    generation: str
    path: Path = ()


class Target(Struct, frozen=True, kw_only=True):
    """What a reveal leads to.

    Attributes:
        ref: a row's key, which stands for all its blocks, or one block: `step:1:2#0`.
        reasoning: in the web view, whether it is the reasoning of the row.
    """

    ref: str
    reasoning: bool = False
    path: Path = ()


class Waiting(Struct, frozen=True, kw_only=True):
    """A reveal whose target the client does not hold yet.

    Attributes:
        kept: what the reader toggled since: a later choice is never overridden (E-10).
    """

    target: Target
    kept: frozenset[Address] = frozenset()


class Pane(Struct, frozen=True, kw_only=True):
    """One session's expansion, in both views.

    Attributes:
        opened: the web processes that are open, at most one generation a turn; no entry is closed.
        open: desktop choices, `closed` likewise; an address is in one of them at most, in none: the default holds.
        request: the newest reveal that was seen; they are numbered upwards by the client.
    """

    opened: frozenset[Opened] = frozenset()
    open: frozenset[Address] = frozenset()
    closed: frozenset[Address] = frozenset()
    request: int | None = None
    waiting: Waiting | None = None

    def has_choice(self, at: Address) -> bool:
        """Whether the reader's word on it is stored."""
        return at in self.open or at in self.closed

    def choosing(self, at: Address, *, is_open: bool) -> Self:
        """Store a choice; gives this very pane if it is stored already."""
        if at in (self.open if is_open else self.closed):
            return self
        if is_open:
            return replace(self, open=self.open | {at}, closed=self.closed - {at})
        return replace(self, open=self.open - {at}, closed=self.closed | {at})


EMPTY_PANE = Pane()


class Expansion(Struct, frozen=True, kw_only=True):
    """The state of a page, window or terminal: a pane for each session in which the reader chose something."""

    panes: tuple[tuple[str, Pane], ...] = ()

    def pane(self, session: str) -> Pane:
        """Find a session's pane; an empty one where the reader chose nothing."""
        return next((pane for name, pane in self.panes if name == session), EMPTY_PANE)

    def holding(self, session: str, pane: Pane) -> Self:
        """Replace a session's pane; an empty one leaves nothing behind."""
        others = tuple((name, one) for name, one in self.panes if name != session)
        return replace(self, panes=others if pane == EMPTY_PANE else (*others, (session, pane)))


NOTHING_CHOSEN = Expansion()
