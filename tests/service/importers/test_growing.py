"""Lines of a file that still grows."""

import json
from pathlib import Path

import pytest
import zstandard

from service.importers import ImportFileError, open_session_file
from service.importers.growing import GrowingLines
from service.importers.lines import Line
from tests.service.importers.claude_log import Log, call, raw, rows_of, written
from tests.service.importers.growth import followed


def added(path: Path, content: bytes) -> None:
    """The file grows."""
    with path.open("ab") as file:
        file.write(content)


def raws(lines: list[Line]) -> list[bytes]:
    """What the lines hold."""
    return [line.raw for line in lines]


def test_line_is_given_once_when_its_end_is_there(tmp_path: Path) -> None:
    """A part of a line waits for the rest; a byte order mark is dropped."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntw")
    with GrowingLines(path) as lines:
        assert raws(list(lines.whole())) == [b"one"]
        assert raws(list(lines.whole())) == []
        added(path, b"o\nthree")
        assert raws(list(lines.whole())) == [b"two"]
        (rest,) = lines.rest()
        assert (rest.raw, rest.number, rest.is_terminated) == (b"three", 3, False)
        assert list(lines.rest()) == []


def test_line_over_the_limit_is_cut_and_the_next_one_is_whole(tmp_path: Path) -> None:
    """Memory never holds more than the limit, in however many pieces the line comes."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"x" * 25)
    with GrowingLines(path, max_line_bytes=10) as lines:
        assert list(lines.whole()) == []
        added(path, b"x" * 25 + b"\nshort\n")
        long, short = lines.whole()
        assert long.damage == "longer than 10 bytes"
        assert len(long.raw) <= 20
        assert (short.raw, short.damage) == (b"short", None)


def test_file_that_became_shorter_ends_the_reading(tmp_path: Path) -> None:
    """Another file was written in its place: what was read is none of it."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"one\ntwo\n")
    with GrowingLines(path) as lines:
        list(lines.whole())
        path.write_bytes(b"x\n")
        with pytest.raises(ImportFileError, match="was cut or replaced"):
            list(lines.whole())


def test_file_that_another_one_replaced_ends_the_reading(tmp_path: Path) -> None:
    """However long it is: an editor writes a new file and renames it."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"one\n")
    with GrowingLines(path) as lines:
        list(lines.whole())
        (tmp_path / "new").write_bytes(b"x\ny\nz\n")
        (tmp_path / "new").rename(path)
        with pytest.raises(ImportFileError, match="was cut or replaced"):
            list(lines.whole())
        path.unlink()
        with pytest.raises(FileNotFoundError):
            list(lines.whole())


def test_damaged_compressed_data_ends_the_file_with_a_damaged_line(tmp_path: Path) -> None:
    """Once, behind the lines that could be read; what comes later cannot be read either."""
    path = tmp_path / "s.jsonl.zst"
    good = zstandard.ZstdCompressor(write_checksum=True).compress(b"one\ntwo\n")
    path.write_bytes(good + b"\x28\xb5\x2f\xfd" + b"\xff" * 40)
    with GrowingLines(path) as lines:
        *whole, damaged = lines.whole()
        assert raws(whole) == [b"one", b"two"]
        assert (damaged.raw, damaged.number) == (b"", 3)
        assert (damaged.damage or "").startswith("compressed data cannot be read")
        added(path, good)
        assert list(lines.whole()) == []


def test_compressed_file_grows_too(tmp_path: Path) -> None:
    """A living writer flushes blocks into one frame."""
    path = tmp_path / "s.jsonl.zst"
    frame = zstandard.ZstdCompressor().compressobj()
    path.write_bytes(frame.compress(b"one\n") + frame.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK))
    with GrowingLines(path) as lines:
        assert raws(list(lines.whole())) == [b"one"]
        added(path, frame.compress(b"two\n") + frame.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK))
        assert raws(list(lines.whole())) == [b"two"]


@pytest.mark.parametrize(
    ("line", "file_format"),
    [
        ({"type": "notice", "id": "n", "level": "info", "text": "x"}, "native"),
        ({"type": "turn/start", "data": {"turn": 1}}, "harness"),
    ],
)
def test_every_format_can_be_followed(tmp_path: Path, line: dict[str, object], file_format: str) -> None:
    """The same reader takes the lines as they come; the last turn is left open."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(json.dumps(line).encode() + b"\n")
    file = open_session_file(path)
    assert file.format == file_format
    more = json.dumps(line | {"id": "m"}).encode() + b"\n"
    assert len(list(followed(file, path, [more[:5], more[5:]]))) == 2


def test_subagents_file_that_appears_later_is_followed_too(tmp_path: Path) -> None:
    """It is nested as soon as a field, or the only call with its prompt, says where."""
    log = Log()
    log.human("Go")
    log.model(call("t1", "Task", prompt="Look"))
    main = written(tmp_path / "s1.jsonl", log.lines)
    child = Log()
    child.human("Look", isSidechain=True)
    child.model("Found.", isSidechain=True)
    pieces = [line + b"\n" for line in raw(child.lines)]
    path = tmp_path / "s1" / "subagents" / "agent-a1.jsonl"
    rows = rows_of(followed(open_session_file(main), path, pieces))
    assert rows == [
        ["user: Go", "Task [running]", "| context prompt: Look", "| says: Found.", "| running", "running"]
    ]
