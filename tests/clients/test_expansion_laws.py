"""Laws of every history, whatever a reader does (`clients.md` E-3, E-4, E-8)."""

import msgspec
import pytest

from clients.expansion import web
from clients.expansion.actions import AnyAction, DesktopSettle, WebSettle
from clients.expansion.levels import is_open, levels
from clients.expansion.plain import from_value, to_value
from clients.expansion.reducer import reduce
from clients.expansion.state import NOTHING_CHOSEN, Expansion
from tests.clients.expansion_histories import history
from tests.clients.expansion_vectors import resolved

SEEDS = range(200)


def played(seed: int) -> list[tuple[Expansion, AnyAction, Expansion]]:
    """A history's steps: the state before, the action, the state after."""
    vector = history(seed)
    steps, state = [], NOTHING_CHOSEN
    for step in vector["steps"]:
        action = msgspec.convert(resolved(step["action"], vector["turns"]), AnyAction)
        after = reduce(state, action)
        steps.append((state, action, after))
        state = after
    return steps


STEPS = [step for seed in SEEDS for step in played(seed)]


def test_histories_reach_what_the_laws_speak_of() -> None:
    """Laws about states that never occur would hold by themselves."""
    changed = [after for before, _, after in STEPS if after is not before]
    assert len(changed) > len(STEPS) / 3
    assert any(pane.waiting for after in changed for _, pane in after.panes)
    assert any(isinstance(action, DesktopSettle) and after is not before for before, action, after in STEPS)
    assert any(isinstance(action, WebSettle) and after is not before for before, action, after in STEPS)


def test_equal_states_are_the_same_state() -> None:
    """Who compares by identity never draws for nothing."""
    assert [action for before, action, after in STEPS if (after == before) != (after is before)] == []


def test_settling_twice_is_settling_once() -> None:
    """A client may settle after every change, any number of times."""
    settled = [(action, after) for _, action, after in STEPS if isinstance(action, DesktopSettle | WebSettle)]
    assert [action for action, after in settled if reduce(after, action) is not after] == []


def test_no_default_hides_what_is_in_use() -> None:
    """After a settle, what stands above a point of attention is open, unless the reader closed it by hand."""
    for _, action, after in STEPS:
        if isinstance(action, DesktopSettle):
            pane = after.pane(action.session)
            points = {(point.kind, point.id) for point in action.attention if point.path == action.turn.path}
            used = [level for level in levels(action.turn) if (level.at.kind, level.at.id) in points]
            above = [one for level in used for one in level.above]
            assert [one for one in above if not is_open(pane, one) and one.at not in pane.closed] == []


def test_no_process_hides_the_focus() -> None:
    """After a settle, the focused row shows: a web process has no manual close that outlasts the focus in it."""
    for _, action, after in STEPS:
        if isinstance(action, WebSettle) and action.focus is not None:
            shown = web.shown(after.pane(action.session), action.turn, action.window)
            assert action.focus.row not in shown.hidden


def test_a_state_outlives_its_plain_form() -> None:
    """Written and read again it is the same state, but for the order in which sessions came."""
    for _, _, after in STEPS:
        read = from_value(msgspec.to_builtins(to_value(after)))
        assert dict(read.panes) == dict(after.panes)


@pytest.mark.parametrize("seed", range(3))
def test_sessions_never_meet(seed: int) -> None:
    """An action on one session leaves the panes of all others as they are."""
    for before, action, after in played(seed):
        others = {name for name, _ in before.panes} - {action.session}
        assert [name for name in others if after.pane(name) is not before.pane(name)] == []
