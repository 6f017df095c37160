"""Stage 5, presentations: what a view adds to a turn, as it is now and as it changes.

`present` computes a presentation from the facts alone. A `Telling` holds one as it was last told to the readers of a
view and gives the edits that bring it to the present; its sum is always what `present` gives (W-1).
"""

from typing import assert_never

from projections.building import TurnBuilder
from projections.desktop import DesktopTelling, present_desktop
from projections.edits import Edit, joined
from projections.fold import Fold
from projections.tui import TuiTelling, present_tui
from projections.view import DesktopView, Presentation, TuiView, View, WebView
from projections.web import WebTelling, present_web

Telling = WebTelling | DesktopTelling | TuiTelling


def present(fold: Fold, turn: TurnBuilder, view: View) -> Presentation | None:
    """Compute what a view adds to a turn."""
    match view:
        case WebView():
            return present_web(turn, view)
        case DesktopView():
            return present_desktop(fold, turn, view)
        case TuiView():
            return present_tui(turn, view)
        case _ as never:
            assert_never(never)


def telling(fold: Fold, turn: TurnBuilder, view: View) -> Telling:
    """Begin to tell a turn: its present state counts as told."""
    match view:
        case WebView():
            return WebTelling(turn, view)
        case DesktopView():
            return DesktopTelling(fold, turn, view)
        case TuiView():
            return TuiTelling(turn, view)
        case _ as never:
            assert_never(never)


def edits_of(
    told: Telling, fold: Fold, turn: TurnBuilder, keys: tuple[str, ...], steps: tuple[int, ...]
) -> tuple[Edit, ...]:
    """Bring what was told of a turn to the present.

    Args:
        keys: rows that changed by more than added text, or left.
        steps: numbers of the steps that something happened in.
    """
    match told:
        case WebTelling():
            return tuple(told.edits(turn))
        case DesktopTelling():
            return tuple(joined(told.edits(fold, turn, keys, steps)))
        case TuiTelling():
            return tuple(joined(told.edits(turn, steps)))
        case _ as never:
            assert_never(never)
