"""Stage 1 of an import: the bytes of a file as numbered lines, read as a stream."""

import io
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import msgspec
import zstandard

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer as Buffer  # no public name before Python 3.12

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_GZIP_MAGIC = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"

# The service refuses greater events anyway; without a limit one line without an end would fill the memory.
MAX_LINE_BYTES = 64 * 1024 * 1024

# Small, because a read that meets damage gives nothing, and one read's content is held in memory.
_COMPRESSED_READ_BYTES = 16 * 1024


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line without its line end.

    `number` counts from 1. `is_terminated` is false for a last line that no line end follows. `damage` says
    why the line is not whole: longer than the limit, or compressed data that cannot be read; `raw` is what
    there is of it.
    """

    number: int
    raw: bytes
    is_terminated: bool = True
    damage: str | None = None


def is_gzip(head: bytes) -> bool:
    """Whether the bytes are a gzip member, which no known agent writes."""
    return head.startswith(_GZIP_MAGIC)


@contextmanager
def open_bytes(path: Path) -> Generator[BinaryIO, None, None]:
    """The file's content, decompressed when it is zstd of one or more frames."""
    with path.open("rb") as file:
        if file.read(len(_ZSTD_MAGIC)) != _ZSTD_MAGIC:
            file.seek(0)
            yield file
            return
        file.seek(0)
        yield cast(BinaryIO, io.BufferedReader(_ZstdFrames(file)))


class _ZstdFrames(io.RawIOBase):
    """The content of one or more zstd frames.

    zstandard's own reader gives nothing of a read that meets damage, so lines before it would be lost. A last
    frame without its end is no damage: a living writer flushes blocks long before it ends its frame.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._compressed = b""
        self._content = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "Buffer") -> int:
        view = memoryview(buffer).cast("B")
        while not self._content and self._has_compressed():
            self._content = memoryview(self._frame.decompress(self._compressed))
            self._compressed = self._frame.unused_data
            if self._frame.eof:
                self._frame = zstandard.ZstdDecompressor().decompressobj()
        count = min(len(view), len(self._content))
        view[:count] = self._content[:count]
        self._content = self._content[count:]
        return count

    def _has_compressed(self) -> bool:
        self._compressed = self._compressed or self._file.read(_COMPRESSED_READ_BYTES)
        return bool(self._compressed)


def read_lines(stream: BinaryIO, max_line_bytes: int = MAX_LINE_BYTES) -> Iterator[Line]:
    """The lines of a stream; LF and CRLF end a line, a byte order mark is dropped, no byte is decoded.

    Memory holds one line at a time. Damaged compressed data ends the file with a damaged line.
    """
    number = 0
    while True:
        number += 1
        try:
            line = _next_line(stream, number, max_line_bytes)
        except zstandard.ZstdError as error:
            yield Line(number=number, raw=b"", damage=f"compressed data cannot be read: {error}")
            return
        if line is None:
            return
        yield line


def _next_line(stream: BinaryIO, number: int, max_line_bytes: int) -> Line | None:
    raw = stream.readline(max_line_bytes)
    if not raw:
        return None
    is_terminated = raw.endswith(b"\n")
    damage = None
    if not is_terminated and len(raw) >= max_line_bytes:
        damage = f"longer than {max_line_bytes} bytes"
        is_terminated = _skip_rest(stream, max_line_bytes)
    if number == 1:
        raw = raw.removeprefix(_BOM)
    return Line(number=number, raw=raw.rstrip(b"\r\n"), is_terminated=is_terminated, damage=damage)


def _skip_rest(stream: BinaryIO, max_line_bytes: int) -> bool:
    while rest := stream.readline(max_line_bytes):
        if rest.endswith(b"\n"):
            return True
    return False
