"""A delta costs what changed, not what stands in the turn: counted in calls, which no busy machine can disturb."""

import sys
from types import FrameType
from typing import Any

import pytest

from projections.deltas import facts
from projections.presenter import Presenter
from projections.session import SessionFold
from projections.slices import finished
from projections.view import DesktopView, TuiView, View, WebView
from tests.projections.folding import Event, call, chunk, end, fold, message, more, result, user

VIEWS: list[View] = [
    WebView(),
    DesktopView(),
    DesktopView(mode="command-first", thinking=False),
    DesktopView(mode="flat"),
    TuiView(phase="hidden"),
]
# Work that grows with the turn grows a hundredfold from the small turn to the great one; a search among sorted rows,
# by a few steps.
SMALL, GREAT = 20, 2_000


def long_turn(rows: int) -> SessionFold:
    """An open turn of many steps: thinking, a call with its result, now and then a message."""
    log: list[Event] = [{"type": "turn/start", "turn": 1}, user()]
    for step in range(rows):
        blocks = [{"type": "reasoning", "text": "hm"}] + [{"type": "text", "text": "so"}] * (step % 10 == 9)
        log.append(message(blocks, step=step))
        log.append(call(f"c{step}", step=step, name=("Read", "Bash", "Grep")[step % 3]))
        if step != 1:
            log.append(result(f"c{step}", status="error" if step == 2 else "ok"))
        log.append({"type": "step/end", "turn": 1, "step": step})
    session = fold(*log)
    session.drain()
    return session


def calls_of(presenter: Presenter, session: SessionFold) -> int:
    """How many functions run to present what changed."""
    changed = facts(session.drain())
    counted = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal counted
        counted += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        for one in changed:
            presenter.ops(one)
    finally:
        sys.setprofile(before)
    return counted


def costs(rows: int, view: View) -> dict[str, int]:
    """What each kind of change costs in a turn of so many steps."""
    session, presenter = long_turn(rows), Presenter(view)
    finished(presenter.tell_open(session))
    changes: dict[str, list[Event]] = {
        "a call": [call("new", step=rows, name="Read")],
        "its result": [result("new")],
        "a result of long ago": [result("c1", status="error")],
        "reasoning begins": [chunk("hm", step=rows + 1, kind="reasoning")],
        "more of it": [chunk(" well", step=rows + 1, kind="reasoning")],
        "text begins": [chunk("so", step=rows + 1, index=1)],
        "the end": [end()],
    }
    return {name: calls_of(presenter, more(session, *events)) for name, events in changes.items()}


@pytest.mark.parametrize("view", VIEWS[1:], ids=str)
def test_a_change_costs_the_same_in_a_great_turn(view: View) -> None:
    """Appended rows, old rows, streamed text and the turn's end."""
    small, great = costs(SMALL, view), costs(GREAT, view)
    assert {name: great[name] for name in great if great[name] > 2 * small[name] + 50} == {}


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_streamed_text_costs_nothing_to_present(view: View) -> None:
    """A text that grows changes no presentation: no op but the text itself."""
    session, presenter = fold({"type": "turn/start", "turn": 1}, chunk("a")), Presenter(view)
    session.drain()
    finished(presenter.tell_open(session))
    more(session, chunk("b"))
    (op,) = [op for one in facts(session.drain()) for op in presenter.ops(one)]
    assert type(op).__name__ == "AppendOp"
