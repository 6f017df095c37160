"""What grows with a turn rests between short pieces, and makes what it makes at once: counted in calls."""

import sys
from collections.abc import Callable, Generator, Iterator
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.hub_pages import catch_up, snapshot_parts
from projections import slices
from projections.deltas import facts
from projections.position import Position
from projections.presentation import telling
from projections.presenter import Presenter
from projections.search import locate, query_of, search
from projections.session import SessionFold
from projections.slices import finished, portions
from projections.transcript import snapshot, snapshot_slices, turn_value, window_of
from projections.view import DesktopView, TuiView, View
from tests.projections.folding import AT, call, end, more
from tests.projections.logs import LOGS
from tests.projections.test_properties import VIEW, fold_all
from tests.projections.test_view_cost import long_turn

Work = Callable[[SessionFold, View], Generator[Any, None, Any]]
# Seven times the rows: work that does not rest takes seven times as long in one piece.
SMALL, GREAT = 300, 2_100
DEAR: list[View] = [DesktopView(), DesktopView(mode="flat", thinking=False), TuiView(phase="hidden")]


def _snapshot(session: SessionFold, view: View) -> Generator[Any, None, Any]:
    return snapshot_slices(session, "s", AT, view, window_of(session))


def _turn(session: SessionFold, view: View) -> Generator[Any, None, Any]:
    return turn_value(session.main, session.main.turns[1], view)


def _telling(session: SessionFold, view: View) -> Generator[Any, None, Any]:
    return telling(session.main, session.main.turns[1], view)


def _parts(session: SessionFold, view: View) -> Generator[Any, None, Any]:
    return snapshot_parts(session, view, AT, None, Presenter(view).telling_of)


def _opening(session: SessionFold, view: View) -> Generator[Any, None, Any]:
    return Presenter(view).tell_open(session)


def _resume(session: SessionFold, view: View) -> Generator[Any, None, Any]:
    """The turn changed at its end, so it is told whole."""
    since, now = Position(epoch="e", version=1), Position(epoch="e", version=2)
    last = session.next_seq - 2
    return catch_up(session, view, next_seq=last, since=since, now=now, floor=-1)


def _location(session: SessionFold, view: View) -> Generator[Any, None, Any]:
    return locate(session, "tool:c7", (), view)


def _search(session: SessionFold, view: View) -> Generator[Any, None, Any]:
    query = query_of("q")
    assert query is not None
    yield from search(session, query, view)


def _late(session: SessionFold, view: View) -> Generator[Any, None, Any]:
    """The turn is over and changes once more, so it is told whole to those who follow it live."""
    more(session, end()).drain()
    presenter = Presenter(view)
    finished(presenter.tell_open(session))
    yield
    yield from presenter.prepare(more(session, call("late", step=0)))
    yield
    for one in facts(session.drain()):
        presenter.ops(one)


def longest_slice(work: Iterator[Any]) -> int:
    """How many functions run between two rests, at most."""
    counted, longest = 0, 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal counted
        counted += event == "call"

    before = sys.getprofile()
    while True:
        counted = 0
        sys.setprofile(count)
        try:
            next(work)
        except StopIteration:
            return max(longest, counted)
        finally:
            sys.setprofile(before)
        longest = max(longest, counted)


@pytest.mark.parametrize("view", DEAR, ids=str)
@pytest.mark.parametrize(
    "work",
    [_snapshot, _turn, _telling, _parts, _opening, _resume, _late, _location, _search],
    ids=lambda one: one.__name__,
)
def test_no_slice_grows_with_the_turn(work: Work, view: View) -> None:
    """However great the turn, nobody waits longer for the loop than in a small one."""
    small, great = long_turn(SMALL), long_turn(GREAT)
    assert longest_slice(work(great, view)) <= 1.5 * longest_slice(work(small, view))


@given(LOGS, VIEW, st.integers(1, 4))
def test_what_is_made_in_slices_is_what_is_made_at_once(
    log: list[dict[str, Any]], view: View, rows: int
) -> None:
    """The size of a slice changes nothing: a presentation of three portions is that of one."""
    session = fold_all(log)
    whole = snapshot(session, "s", AT, view)
    before, slices.SLICE_ROWS = slices.SLICE_ROWS, rows
    try:
        assert snapshot(session, "s", AT, view) == whole
    finally:
        slices.SLICE_ROWS = before


def test_a_presenter_is_told_of_every_change() -> None:
    """What it told of a turn is what a snapshot makes of it: that need not be made a second time."""
    session, view = long_turn(20), DesktopView()
    presenter = Presenter(view)
    finished(presenter.tell_open(session))
    turn = session.main.turns[1]
    held = presenter.telling_of(session.main, turn)
    assert held is not None
    assert finished(turn_value(session.main, turn, view, presenter.telling_of)).presentation == held.told
    assert finished(turn_value(session.main, turn, view)).presentation == held.told
    assert Presenter(view).telling_of(session.main, turn) is None


def test_portions_are_all_there_is() -> None:
    """In order, none of nothing."""
    many = range(slices.SLICE_ROWS * 2 + 1)
    assert [len(one) for one in portions(many)] == [slices.SLICE_ROWS, slices.SLICE_ROWS, 1]
    assert [one for portion in portions(many) for one in portion] == list(many)
    assert list(portions(())) == []
