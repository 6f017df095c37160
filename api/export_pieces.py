"""Edge stage: what an exported document is made of: bytes, and the places where the content of an image or file
goes.
"""

from collections.abc import Callable, Iterator
from typing import Final, Literal

import msgspec

from api.export_values import one_line, time_text
from projections.events import ParentRef
from projections.position import Position
from projections.session import SessionFold

ExportFormat = Literal["markdown", "html", "jsonl"]
#: So much text at once is escaped and encoded: a piece must not be as great as a text may be.
_TEXT_CHARS: Final = 64 * 1024


class BlobText(msgspec.Struct, frozen=True, kw_only=True):
    """Stands for the content of a blob in base64."""

    digest: str


Piece = bytes | BlobText
#: Whether the session holds the content of a digest; a producer may name any.
Holds = Callable[[str], bool]


class ExportHead(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a document says of its session before the transcript: facts of the log alone, so that it can be made
    again.
    """

    session: str
    position: Position
    title: str | None = None
    agent: str | None = None
    model: str | None = None
    cwd: str | None = None
    parent: ParentRef | None = None
    first_ts_ms: int | None = None
    last_ts_ms: int | None = None


def head_of(session: str, position: Position, fold: SessionFold) -> ExportHead:
    """The facts of a session."""
    return ExportHead(
        session=session, position=position, title=fold.title, agent=fold.agent, model=fold.model, cwd=fold.cwd,
        parent=fold.parent, first_ts_ms=fold.first_ts_ms, last_ts_ms=fold.last_ts_ms,
    )  # fmt: skip


def facts_of(head: ExportHead) -> Iterator[tuple[str, str]]:
    """What a document says below its title: the name of each fact (`export_words`), and its value on one line."""
    facts: dict[str, str | None] = {
        "session": head.session,
        "agent": head.agent,
        "model": head.model,
        "cwd": head.cwd,
        "parent": None if head.parent is None else head.parent.session,
        "first": None if head.first_ts_ms is None else time_text(head.first_ts_ms),
        "last": None if head.last_ts_ms is None else time_text(head.last_ts_ms),
        "position": f"{head.position.epoch} / {head.position.version}",
    }
    return ((name, one_line(value)) for name, value in facts.items() if value)


def text_bytes(text: str, replace: Callable[[str], str] | None = None) -> Iterator[bytes]:
    """A text of any size as bytes, piece by piece, each changed by `replace` (which looks at single characters
    alone).
    """
    for at in range(0, len(text), _TEXT_CHARS):
        part = text[at : at + _TEXT_CHARS]
        yield (part if replace is None else replace(part)).encode(errors="replace")
