"""The web view (E-3 to E-5, E-10): which turns' processes the reader opened, each by its generation.

1. One entry a turn: the generation that was opened. None, or one of another generation, is closed; closing deletes it.
2. The mode and the history's completeness decide what shows, never what is remembered.
3. *Settle*: a process that would hide the focus is opened instead, as if the reader had done it (E-4).
"""

from msgspec import Struct
from msgspec.structs import replace

from clients.expansion.actions import (
    RowFocus,
    WebActions,
    WebClose,
    WebOpen,
    WebReveal,
    WebSettle,
    WebToggle,
    Window,
)
from clients.expansion.reveals import arrived, awaiting, is_new, row_of
from clients.expansion.state import Address, Opened, Pane, Target
from clients.expansion.turns import WebPresentation, WebTurn


class WebShown(Struct, frozen=True, kw_only=True):
    """What of a turn shows (B-6 to B-9).

    Attributes:
        control: whether the control shows.
        hidden: the rows that the closed process hides.
        compact_answer: whether the answer stands 8 px below the control rather than 16.
    """

    control: bool = False
    open: bool = False
    hidden: tuple[str, ...] = ()
    reasoning_hidden: bool = False
    compact_answer: bool = False


ALL_SHOWN = WebShown()


def is_whole(turn: WebTurn) -> bool:
    """Whether the client holds every row that the turn's presentation names (E-5)."""
    presentation = turn.presentation
    if presentation is None:
        return True
    answer = () if presentation.answer is None else (presentation.answer,)
    return turn.rows.issuperset((*presentation.members, *answer))


def shown(pane: Pane, turn: WebTurn, window: Window) -> WebShown:
    """Derive what shows. Costs the turn's members where an incomplete history is folded, else nothing."""
    presentation = turn.presentation
    if presentation is None or not presentation.foldable or presentation.answer is None:
        return ALL_SHOWN
    if window.mode != "compact" or turn.status != "closed":
        return ALL_SHOWN
    if not window.history_complete and not (window.fold_partial and is_whole(turn)):
        return ALL_SHOWN
    if is_open(pane, turn):
        return WebShown(control=True, open=True)
    return WebShown(
        control=True,
        hidden=presentation.members,
        reasoning_hidden=presentation.reasoning_hidden_when_closed,
        compact_answer=presentation.compact_answer_when_closed,
    )


def is_open(pane: Pane, turn: WebTurn) -> bool:
    """Whether the reader opened this generation of the turn's process."""
    return turn.presentation is not None and _entry(turn, turn.presentation) in pane.opened


def reduce_web(pane: Pane, action: WebActions) -> Pane:
    """Give the pane after an action; this very pane if nothing changed."""
    match action:
        case WebToggle():
            return _close(pane, action.turn) if is_open(pane, action.turn) else _open(pane, action.turn)
        case WebOpen():
            return _open(pane, action.turn)
        case WebClose():
            return _close(pane, action.turn)
        case WebSettle():
            settled = pane if pane.waiting is None else _open_target(pane, action.turn, action.outer)
            hides = _hides(shown(settled, action.turn, action.window), action.turn, action.focus)
            return _open(settled, action.turn) if hides else settled
        case WebReveal():
            if not is_new(pane, action.request):
                return pane
            waiting = awaiting(pane, action.request, action.target)
            return waiting if action.turn is None else _open_target(waiting, action.turn, action.outer)


def control_to_focus(pane: Pane, action: WebActions) -> Address | None:
    """Name the control that takes the focus before a manual close hides anything (E-4)."""
    if isinstance(action, WebToggle | WebClose) and is_open(pane, action.turn):
        return Address(kind="control", id=f"process:{action.turn.turn}", path=action.turn.path)
    return None


def _entry(turn: WebTurn, presentation: WebPresentation) -> Opened:
    return Opened(turn=turn.turn, generation=presentation.generation, path=turn.path)


def _open(pane: Pane, turn: WebTurn) -> Pane:
    presentation = turn.presentation
    if presentation is None or not presentation.foldable or is_open(pane, turn):
        return pane
    others = frozenset(one for one in pane.opened if (one.turn, one.path) != (turn.turn, turn.path))
    return replace(pane, opened=others | {_entry(turn, presentation)})


def _close(pane: Pane, turn: WebTurn) -> Pane:
    if turn.presentation is None or not is_open(pane, turn):
        return pane
    return replace(pane, opened=pane.opened - {_entry(turn, turn.presentation)})


def _hides(view: WebShown, turn: WebTurn, focus: RowFocus | None) -> bool:
    """Whether what holds the focus would be hidden."""
    if focus is None or turn.presentation is None:
        return False
    is_answers = focus.reasoning and focus.row == turn.presentation.answer
    return focus.row in view.hidden or (view.reasoning_hidden and is_answers)


def _open_target(pane: Pane, turn: WebTurn, outer: tuple[WebTurn, ...]) -> Pane:
    """Let a waiting request have its effect if the turn holds its target."""
    if pane.waiting is None:
        return pane
    target = pane.waiting.target
    if turn.path != target.path or row_of(target.ref) not in turn.rows:
        return pane
    pane = arrived(pane)
    for holder in outer:
        depth = len(holder.path)
        if depth < len(turn.path) and holder.path == turn.path[:depth]:
            pane = _open_for(pane, holder, Target(ref=f"tool:{turn.path[depth]}"))
    return _open_for(pane, turn, target)


def _open_for(pane: Pane, turn: WebTurn, target: Target) -> Pane:
    """Open the process that hides a row of the turn when it is closed."""
    presentation = turn.presentation
    if presentation is None:
        return pane
    row = row_of(target.ref)
    is_reasoning = (
        target.reasoning and row == presentation.answer and presentation.reasoning_hidden_when_closed
    )
    return _open(pane, turn) if row in presentation.members or is_reasoning else pane
