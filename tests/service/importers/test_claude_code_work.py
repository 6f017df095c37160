"""Claude Code: what the model and its tools do in a turn; what fails, is compacted and is taken back of it."""

import json

import pytest

from tests.service.importers.claude_log import Log, begun, call, natives, shown

# Tools


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, "ok"),
        ({"failed": True}, "error"),
        ({"failed": True, "toolDenialKind": "user-rejected"}, "denied"),
        ({"failed": True, "toolDenialKind": "permission-rule"}, "denied"),
        ({"failed": True, "toolDenialKind": "interrupted"}, "canceled"),
        ({"toolUseResult": {"stdout": "", "interrupted": True}}, "canceled"),
        ({"failed": True, "output": "The user doesn't want to proceed with this tool use."}, "denied"),
        ({"output": "The user doesn't want to proceed with this tool use."}, "ok"),
    ],
)
def test_result_says_how_its_call_ended(fields: dict[str, object], status: str) -> None:
    """By a field where the version has one; a denial's wording counts in failed results alone."""
    log = begun()
    log.model(call("t1"))
    log.result("t1", fields.pop("output", "x"), **fields)
    assert natives(log.lines, "tool/result")[0]["status"] == status


def test_failed_command_keeps_its_exit_code() -> None:
    """The shell tool's text is the only place that has it."""
    log = begun()
    log.model(call("t1"))
    log.result("t1", "Exit code 2\nno such file", failed=True, toolUseResult={"durationMs": 40})
    result = natives(log.lines, "tool/result")[0]
    assert (result["exit_code"], result["duration_ms"]) == (2, 40)


def test_edit_keeps_its_diff() -> None:
    """From the structured copy of the result."""
    log = begun()
    log.model(call("t1", "Edit", file_path="a.py"))
    hunk = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 2, "lines": ["-a", "+b", "+c"]}
    log.result("t1", "updated", toolUseResult={"filePath": "a.py", "structuredPatch": [hunk]})
    diff = natives(log.lines, "tool/result")[0]["output"][1]
    assert diff["path"] == "a.py"
    assert diff["unified"] == "--- a.py\n+++ a.py\n@@ -1,1 +1,2 @@\n-a\n+b\n+c\n"


def test_calls_without_ids_take_their_results_in_order() -> None:
    """Trimmed logs have none; a result names the line of its call, and one too many stands alone."""
    log = begun()
    asked = log.model(call(None, "Read"), call(None, "Grep"))
    for output in ("text", "hits", "more"):
        log.result(None, output, sourceToolAssistantUUID=asked)
    assert shown(log.lines)[0][1:3] == ["Read [ok] text", "Grep [ok] hits"]
    assert [result["output"] for result in natives(log.lines, "tool/result")] == ["text", "hits", "more"]


def test_bare_call_and_result_lines_are_a_step() -> None:
    """The oldest logs have them beside the messages."""
    log = begun()
    log.line("tool_use", name="Bash", input={"command": "ls"})
    log.line("tool_result", name="Bash", output="a.txt")
    log.line("assistant", message={"role": "assistant", "content": "One file."})
    assert shown(log.lines) == [["user: Go", "Bash [ok] a.txt", "says: One file.", "-- completed"]]


def test_call_without_result_leaves_the_turn_interrupted() -> None:
    """Rule 9: an answer beside it is none."""
    log = begun()
    log.model("I look.", call("t1", "Read"))
    assert shown(log.lines) == [["user: Go", "says: I look.", "Read [unknown]", "-- interrupted"]]


def test_provider_runs_searches_and_tools_inside_the_message() -> None:
    """Their results are blocks of the message."""
    log = begun()
    search = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "tides"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"url": "u", "title": "T"}]}
    fetch = {"type": "server_tool_use", "id": "f1", "name": "web_fetch", "input": {"url": "u"}}
    fetched = {"type": "web_fetch_tool_result", "tool_use_id": "f1", "content": {}}
    log.model(search, found, fetch, fetched, "High at noon.")
    rows = shown(log.lines)[0]
    assert "search tides [completed]" in rows
    assert rows[-1] == "-- completed"
    assert natives(log.lines, "tool/result")[0]["call_id"] == "f1"


def test_unknown_block_is_kept_and_encrypted_thinking_is_no_answer() -> None:
    """What a later version may add is shown as such."""
    log = begun()
    log.model({"type": "redacted_thinking", "data": "xx"})
    log.model({"type": "hologram", "depth": 3})
    blocks = [message["blocks"] for message in natives(log.lines, "assistant/message")]
    assert blocks[0][0]["type"] == "reasoning"
    assert blocks[1] == [{"type": "hologram", "depth": 3}]


# Requests that fail


def test_failed_requests_are_one_chain_of_retries() -> None:
    """The attempts of one request update one row; the message that comes at last is of the same step."""
    log = begun()
    for attempt in (1, 2):
        log.system("api_error", retryAttempt=attempt, retryInMs=500, error={"status": 529})
    log.model("At last.")
    assert shown(log.lines) == [["user: Go", "retry 2 [started]", "says: At last.", "-- completed"]]
    first = natives(log.lines, "llm/retry")[0]
    assert (first["step"], first["delay_ms"], first["failure"]) == (1, 500, {"status": 529})


def test_error_instead_of_an_answer_fails_the_turn() -> None:
    """It is the host's text, not the model's."""
    log = begun()
    log.model("API Error: 401", isApiErrorMessage=True, error="authentication_failed")
    assert shown(log.lines, leave_open=True) == [["user: Go", "failed: API Error: 401", "-- failed"]]
    assert natives(log.lines, "turn/end")[0]["error"]["code"] == "authentication_failed"


def test_turn_that_goes_on_after_an_error_is_open_again() -> None:
    """The host may get over it, by a compaction for instance."""
    log = begun()
    log.model("Prompt is too long", isApiErrorMessage=True)
    log.model("It fits now.")
    assert shown(log.lines) == [["user: Go", "says: It fits now.", "-- completed"]]


def test_text_of_the_host_in_the_models_place_is_a_notice() -> None:
    """Its model is `<synthetic>`."""
    log = begun()
    log.line(
        "assistant",
        message={"model": "<synthetic>", "content": [{"type": "text", "text": "No response requested."}]},
    )
    assert shown(log.lines) == [["user: Go", "info: No response requested.", "-- interrupted"]]


# Compaction


def test_compaction_in_mid_turn_is_a_row_of_the_turn() -> None:
    """Its summary is no prompt, and the turn goes on."""
    log = begun()
    log.model(call("t1"))
    log.result("t1")
    bridge, log.leaf = log.leaf, None
    log.system("compact_boundary", compactMetadata={"trigger": "auto"}, logicalParentUuid=bridge)
    log.human("Summary of all", isCompactSummary=True, isVisibleInTranscriptOnly=True)
    log.model("Done.")
    assert shown(log.lines) == [
        ["user: Go", "Bash [ok] done", "compaction: Summary of all", "says: Done.", "-- completed"]
    ]
    assert [event["trigger"] for event in natives(log.lines, "compaction")] == ["auto", "auto"]


def test_line_that_a_compaction_writes_again_is_read_once() -> None:
    """What is preserved comes again under the summary: the same line with another parent."""
    log = begun()
    log.model("Done.")
    kept = log.lines[-1]
    log.system("compact_boundary", logicalParentUuid=log.leaf)
    log.leaf = log.human("Summary", isCompactSummary=True)
    log.lines.append({**kept, "parentUuid": log.leaf})
    log.leaf = kept["uuid"]
    log.human("Next")
    assert [row for rows in shown(log.lines) for row in rows if row.startswith("says")] == ["says: Done."]
    assert [rows[0] for rows in shown(log.lines)] == ["user: Go", "user: Next"]


def test_summary_without_a_boundary_is_a_compaction_too() -> None:
    """The oldest logs have the summary alone, as a root of its own."""
    log = begun()
    log.model("Working.")
    log.leaf = None
    log.human("Summary", isCompactSummary=True)
    log.human("Go on")
    assert shown(log.lines) == [
        ["user: Go", "says: Working.", "-- completed", "compaction: Summary"],
        ["user: Go on", "-- interrupted"],
    ]


# What is taken back


def test_refusal_takes_back_what_it_names() -> None:
    """Another model answers; the refused part leaves the transcript, not the log."""
    log = begun()
    refused = log.model("I will", message="m")
    log.system(
        "model_refusal_fallback", content="Switched models", retractedMessageUuids=[refused], level="warning"
    )
    log.model({"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}}, "Here it is.")
    assert shown(log.lines) == [
        [
            "user: Go",
            "warning: Switched models",
            "retry 1 [waiting]",
            "info: The model changed from a to b",
            "says: Here it is.",
            "-- completed",
        ]
    ]
    assert any("I will" in json.dumps(event) for event in natives(log.lines))


def test_refusal_of_some_blocks_leaves_the_others() -> None:
    """One line is one block; the rest of the newest message stays."""
    log = begun()
    log.model("Kept.", message="m")
    refused = log.model("Refused.", message="m")
    log.system("api_refusal", apiRefusalExplanation="Not that", retractedMessageUuids=[refused])
    assert shown(log.lines)[0][1:] == [
        "warning: Not that", "retry 1 [waiting]", "says: Kept.", "-- completed",
    ]  # fmt: skip


def test_line_that_supersedes_others_replaces_them() -> None:
    """The joined text comes again, whole."""
    log = begun()
    first = log.model("Half")
    second = log.model("way")
    log.model("Halfway.", supersedesUuids=[first, second])
    rows = shown(log.lines)[0]
    assert [row for row in rows if row.startswith("says")] == ["says: Halfway."]


# Branches


def test_going_back_takes_back_the_turns_behind() -> None:
    """The transcript follows the newest leaf; the number is used again."""
    log = begun()
    fork = log.model("Gone.")
    log.human("Wrong way")
    log.model("Wrong.")
    log.leaf = fork
    log.human("Right way")
    log.model("Right.")
    assert shown(log.lines) == [
        ["user: Go", "says: Gone.", "-- completed"],
        ["user: Right way", "says: Right.", "-- completed"],
    ]
    assert natives(log.lines, "session/rewind") == [{"type": "session/rewind", "before_turn": 2}]
    assert [event["turn"] for event in natives(log.lines, "turn/start")] == [1, 2, 2]


def test_going_back_before_the_first_prompt_takes_back_everything() -> None:
    """A second root in a log that links its lines."""
    log = begun()
    log.model("Gone.")
    log.leaf = None
    log.human("Anew")
    assert shown(log.lines) == [["user: Anew", "-- interrupted"]]


def test_log_that_links_no_lines_has_no_branches() -> None:
    """Exported logs have no parents at all."""
    log = Log()
    for said in ("One", "Two"):
        log.leaf = None
        log.human(said)
        log.leaf = None
        log.model("Yes.")
    assert len(shown(log.lines)) == 2


def test_branch_that_begins_with_a_command_takes_back_too() -> None:
    """The command hangs at the earlier line, and the model's answer at its expansion."""
    log = begun()
    fork = log.model("Gone.")
    log.human("Wrong way")
    log.model("Wrong.")
    log.leaf = fork
    log.human("<command-name>/review</command-name>")
    log.human("Review it.", isMeta=True)
    log.model("Reviewed.")
    assert [rows[0] for rows in shown(log.lines)] == ["user: Go", "user: /review"]


def test_line_that_hangs_at_an_unknown_one_takes_nothing_back() -> None:
    """A resumed session begins in the middle."""
    log = begun()
    log.model("Gone.")
    log.leaf = "elsewhere"
    log.human("Next")
    assert len(shown(log.lines)) == 2


def test_going_back_to_a_left_branch_says_so() -> None:
    """What left the transcript does not come back; the reader is told."""
    log = begun()
    fork = log.model("Gone.")
    log.human("A")
    left = log.model("In A.")
    log.leaf = fork
    log.human("B")
    log.leaf = left
    log.human("A again")
    rows = shown(log.lines)
    assert [row[0] for row in rows] == ["user: Go", "user: A again"]
    assert any("a branch that was left before" in row for row in rows[1])
