"""Situations that break folding products, a vector or more for each: what is shown at each moment that matters."""

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
from projections.view import DesktopView, TuiView, View, WebView
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
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


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


def entry_of(entry: Event) -> Event:
    """A display entry of the desktop view in the words of the vectors."""
    disclosure = entry["disclosure"]
    found = {name: entry[name] for name in ("boundary", "answer", "outside")}
    if disclosure is None:
        return {**found, "process": None}
    header = disclosure["header"]
    return {
        **found,
        "process": [node_of(node) for node in disclosure["items"]],
        "status": header["status"],
        "tool_count": header["tool_count"],
    }


def node_of(node: Event) -> str | Event:
    """What a disclosure lists: an item, a group or the delegations that stand together."""
    if "group" in node:
        refs = [item["ref"] for item in node["items"]]
        return {"group": refs, "operation_count": node["title"]["operation_count"]}
    if "topology" in node:
        return {"tasks": [task["ref"] for task in node["tasks"]]}
    return str(node["ref"])


def check_desktop(turns: list[list[Event]], session: SessionFold) -> None:
    """Compare the display entries of each turn with what a moment names of them (C-1 to C-6, C-10, C-11)."""
    shown = transcript(session, DesktopView())["turns"]
    found = [[entry_of(entry) for entry in turn["presentation"]["entries"]] for turn in shown]
    named = [
        [{name: entry.get(name) for name in wanted} for wanted, entry in zip(entries, mine, strict=True)]
        for entries, mine in zip(turns, found, strict=True)
    ]
    assert named == turns


def check(moment: Event, reading: Reading) -> None:
    """Compare what a moment names with what the session shows."""
    session = reading.session
    shown, shown_zh = transcript(session), transcript(session, WebView(locale="zh-CN"))
    if "turns" in moment:
        found = [facts_of(one, zh) for one, zh in zip(shown["turns"], shown_zh["turns"], strict=True)]
        pairs = list(zip(moment["turns"], found, strict=True))
        assert [{name: turn[name] for name in wanted} for wanted, turn in pairs] == moment["turns"]
    if "desktop" in moment:
        check_desktop(moment["desktop"], session)
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


@pytest.mark.parametrize("view", [WebView(), DesktopView(), TuiView()], ids=lambda view: type(view).__name__)
@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_situation_is_the_same_live_and_in_history(path: Path, view: View) -> None:
    """W-1: who follows event by event holds what a reader of history gets, and a restored fold is that fold."""
    reading, presenter = Reading(), Presenter(view)
    client = transcript(reading.session, view)
    presenter.tell_all(reading.session)
    for event in vector_of(path)["events"]:
        reading.take(event)
        for one in facts(reading.session.drain()):
            apply_ops(client, as_json(presenter.ops(one)))
        assert content(client) == content(transcript(reading.session, view))
    saved = encode_head(reading.session), encode_turns(reading.session)
    assert transcript(restore(*saved), view) == transcript(reading.session, view)


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
