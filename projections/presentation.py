"""Stage 5, presentations: what a view adds to a turn, as it is now and as it changes.

`present` computes a presentation from the facts alone. A `Telling` holds one as it was last told to the readers of a
view and gives the edits that bring it to the present; its sum is always what `present` gives (W-1). To begin one takes
as long as the turn is great, so that is done in slices.
"""

from typing import assert_never

from projections.building import TurnBuilder
from projections.desktop import DesktopTelling, desktop_telling
from projections.edits import Edit, joined
from projections.fold import Fold
from projections.slices import Slices, finished
from projections.tui import TuiTelling, tui_telling
from projections.view import DesktopView, Presentation, TuiView, View, WebView
from projections.web import WebTelling

Telling = WebTelling | DesktopTelling | TuiTelling


def present(fold: Fold, turn: TurnBuilder, view: View) -> Presentation | None:
    """Compute what a view adds to a turn."""
    return finished(telling(fold, turn, view)).told


def telling(fold: Fold, turn: TurnBuilder, view: View) -> Slices[Telling]:
    """Begin to tell a turn, in slices: its present state counts as told."""
    match view:
        case WebView():
            return WebTelling(turn, view)
        case DesktopView():
            return (yield from desktop_telling(fold, turn, view))
        case TuiView():
            return (yield from tui_telling(turn, view))
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
