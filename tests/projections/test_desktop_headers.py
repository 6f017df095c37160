"""Headers and titles of the desktop view (`views.md` C-9 to C-13)."""

import pytest

from projections.view import DesktopView
from tests.projections.desktop_entries import BEGIN, SEARCH, done, entries, entry, think
from tests.projections.folding import Event, call, chunk, end, fold, message, result, say, start

# C-9 to C-13: headers and titles


@pytest.mark.parametrize(
    ("log", "status"),
    [
        ([end("completed")], "completed"),
        ([end("max_tokens")], "completed"),
        ([end("blocked")], "completed"),
        ([end("odd")], "completed"),
        ([end("aborted")], "stopped"),
        ([end("interrupted")], "stopped"),
        ([end("failed")], "failed"),
        ([end("max_tokens", error={"code": "x"})], "failed"),
        ([call("b"), result("b", status="canceled")], "stopped"),
        ([message([{"type": "text", "text": " "}], step=2, interrupted=True)], "stopped"),
        ([message([{"type": "reasoning", "text": "h"}], step=2, interrupted=True), end()], "stopped"),
        ([message([], step=2, interrupted=True), end("failed")], "failed"),
        ([chunk("half", step=2), end("max_tokens")], "completed"),
        ([chunk("half", step=2), {"type": "step/end", "turn": 1, "step": 2}, end("max_tokens")], "completed"),
        ([chunk("half", step=2), end("blocked")], "completed"),
        ([chunk("half", step=2), end("odd")], "completed"),
        ([chunk("half", step=2), end("completed")], "stopped"),
        ([chunk("half", step=2), say("so", step=3), end("max_tokens")], "stopped"),
        ([message([], step=2, interrupted=True), end("max_tokens")], "stopped"),
        ([*done("b", status="error"), end()], "completed"),
        ([], "running"),
    ],
)
def test_failed_comes_before_stopped_before_running(log: list[Event], status: str) -> None:
    """A failed tool is no failed turn; a blank message that was cut stops the turn, also while it runs.

    What a token limit, a block or an unknown end cut is no stop, but for a message that says that it was interrupted.
    """
    assert entry(*BEGIN, *done("a"), *log)["disclosure"]["header"]["status"] == status


def test_what_a_delegate_did_is_not_the_turns_status() -> None:
    """Nested rows never stop or fail it."""
    inside = [{**one, "parent_call_id": "t"} for one in (start(), call("x"), end("aborted"))]
    shown = entry(*BEGIN, call("t", name="Task"), *inside, result("t"), end())
    assert shown["disclosure"]["header"]["status"] == "completed"


def test_errors_and_stops_belong_to_the_last_entry() -> None:
    """What came before a notice reads completed."""
    notice = {"type": "notice", "turn": 1, "id": "n", "level": "info", "text": "!"}
    shown = entries(fold(*BEGIN, *done("a"), notice, *done("b", step=2), end("aborted")))
    assert [one["disclosure"]["header"]["status"] for one in shown] == ["completed", "stopped"]


@pytest.mark.parametrize("over", [[], [end()]])
def test_a_header_never_says_what_is_being_done(over: list[Event]) -> None:
    """A command, a query, a path may be of any length: the header's fields are all there is, and none holds one."""
    work = call("b", step=2, name="Bash", input={"command": "NEEDLE"}, title="NEEDLE")
    found = {**SEARCH, "status": "completed", "query": "NEEDLE", "url": "NEEDLE"}
    header = entry(*BEGIN, found, think("NEEDLE"), work, *over)["disclosure"]["header"]
    assert header.keys() <= {"status", "phase", "started_at_ms", "duration_ms", "tool_count", "text"}
    assert "NEEDLE" not in str(header)


@pytest.mark.parametrize("status", ["error", "denied"])
def test_a_failure_of_a_row_changes_no_title_and_no_header(status: str) -> None:
    """Problems are counted nowhere: the row that failed says so itself."""
    good, bad = (
        entry(*BEGIN, *done("a"), *done("b", status=one), say("so", step=2), end())["disclosure"]
        for one in ("ok", status)
    )
    assert good["header"] == bad["header"]
    (fine,), (group,) = good["items"], bad["items"]
    assert fine["title"] == group["title"]
    assert [item.get("failed", False) for item in group["items"]] == [False, True]


@pytest.mark.parametrize(
    ("phases", "phase"),
    [
        (["recovering"], "recovering"),
        (["retrying"], "thinking"),
        (["waiting_model"], "thinking"),
        ([], "thinking"),
    ],
)
def test_phases_that_a_reader_may_wait_in_are_named(phases: list[str], phase: str) -> None:
    """Others read plain running, or thinking while the current step reasons."""
    named: list[Event] = [{"type": "phase/start", "turn": 1, "phase": one} for one in phases]
    header = entry(*BEGIN, *done("a"), think(step=2), *named)["disclosure"]["header"]
    assert (header["status"], header["phase"]) == ("running", phase)


def test_a_header_says_how_long_it_took_once_it_is_over() -> None:
    """From the first valid start to the latest end; while it runs the client's clock ticks."""
    log = [
        start(),
        {"type": "step/start", "turn": 1, "step": 1, "ts_ms": 1_000},
        call("a", ts_ms=2_000),
        result("a", ts_ms=3_604_500),
        say("done", step=2, ts_ms=3_606_000),
    ]
    header = entry(*log)["disclosure"]["header"]
    assert (header["started_at_ms"], "duration_ms" in header, header["text"]) == (
        1_000,
        False,
        "Working · 1 tool call",
    )
    header = entry(*log, end())["disclosure"]["header"]
    assert (header["duration_ms"], header["text"]) == (3_605_000, "Completed · 1h 5s · 1 tool call")
    header = entry(*log, end(), view=DesktopView(locale="zh-CN"))["disclosure"]["header"]
    assert header["text"] == "已完成 · 1小时5秒 · 1 次工具调用"


def test_unknown_times_are_absent() -> None:
    """Never 0, and never taken from anywhere but the log."""
    header = entry(*BEGIN, call("a", ts_ms=0), result("a", ts_ms=-5), end())["disclosure"]["header"]
    assert not {"started_at_ms", "duration_ms"} & header.keys()


def test_a_call_without_a_result_ends_at_its_start() -> None:
    """Or after its recorded duration."""
    log = [start(), call("a", ts_ms=1_000), call("b", ts_ms=1_500), result("b", duration_ms=2_000), end()]
    assert entry(*log)["disclosure"]["header"]["duration_ms"] == 2_500


def test_a_title_names_three_actions_and_counts_operations() -> None:
    """Thinking is named and not counted; a group of thinking counts its pieces."""
    log = [*BEGIN, think(), *done("a", step=2), *done("b", step=2, name="Grep"), end()]
    title = entry(*log)["disclosure"]["items"][0]["title"]
    assert title["text"] == "Thought, read files, and searched · 2 operations"
    title = entry(*BEGIN, think(), think(step=2), end())["disclosure"]["items"][0]["title"]
    assert (title["text"], title["operation_count"], title["thinking_count"]) == (
        "Thought · 2 segments",
        0,
        2,
    )


def test_a_group_of_plain_rows_counts_its_items() -> None:
    """There is no action to name."""
    context = {"type": "context/injection", "source": "s", "content": [], "turn": 1}
    log = [*BEGIN, {**context, "id": "a"}, {**context, "id": "b"}, end()]
    assert entry(*log)["disclosure"]["items"][0]["title"]["text"] == "2 items"
