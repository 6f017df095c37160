"""The actions: what the reader did, or what became of a turn.

Each carries the turn that it happened in, as the client holds it then. Inside a delegate's transcript, `outer` holds
the turns around it, the outermost first: the turn of the call `path[0]`, then that of `path[1]`, and so on.
"""

from typing import Literal

from msgspec import Struct

from clients.expansion.state import Address, Kind, Target
from clients.expansion.turns import DesktopTurn, Path, WebTurn


class Window(Struct, frozen=True, kw_only=True):
    """What the client shows of a web transcript.

    Attributes:
        history_complete: the service's word on what the client holds: nothing older can be loaded.
        fold_partial: the reader's option to fold whole turns before that (E-5).
    """

    mode: Literal["compact", "normal"]
    history_complete: bool
    fold_partial: bool


class RowFocus(Struct, frozen=True, kw_only=True):
    """The row that holds the keyboard's focus, and whether it is in its reasoning."""

    row: str
    reasoning: bool = False


class Point(Struct, frozen=True, kw_only=True):
    """Where the focus or a part of the selection is.

    Attributes:
        inside: in what the header opens, rather than on the header.
    """

    kind: Kind
    id: str
    inside: bool = False
    path: Path = ()


class Action(Struct, frozen=True, kw_only=True):
    """One action on a session's expansion."""

    session: str


class WebAction(Action, frozen=True, kw_only=True):
    """One in the web view."""

    turn: WebTurn
    outer: tuple[WebTurn, ...] = ()


class WebToggle(WebAction, frozen=True, kw_only=True, tag="web/toggle"):
    """The reader used the turn's control."""


class WebOpen(WebAction, frozen=True, kw_only=True, tag="web/open"):
    """The process has to open: the browser's own search found something in it (E-2)."""


class WebClose(WebAction, frozen=True, kw_only=True, tag="web/close"):
    """The reader closed the process by something else than its control."""


class WebSettle(WebAction, frozen=True, kw_only=True, tag="web/settle"):
    """The turn, the mode or the history's completeness changed; `focus` is None if it is not in this turn."""

    window: Window
    focus: RowFocus | None = None


class WebReveal(Action, frozen=True, kw_only=True, tag="web/reveal"):
    """A search hit or a link is to be seen; `turn` is None while the client does not hold it (E-10)."""

    request: int
    target: Target
    turn: WebTurn | None = None
    outer: tuple[WebTurn, ...] = ()


class DesktopAction(Action, frozen=True, kw_only=True):
    """One in the desktop view."""

    turn: DesktopTurn
    outer: tuple[DesktopTurn, ...] = ()


class DesktopToggle(DesktopAction, frozen=True, kw_only=True, tag="desktop/toggle"):
    """The reader used a header, or a group's fold bar (E-8)."""

    at: Address


class DesktopTouch(DesktopAction, frozen=True, kw_only=True, tag="desktop/touch"):
    """The focus or a selection came to it (E-9)."""

    at: Address


class DesktopSettle(DesktopAction, frozen=True, kw_only=True, tag="desktop/settle"):
    """The turn or the view's preferences changed; `attention` is where focus and selection are (E-8)."""

    attention: tuple[Point, ...] = ()


class DesktopReveal(Action, frozen=True, kw_only=True, tag="desktop/reveal"):
    """A search hit or a link is to be seen; `turn` is None while the client does not hold it (E-10).

    Attributes:
        ancestors: what has to open, where the service told it with the hit; None: found in `turn`.
    """

    request: int
    target: Target
    turn: DesktopTurn | None = None
    outer: tuple[DesktopTurn, ...] = ()
    ancestors: tuple[Address, ...] | None = None


class Forget(Action, frozen=True, kw_only=True, tag="forget"):
    """The session was deleted, or its pane evicted (E-3)."""


WebActions = WebToggle | WebOpen | WebClose | WebSettle | WebReveal
DesktopActions = DesktopToggle | DesktopTouch | DesktopSettle | DesktopReveal
AnyAction = WebActions | DesktopActions | Forget
