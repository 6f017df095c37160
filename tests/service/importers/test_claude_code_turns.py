"""Claude Code: where turns begin and end, and what of a file is a human's word."""

import pytest

from tests.service.importers.claude_log import Log, account, call, natives, shown, thought


def test_prompt_and_answer_are_a_turn() -> None:
    """A finished file ends its last turn: completed with an answer."""
    log = Log()
    log.human("Count files")
    log.model(call("t1", command="ls"))
    log.result("t1", "3")
    log.model("Three files.")
    assert shown(log.lines) == [["user: Count files", "Bash [ok] 3", "says: Three files.", "-- completed"]]


def test_next_prompt_ends_the_turn_before() -> None:
    """No line records the end in older versions."""
    log = Log()
    log.human("One")
    log.model("1")
    log.human("Two")
    assert shown(log.lines) == [["user: One", "says: 1", "-- completed"], ["user: Two", "-- interrupted"]]


def test_recorded_duration_ends_the_turn_at_once() -> None:
    """In a file that grows nothing else would say that the answer is whole."""
    log = Log()
    log.human("One")
    log.model("1")
    assert shown(log.lines, leave_open=True)[0][-1] == "running"
    log.system("turn_duration", durationMs=900)
    assert shown(log.lines, leave_open=True) == [["user: One", "says: 1", "-- completed"]]


def test_message_split_over_lines_is_one_step() -> None:
    """One block a line; results between the lines of a message do not end it."""
    log = Log()
    log.human("Go")
    log.model(thought("Hm"), message="m")
    log.model("Two at once.", message="m")
    log.model(call("t1"), message="m")
    log.result("t1")
    log.model(call("t2"), message="m")
    log.result("t2")
    log.model("Done.")
    messages = natives(log.lines, "assistant/message")
    assert [message["step"] for message in messages] == [1, 2]
    assert [block["type"] for block in messages[0]["blocks"]] == [
        "reasoning",
        "text",
        "tool_call",
        "tool_call",
    ]


def test_message_id_that_comes_back_later_is_another_step() -> None:
    """Only consecutive lines are one message; no block of either is lost."""
    log = Log()
    log.human("Go")
    log.model("A", message="m")
    log.model("B", message="n")
    log.model("C", message="m")
    assert shown(log.lines) == [["user: Go", "says: A", "says: B", "says: C", "-- completed"]]


@pytest.mark.parametrize(
    "fields",
    [
        {"content": "[Request interrupted by user]"},
        {"content": [{"type": "text", "text": "[Request interrupted by user]"}]},
        {"content": "", "interruptedMessageId": "m1"},
    ],
)
def test_interrupt_aborts_the_turn_and_cuts_the_message(fields: dict[str, object]) -> None:
    """By a field where there is one, else by the host's mark."""
    log = Log()
    log.human("Write a poem")
    log.model("Roses are")
    log.human(fields.pop("content"), **fields)
    assert shown(log.lines) == [["user: Write a poem", "says: Roses are (cut)", "-- aborted"]]


def test_interrupt_leaves_a_call_without_result_canceled() -> None:
    """The mark for tool use stands behind the results that there were."""
    log = Log()
    log.human("Go")
    log.model(call("t1"), call("t2"))
    mark = {"type": "text", "text": "[Request interrupted by user for tool use]"}
    log.result("t1", "one", beside=[mark])
    assert shown(log.lines) == [["user: Go", "Bash [ok] one", "Bash [canceled]", "-- aborted"]]


def test_text_behind_an_interrupt_is_the_next_prompt() -> None:
    """It stands in the same line."""
    log = Log()
    log.human("Go")
    log.model("Going")
    log.human("[Request interrupted by user]\nStop, do this")
    log.model("This.")
    assert shown(log.lines)[1] == ["user: Stop, do this", "says: This.", "-- completed"]


def test_message_aborted_in_mid_stream_is_cut() -> None:
    """Its own field says so; the turn ends as aborted if nothing follows."""
    log = Log()
    log.human("Go")
    log.model("Half an ans", isAbortedMidStream=True)
    assert shown(log.lines) == [["user: Go", "says: Half an ans (cut)", "-- aborted"]]


def test_cut_at_the_token_limit_and_a_refusal_end_the_turn_as_such() -> None:
    """The stop reason of the newest message, where the log has one."""
    outcomes = []
    for reason in ("max_tokens", "refusal", "end_turn"):
        log = Log()
        log.human("Go")
        log.model("So", stop_reason=reason)
        outcomes.append(natives(log.lines, "turn/end")[0]["reason"])
    assert outcomes == ["max_tokens", "blocked", "completed"]


@pytest.mark.parametrize(
    ("fields", "row"),
    [
        ({"isMeta": True, "message": {"content": "Caveat"}}, "context meta: Caveat"),
        (
            {"origin": {"kind": "task-notification"}, "message": {"content": "x"}},
            "context task-notification: x",
        ),
        (
            {"message": {"content": "<task-notification>x</task-notification>"}},
            "context meta: <task-notification>x</task-notification>",
        ),
        ({"promptSource": "system", "message": {"content": "x"}}, "context meta: x"),
        ({"isMeta": True, "sourceToolUseID": "t", "message": {"content": "skill"}}, "context tool: skill"),
    ],
)
def test_text_that_no_human_wrote_is_context(fields: dict[str, object], row: str) -> None:
    """By a field where there is one; an old notification by its mark."""
    log = Log()
    log.human("Go")
    log.line("user", **fields)
    log.model("Gone.")
    assert shown(log.lines) == [["user: Go", row, "says: Gone.", "-- completed"]]


def test_field_wins_over_wording() -> None:
    """A human may write a mark; the host may write plain words."""
    log = Log()
    log.human("<task-notification> is what I ask about", origin={"kind": "human"})
    log.model("It is a mark.")
    log.human("plain words", origin={"kind": "coordinator"})
    assert natives(log.lines, "user/message")[0]["content"][0]["text"].startswith("<task-notification>")
    assert len(natives(log.lines, "user/message")) == 1


def test_context_between_turns_belongs_to_the_turn_that_follows() -> None:
    """Hooks at the start of a session, notifications between prompts; alone in a file it belongs to no turn."""
    log = Log()
    log.attachment("hook_additional_context", hookName="SessionStart", content=["Be brief."])
    rows = ["context hook_additional_context: Be brief."]
    assert shown(log.lines) == [rows]
    log.human("Hi")
    assert shown(log.lines) == [["user: Hi", *rows, "-- interrupted"]]


def test_model_that_works_without_a_prompt_opens_a_turn() -> None:
    """A background task ended, and the host woke the model."""
    log = Log()
    log.human("Start it")
    log.model("Started.")
    log.system("turn_duration", durationMs=5)
    log.human("<task/>", origin={"kind": "task-notification"})
    log.model("It is done.")
    assert shown(log.lines)[1] == ["context task-notification: <task/>", "says: It is done.", "-- completed"]


def test_typed_command_that_the_model_answers_is_the_prompt() -> None:
    """Its expansion is the host's; the human typed the command."""
    log = Log()
    log.human("<command-name>/init</command-name>\n<command-args>now</command-args>")
    log.human([{"type": "text", "text": "Analyse this."}], isMeta=True)
    log.model("Analysed.")
    assert shown(log.lines) == [
        ["user: /init now", "context meta: Analyse this.", "says: Analysed.", "-- completed"]
    ]


def test_typed_command_opens_a_turn_behind_one_that_no_line_ended() -> None:
    """In older versions nothing says that the answer before it was the last."""
    log = Log()
    log.human("Hi")
    log.model("Hello.")
    log.human("<command-name>/init</command-name>")
    log.human("Analyse this.", isMeta=True)
    log.model("Analysed.")
    assert [rows[0] for rows in shown(log.lines)] == ["user: Hi", "user: /init"]


def test_work_that_goes_on_behind_a_command_of_the_host_is_of_the_same_turn() -> None:
    """The command, which seemed to end it, is a row of it."""
    log = Log()
    log.human("Hi")
    log.model("Hello.")
    log.human("<command-name>/cost</command-name>")
    log.human("<local-command-stdout>$1</local-command-stdout>")
    log.model("More.")
    assert shown(log.lines) == [
        ["user: Hi", "says: Hello.", "command /cost  [done] $1", "says: More.", "-- completed"]
    ]


def test_typed_command_that_the_host_answers_is_a_command() -> None:
    """It opens no turn: the next prompt does; with nothing behind it it belongs to none."""
    log = Log()
    log.human("Hi")
    log.model("Hello.")
    log.human("<command-name>/model</command-name>")
    log.human("<local-command-stdout>Set model to x</local-command-stdout>")
    command = "command /model  [done] Set model to x"
    assert shown(log.lines) == [[command], ["user: Hi", "says: Hello.", "-- completed"]]
    log.human("Go on")
    assert shown(log.lines)[1] == ["user: Go on", command, "-- interrupted"]


def test_shell_command_keeps_its_output() -> None:
    """A line that begins with `!`."""
    log = Log()
    log.human("<bash-input>ls</bash-input>")
    log.human("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>")
    log.human("What is that?")
    assert shown(log.lines) == [["user: What is that?", "command ! ls [done] a", "-- interrupted"]]


def test_command_lines_of_the_host_are_commands_too() -> None:
    """Newer versions write them as system lines."""
    log = Log()
    log.system("local_command", content="<command-name>/cost</command-name>")
    log.system("local_command", content="<local-command-stdout>$1</local-command-stdout>")
    assert shown(log.lines) == [["command /cost  [done] $1"]]


def test_prompt_with_an_image_keeps_it() -> None:
    """Its data and type in native terms."""
    log = Log()
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    log.human([{"type": "image", "source": source}, {"type": "text", "text": "What is it?"}])
    content = natives(log.lines, "user/message")[0]["content"]
    assert content[0] == {"type": "image", "data": "AAAA", "mime": "image/png"}


def test_lines_about_the_session_show_nothing_and_are_kept() -> None:
    """Each is an invisible event with the whole line, and the account names it."""
    log = Log()
    log.about("permission-mode", permissionMode="plan")
    log.about("hologram", depth=3)
    report = account(log.lines)
    assert {tally.name for tally in report.invisible} == {"permission-mode", "hologram"}
    assert [tally.name for tally in report.unknown] == ["hologram"]
    assert natives(log.lines)[1]["payload"] == log.lines[1]


def test_title_that_a_human_gave_wins() -> None:
    """Whichever comes later."""
    log = Log()
    log.about("summary", summary="Made up", leafUuid="x")
    log.about("custom-title", customTitle="Mine")
    log.about("ai-title", aiTitle="Theirs")
    assert [meta["title"] for meta in natives(log.lines, "session/meta")] == ["Made up", "Mine"]


def test_facts_of_the_session_are_told_when_they_change() -> None:
    """The agent, the directory, the model."""
    log = Log()
    log.human("Hi")
    log.model("Hello.")
    log.model("Again.", cwd="/srv/other")
    metas = natives(log.lines, "session/meta")
    assert metas == [
        {"type": "session/meta", "cwd": "/srv/app", "agent": "claude-code"},
        {"type": "session/meta", "model": "claude-x"},
        {"type": "session/meta", "cwd": "/srv/other"},
    ]
