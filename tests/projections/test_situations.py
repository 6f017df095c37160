"""Situations that break folding products, one vector each: what the web view shows, at each moment that matters."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from projections.decode import decode_event
from projections.deltas import facts
from projections.events import Malformed
from projections.presenter import Presenter
from projections.replica import apply_ops
from projections.saved import encode_head, encode_turns, restore
from projections.session import SessionFold
from projections.view import WebView
from tests.projections.folding import Event, more, row, transcript
from tests.projections.test_properties import as_json, content

VECTORS = sorted((Path(__file__).parent.parent / "vectors" / "situations").glob("*.json"))
SCHEMA = json.loads((Path(__file__).parent.parent / "vectors" / "situations.schema.json").read_text())
OF_PRESENTATION = (
    "answer",
    "members",
    "foldable",
    "has_external_process",
    "reasoning_hidden_when_closed",
    "compact_answer_when_closed",
    "generation",
)


@dataclass
class Reading:
    """A session as its events come in, those of a known event id left out."""

    session: SessionFold = field(default_factory=SessionFold)
    duplicates: int = 0

    def take(self, event: Event) -> None:
        """One event, as the projector takes it."""
        decoded = decode_event(json.dumps(event).encode())
        assert not isinstance(decoded, Malformed), decoded
        if decoded.event_id is not None and self.session.knows(decoded.event_id):
            self.duplicates += 1
            return
        self.session.apply(self.session.next_seq, decoded)


def vector_of(path: Path) -> dict[str, Any]:
    """A vector."""
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def shown_of(turn: Event) -> list[str]:
    """What a client shows of a turn whose group is closed (B-8)."""
    presentation = turn["presentation"]
    hidden = {one["key"] for one in turn["rows"] if one["kind"] == "turn_process"}
    if presentation is not None and presentation["foldable"]:
        hidden = set(presentation["members"])
    return [one["key"] for one in turn["rows"] if one["key"] not in hidden]


def facts_of(turn: Event, turn_zh: Event) -> Event:
    """A turn in the words of the vectors."""
    presentation = turn["presentation"]
    found = {
        **{name: turn[name] for name in ("turn", "status", "outcome", "waiting", "spec")},
        "queued": [one["id"] for one in turn["queued"]],
        "rows": [one["key"] for one in turn["rows"]],
        "shown": shown_of(turn),
    }
    if presentation is None:
        return found
    return {
        **found,
        **{name: presentation[name] for name in OF_PRESENTATION},
        "label": presentation["label"]["text"],
        "label_zh": turn_zh["presentation"]["label"]["text"],
        "segments": presentation["label"]["segments"],
    }


def check(moment: Event, reading: Reading) -> None:
    """Compare what a moment names with what the session shows."""
    session = reading.session
    shown, shown_zh = transcript(session), transcript(session, WebView(locale="zh-CN"))
    if "turns" in moment:
        found = [facts_of(one, zh) for one, zh in zip(shown["turns"], shown_zh["turns"], strict=True)]
        pairs = list(zip(moment["turns"], found, strict=True))
        assert [{name: turn[name] for name in wanted} for wanted, turn in pairs] == moment["turns"]
    if "session_rows" in moment:
        assert [one["key"] for one in shown["session_rows"]] == moment["session_rows"]
    for key, wanted in moment.get("row", {}).items():
        is_shown = row(session, key)
        assert {name: is_shown.get(name) for name in wanted} == wanted, key
    for key, texts in moment.get("texts", {}).items():
        assert [one["text"] for one in row(session, key)["blocks"] if "text" in one] == texts
    for key, keys in moment.get("delegate", {}).items():
        (below,) = row(session, key)["delegate"]["turns"]
        assert [one["key"] for one in below["rows"]] == keys
    for key, label in moment.get("delegate_label", {}).items():
        (below,) = row(session, key)["delegate"]["turns"]
        assert below["presentation"]["label"]["text"] == label
    everything = {one["key"] for turn in shown["turns"] for one in turn["rows"]}
    everything |= {one["key"] for one in shown["session_rows"]}
    assert not everything & set(moment.get("no_row", ()))
    assert reading.duplicates == moment.get("duplicates", reading.duplicates)


def test_the_vectors_are_there_and_well_formed() -> None:
    """A run over an empty folder proves nothing; each is named after its situation, and ends with its log."""
    assert len(VECTORS) >= 62
    for path in VECTORS:
        vector = vector_of(path)
        jsonschema.validate(vector, SCHEMA)
        assert path.stem == vector["name"]
        assert int(vector["name"][:2]) == vector["situation"]
        after = [moment["after"] for moment in vector["moments"]]
        assert after == sorted(set(after))
        assert after[-1] == len(vector["events"])
    assert any(vector_of(path)["negative"] for path in VECTORS)


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_situation_shows_what_it_must_at_each_moment(path: Path) -> None:
    """Live and in the end: every moment is the session as it stands after so many events."""
    vector = vector_of(path)
    reading, done = Reading(), 0
    for moment in vector["moments"]:
        for event in vector["events"][done : moment["after"]]:
            reading.take(event)
        done = moment["after"]
        check(moment, reading)


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_situation_is_the_same_live_and_in_history(path: Path) -> None:
    """W-1: who follows event by event holds what a reader of history gets, and a restored fold is that fold."""
    reading, presenter = Reading(), Presenter(WebView())
    client = transcript(reading.session)
    presenter.tell_all(reading.session)
    for event in vector_of(path)["events"]:
        reading.take(event)
        for one in facts(reading.session.drain()):
            apply_ops(client, as_json(presenter.ops(one)))
        assert content(client) == content(transcript(reading.session))
    saved = encode_head(reading.session), encode_turns(reading.session)
    assert transcript(restore(*saved)) == transcript(reading.session)


def test_five_hundred_events_that_come_again_change_nothing() -> None:
    """Situation 28: a replay is dropped by id, event for event, and only what is new is folded."""
    chunk = {"type": "assistant/chunk", "turn": 1, "step": 1, "index": 0, "kind": "text"}
    once = [{**chunk, "text": f"{number} ", "event_id": f"e{number}"} for number in range(500)]
    reading = Reading()
    for event in (*once, *once, {**chunk, "text": "end", "event_id": "last"}):
        reading.take(event)
    assert reading.duplicates == 500
    assert reading.session.next_seq == 501
    expected = more(SessionFold(), *once, {**chunk, "text": "end", "event_id": "last"})
    assert transcript(reading.session) == transcript(expected)
