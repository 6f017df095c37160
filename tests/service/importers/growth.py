"""A file that grows in pieces while it is read."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from service.importers import NativeEvent, SessionFile


class _GrownError(Exception):
    """Everything was written and read; `follow` itself has no end."""


def followed(file: SessionFile, path: Path, pieces: Sequence[bytes]) -> Iterator[NativeEvent]:
    """The events of a file that gets a piece whenever the reader waits."""
    left = iter(pieces)

    def grow() -> None:
        piece = next(left, None)
        if piece is None:
            raise _GrownError
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as written:
            written.write(piece)

    try:
        yield from file.follow(grow)
    except _GrownError:
        return
