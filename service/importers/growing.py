"""Stage 1 for a file that still grows: the lines that are whole so far, and the rest when it comes."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Self

import zstandard

from service.importers.errors import ImportFileError
from service.importers.lines import MAX_LINE_BYTES, Line, open_bytes


class FileReplacedError(ImportFileError):
    """The file was cut, or another one was written in its place: what comes does not follow what was read."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path.name} was cut or replaced while it was read; read it from its beginning")


class GrowingLines:
    """The lines of a file, read as far as they are there.

    A line is given once, when its end is there. Damaged compressed data ends the file with a damaged line, as in
    `read_lines`. Use it as a context manager: it holds the file open.
    """

    def __init__(self, path: Path, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self._path = path
        self._max_line_bytes = max_line_bytes
        self._opened = open_bytes(path)
        self._stream: BinaryIO | None = None
        self._number = 0
        self._part = b""
        self._skipping = False
        self._is_damaged = False

    def __enter__(self) -> Self:
        self._stream = self._opened.__enter__()
        return self

    def __exit__(self, *details: object) -> None:
        self._stream = None
        self._opened.__exit__(None, None, None)

    def whole(self) -> Iterator[Line]:
        """The lines that have become whole since the last call.

        Raises:
            FileReplacedError: the file became shorter, or is another one.
            OSError: the file is gone.
        """
        stream = self._stream
        if stream is None:
            raise ValueError("not open")
        if stream.seekable() and not self._is_still_the_same(stream):
            raise FileReplacedError(self._path)
        if self._is_damaged:
            return
        try:
            yield from self._read_on(stream)
        except zstandard.ZstdError as error:
            self._is_damaged = True
            self._number += 1
            yield Line(number=self._number, raw=b"", damage=f"compressed data cannot be read: {error}")

    def _read_on(self, stream: BinaryIO) -> Iterator[Line]:
        while piece := stream.readline(self._max_line_bytes):
            ends = piece.endswith(b"\n")
            self._part = self._part if self._skipping else self._part + piece
            if not ends and len(self._part) >= self._max_line_bytes:
                self._skipping = True
            if ends:
                yield self._line(is_terminated=True)

    def rest(self) -> Iterator[Line]:
        """The last line, which no line end follows; nothing where the file ends with one."""
        if self._part:
            yield self._line(is_terminated=False)

    def _is_still_the_same(self, stream: BinaryIO) -> bool:
        now = self._path.stat()
        return now.st_size >= stream.tell() and os.path.samestat(now, os.fstat(stream.fileno()))

    def _line(self, *, is_terminated: bool) -> Line:
        raw, self._part = self._part, b""
        is_cut, self._skipping = self._skipping or len(raw) > self._max_line_bytes, False
        self._number += 1
        if self._number == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        damage = f"longer than {self._max_line_bytes} bytes" if is_cut else None
        return Line(number=self._number, raw=raw.rstrip(b"\r\n"), is_terminated=is_terminated, damage=damage)
