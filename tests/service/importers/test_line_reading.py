"""Tolerance: no byte stops an import, and every line is accounted for."""

import io
import json
from pathlib import Path

import pytest
import zstandard

from service.importers.accounting import Ledger, Tally
from service.importers.emit import NativeEvent
from service.importers.lines import open_bytes, read_lines
from service.importers.native import read_native_lines
from service.importers.parse import Unreadable, parse_object

NOTICE = b'{"type":"notice","id":"n1","level":"info","text":"hi"}'


def read(
    content: bytes, *, leave_open: bool = True, max_line_bytes: int = 1000
) -> tuple[list[NativeEvent], Ledger]:
    """The native events of a file's content, and its ledger."""
    ledger = Ledger()
    lines = read_lines(io.BytesIO(content), max_line_bytes)
    return list(read_native_lines(lines, ledger, leave_open=leave_open)), ledger


def types(events: list[NativeEvent]) -> list[str]:
    """The types of events, in order."""
    return [json.loads(event.body)["type"] for event in events]


@pytest.mark.parametrize(
    "content",
    [NOTICE, NOTICE + b"\n", NOTICE + b"\r\n", b"\xef\xbb\xbf" + NOTICE + b"\n", b"\n\n" + NOTICE + b"\n \n"],
    ids=["no line end", "LF", "CRLF", "byte order mark", "blank lines"],
)
def test_line_ends_marks_and_blanks_change_nothing(content: bytes) -> None:
    """The event is the same however its line is framed."""
    events, ledger = read(content)
    assert types(events) == ["notice"]
    assert ledger.report().is_complete


def test_blank_lines_are_ignored_by_rule() -> None:
    """Spaces, and the NUL bytes that a crash leaves, are blank too."""
    _, ledger = read(b"\n  \n\x00\x00\x00\n" + NOTICE)
    assert ledger.report().ignored == (Tally(name="blank_line", count=3),)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"[1]", "a JSON array, not an object"),
        (b'"text"', "a JSON string, not an object"),
        (b"null", "a JSON null, not an object"),
        (b"true", "a JSON boolean, not an object"),
        (b"12", "a JSON number, not an object"),
        (b"hello", "not JSON"),
        (b'{"a": NaN}', "NaN is no JSON value"),
        (b"{" * 50 + b'"', "not JSON"),
        (b"[" * 200_000, "nested too deeply"),
        (b"{}", "an object without a `type` text"),
        (b'{"type": 7}', "an object without a `type` text"),
    ],
)
def test_line_without_event_is_quarantined_and_kept(line: bytes, reason: str) -> None:
    """The report has number and reason; an invisible event has the raw text."""
    events, ledger = read(NOTICE + b"\n" + line + b"\n" + NOTICE + b"\n", max_line_bytes=1_000_000)
    assert types(events) == ["notice", "custom/import/unreadable", "notice"]
    kept = json.loads(events[1].body)
    assert kept["visible"] is False
    assert kept["payload"]["raw"] == line.decode()
    (quarantined,) = ledger.report().quarantined
    assert quarantined.line == 2
    assert reason in quarantined.reason
    assert ledger.report().is_complete


def test_torn_last_line_of_a_finished_file_is_quarantined() -> None:
    """Nothing more will come, so its text is kept as it is."""
    events, ledger = read(NOTICE + b'\n{"type":"noti', leave_open=False)
    assert types(events) == ["notice", "custom/import/unreadable"]
    assert "torn last line" in ledger.report().quarantined[0].reason


def test_torn_last_line_of_a_growing_file_is_left_for_the_next_reading() -> None:
    """It is whole then, and gets the id of its place."""
    events, ledger = read(NOTICE + b'\n{"type":"noti')
    assert types(events) == ["notice"]
    assert ledger.report().ignored == (Tally(name="unfinished_last_line", count=1),)


def test_quarantined_line_and_its_repaired_self_have_different_ids() -> None:
    """Else a second import of the repaired file would drop the good line as a duplicate."""
    torn, _ = read(NOTICE + b'\n{"type":"noti', leave_open=False)
    whole, _ = read(NOTICE + b"\n" + NOTICE)
    assert json.loads(torn[1].body)["event_id"] != json.loads(whole[1].body)["event_id"]


def test_invalid_utf8_is_repaired() -> None:
    """A log that was cut in the middle of a character is still a log."""
    events, _ = read(b'{"type":"notice","id":"n","level":"info","text":"gr\xfc\xc3"}\n')
    assert json.loads(events[0].body)["text"] == "gr\ufffd\ufffd"


def test_line_over_the_limit_is_quarantined_with_its_beginning() -> None:
    """Without a limit a line without end would fill the memory; the lines behind it are read."""
    long_line = b'{"type":"notice","text":"' + b"x" * 5000 + b'"}'
    events, ledger = read(long_line + b"\n" + NOTICE + b"\n", max_line_bytes=1000)
    assert types(events) == ["custom/import/unreadable", "notice"]
    assert ledger.report().quarantined[0].reason == "longer than 1000 bytes"
    assert len(ledger.report().quarantined[0].excerpt) < 200


def test_long_line_within_the_limit_is_read_whole() -> None:
    """Tool outputs of megabytes are ordinary."""
    text = "x" * 3_000_000
    events, _ = read(json.dumps({"type": "notice", "text": text}).encode(), max_line_bytes=10_000_000)
    assert json.loads(events[0].body)["text"] == text


def test_zstd_frames_are_read_as_one_file(tmp_path: Path) -> None:
    """The harness appends a frame at a time, and a line may cross them."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(zstandard.compress(b"one\ntw") + zstandard.compress(b"o\nthree"))
    with open_bytes(path) as stream:
        assert [line.raw for line in read_lines(stream)] == [b"one", b"two", b"three"]


def test_damaged_compressed_data_ends_the_file_with_a_quarantined_line(tmp_path: Path) -> None:
    """What was read before it stays."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(zstandard.compress(NOTICE + b"\n") + zstandard.compress(b"x" * 50)[:10] + b"\xff" * 40)
    ledger = Ledger()
    with open_bytes(path) as stream:
        events = list(read_native_lines(read_lines(stream), ledger, leave_open=True))
    assert types(events)[0] == "notice"
    assert ledger.report().quarantined_count == 1
    assert ledger.report().is_complete


def test_parse_returns_for_any_bytes() -> None:
    """Either an object or a reason, never an exception."""
    for raw in (b"", b"\xff\xfe", b'{"a":"\\ud83d"}', b'{"a":1e999}', b'{"a":' * 100_000):
        assert isinstance(parse_object(raw), dict | Unreadable)


def test_report_prints_every_account() -> None:
    """A person reads what became of the file."""
    _, ledger = read(NOTICE + b"\n\n[1]\n" + b'{"type":"quantum/leap"}\n')
    assert str(ledger.report()).splitlines() == [
        "4 lines -> 3 events: 1 projected",
        "  invisible: 1 quantum/leap",
        "  ignored: 1 blank_line",
        "  unknown types: 1 quantum/leap",
        "  quarantined: 1",
        "    line 3: a JSON array, not an object: [1]",
    ]
