"""Edge stage: an exported transcript as JSON lines, for programs: the rows as they stand on the wire, whole.

Each line is an object with a `type`: `session` first, then `turn`, `row`, `blob` (an image or file, behind the
first row that names it) and at last `end`, without which a file is not whole. `docs/export.md` describes them.
"""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from api.export_pieces import BlobText, ExportHead, Holds, Piece
from projections.walk import RowGiven, Step, ThreadBegins, ThreadEnds, TurnBegins, TurnEnds

FORMAT: Final = 1
_BLOB: Final = re.compile(rb'"blob":"([0-9a-f]{64})"')
_encode = msgspec.json.Encoder().encode


def jsonl_pieces(head: ExportHead, steps: Iterator[Step], holds: Holds) -> Iterator[Piece]:
    """The lines of a walk."""
    yield _line({"type": "session", "format": FORMAT, **msgspec.to_builtins(head)})
    path: list[str] = []
    seen: set[str] = set()
    turns = rows = 0
    for step in steps:
        match step:
            case ThreadBegins(call_id=call_id):
                path.append(call_id)
            case ThreadEnds():
                path.pop()
            case TurnBegins(turn=turn):
                turns += not path
                facts = {name: getattr(turn, name) for name in turn.__struct_fields__ if name != "rows"}
                facts.pop("presentation")
                yield _line({"type": "turn", "in": path, **facts})
            case RowGiven(row=row):
                rows += 1
                line = _line({"type": "row", "in": path, "row": row})
                yield line
                yield from _blobs(line, seen, holds)
            case TurnEnds():
                pass
    yield _line({"type": "end", "turns": turns, "rows": rows})


def _blobs(line: bytes, seen: set[str], holds: Holds) -> Iterator[Piece]:
    """The content that a row names for the first time, of what the session really holds."""
    for digest in dict.fromkeys(one.decode() for one in _BLOB.findall(line)):
        if digest in seen or not holds(digest):
            continue
        seen.add(digest)
        yield b'{"type":"blob","blob":"%b","data":"' % digest.encode()
        yield BlobText(digest=digest)
        yield b'"}\n'


def _line(value: object) -> bytes:
    # A line break in valid JSON stands between tokens; as a blank it keeps the line one line.
    return _encode(value).replace(b"\n", b" ").replace(b"\r", b" ") + b"\n"
