"""Ids of the desktop view: what a reader opened by hand is found again, whatever happens to the transcript (C-1)."""

import itertools
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from projections.desktop import desktop_telling
from projections.session import SessionFold
from projections.slices import finished
from projections.transcript import turn_value, window_of
from projections.view import DesktopMode, DesktopView
from tests.projections.folding import more
from tests.projections.turns import LOGS

MODES: st.SearchStrategy[DesktopMode] = st.sampled_from(["fully-folded", "command-first", "flat"])
VIEWS = st.builds(DesktopView, mode=MODES, thinking=st.booleans())
Where = dict[str, tuple[str, str | None]]


def places(session: SessionFold, view: DesktopView) -> Where:
    """Of each ref that is shown in a disclosure: its entry's id, and the id of what holds it or would hold it."""
    found: Where = {}
    for turn in session.main.turns.values():
        shown = msgspec.to_builtins(finished(desktop_telling(session.main, turn, view)).told)
        for entry in shown["entries"]:
            for node in (entry["disclosure"] or {"items": []})["items"]:
                found.update(_refs(entry["id"], node))
    return found


def _refs(entry: str, node: dict[str, Any]) -> Where:
    holder = node.get("group") or node.get("topology") or node.get("group_id")
    inner = node.get("items") or node.get("tasks") or [node]
    return {item["ref"]: (entry, holder) for item in inner}


def moved(before: Where, after: Where) -> dict[str, Any]:
    """What is shown in both and stands under another id."""
    return {
        ref: (before[ref], after[ref]) for ref in before.keys() & after.keys() if before[ref] != after[ref]
    }


@given(LOGS, VIEWS)
def test_ids_survive_streaming_and_completion(log: list[dict[str, Any]], view: DesktopView) -> None:
    """After every single event, also where one item becomes a group, or a group one item."""
    session, before = SessionFold(), dict[str, tuple[str, str | None]]()
    for event in log:
        after = places(more(session, event), view)
        assert moved(before, after) == {}, event
        before = after


@given(LOGS, MODES)
def test_ids_survive_each_preference(log: list[dict[str, Any]], mode: DesktopMode) -> None:
    """Thinking on or off, groups and thinking that close or stay open: the same ids for what is shown in both."""
    session = more(SessionFold(), *log)
    views = [
        DesktopView(mode=mode, thinking=thinking, collapse_groups=groups, collapse_thinking=thoughts)
        for thinking, groups, thoughts in itertools.product((True, False), repeat=3)
    ]
    shown = [places(session, view) for view in views]
    assert all(moved(shown[0], one) == {} for one in shown)


@given(LOGS, st.booleans())
def test_entries_and_what_opens_a_group_are_the_same_in_each_mode(
    log: list[dict[str, Any]], thinking: bool
) -> None:
    """Modes group differently, but entries are the same, and a group that both modes begin alike has one id."""
    session = more(SessionFold(), *log)
    folded, commands, flat = (
        places(session, DesktopView(mode=mode, thinking=thinking))
        for mode in ("fully-folded", "command-first", "flat")
    )
    assert {ref: entry for ref, (entry, _) in folded.items()} == {
        ref: entry for ref, (entry, _) in flat.items()
    }
    assert folded.keys() == commands.keys() == flat.keys()
    opened = {ref for ref, (_, holder) in folded.items() if holder == f"group:{ref}"}
    lone = {ref for ref, (_, holder) in commands.items() if holder is None}
    assert moved(_only(folded, opened - lone), commands) == {}


def _only(where: Where, refs: set[str]) -> Where:
    return {ref: where[ref] for ref in refs}


@given(LOGS, VIEWS)
def test_older_pages_change_nothing_of_what_is_held(log: list[dict[str, Any]], view: DesktopView) -> None:
    """A turn is presented alike in the newest page and in the whole."""
    session = more(SessionFold(), *log)
    newest = window_of(session, limit=1).turns
    whole = window_of(session).turns
    assert [finished(turn_value(session.main, turn, view)) for turn in newest] == [
        finished(turn_value(session.main, turn, view)) for turn in whole[-len(newest) :]
    ]
