"""Searching a session: what is found, in which order, and the way to it in each view (C-16)."""

import json
from itertools import islice
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections import search_path
from projections.asked_view import AskedView, completed
from projections.building import TurnBuilder
from projections.errors import CursorError
from projections.fold import Fold
from projections.preferences import Preferences
from projections.search import Hit, locate, query_of, search
from projections.search_path import _Sight, _sight_of
from projections.slices import Slices, finished
from projections.view import DesktopView, TuiView, View, WebView
from tests.projections.folding import Event, call, end, fold, more, result, say, start, user
from tests.projections.logs import LOGS
from tests.projections.test_properties import fold_all

ROOT = Path(__file__).parent.parent / "vectors"
VECTORS = sorted((ROOT / "search").glob("*.json"))
SCHEMA = json.loads((ROOT / "search.schema.json").read_text(encoding="utf-8"))
VIEWS: tuple[View, ...] = (
    WebView(),
    WebView(mode="normal"),
    DesktopView(),
    DesktopView(thinking=False),
    TuiView(),
)


def vector_of(path: Path) -> dict[str, Any]:
    """A vector."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def view_of(asked: Event) -> View:
    """A view as a client asks for it."""
    return completed(msgspec.convert(asked, AskedView), Preferences())


def hits_of(events: list[Event], query: Event) -> list[Hit] | None:
    """What a query of a vector gives; None where it holds no word."""
    session, view = fold(*events), view_of(query["view"])
    if "key" in query:
        hit = finished(locate(session, query["key"], tuple(query["in"]), view))
        return [] if hit is None else [hit]
    words = query_of(query["q"])
    if words is None:
        return None
    return [found.hit for found in search(session, words, view) if found is not None]


def told(hit: Hit) -> Event:
    """A hit as a client decodes it, without its excerpt."""
    found: Event = json.loads(msgspec.json.encode(hit))
    del found["excerpt"]
    return found


def test_the_vectors_are_there_and_well_formed() -> None:
    """A run over an empty folder proves nothing."""
    assert len(VECTORS) >= 11
    for path in VECTORS:
        vector = vector_of(path)
        jsonschema.validate(vector, SCHEMA)
        assert path.stem == vector["name"]
    assert any(vector_of(path)["negative"] for path in VECTORS)


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_query_finds_what_it_must_and_says_the_way(path: Path) -> None:
    """Key, ref, field, the ancestors to open and what hides it even then."""
    vector = vector_of(path)
    for query in vector["queries"]:
        hits = hits_of(vector["events"], query)
        assert (None if hits is None else [told(hit) for hit in hits]) == query["hits"], query


def test_an_excerpt_shows_the_match_in_its_surroundings() -> None:
    """In pieces, on one line, cut with an ellipsis at both ends."""
    text = "a" * 200 + " before\n the NEEDLE  after " + "z" * 400
    hits = hits_of([start(), user(text), end()], {"view": {"kind": "web"}, "q": "needle"})
    assert hits is not None
    (hit,) = hits
    before, match, after = hit.excerpt
    assert before.text.startswith("…a")
    assert before.text.endswith(" before the ")
    assert (match.text, match.match) == ("NEEDLE", True)
    assert after.text.startswith(" after z")
    assert after.text.endswith("z…")
    assert len("".join(piece.text for piece in hit.excerpt)) < 260


def test_a_cursor_goes_on_behind_the_last_hit_while_the_session_grows() -> None:
    """Nothing is given twice and nothing is left out."""
    session = fold(
        start(), user("needle one"), call("c1"), result("c1", "needle two"), say("needle three", 2), end()
    )
    query = query_of("needle")
    assert query is not None
    first, second = islice((found for found in search(session, query, WebView()) if found is not None), 2)
    more(session, start(2), user("needle four", 2, "u2"))
    rest = [found.hit.key for found in search(session, query, WebView(), second.cursor) if found is not None]
    assert (first.hit.key, second.hit.key, rest) == ("user:u1", "tool:c1", ["step:1:2", "user:u2"])


@pytest.mark.parametrize("cursor", ["", "1", "x.1", "1.-1", "9" * 40 + ".1"])
def test_a_cursor_that_was_not_given_out_is_refused(cursor: str) -> None:
    """The peer's fault, in words."""
    query = query_of("x")
    assert query is not None
    with pytest.raises(CursorError):
        list(search(fold(start()), query, WebView(), cursor))


@given(LOGS, st.sampled_from(VIEWS))
def test_every_visible_row_can_be_located(log: list[dict[str, Any]], view: View) -> None:
    """And the way names things of the turn that it leads through."""
    session = fold_all(log)
    for turn in session.main.turns.values():
        for slot in turn.rows:
            hit = finished(locate(session, slot.key, (), view))
            assert hit is not None
            assert hit.key == slot.key
            assert all(opening.turn == turn.number for opening in hit.path)


def test_a_turn_that_moves_is_worked_out_once_and_again_for_a_row_that_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else a page of hits in a great turn that runs costs the whole turn once a hit, each time at once."""
    log = [start(), user("find"), *(say("find", step=step) for step in range(1, 20))]
    session = fold(*log)
    made = []

    def counted(fold_: Fold, turn: TurnBuilder, view: View) -> Slices[_Sight]:
        made.append(turn.rev)
        return (yield from _sight_of(fold_, turn, view))

    monkeypatch.setattr(search_path, "_sight_of", counted)
    query = query_of("find")
    assert query is not None
    hits = []
    for found in search(session, query, DesktopView()):
        if found is not None:
            hits.append(found.hit)
            more(session, call(f"c{len(hits)}", step=30))
            if len(hits) == 10:
                more(session, say("find it still", step=15))
    assert len(made) == 2
    assert [hit.key for hit in hits] == ["user:u1", *(f"step:1:{step}" for step in range(1, 20))]
    changed = finished(locate(session, "step:1:15", (), DesktopView()))
    assert changed is not None
    assert hits[15].path == changed.path != ()
