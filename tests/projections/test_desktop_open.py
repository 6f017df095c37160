"""What is open by default in the desktop view, and what never depends on what (`views.md` C-8; S000)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.view import DesktopMode, DesktopView
from tests.projections import logs, turns
from tests.projections.folding import (
    Event,
    call,
    chunk,
    end,
    fold,
    message,
    result,
    say,
    start,
    transcript,
    user,
)
from tests.projections.test_properties import DESKTOP, fold_all, shot

ANY_LOG = st.one_of(turns.LOGS, logs.LOGS)
MODES: list[DesktopMode] = ["fully-folded", "command-first", "flat"]
BEGIN = [start(), user()]


def entries(log: list[Event], view: DesktopView) -> list[Event]:
    """The entries of all turns, as a client gets them."""
    return [one for turn in shot(fold_all(log), view)["turns"] for one in turn["presentation"]["entries"]]


def nodes(*events: Event, view: DesktopView) -> list[Event]:
    """What stands in the last entry's disclosure."""
    found: list[Event] = transcript(fold(*events), view)["turns"][-1]["presentation"]["entries"][-1][
        "disclosure"
    ]["items"]
    return found


def rows_in(node: Event) -> list[Event]:
    """The rows of a group or topology; an item is its own."""
    found: list[Event] = node.get("items") or node.get("tasks") or [node]
    return found


def containers(shown: list[Event]) -> dict[str, Any]:
    """Of each group and topology, whether it is open by default, by its id."""
    listed = [node for one in shown for node in (one["disclosure"] or {"items": []})["items"]]
    return {
        node.get("group") or node["topology"]: node["default_open"] for node in listed if "ref" not in node
    }


@given(ANY_LOG, DESKTOP)
def test_no_row_but_thinking_opens_by_itself(log: list[Event], view: DesktopView) -> None:
    """Wherever it stands, whatever the preferences are, running or over."""
    listed = [node for one in entries(log, view) for node in (one["disclosure"] or {"items": []})["items"]]
    opened = [row for node in listed for row in rows_in(node) if row.get("default_open")]
    assert [row for row in opened if row["kind"] != "thinking"] == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("thinking", [True, False])
@pytest.mark.parametrize("name", ["Read", "Bash", "todo_write", "WebSearch", "Task"])
def test_a_running_call_is_a_closed_row_in_an_open_process(
    name: str, thinking: bool, mode: DesktopMode
) -> None:
    """Alone, and as first, middle and last of several; a plan is a call as any other."""
    log, view = [*BEGIN], DesktopView(mode=mode, thinking=thinking)
    for ident in "abc":
        log.append(call(ident, name=name))
        found = [row for node in nodes(*log, view=view) for row in rows_in(node)]
        assert [row["default_open"] for row in found] == [False] * len(found)


@pytest.mark.parametrize("size", [2, 4, 5, 40])
@pytest.mark.parametrize("mode", MODES[:2])
def test_a_group_that_is_over_opens_by_the_switch_alone(mode: DesktopMode, size: int) -> None:
    """No number of rows keeps it open, and with the switch off none keeps it closed."""
    work = [event for at in range(size) for event in (call(f"c{at}"), result(f"c{at}"))]
    for collapses in (True, False):
        view = DesktopView(mode=mode, collapse_groups=collapses)
        (group,) = nodes(*BEGIN, *work, say("so", step=2), end(), view=view)
        assert (group["visible_count"], group["default_open"]) == (size, not collapses)


@pytest.mark.parametrize("mode", MODES[:2])
@pytest.mark.parametrize("thinking", [True, False])
def test_the_group_of_the_current_work_is_open(mode: DesktopMode, thinking: bool) -> None:
    """Also between two calls, when nothing in it runs; other work closes it, and so does the end."""
    view = DesktopView(mode=mode, thinking=thinking)
    work = [*BEGIN, call("a"), result("a"), call("b"), result("b")]
    assert nodes(*work, view=view)[0]["default_open"] is True
    assert nodes(*work, end(), view=view)[0]["default_open"] is False
    assert nodes(*work, say("so", step=2), call("c", step=3), view=view)[0]["default_open"] is False


def test_open_thinking_keeps_no_group_open() -> None:
    """Two levels with a switch each: the group closes over thinking that is open inside of it."""
    thought = message([{"type": "reasoning", "text": "hm"}])
    view = DesktopView(collapse_thinking=False)
    (group,) = nodes(*BEGIN, thought, call("a"), result("a"), say("so", step=2), end(), view=view)
    assert (group["default_open"], group["items"][0]["default_open"]) == (False, True)


@pytest.mark.parametrize("mode", MODES)
def test_streaming_thinking_is_open_and_closes_when_it_is_over(mode: DesktopMode) -> None:
    """In each mode, while it is the current step's."""
    log, view = [*BEGIN, chunk("hm", kind="reasoning")], DesktopView(mode=mode)
    assert nodes(*log, view=view)[0]["default_open"] is True
    assert nodes(*log, chunk("so", index=1), view=view)[0]["default_open"] is False


@given(ANY_LOG, DESKTOP)
def test_the_thinking_preference_moves_nothing_but_thinking(log: list[Event], view: DesktopView) -> None:
    """Entries, answers, headers and what is open by default are the same, where both show them."""
    shown, hidden = (
        entries(
            log,
            DesktopView(
                mode=view.mode,
                thinking=thinking,
                collapse_groups=view.collapse_groups,
                collapse_thinking=view.collapse_thinking,
            ),
        )
        for thinking in (True, False)
    )
    assert len(shown) == len(hidden)
    for one, other in zip(shown, hidden, strict=True):
        assert {**one, "disclosure": None} == {**other, "disclosure": None}
        if one["disclosure"] and other["disclosure"]:
            assert {**one["disclosure"], "items": []} == {**other["disclosure"], "items": []}
    with_thinking, without = containers(shown), containers(hidden)
    assert {name: with_thinking[name] for name in without} == without


@given(ANY_LOG, st.booleans(), st.booleans())
def test_groups_open_by_the_same_rules_in_both_grouping_modes(
    log: list[Event], thinking: bool, collapses: bool
) -> None:
    """Where there is no command to take out, both modes group alike and open alike."""
    log = [{**event, "name": "Read"} if event.get("name") == "Bash" else event for event in log]
    one, other = (
        containers(entries(log, DesktopView(mode=each, thinking=thinking, collapse_groups=collapses)))
        for each in ("fully-folded", "command-first")
    )
    assert one == other


@given(ANY_LOG, DESKTOP)
def test_all_of_a_turn_stands_in_a_disclosure_an_answer_or_outside(
    log: list[Event], view: DesktopView
) -> None:
    """One disclosure an entry, with all that is no answer and waits for nobody; nothing is lost or doubled."""
    if not view.thinking:
        view = DesktopView(mode=view.mode)
    for turn in shot(fold_all(log), view)["turns"]:
        listed: list[str] = []
        for one in turn["presentation"]["entries"]:
            inside = (one["disclosure"] or {"items": []})["items"]
            listed += [row["ref"] for node in inside for row in rows_in(node)]
            listed += [*one["answer"], *one["outside"], *([one["boundary"]] if one["boundary"] else [])]
        assert len(listed) == len(set(listed))
        wanted = {ref for row in turn["rows"] for ref in refs_of(row)}
        assert {ref for ref in listed if not ref.startswith("steering:")} == {
            ref for ref in wanted if not ref.startswith("steering:")
        }


def refs_of(row: Event) -> list[str]:
    """What of a row the view must show: each visible block of a step, and all rows but other views' own."""
    if row["kind"] in ("system_prompt", "turn_process", "turn_tail"):
        return []
    if row["kind"] != "assistant_step":
        return [row["key"]]
    return [f"{row['key']}#{at}" for at, block in enumerate(row["blocks"]) if is_visible(block)]


def is_visible(block: Event) -> bool:
    """A-3, but for calls, which are rows."""
    if block["type"] in ("text", "reasoning"):
        return str(block.get("text", "")).strip() != ""
    return str(block["type"]) != "tool_call"
