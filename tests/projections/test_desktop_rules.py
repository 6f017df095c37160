"""Rules of the desktop view that no shared case shows: what stands where, and what is open (`views.md` C)."""

import pytest

from projections.view import DesktopView
from tests.projections.desktop_entries import (
    BEGIN,
    COMMANDS,
    FLAT,
    NO_THINKING,
    SEARCH,
    done,
    entries,
    entry,
    items,
    think,
)
from tests.projections.folding import (
    Event,
    call,
    chunk,
    end,
    fold,
    message,
    more,
    result,
    row,
    say,
    start,
    user,
)

# C-2, C-3: parts, answer, outside


def test_a_plain_answer_has_no_disclosure() -> None:
    """Nothing to fold, so nothing folds."""
    shown = entry(*BEGIN, say("42"), end())
    assert (shown["disclosure"], shown["answer"]) == (None, ["step:1:1#0"])


@pytest.mark.parametrize(
    ("event", "ref"),
    [
        (call("c1", name="Read"), "tool:c1"),
        (call("c1", name="Bash"), "tool:c1"),
        (think(index=1), "step:1:1#1"),
        ({**SEARCH, "status": "searching"}, "search:s:r"),
    ],
)
def test_streaming_text_is_the_answer_until_work_comes(event: Event, ref: str) -> None:
    """The same row with the same text at the same place: first the answer, then a message of the process."""
    session = fold(*BEGIN, chunk("I will look"))
    assert entries(session)[0]["answer"] == ["step:1:1#0"]
    (text,) = row(session, "step:1:1")["blocks"]
    more(session, event)
    shown = entries(session)[0]
    assert (shown["answer"], items(shown)) == ([], ["step:1:1#0", ref])
    assert row(session, "step:1:1")["blocks"][0] == text


@pytest.mark.parametrize("words", ["Final answer: 42", "Let me look further.", "Done.", "?"])
@pytest.mark.parametrize("phase", [None, "commentary", "final_answer"])
def test_wording_never_decides_what_the_answer_is(words: str, phase: str | None) -> None:
    """Nor does what the producer calls it; what comes behind it alone does."""
    said = say(words) if phase is None else say(words, phase=phase)
    assert entry(*BEGIN, said)["answer"] == ["step:1:1#0"]
    assert entry(*BEGIN, said, call("c1", step=2))["answer"] == []


def test_text_after_a_tool_takes_the_answer_back() -> None:
    """The trailing run of one step's messages is the answer, the step's earlier text is not."""
    shown = entry(
        *BEGIN,
        message([{"type": "text", "text": "first"}, {"type": "tool_call", "call_id": "c1", "name": "Read"}]),
        *done("c1"),
        message([{"type": "text", "text": "a"}, {"type": "image", "url": "u"}], step=2),
        end(),
    )
    assert (items(shown), shown["answer"]) == (["step:1:1#0", "tool:c1"], ["step:1:2#0", "step:1:2#1"])


def test_of_adjacent_text_steps_the_last_is_the_answer() -> None:
    """The text before it is process."""
    shown = entry(*BEGIN, say("one"), say("two", step=2), end())
    assert (items(shown), shown["answer"]) == (["step:1:1#0"], ["step:1:2#0"])


@pytest.mark.parametrize(
    ("event", "ref"),
    [
        ({"type": "context/injection", "id": "k", "source": "s", "content": [], "turn": 1}, "context:k"),
        ({"type": "command/run", "id": "k", "name": "/x", "turn": 1}, "command:k"),
        ({"type": "custom/thing", "visible": True, "turn": 1}, "custom:5"),
        ({"type": "llm/retry", "turn": 1, "step": 1, "retry_id": "k", "retry": 1}, "retry:k"),
    ],
)
def test_plain_rows_after_the_text_take_no_answer_and_make_no_group_live(event: Event, ref: str) -> None:
    """They stand in the disclosure while the answer stays."""
    shown = entry(*BEGIN, *done("c1"), say("answer", step=2), event)
    assert (items(shown), shown["answer"]) == (["tool:c1", ref], ["step:1:2#0"])
    nodes = shown["disclosure"]["items"]
    assert [node["default_open"] for node in nodes] == [False, False]


@pytest.mark.parametrize("kind", ["permission", "question", "plan", "goal", "other", "of tomorrow"])
def test_what_waits_stands_outside_and_what_is_resolved_stands_in_the_process(kind: str) -> None:
    """A pending interaction of any kind is operable with everything closed."""
    ask = {"type": "interaction/request", "id": "p", "kind": kind, "title": "go?", "turn": 1}
    session = fold(*BEGIN, *done("c1"), ask)
    shown = entries(session)[0]
    assert (items(shown), shown["outside"]) == (["tool:c1"], ["interaction:p"])
    more(session, {"type": "interaction/resolve", "id": "p", "outcome": "yes"})
    shown = entries(session)[0]
    assert (items(shown), shown["outside"]) == ([["tool:c1", "interaction:p"]], [])


def test_a_failed_turn_without_any_process_shows_its_error() -> None:
    """No visible item: no header, and the error stands outside."""
    shown = entry(*BEGIN, end("failed", error={"code": "x", "message": "y"}))
    assert (shown["disclosure"], shown["outside"]) == (None, ["error:1"])


def test_a_turn_that_only_failed_has_an_entry_of_its_own() -> None:
    """Without any row to open it the turn itself names the entry."""
    (shown,) = entries(fold(start(), end("failed")))
    assert (shown["id"], shown["boundary"], shown["outside"]) == ("turn:1", None, ["error:1"])


def test_a_call_without_a_block_stands_before_what_was_said_after_it() -> None:
    """Within a step: by when each showed something first."""
    shown = entry(
        *BEGIN, think(), call("c1", name="Read"), chunk("so", index=1), chunk("then", index=2, step=1), end()
    )
    assert items(shown) == [["step:1:1#0", "tool:c1"]]
    assert shown["answer"] == ["step:1:1#1", "step:1:1#2"]


def test_a_search_round_stands_where_it_happened_in_its_step() -> None:
    """The provider searches inside of the message."""
    search = {**SEARCH, "status": "completed"}
    shown = entry(*BEGIN, chunk("look"), search, chunk("found", index=1), end())
    assert (items(shown), shown["answer"]) == (["step:1:1#0", "search:s:r"], ["step:1:1#1"])


# C-5, C-6: modes and groups


def test_a_run_of_every_kind_of_work_is_one_group() -> None:
    """Thinking, tools, commands and searches between two messages; a message ends it."""
    found = {**SEARCH, "step": 3, "status": "completed"}
    log = [*BEGIN, think(), *done("a", step=2), *done("b", step=2, name="Bash"), found, say("so", step=4)]
    runs = ["step:1:1#0", "tool:a", "tool:b", "search:s:r"]
    assert items(entry(*log, *done("c", step=5), end())) == [runs, "step:1:4#0", "tool:c"]


MIXED = [*BEGIN, *done("a"), *done("b", name="Bash"), *done("c", name="exec"), *done("d"), *done("e"), end()]


def test_each_mode_groups_the_same_parts_in_its_own_way() -> None:
    """Commands inside, commands beside, no groups at all."""
    a, b, c, d, e = (f"tool:{one}" for one in "abcde")
    assert items(entry(*MIXED)) == [[a, b, c, d, e]]
    assert items(entry(*MIXED, view=COMMANDS)) == [a, b, c, [d, e]]
    assert items(entry(*MIXED, view=FLAT)) == [a, b, c, d, e]


def test_a_single_item_keeps_the_id_of_the_group_that_would_hold_it() -> None:
    """But in `flat`, where nothing would, and on commands that stand by themselves."""
    nodes = entry(*MIXED, view=COMMANDS)["disclosure"]["items"]
    assert [node.get("group_id") for node in nodes[:3]] == ["group:tool:a", None, None]
    assert nodes[3]["group"] == "group:tool:d"
    assert all("group_id" not in node for node in entry(*MIXED, view=FLAT)["disclosure"]["items"])


def test_hidden_thinking_makes_no_group_and_still_names_it() -> None:
    """It stays a member: the group's id is the same with thinking on."""
    log = [*BEGIN, think(), *done("a", step=2), end()]
    (group,) = entry(*log)["disclosure"]["items"]
    (single,) = entry(*log, view=NO_THINKING)["disclosure"]["items"]
    assert (group["group"], single["ref"], single["group_id"]) == (
        "group:step:1:1#0",
        "tool:a",
        "group:step:1:1#0",
    )


def test_a_turn_of_hidden_thinking_alone_has_no_disclosure() -> None:
    """Hidden thinking makes no wrapper, and the answer stands by itself."""
    log = [*BEGIN, message([{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "42"}]), end()]
    assert entry(*log, view=NO_THINKING)["disclosure"] is None
    assert items(entry(*log)) == ["step:1:1#0"]


def test_one_task_alone_is_a_topology_in_every_mode() -> None:
    """A container of its own, never inside a group."""
    log = [*BEGIN, *done("a"), *done("t", name="Task"), *done("b"), *done("c"), end()]
    for view in (DesktopView(), COMMANDS):
        assert items(entry(*log, view=view)) == ["tool:a", ["tool:t"], ["tool:b", "tool:c"]]
    assert items(entry(*log, view=FLAT)) == ["tool:a", ["tool:t"], "tool:b", "tool:c"]


def test_hidden_thinking_between_two_tasks_separates_them() -> None:
    """Anything does."""
    log = [*BEGIN, *done("t", name="Task"), think(step=2), *done("u", step=3, name="Task"), end()]
    assert items(entry(*log, view=NO_THINKING)) == [["tool:t"], ["tool:u"]]


def test_a_tool_with_nested_events_is_a_task_whatever_its_name() -> None:
    """And what happens inside is not counted outside."""
    inside = [{**one, "parent_call_id": "c"} for one in (start(), *done("inner"))]
    shown = entry(*BEGIN, call("c", name="review"), *inside)
    (topology,) = shown["disclosure"]["items"]
    assert topology["tasks"][0]["kind"] == "task"
    assert shown["disclosure"]["header"]["tool_count"] == 1


# C-7, C-8: thinking and what is open


def test_reasoning_streams_until_a_later_part_of_its_step() -> None:
    """Then its sign goes, and nothing is left of it while thinking is off."""
    session = fold(*BEGIN, think())
    (sign,) = entries(session, NO_THINKING)[0]["disclosure"]["items"]
    assert (sign["indicator"], sign["streaming"], sign["default_open"]) == (True, True, False)
    more(session, chunk("so", index=1))
    assert entries(session, NO_THINKING)[0]["disclosure"] is None


def test_a_block_end_ends_the_sign() -> None:
    """Also where no other part follows yet."""
    ended = {"type": "assistant/chunk", "turn": 1, "step": 1, "index": 0, "kind": "block_end"}
    assert entry(*BEGIN, think(), ended, view=NO_THINKING)["disclosure"] is None


def test_fully_folded_opens_only_the_thinking_of_the_current_step() -> None:
    """The other modes open whatever streams."""
    log = [*BEGIN, think(), {"type": "step/start", "turn": 1, "step": 2}]
    assert entry(*log)["disclosure"]["items"][0]["default_open"] is False
    assert entry(*log, view=FLAT)["disclosure"]["items"][0]["default_open"] is True


def test_settled_thinking_stays_open_only_where_the_reader_wants_it() -> None:
    """`collapse_thinking` off opens every thinking row that is shown."""
    log = [*BEGIN, message([{"type": "reasoning", "text": "hm"}]), *done("a"), end()]
    folded = [entry(*log, view=DesktopView(collapse_thinking=closes)) for closes in (True, False)]
    rows = [shown["disclosure"]["items"][0]["items"][0] for shown in folded]
    assert [row["default_open"] for row in rows] == [False, True]


def test_groups_that_are_over_stay_open_where_the_reader_wants_it() -> None:
    """`collapse_groups` off opens groups of any size, in mid-turn too; their disclosure closes as ever."""
    log = [*BEGIN, *done("a"), *done("b"), say("m", step=2), *done("c", step=3)]
    keeps = DesktopView(collapse_groups=False)
    assert entry(*log)["disclosure"]["items"][0]["default_open"] is False
    assert entry(*log, view=keeps)["disclosure"]["items"][0]["default_open"] is True
    shown = entry(*log, end(), view=keeps)
    assert (shown["disclosure"]["default_open"], shown["disclosure"]["items"][0]["default_open"]) == (
        False,
        True,
    )


@pytest.mark.parametrize("reason", ["completed", "interrupted"])
def test_a_group_with_a_failure_stays_open_until_the_turn_ends(reason: str) -> None:
    """Also where the turn is cut."""
    log = [*BEGIN, *done("a", status="error"), *done("b"), say("m", step=2), *done("c", step=3)]
    assert entry(*log)["disclosure"]["items"][0]["default_open"] is True
    assert entry(*log, end(reason))["disclosure"]["items"][0]["default_open"] is False


def test_running_work_never_closes_by_itself() -> None:
    """A group that is not live, and an entry that is not active, stay open while something in them runs."""
    steering = {"type": "user/steering", "turn": 1, "id": "s", "state": "delivered", "content": []}
    session = fold(*BEGIN, *done("a"), call("b"), say("m", step=2), steering, *done("c", step=3))
    first, second = entries(session)
    assert (first["active"], first["disclosure"]["default_open"]) == (False, True)
    assert first["disclosure"]["items"][0]["default_open"] is True
    more(session, result("b"))
    first, second = entries(session)
    assert (first["disclosure"]["default_open"], second["active"]) == (False, True)


def test_a_command_with_another_exit_code_than_zero_failed() -> None:
    """Of other tools the status alone counts."""
    log = [*BEGIN, *done("a", name="Bash", exit_code=1), *done("b", name="Read", exit_code=1), end()]
    group = entry(*log)["disclosure"]["items"][0]
    assert [item.get("failed", False) for item in group["items"]] == [True, False]
    assert group["failed"] is True


def test_an_edit_with_its_diff_is_one_row() -> None:
    """C-15: no level of its own; the snapshot stays in the row, for the client to draw below the file's name."""
    diff = {"type": "diff", "path": "a.py", "unified": "-a\n+b\n"}
    log = [*BEGIN, call("a", name="Edit"), {**result("a"), "output": [diff]}, end()]
    (item,) = entry(*log)["disclosure"]["items"]
    assert item == {"ref": "tool:a", "kind": "tool", "default_open": False, "group_id": "group:tool:a"}
    assert row(fold(*log), "tool:a")["output"] == [diff]


# Retraction, a synthetic end, entries


def test_a_retry_takes_the_parts_of_its_attempt_away() -> None:
    """What stood on both sides joins; the chain's row stays where it began."""
    retry = {"type": "llm/retry", "turn": 1, "step": 2, "retry_id": "r", "retry": 1}
    session = fold(*BEGIN, *done("a"), chunk("half", step=2), retry)
    assert items(entries(session)[0]) == [["tool:a", "retry:r"]]
    more(session, chunk("whole", step=2))
    assert entries(session)[0]["answer"] == ["step:1:2#0"]


def test_a_turn_that_goes_on_after_a_synthetic_end_is_active_again() -> None:
    """The layout that was brought up to date is the one that a replay makes (rule 8)."""
    session = fold(*BEGIN, *done("a"), end("interrupted", synthetic=True))
    assert entries(session)[0]["disclosure"]["header"]["status"] == "stopped"
    more(session, *done("b"))
    shown = entries(session)[0]
    assert (shown["active"], shown["disclosure"]["header"]["status"]) == (True, "running")


def test_system_prompts_controls_and_tails_are_no_part_of_the_view() -> None:
    """They belong to the web view and to the reader's own devices."""
    prompt = {"type": "system/prompt", "text": "you are", "reason": "initial"}
    shown = entry(start(), prompt, user(), *done("a"), end())
    assert items(shown) == ["tool:a"]
