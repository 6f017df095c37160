"""The reducer: a state and an action give the next state."""

from typing import assert_never

from clients.expansion.actions import (
    AnyAction,
    DesktopReveal,
    DesktopSettle,
    DesktopToggle,
    DesktopTouch,
    Forget,
    WebClose,
    WebOpen,
    WebReveal,
    WebSettle,
    WebToggle,
)
from clients.expansion.desktop import header_to_focus, reduce_desktop
from clients.expansion.state import EMPTY_PANE, Address, Expansion
from clients.expansion.web import control_to_focus, reduce_web


def reduce(state: Expansion, action: AnyAction) -> Expansion:
    """Give the state after an action; this very state if nothing changed."""
    pane = state.pane(action.session)
    match action:
        case Forget():
            after = EMPTY_PANE
        case WebToggle() | WebOpen() | WebClose() | WebSettle() | WebReveal():
            after = reduce_web(pane, action)
        case DesktopToggle() | DesktopTouch() | DesktopSettle() | DesktopReveal():
            after = reduce_desktop(pane, action)
        case _:
            assert_never(action)
    return state if after is pane else state.holding(action.session, after)


def focus_first(state: Expansion, action: AnyAction) -> Address | None:
    """Name what has to take the focus before the action is applied; None: the focus stays (E-4)."""
    pane = state.pane(action.session)
    match action:
        case Forget():
            return None
        case WebToggle() | WebOpen() | WebClose() | WebSettle() | WebReveal():
            return control_to_focus(pane, action)
        case DesktopToggle() | DesktopTouch() | DesktopSettle() | DesktopReveal():
            return header_to_focus(pane, action)
        case _:
            assert_never(action)
