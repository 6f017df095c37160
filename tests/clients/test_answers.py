"""What waits, and what can be answered: the vectors that the page runs too, and the way to a row (E-16)."""

import json
from pathlib import Path
from typing import Any

import pytest

from clients.wire.answers import (
    MAX_OPTIONS,
    MAX_OUTCOME_CHARS,
    Waiting,
    details_of,
    is_yes_or_no,
    options_of,
    row_at,
    waiting_in,
)
from projections.view import TuiView
from tests.projections.folding import fold, transcript
from tests.tui.screens import held_of

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "vectors" / "answers" / "options.json").read_text(encoding="utf-8")
)["cases"]


@pytest.mark.parametrize("case", VECTORS, ids=[case["says"] for case in VECTORS])
def test_the_choices_are_what_the_producer_offered(case: dict[str, Any]) -> None:
    """As the page reads them (`clients/web/test/answers.test.js`)."""
    given = [[one.outcome, one.label, one.note] for one in options_of(case["payload"])]
    assert given == case["options"]


def test_choices_have_bounds() -> None:
    """An outcome as long as the service takes, and no list that is a form."""
    long = ["a" * (MAX_OUTCOME_CHARS + 1), "b" * MAX_OUTCOME_CHARS]
    assert [len(one.outcome) for one in options_of({"options": long})] == [MAX_OUTCOME_CHARS]
    assert len(options_of({"options": [f"o{at}" for at in range(500)]})) == MAX_OPTIONS


def test_what_asks_for_leave_is_a_yes_or_a_no() -> None:
    """Any other kind is answered in words."""
    kinds: list[object] = ["permission", "question", "plan", "goal", None, 7, []]
    assert [kind for kind in kinds if is_yes_or_no(kind)] == ["permission", "plan"]


def test_details_are_what_is_said_beside_the_options() -> None:
    """The command that is asked for, the plan, the question; nothing where that is all."""
    assert details_of({"options": ["a"], "command": "ls"}) == {"command": "ls"}
    assert details_of({"questions": [{"question": "Which?", "options": ["a"]}], "x": 1}) == {
        "x": 1,
        "question": "Which?",
    }
    assert details_of({"options": ["a"]}) is None
    assert details_of({"questions": ["odd"]}) is None
    assert details_of("words") == "words"
    assert details_of(None) is None


def test_what_waits_is_found_in_its_delegate_and_after_its_turn_no_more() -> None:
    """In the order of the transcript, each with the calls that lead to it."""
    log: list[dict[str, Any]] = [
        {"type": "interaction/request", "id": "loose", "kind": "goal", "title": "Of no turn"},
        {"type": "turn/start", "turn": 1},
        {"type": "interaction/request", "turn": 1, "id": "old", "kind": "plan", "title": "Old"},
        {"type": "turn/end", "turn": 1, "reason": "completed"},
        {"type": "turn/start", "turn": 2},
        {"type": "tool/call", "turn": 2, "step": 1, "call_id": "d1", "name": "subagent"},
        {"type": "interaction/request", "id": "inner", "kind": "question", "title": "In", "parent_call_id": "d1"},
        {"type": "interaction/request", "turn": 2, "id": "p", "kind": "permission", "title": "Out"},
    ]  # fmt: skip
    held = held_of(transcript(fold(*log), TuiView(phase="collapsed", reasoning=True)))
    places = list(waiting_in(held))
    assert places == [
        Waiting(("d1",), "interaction:inner"), Waiting((), "interaction:p"), Waiting((), "interaction:loose"),
    ]  # fmt: skip
    titles = [None if (row := row_at(held, place)) is None else row.value["title"] for place in places]
    assert titles == ["In", "Out", "Of no turn"]
    assert row_at(held, Waiting(("nobody",), "interaction:inner")) is None
    assert row_at(held, Waiting(("d1", "nobody"), "interaction:inner")) is None
    assert row_at(held, Waiting((), "interaction:inner")) is None
