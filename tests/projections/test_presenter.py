"""What a view's followers were told: edits go from there, and a rewind takes it back."""

import pytest

from projections.deltas import facts
from projections.presenter import Presenter
from projections.replica import apply_ops
from projections.session import SessionFold
from projections.slices import finished
from projections.view import DesktopView, TuiView, View, WebView
from tests.projections.folding import below, call, more, result, rewind, start, transcript, user
from tests.projections.test_properties import as_json

VIEWS: list[View] = [WebView(), DesktopView(), TuiView()]


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_a_turn_that_comes_again_is_told_afresh(view: View) -> None:
    """W-1: its number, its place and even its delegate's path are those of a turn that a rewind took back."""
    first = [start(), user(), call("c1"), *below("c1", start(), user(), call("d1"))]
    again = [start(), call("c1"), *below("c1", start(), call("d1"), result("d1")), user(ident="u2")]
    for events in ([*first, rewind(1), *again], [*first, *below("c1", rewind(1), start(), call("d2"))]):
        session, presenter = SessionFold(), Presenter(view)
        client = transcript(session, view)
        finished(presenter.tell_open(session))
        for event in events:
            for one in facts(more(session, event).drain()):
                apply_ops(client, as_json(presenter.ops(one)))
            shown = transcript(session, view)
            assert (client["turns"], client["session_rows"]) == (shown["turns"], shown["session_rows"])


def test_a_presenter_lets_go_of_turns_that_were_taken_back() -> None:
    """Else a session that is rewound again and again stays in memory as often, for as long as somebody follows."""
    session, presenter = SessionFold(), Presenter(DesktopView())
    sizes = []
    log = [start(), call("c1"), *below("c1", start(), call("d1")), *below("d1", start())]
    for _ in range(3):
        for one in facts(more(session, *log).drain()):
            presenter.ops(one)
        sizes.append(len(presenter._told))
        for one in facts(more(session, rewind(1)).drain()):
            presenter.ops(one)
        assert not presenter._told
    assert sizes == [3, 3, 3]
