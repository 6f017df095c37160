"""Claude Code: what the host and the human add while a turn runs, and lines that come twice, torn or without a type."""

import json

import pytest

from tests.service.importers.claude_log import Json, account, begun, call, natives, read, rows_of, shown

# Input while the turn runs


def test_queued_message_waits_and_is_delivered_where_the_turn_took_it() -> None:
    """Queue lines have no ids: the attachment delivers the oldest one with its text."""
    log = begun()
    log.model(call("t1"))
    log.about("queue-operation", operation="enqueue", content="Also b")
    assert shown(log.lines, leave_open=True)[0][-2:] == ["queued: Also b", "running"]
    log.about("queue-operation", operation="remove", content="Also b")
    log.result("t1")
    log.attachment("queued_command", prompt="Also b", commandMode="prompt")
    log.model("Both.")
    assert shown(log.lines) == [
        ["user: Go", "Bash [ok] done", "steering: Also b", "says: Both.", "-- completed"]
    ]


@pytest.mark.parametrize(
    ("reason", "is_taken"), [(None, True), ("absorbed_mid_turn", True), ("edited", False)]
)
def test_queued_message_that_left_without_an_attachment_was_taken_if_the_model_goes_on(
    reason: str | None, is_taken: bool
) -> None:
    """Some versions write none; a reason that says otherwise wins."""
    log = begun()
    log.model(call("t1"))
    log.about("queue-operation", operation="enqueue", content="Also b")
    log.about(
        "queue-operation", operation="remove", content="Also b", **({"reason": reason} if reason else {})
    )
    log.result("t1")
    log.model("Both.")
    assert ("steering: Also b" in shown(log.lines)[0]) == is_taken
    assert not any(row.startswith("queued") for row in shown(log.lines)[0])


def test_queued_message_that_opens_the_next_turn_is_a_prompt_once() -> None:
    """It left the queue when the turn was over."""
    log = begun()
    log.model(call("t1"))
    log.about("queue-operation", operation="enqueue", content="Then c")
    log.result("t1")
    log.model("Done.")
    log.about("queue-operation", operation="dequeue")
    log.human("Then c", promptSource="queued")
    log.model("C.")
    assert shown(log.lines)[1] == ["user: Then c", "says: C.", "-- completed"]
    assert not [row for row in shown(log.lines)[0] if "Then c" in row]


def test_queue_that_was_emptied_leaves_nothing_waiting() -> None:
    """The human took the messages back into the input."""
    log = begun()
    log.model(call("t1"))
    log.about("queue-operation", operation="enqueue", content="Never mind")
    log.about("queue-operation", operation="popAll", content="Never mind")
    assert shown(log.lines, leave_open=True) == [["user: Go", "Bash [running]", "running"]]


@pytest.mark.parametrize(
    "fields",
    [
        {"prompt": "x", "commandMode": "task-notification"},
        {"prompt": "<task-notification>x</task-notification>", "commandMode": "prompt"},
        {"prompt": "x", "origin": {"kind": "coordinator"}},
        {"prompt": "x", "isMeta": True},
    ],
)
def test_queued_text_of_the_host_is_context(fields: dict[str, object]) -> None:
    """By its fields, else by its mark."""
    log = begun()
    log.attachment("queued_command", **fields)
    assert [event["source"] for event in natives(log.lines, "context/injection")] == ["queued_command"]


def test_queued_prompt_with_an_image_is_delivered_whole() -> None:
    """Its content may be blocks."""
    log = begun()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}}
    log.attachment(
        "queued_command", prompt=[image, {"type": "text", "text": "see"}], origin={"kind": "human"}
    )
    assert shown(log.lines)[0][1] == "steering: [image] see"


# Attachments and the host's lines


@pytest.mark.parametrize(
    ("kind", "fields", "row"),
    [
        (
            "nested_memory",
            {"path": "A.md", "content": {"content": "Be kind"}},
            "context nested_memory: Be kind",
        ),
        ("file", {"content": {"file": {"content": "text"}}}, "context file: text"),
        (
            "hook_blocking_error",
            {"hookName": "Stop", "blockingError": {"blockingError": "no"}},
            "error: Stop: no",
        ),
        ("hook_non_blocking_error", {"hookName": "Stop", "stderr": "oops"}, "warning: Stop: oops"),
        ("todo_reminder", {"content": [], "itemCount": 0}, None),
        ("hologram", {"content": "new"}, None),
    ],
)
def test_attachment_with_text_for_a_reader_is_a_row(
    kind: str, fields: dict[str, object], row: str | None
) -> None:
    """All others are kept and show nothing."""
    log = begun()
    log.attachment(kind, **fields)
    assert shown(log.lines)[0][1:-1] == ([] if row is None else [row])
    assert account(log.lines).is_complete


@pytest.mark.parametrize(
    ("subtype", "fields", "row"),
    [
        ("informational", {"content": "Note", "level": "info"}, "info: Note"),
        ("informational", {"content": "Careful", "level": "warning"}, "warning: Careful"),
        ("error", {"error": {"error": {"message": "down"}}}, "error: down"),
        ("stop_hook_summary", {"hookCount": 1}, None),
        ("away_summary", {"content": "x", "isMeta": True}, None),
    ],
)
def test_system_line_with_words_is_a_notice(subtype: str, fields: dict[str, object], row: str | None) -> None:
    """Bookkeeping is none."""
    log = begun()
    log.system(subtype, **fields)
    assert shown(log.lines)[0][1:-1] == ([] if row is None else [row])


def test_link_of_the_session_is_a_notice() -> None:
    """A pull request that came out of it."""
    log = begun()
    log.about("pr-link", prNumber=7, prUrl="u/7")
    assert shown(log.lines)[0][1] == "info: Pull request 7: u/7"


# Ids and reading


def test_repeated_line_is_ignored_and_a_repeated_id_is_not() -> None:
    """A resumed file repeats lines; trimmed logs give many lines one id."""
    log = begun()
    log.model("One.", uuid="same")
    log.lines.append(log.lines[-1])
    log.model("Two.", uuid="same")
    assert [row for row in shown(log.lines)[0] if row.startswith("says")] == ["says: One.", "says: Two."]
    report = account(log.lines)
    assert {tally.name: tally.count for tally in report.ignored} == {"repeated_line": 1}
    ids = [json.loads(event.body)["event_id"] for event in read(log.lines)]
    assert len(ids) == len(set(ids))


def test_second_import_of_a_grown_file_adds_only_what_is_new() -> None:
    """The service drops events whose ids it knows; the end of the shorter file is taken back."""
    log = begun()
    log.model(call("t1"))
    shorter = read(log.lines)
    log.result("t1")
    log.model("Done.")
    longer = read(log.lines)
    known = {json.loads(event.body)["event_id"] for event in shorter}
    new = [event for event in longer if json.loads(event.body)["event_id"] not in known]
    assert rows_of([*shorter, *new]) == rows_of(longer)


def test_torn_last_line_is_quarantined_and_left_alone_in_a_growing_file() -> None:
    """Its text is kept."""
    log = begun()
    log.model("Done.")
    lines: list[Json | bytes] = [*log.lines, b'{"type":"user","message":{"content":"mor']
    report = account(lines)
    assert report.quarantined_count == 1
    assert report.is_complete
    assert shown(lines)[-1][-1] == "-- completed"


def test_object_without_type_is_quarantined() -> None:
    """It says nothing that could be read."""
    assert account([{"uuid": "x"}]).quarantined[0].reason == "an object without a `type` text"
