"""The package's entry: recognising a file, naming its session, linking a child to its parent's call."""

import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

from service.importers import UnknownFormatError, open_session_file
from service.importers.detect import detect
from service.importers.session_names import session_name
from tests.service.importers.harness_log import Json, answer, event, said

HEADER: Json = {"type": "session", "version": 3, "id": "s1", "createdAt": 5, "cwd": "/srv/app"}


def jsonl(*records: Json) -> bytes:
    """A file's content."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def written(path: Path, *records: Json) -> Path:
    """A file with these records."""
    path.write_bytes(jsonl(*records))
    return path


@pytest.mark.parametrize(
    ("record", "found"),
    [
        ({"type": "session/meta", "title": "x"}, "native"),
        ({"type": "custom/deploy", "payload": {}}, "native"),
        ({"type": "turn/start", "turn": 1}, "native"),
        (event("turn/start", turn=1), "harness"),
        (event("quantum/leap"), "harness"),
        (event("text-chunks", texts=[]), "harness"),
        (HEADER, "harness"),
        ({"method": "session.event", "params": {}}, "harness"),
        ({"type": "session_event", "event": {}}, "harness"),
        ({"type": "user", "message": {"content": "Hi"}}, "claude-code"),
        ({"type": "assistant", "message": {"content": []}}, "claude-code"),
        ({"type": "summary", "summary": "x", "leafUuid": "u"}, "claude-code"),
        ({"type": "queue-operation", "operation": "dequeue"}, "claude-code"),
        ({"type": "system", "subtype": "session_start", "isSidechain": False}, "claude-code"),
    ],
)
def test_format_is_known_by_the_first_lines(record: Json, found: str) -> None:
    """Two formats have a `turn/start`; only the harness has `data` around its fields."""
    assert detect(jsonl(record)) == found
    assert detect(b"\xef\xbb\xbf\n" + jsonl(record)) == found


@pytest.mark.parametrize(
    ("head", "seen"),
    [
        (b"", "an empty file"),
        (b"\x1f\x8b\x08", "gzip data"),
        (b"plain words\n", "not JSON"),
        (jsonl({"type": "assistant", "uuid": "u", "message": {}}), "an object of type 'assistant'"),
        (jsonl({"type": "session", "version": 3, "timestamp": "2026-01-01"}), "an object of type 'session'"),
        (
            jsonl({"jsonrpc": "2.0", "method": "session/update"}),
            "JSON-RPC message with method 'session/update'",
        ),
        (jsonl({"info": 1}), "an object without type (info)"),
        (jsonl({"type": "user", "uuid": "u", "message": {"parts": []}}), "an object of type 'user'"),
        (jsonl({"type": "system", "uuid": "u", "systemPayload": {}}), "an object of type 'system'"),
        (jsonl({"type": "compaction", "id": "c", "parentId": "p"}), "an object of type 'compaction'"),
    ],
)
def test_unknown_format_says_what_was_seen_and_what_is_supported(head: bytes, seen: str) -> None:
    """The message is all that a person has to go on."""
    with pytest.raises(UnknownFormatError) as caught:
        detect(head)
    assert seen in str(caught.value)
    assert "native" in str(caught.value)
    assert "harness" in str(caught.value)


def test_file_is_read_to_its_end_with_every_line_accounted_for(tmp_path: Path) -> None:
    """The report belongs to the newest reading, and reading again gives the same."""
    path = written(tmp_path / "log.jsonl", HEADER, event("turn/start", turn=1), answer("Yes"))
    file = open_session_file(path)
    first = list(file)
    assert list(file) == first
    assert file.report.is_complete
    assert file.report.line_count == 3
    assert file.report.synthetic_end == "completed"


def test_open_file_keeps_its_last_turn(tmp_path: Path) -> None:
    """It may still grow."""
    path = written(tmp_path / "log.jsonl", HEADER, event("turn/start", turn=1), answer("Yes"))
    file = open_session_file(path, leave_open=True)
    assert len(list(file)) == 2
    assert file.report.synthetic_end is None


def test_compressed_file_is_read_like_a_plain_one(tmp_path: Path) -> None:
    """Known by its content, whatever its name."""
    content = jsonl(HEADER, event("turn/start", turn=1), answer("Yes"))
    plain, packed = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    plain.write_bytes(content)
    packed.write_bytes(zstandard.compress(content))
    assert list(open_session_file(packed)) == list(open_session_file(plain))


def test_given_format_is_taken_without_looking(tmp_path: Path) -> None:
    """For files whose first lines are all of unknown types."""
    path = written(tmp_path / "log.jsonl", {"type": "quantum_leap"})
    assert open_session_file(path, "native").format == "native"


def test_session_is_named_by_its_header(tmp_path: Path) -> None:
    """The log's own id, where the service can take it."""
    assert open_session_file(written(tmp_path / "log.jsonl", HEADER)).suggested_session == "s1"


def test_session_of_a_transport_is_named_by_its_messages(tmp_path: Path) -> None:
    """Notifications and stream-json hold no header."""
    record = {"type": "session_event", "sessionId": "s7", "event": answer("Yes")}
    assert open_session_file(written(tmp_path / "log.jsonl", record)).suggested_session == "s7"


def test_session_without_usable_id_is_named_by_its_file(tmp_path: Path) -> None:
    """Placeholders are shared by many files; their names differ."""
    path = written(tmp_path / "my log (2).jsonl", HEADER | {"id": "{{sessionId}}"})
    assert open_session_file(path).suggested_session == "my-log-2"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a b", "a-b"),
        ("日志", "session"),
        ("x" * 300, "x" * 256),
        ("A.b_c:d@e-f", "A.b_c:d@e-f"),
        ("", "session"),
    ],
)
def test_names_are_of_the_services_alphabet(text: str, name: str) -> None:
    """1 to 256 characters of `A-Z a-z 0-9 . _ : @ -`."""
    assert session_name(text) == name


def delegate(call_id: str, prompt: str, label: str) -> Json:
    """A parent's call that starts a child session."""
    arguments = json.dumps({"description": label, "prompt": prompt})
    return event("tool/call", turn=1, step=1, callId=call_id, name="subagent", arguments=arguments)


def child_meta(path: Path, related: list[Path]) -> dict[str, Any]:
    """What the child's log says about its parent."""
    found = [json.loads(read.body) for read in open_session_file(path, related=related)]
    parent: dict[str, Any] = next(fields["parent"] for fields in found if fields.get("parent"))
    return parent


CHILD_HEADER = HEADER | {"id": "kid", "parentSession": "s1", "origin": "subagent"}


def test_child_is_linked_to_the_call_of_its_prompt(tmp_path: Path) -> None:
    """The logs name the parent's session; the call is the one whose prompt the child was given."""
    parent = written(
        tmp_path / "p.jsonl",
        HEADER,
        delegate("c1", "Count files", "one"),
        delegate("c2", "Read a.txt", "two"),
    )
    child = written(tmp_path / "c.jsonl", CHILD_HEADER, event("user/message", **said("u1", "Read a.txt")))
    assert child_meta(child, [child, parent]) == {"session": "s1", "call_id": "c2"}


def test_equal_prompts_are_told_apart_by_their_label(tmp_path: Path) -> None:
    """The child's descriptor repeats the call's description."""
    parent = written(tmp_path / "p.jsonl", HEADER, delegate("c1", "Go", "one"), delegate("c2", "Go", "two"))
    child = written(
        tmp_path / "c.jsonl",
        CHILD_HEADER,
        event("subagent/descriptor", label="two"),
        event("user/message", **said("u1", "Go")),
    )
    assert child_meta(child, [parent]) == {"session": "s1", "call_id": "c2"}


def test_child_whose_call_is_not_certain_names_the_session_alone(tmp_path: Path) -> None:
    """A wrong link is worse than none."""
    parent = written(tmp_path / "p.jsonl", HEADER, delegate("c1", "Go", "one"), delegate("c2", "Go", "one"))
    child = written(tmp_path / "c.jsonl", CHILD_HEADER, event("user/message", **said("u1", "Go")))
    assert child_meta(child, [parent]) == {"session": "s1"}
    assert child_meta(child, []) == {"session": "s1"}
