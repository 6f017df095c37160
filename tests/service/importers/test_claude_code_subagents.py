"""Claude Code: subagents, in the main file or in files of their own, nested under the call that started them."""

import json
from pathlib import Path
from typing import Any

import pytest

from service.importers import NativeEvent, SessionFile, open_session_file
from tests.service.importers.claude_log import Json, Log, call, natives, rows_of, shown, written

REPORT = ["| context prompt: Look", "| says: Found.", "| -- completed"]


def agent_lines(agent_id: str | None, prompt: str = "Look", said: str = "Found.") -> list[Json]:
    """A subagent's lines: its prompt, which another model wrote, and its report."""
    log = Log()
    named = {} if agent_id is None else {"agentId": agent_id}
    log.human(prompt, uuid=f"{agent_id}-{prompt}-u", isSidechain=True, **named)
    log.model(said, uuid=f"{agent_id}-{prompt}-a", isSidechain=True, **named)
    return log.lines


def delegating(*calls: Json) -> Log:
    """A session whose model started subagents."""
    log = Log()
    log.human("Go")
    log.model(*calls)
    return log


def task(call_id: str, prompt: str = "Look") -> Json:
    """A call that starts a subagent."""
    return call(call_id, "Task", prompt=prompt, subagent_type="general")


def opened(path: Path, *, leave_open: bool = False) -> SessionFile:
    """A session file with those of its subagents."""
    return open_session_file(path, "claude-code", leave_open)


def events_of(path: Path) -> list[NativeEvent]:
    """All events of a finished session, each with an id of its own."""
    events = list(opened(path))
    ids = [json.loads(event.body)["event_id"] for event in events]
    assert len(ids) == len(set(ids))
    return events


# In the main file


def test_sidechain_in_the_main_file_is_nested_under_the_call_with_its_prompt() -> None:
    """Nothing else links them there; the order of the calls does not count."""
    log = delegating(task("t1", "Look left"), task("t2", "Look right"))
    log.lines += agent_lines(None, "Look right", "Right.")
    log.lines += agent_lines(None, "Look left", "Left.")
    log.result("t1", "left")
    log.result("t2", "right")
    assert shown(log.lines)[0][1:7] == [
        "Task [ok] left", "| context prompt: Look left", "| says: Left.", "| -- completed",
        "Task [ok] right", "| context prompt: Look right",
    ]  # fmt: skip


def test_two_sidechains_with_one_prompt_take_a_call_each() -> None:
    """The oldest open call first."""
    log = delegating(task("t1"), task("t2"))
    log.lines += agent_lines("a1")
    log.lines += agent_lines("a2")
    log.result("t1")
    log.result("t2")
    assert shown(log.lines)[0][1:] == ["Task [ok] done", *REPORT, "Task [ok] done", *REPORT, "-- interrupted"]


def test_sidechain_without_a_call_gets_one_that_ends_with_its_turn() -> None:
    """Nothing of it is lost, and nothing of it is the main transcript's."""
    log = Log()
    log.human("Go")
    log.lines += agent_lines(None)
    log.model("Done.")
    assert shown(log.lines) == [["user: Go", "Task [unknown]", *REPORT, "says: Done.", "-- completed"]]


def test_interleaved_sidechains_are_told_apart_by_their_parents() -> None:
    """Each line names the line that it answers."""
    log = delegating(task("t1", "A"), task("t2", "B"))
    one, two = agent_lines("x", "A", "of A"), agent_lines("y", "B", "of B")
    for line in (*one, *two):
        line.pop("agentId")
    log.lines += [one[0], two[0], one[1], two[1]]
    rows = shown(log.lines)[0]
    assert rows.index("| says: of A") < rows.index("Task [unknown]", 2) < rows.index("| says: of B")


def test_file_that_begins_with_a_subagents_line_is_its_own_transcript(tmp_path: Path) -> None:
    """Shown alone it is no session of its parent's, but linked to it."""
    path = written(tmp_path / "agent-a1.jsonl", agent_lines("a1"))
    assert opened(path).suggested_session == "agent-a1"
    events = events_of(path)
    assert rows_of(events) == [["context prompt: Look", "says: Found.", "-- completed"]]
    assert json.loads(events[0].body)["parent"] == {"session": "s1"}


def test_line_that_names_its_call_is_nested_under_it() -> None:
    """The host's own stream has the call on every line of a subagent."""
    log = delegating(task("t1"), task("t2"))
    log.model("Found.", parent_tool_use_id="t2")
    log.result("t2")
    log.result("t1")
    assert shown(log.lines)[0][1:-1] == [
        "Task [ok] done", "Task [ok] done", "| says: Found.", "| -- completed",
    ]  # fmt: skip


def test_session_is_named_after_its_file_where_the_host_named_it(tmp_path: Path) -> None:
    """A resumed session may begin with the copied lines of another one."""
    log = delegating()
    own = "5f1c2a60-0000-4000-8000-000000000001"
    assert opened(written(tmp_path / f"{own}.jsonl", log.lines)).suggested_session == own
    assert opened(written(tmp_path / "copy.jsonl", log.lines)).suggested_session == "s1"


# In files of their own


def subagent(tmp_path: Path, agent_id: str, lines: list[Json], **meta: Any) -> None:
    """A subagent's file in the folder of its session."""
    path = written(tmp_path / "s1" / "subagents" / f"agent-{agent_id}.jsonl", lines)
    if meta:
        path.with_suffix(".meta.json").write_text(json.dumps(meta))


def test_result_names_the_subagents_file(tmp_path: Path) -> None:
    """Also where the prompts of two are equal; its events stand before the result."""
    log = delegating(task("t1"), task("t2"))
    log.result("t2", "second", toolUseResult={"agentId": "a1"})
    log.result("t1", "first", toolUseResult={"agentId": "a2"})
    subagent(tmp_path, "a1", agent_lines("a1", said="One."))
    subagent(tmp_path, "a2", agent_lines("a2", said="Two."))
    events = events_of(written(tmp_path / "s1.jsonl", log.lines))
    assert rows_of(events)[0][1:-1] == [
        "Task [ok] first", "| context prompt: Look", "| says: Two.", "| -- completed",
        "Task [ok] second", "| context prompt: Look", "| says: One.", "| -- completed",
    ]  # fmt: skip
    kinds = [json.loads(event.body) for event in events]
    nested = [index for index, event in enumerate(kinds) if event.get("parent_call_id") == "t2"]
    assert max(nested) < next(i for i, event in enumerate(kinds) if event["type"] == "tool/result")


@pytest.mark.parametrize("has_meta", [True, False])
def test_call_without_result_keeps_its_subagent(tmp_path: Path, has_meta: bool) -> None:
    """By the field beside its file, else by the prompt."""
    log = delegating(task("t1"))
    meta = {"toolUseId": "t1"} if has_meta else {}
    subagent(tmp_path, "a1", agent_lines("a1", "other" if has_meta else "Look"), **meta)
    rows = rows_of(events_of(written(tmp_path / "s1.jsonl", log.lines)))[0]
    assert rows[1] == "Task [unknown]"
    assert rows[3] == "| says: Found."


def test_progress_names_the_call_before_there_is_a_result(tmp_path: Path) -> None:
    """So that a running subagent is nested at once."""
    log = delegating(task("t1"), task("t2"))
    log.line("progress", parentToolUseID="t2", data={"type": "agent_progress", "agentId": "a1"})
    subagent(tmp_path, "a1", agent_lines("a1"))
    path = written(tmp_path / "s1.jsonl", log.lines)
    rows = rows_of(list(opened(path, leave_open=True)))[0]
    assert rows[1:4] == ["Task [running]", "Task [running]", "| context prompt: Look"]


def test_only_subagent_goes_under_the_only_call(tmp_path: Path) -> None:
    """Trimmed logs have neither ids nor prompts."""
    log = delegating(call(None, "Task", description="search"))
    subagent(tmp_path, "a1", agent_lines("a1"))
    rows = rows_of(events_of(written(tmp_path / "s1.jsonl", log.lines)))[0]
    assert rows[1:3] == ["Task [unknown]", "| context prompt: Look"]


def test_subagent_that_no_call_can_be_found_for_is_shown(tmp_path: Path) -> None:
    """Workflows start agents without calls, and keep a journal that is no session."""
    log = Log()
    log.human("Go")
    log.model("Done.")
    folder = tmp_path / "s1" / "subagents" / "workflows" / "w1"
    written(folder / "agent-a1.jsonl", agent_lines("a1"))
    written(folder / "journal.jsonl", [{"type": "started", "key": "k", "agentId": "a1"}])
    file = opened(written(tmp_path / "s1.jsonl", log.lines))
    rows = rows_of(list(file))[0]
    assert "| says: Found." in rows
    assert file.report.line_count == 4
    assert file.report.is_complete


def test_subagents_of_a_workflow_are_nested_under_the_call_that_launched_it(tmp_path: Path) -> None:
    """The result names the run, and the run the folder; each has a call of its own there."""
    log = delegating(call("w1", "Workflow", script="x"))
    log.result("w1", "launched", toolUseResult={"runId": "wf1", "status": "async_launched"})
    log.model("It runs.")
    log.system("turn_duration", durationMs=1)
    for name in ("a1", "a2"):
        path = tmp_path / "s1" / "subagents" / "workflows" / "wf1" / f"agent-{name}.jsonl"
        written(path, agent_lines(name, said=f"By {name}."))
    rows = rows_of(events_of(written(tmp_path / "s1.jsonl", log.lines)))[0]
    assert rows[1] == "Workflow [ok] launched"
    assert [row for row in rows if "says" in row] == [
        "| | says: By a1.",
        "| | says: By a2.",
        "says: It runs.",
    ]


def test_subagents_of_two_workflows_end_with_their_calls_own(tmp_path: Path) -> None:
    """Each launched transcript ends, and so does the turn that was taken up again for them."""
    log = delegating(call("w1", "Workflow"), call("w2", "Workflow"))
    for run in ("1", "2"):
        log.result(f"w{run}", toolUseResult={"runId": f"wf{run}"})
        path = tmp_path / "s1" / "subagents" / "workflows" / f"wf{run}" / f"agent-a{run}.jsonl"
        written(path, agent_lines(f"a{run}"))
    log.model("Done.")
    rows = rows_of(events_of(written(tmp_path / "s1.jsonl", log.lines)))[0]
    assert not [row for row in rows if "running" in row]
    assert rows.count("| | says: Found.") == 2


def test_two_files_that_name_one_call_are_told_apart(tmp_path: Path) -> None:
    """The second one gets a call of its own below it."""
    log = delegating(task("t1"))
    log.result("t1")
    subagent(tmp_path, "a1", agent_lines("a1", said="One."), toolUseId="t1")
    subagent(tmp_path, "a2", agent_lines("a2", said="Two."), toolUseId="t1")
    rows = rows_of(events_of(written(tmp_path / "s1.jsonl", log.lines)))[0]
    assert "| says: One." in rows
    assert "| | says: Two." in rows


def test_subagent_without_a_call_stands_in_the_newest_turn_though_it_ended(tmp_path: Path) -> None:
    """It opens no turn of its own."""
    log = Log()
    log.human("Go")
    log.model("Done.")
    log.system("turn_duration", durationMs=1)
    subagent(tmp_path, "a1", agent_lines("a1"))
    turns = rows_of(events_of(written(tmp_path / "s1.jsonl", log.lines)))
    assert len(turns) == 1
    assert "| says: Found." in turns[0]


def test_subagent_of_a_subagent_is_nested_under_it(tmp_path: Path) -> None:
    """All their files lie in one folder."""
    inner = delegating(task("t2", "Deeper"))
    inner.result("t2", "deep", toolUseResult={"agentId": "a2"})
    inner.model("Found.")
    lines = [{**line, "uuid": f"in-{line['uuid']}", "isSidechain": True} for line in inner.lines]
    log = delegating(task("t1", "Go"))
    log.result("t1", "shallow", toolUseResult={"agentId": "a1"})
    subagent(tmp_path, "a1", lines)
    subagent(tmp_path, "a2", agent_lines("a2", "Deeper", "Bottom."))
    rows = rows_of(events_of(written(tmp_path / "s1.jsonl", log.lines)))[0]
    assert "| | says: Bottom." in rows


def test_background_subagent_works_on_after_its_calls_result(tmp_path: Path) -> None:
    """The result says only that it was launched."""
    log = delegating(task("t1"))
    log.result("t1", "launched", toolUseResult={"agentId": "a1", "status": "async_launched"})
    log.model("It runs.")
    subagent(tmp_path, "a1", agent_lines("a1"))
    rows = rows_of(events_of(written(tmp_path / "s1.jsonl", log.lines)))[0]
    assert rows[1:] == ["Task [ok] launched", *REPORT, "says: It runs.", "-- completed"]


def test_files_beside_the_session_belong_to_the_one_they_name(tmp_path: Path) -> None:
    """Versions before the folder wrote them there."""
    log = delegating(task("t1"))
    log.result("t1", "done", toolUseResult={"agentId": "a1"})
    written(tmp_path / "agent-a1.jsonl", agent_lines("a1"))
    strangers = [{**line, "sessionId": "s2"} for line in agent_lines("a2")]
    written(tmp_path / "agent-a2.jsonl", strangers)
    rows = rows_of(events_of(written(tmp_path / "s1.jsonl", log.lines)))[0]
    assert rows[1:] == ["Task [ok] done", *REPORT, "-- interrupted"]


def test_file_of_the_agent_that_compacts_is_left_out(tmp_path: Path) -> None:
    """It repeats the whole conversation."""
    log = delegating(task("t1"))
    written(tmp_path / "s1" / "subagents" / "agent-acompact-1.jsonl", agent_lines("acompact-1"))
    rows = rows_of(events_of(written(tmp_path / "s1.jsonl", log.lines)))[0]
    assert rows == ["user: Go", "Task [unknown]", "-- interrupted"]


def test_turns_and_titles_of_a_subagent_are_its_own() -> None:
    """Its events say nothing of the session."""
    log = delegating(task("t1"))
    log.lines += agent_lines(None)
    metas = natives(log.lines, "session/meta")
    assert all("parent_call_id" not in meta for meta in metas)
    assert [event["turn"] for event in natives(log.lines, "turn/start")] == [1, 1]
