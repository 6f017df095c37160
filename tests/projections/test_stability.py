"""Row keys, ids and places are stable: under growth, in any batching, and however a history is paged."""

import itertools
import json
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from projections.decode import decode_event
from projections.events import Malformed
from projections.session import SessionFold
from projections.transcript import snapshot, window_of
from projections.view import DesktopView, WebView
from tests.projections.logs import LOGS
from tests.projections.test_properties import AT, fold_all, saved, shot

Log = list[dict[str, Any]]
# After these, rows that were there may stand elsewhere, by rule: a human opens the turn (B-5), turns are taken back. An
# attempt that is taken back moves nothing: its row leaves, and comes again as a new one.
_MOVING = {"user/message", "user/steering", "session/rewind"}


def rows_of(fold: SessionFold) -> dict[str, dict[str, Any]]:
    """Every row of the session's own transcript by its key, in order; a key that stands twice fails."""
    shown = shot(fold, WebView())
    rows = [*shown["session_rows"], *(row for turn in shown["turns"] for row in turn["rows"])]
    by_key = {row["key"]: row for row in rows}
    assert len(by_key) == len(rows)
    return by_key


def pages(fold: SessionFold, limit: int) -> list[dict[str, Any]]:
    """The whole history in pages of at most `limit` turns, oldest page first."""
    found: list[dict[str, Any]] = []
    before: str | None = None
    while True:
        page = snapshot(fold, "s", AT, WebView(), window_of(fold, limit, before))
        found.insert(0, json.loads(msgspec.json.encode(page)))
        if page.history_complete:
            assert page.before is None
            return found
        assert page.before is not None
        assert page.before != before
        before = page.before


@given(LOGS, st.lists(st.integers(0, 40), max_size=8))
def test_fold_in_any_batching_equals_fold_at_once(log: Log, cuts: list[int]) -> None:
    """However the log is cut, and whatever is drained or saved between two cuts."""
    bounds = sorted({0, len(log), *(cut for cut in cuts if cut < len(log))})
    fold = SessionFold()
    for begin, end in itertools.pairwise(bounds):
        fold_all(log[begin:end], fold)
        fold.drain()
        saved(fold)
    assert saved(fold) == saved(fold_all(log))


@given(LOGS)
def test_a_key_names_one_row_for_its_whole_life(log: Log) -> None:
    """A-1: what it names keeps its kind and its step; keys are never shared."""
    fold = SessionFold()
    named: dict[str, tuple[str, int | None]] = {}
    for event in log:
        fold_all([event], fold)
        for key, row in rows_of(fold).items():
            kind, step = named.setdefault(key, (row["kind"], row["step"]))
            assert row["kind"] == kind
            assert row["step"] == step or kind != "assistant_step"


@given(LOGS)
def test_rows_that_stand_do_not_change_their_order(log: Log) -> None:
    """A-9: completion, later steps and retries and everything else but a human or a rewind leave it as it is."""
    fold = SessionFold()
    before: list[str] = []
    for event in log:
        fold_all([event], fold)
        after = list(rows_of(fold))
        if event["type"] not in _MOVING or "parent_call_id" in event:
            common = set(before) & set(after)
            assert [key for key in after if key in common] == [key for key in before if key in common]
        before = after


@given(LOGS, st.integers(1, 3))
def test_pages_put_together_are_the_whole(log: Log, limit: int) -> None:
    """Nothing is lost, doubled or named otherwise because a history is read in pages."""
    fold = fold_all(log)
    whole = shot(fold, WebView(), len(fold.main.turns) + 1)
    found = pages(fold, limit)
    assert [turn for page in found for turn in page["turns"]] == whole["turns"]
    assert [row for page in found for row in page["session_rows"]] == whole["session_rows"]
    assert all(len(page["turns"]) <= limit for page in found)


@given(LOGS, st.integers(0, 40), st.integers(1, 3))
def test_a_cursor_outlives_what_comes_later(log: Log, split: int, limit: int) -> None:
    """A page before a cursor holds the same turns after the session has grown, unless a rewind took them back."""
    if any(event["type"] == "session/rewind" for event in log[split:]):
        return
    early = fold_all(log[:split])
    before = window_of(early, limit).before
    if before is None:
        return
    named = [turn.number for turn in window_of(early, 10, before).turns]
    assert [turn.number for turn in window_of(fold_all(log), 10, before).turns] == named


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
_FIELDS = st.sampled_from(
    [
        *(
            "turn",
            "step",
            "id",
            "call_id",
            "parent_call_id",
            "event_id",
            "ts_ms",
            "surface",
            "text",
            "content",
        ),
        *("blocks", "block", "index", "kind", "output", "status", "reason", "error", "input", "payload"),
    ]
)


@given(LOGS.filter(bool), _FIELDS, _JSON, st.integers(0, 1_000))
def test_any_value_in_any_field_is_an_event_or_a_reason(log: Log, field: str, value: Any, at: int) -> None:
    """decode: never an exception; a reason can be stored and shown; what was taken is folded and shown."""
    spoiled = {**log[at % len(log)], field: value}
    raw = json.dumps(spoiled).encode()
    decoded = decode_event(raw)
    assert decode_event(raw) == decoded
    fold = fold_all(log)
    fold.apply(fold.next_seq, decoded)
    if isinstance(decoded, Malformed):
        assert 0 < len(decoded.reason) <= 500
        decoded.reason.encode()
    rows_of(fold)
    saved(fold)


@given(st.integers(0, 200_000), st.sampled_from(["[", '{"a":', '{"type":"custom/x","payload":[']))
def test_any_depth_is_an_event_or_a_reason(depth: int, opening: str) -> None:
    """RecursionError counts as malformed (R-9), closed or not."""
    for raw in (opening * depth, '{"type":"custom/x","payload":' + "[" * depth + "]" * depth + "}"):
        SessionFold().apply(0, decode_event(raw.encode()))


DESKTOP_MODES = st.sampled_from(["fully-folded", "command-first"])


def entries_of(fold: SessionFold, view: DesktopView) -> list[dict[str, Any]]:
    """The display entries of every turn."""
    return [entry for turn in shot(fold, view)["turns"] for entry in turn["presentation"]["entries"]]


def containers(entries: list[dict[str, Any]]) -> dict[str, str]:
    """The id of the group or topology that each item belongs to, those that stand by themselves included."""
    found: dict[str, str] = {}
    for entry in entries:
        for node in (entry["disclosure"] or {"items": []})["items"]:
            inside = node.get("items") or node.get("tasks") or [node]
            name = node.get("group") or node.get("topology") or node.get("group_id")
            if name is not None:
                found.update({item["ref"]: name for item in inside})
    return found


@given(LOGS, DESKTOP_MODES)
def test_ids_of_the_desktop_survive_every_preference(log: Log, mode: Any) -> None:
    """C-1: hiding thinking and what is open by default change no entry's id and no group's, also of a single item."""
    fold = fold_all(log)
    shown = entries_of(fold, DesktopView(mode=mode))
    hidden = entries_of(
        fold, DesktopView(mode=mode, thinking=False, collapse_groups=False, collapse_thinking=False)
    )
    assert [entry["id"] for entry in shown] == [entry["id"] for entry in hidden]
    with_thinking, without = containers(shown), containers(hidden)
    common = with_thinking.keys() & without.keys()
    assert {ref: with_thinking[ref] for ref in common} == {ref: without[ref] for ref in common}
    flat = entries_of(fold, DesktopView(mode="flat"))
    assert [entry["id"] for entry in flat] == [entry["id"] for entry in shown]


@given(LOGS, st.sampled_from([DesktopView(), DesktopView(mode="command-first"), DesktopView(thinking=False)]))
def test_ids_of_the_desktop_are_never_shared(log: Log, view: DesktopView) -> None:
    """C-1: an entry, a group or a topology is found by its id; nothing is listed twice in its turn."""
    for turn in shot(fold_all(log), view)["turns"]:
        entries = turn["presentation"]["entries"]
        nodes = [node for entry in entries for node in (entry["disclosure"] or {"items": []})["items"]]
        ids = [entry["id"] for entry in entries]
        ids += [node.get("group") or node.get("topology") for node in nodes if "ref" not in node]
        assert len(ids) == len(set(ids))
        refs = [item["ref"] for node in nodes for item in node.get("items") or node.get("tasks") or [node]]
        refs += [ref for entry in entries for ref in (*entry["answer"], *entry["outside"])]
        assert len(refs) == len(set(refs))


@given(LOGS)
def test_entries_of_the_desktop_keep_their_ids_while_a_session_grows(log: Log) -> None:
    """C-1: an entry that a row opened is there, under its id and in its place, whatever comes later."""
    fold = SessionFold()
    before: list[str] = []
    for event in log:
        fold_all([event], fold)
        after = [entry["id"] for entry in entries_of(fold, DesktopView()) if entry["boundary"] is not None]
        if event["type"] not in _MOVING or "parent_call_id" in event:
            held = set(before)
            assert [one for one in after if one in held] == before
        before = after
