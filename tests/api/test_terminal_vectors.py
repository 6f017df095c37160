"""The terminal view, a vector or more for each of its rules: live, in history and as text (`views.md` D; S003)."""

import json
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest

from api.text_tui import tui_lines
from projections.deltas import facts
from projections.presenter import Presenter
from projections.replica import apply_ops
from projections.saved import encode_head, encode_turns, restore
from projections.session import SessionFold
from projections.view import TuiPhase, TuiView
from tests.projections.folding import Event, fold, more, transcript
from tests.projections.test_properties import as_json, content

VECTORS = sorted((Path(__file__).parent.parent / "vectors" / "terminal").glob("*.json"))
SCHEMA = json.loads((VECTORS[0].parent.parent / "terminal.schema.json").read_text(encoding="utf-8"))
RULES = ("D-1", "D-2", "D-3", "D-4", "D-5")
VIEWS = [
    TuiView(phase=phase, reasoning=reasoning) for phase in get_args(TuiPhase) for reasoning in (True, False)
]


def vector_of(path: Path) -> dict[str, Any]:
    """A vector."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def turns_of(session: SessionFold, view: TuiView, inside: str | None) -> list[Event]:
    """The session's turns, or those of a delegate."""
    found: list[Event] = transcript(session, view)["turns"]
    if inside is None:
        return found
    rows = [one for turn in found for one in turn["rows"] if one["key"] == f"tool:{inside}"]
    nested: list[Event] = rows[0]["delegate"]["turns"]
    return nested


def steps_of(session: SessionFold, view: TuiView, wanted: list[Event], inside: str | None) -> list[Event]:
    """The steps of all turns, with the fields that a vector names of each."""
    found = [
        {"turn": turn["turn"], **step}
        for turn in turns_of(session, view, inside)
        for step in turn["presentation"]["steps"]
    ]
    assert len(found) == len(wanted), found
    return [{name: step[name] for name in named} for step, named in zip(found, wanted, strict=True)]


def check(shown: Event, session: SessionFold) -> None:
    """Compare what a moment says of some phases with what the session shows in each of them."""
    for phase in shown["phases"]:
        view = TuiView(phase=phase, reasoning=shown["reasoning"])
        if "steps" in shown:
            assert steps_of(session, view, shown["steps"], shown.get("inside")) == shown["steps"], phase
        if "lines" in shown:
            lines = list(tui_lines(transcript(session, view), locale="en", expand=False))
            assert lines == shown["lines"], phase


def test_the_vectors_are_there_and_well_formed() -> None:
    """A run over an empty folder proves nothing; every rule and every phase has vectors, some of them negative."""
    assert len(VECTORS) >= 53
    vectors = [vector_of(path) for path in VECTORS]
    for path, vector in zip(VECTORS, vectors, strict=True):
        jsonschema.validate(vector, SCHEMA)
        assert path.stem == vector["name"]
        number = vector["situation"]
        assert vector["name"].split("-")[0] == (
            f"{number:02}" if number is not None else vector["requirements"][0].replace("D-", "d")
        )
        after = [moment["after"] for moment in vector["moments"]]
        assert after == sorted(set(after))
        assert after[-1] == len(vector["events"])
    assert {rule for vector in vectors for rule in vector["requirements"]} == set(RULES)
    shown = [one for vector in vectors for moment in vector["moments"] for one in moment["shown"]]
    assert {(phase, one["reasoning"]) for one in shown for phase in one["phases"]} == {
        (view.phase, view.reasoning) for view in VIEWS
    }
    assert any(vector["negative"] for vector in vectors)


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_vector_shows_what_it_must_at_each_moment(path: Path) -> None:
    """Every moment is the session as it stands after so many events."""
    vector = vector_of(path)
    session, done = fold(), 0
    for moment in vector["moments"]:
        more(session, *vector["events"][done : moment["after"]])
        done = moment["after"]
        for shown in moment["shown"]:
            check(shown, session)


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: f"{view.phase}-{view.reasoning}")
@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_live_equals_replay(path: Path, view: TuiView) -> None:
    """D-4: who follows event by event holds what history shows, and a restored session shows the same."""
    session, presenter = fold(), Presenter(view)
    client = transcript(session, view)
    presenter.tell_all(session)
    for event in vector_of(path)["events"]:
        more(session, event)
        for one in facts(session.drain()):
            apply_ops(client, as_json(presenter.ops(one)))
        assert content(client) == content(transcript(session, view))
    saved = encode_head(session), encode_turns(session)
    assert transcript(restore(*saved), view) == transcript(session, view)


def test_a_difference_is_found() -> None:
    """A wrong expectation fails, also where a step is missing at the end."""
    vector = vector_of(next(path for path in VECTORS if path.stem == "d3-hidden-has-one-header-a-turn"))
    session = fold(*vector["events"])
    (shown, *_) = vector["moments"][0]["shown"]
    check(shown, session)
    without_last = {**shown, "steps": shown["steps"][:-1]}
    with_two_headers = {**shown, "steps": [{**step, "header": True} for step in shown["steps"]]}
    for wrong in (without_last, with_two_headers, {**shown, "lines": shown["lines"][1:]}):
        with pytest.raises(AssertionError):
            check(wrong, session)
