"""The terminal's document: live equals replay, and it shows what the service's presentation says (D-1 to D-5)."""

import itertools
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from clients.tui.cards import Look
from clients.tui.document import Document
from projections.deltas import facts
from projections.presenter import Presenter
from projections.view import TuiView
from tests.projections.folding import call, end, result, say, start, user
from tests.projections.logs import DELEGATES, LOGS
from tests.projections.test_properties import TUI, as_json, fold_all, shot
from tests.tui.screens import held_of, rows_of, shown

WIDTHS = (40, 80, 200)
DONE = [
    start(),
    user("How many?"),
    call("c", name="bash", input={"command": "ls | wc -l"}),
    result("c", "3"),
    say("Three.", step=2),
    end(),
]


@given(st.one_of(LOGS, DELEGATES), st.lists(st.integers(0, 40), max_size=6), TUI, st.sampled_from(WIDTHS))
def test_what_came_live_is_what_a_snapshot_gives(
    log: list[dict[str, Any]], cuts: list[int], view: TuiView, width: int
) -> None:
    """D-4: after each flush, every row of the screen; heights that were looked at before included."""
    fold = fold_all([])
    fold.drain()
    held, presenter, look = (
        held_of(shot(fold, view)),
        Presenter(view),
        Look(phase=view.phase, reasoning=view.reasoning),
    )
    presenter.tell_all(fold)
    document = Document(held, look)
    for begin, stop in itertools.pairwise([0, *sorted({*(cut for cut in cuts if cut < len(log)), len(log)})]):
        fold_all(log[begin:stop], fold)
        for one in facts(fold.drain()):
            for op in as_json(presenter.ops(one)):
                for change in held.apply(op):
                    document.take(change)
        replayed = Document(held_of(shot(fold, view)), look)
        assert rows_of(document, width) == rows_of(replayed, width)


def test_each_phase_shows_as_much_of_tools_as_it_says() -> None:
    """D-1: cards as title and status, with input and output, not at all; and D-3: one header a step, or a turn."""
    assert shown(DONE) == [
        "You", "┃ How many?", "", "Assistant", "  ⚙ bash ✓  ls | wc -l", "", "Assistant", "  Three.", "— completed",
    ]  # fmt: skip
    assert shown(DONE, "expanded")[4:7] == ["  ⚙ bash ✓  ls | wc -l", "    ← ls | wc -l", "    → 3"]
    assert shown(DONE, "hidden") == ["You", "┃ How many?", "", "Assistant", "  Three.", "— completed"]
