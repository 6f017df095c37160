"""Stage 6, the rest of a great text: a row's whole texts, page by page (`wire.md`, *Size*).

A text is named by the delegates' calls that lead to its row, the row's key, and a JSON pointer into the row. Offsets
count bytes of UTF-8, as `bytes` in a row does, and stand at the beginning of a code point.
"""

from msgspec import Struct

from projections.building import TurnBuilder
from projections.fold import Fold
from projections.heads import text_at
from projections.rows import Row, SteeringRow
from projections.session import SessionFold
from projections.transcript import great_texts_of, whole_row

# Where no text is named and none was cut: the one that a reader would mean.
_USUAL = ("/text", "/output", "/progress", "/summary", "/message", "/blocks/0/text", "/content/0/text")
_QUEUED = "steering:"


class RowText(Struct, frozen=True, kw_only=True):
    """One whole text of a row; `json`: it is JSON that was no string."""

    field: str
    text: str
    json: bool


class TextPage(Struct, frozen=True, kw_only=True):
    """A part of a text; `next_offset` is `None` at its end, `bytes` the size of the whole."""

    text: str
    next_offset: int | None
    bytes: int


class RowTexts:
    """The texts of one row, as they are now."""

    def __init__(self, row: Row, great: tuple[str, ...]) -> None:
        self._row = row
        self._great = great

    def find(self, field: str | None) -> RowText | None:
        """Give a text by its pointer; without one the first that travels as its head, else the row's main text."""
        for pointer in (*self._great, *_USUAL) if field is None else (field,):
            found = text_at(self._row, pointer)
            if found is not None:
                return RowText(field=pointer, text=found[0], json=found[1])
        return None


def texts_of(session: SessionFold, path: tuple[str, ...], key: str) -> RowTexts | None:
    """Give the texts of a row, or of steering that still waits; `None` where there is no such row.

    Args:
        path: the delegates' calls from the outermost; empty for the session's own rows.
        key: the row's.
    """
    fold = session.fold_at(path)
    if fold is None:
        return None
    found = fold.find(key)
    if found is not None:
        return RowTexts(whole_row(*found), great_texts_of(fold, *found))
    return _queued_texts(fold, key)


def _queued_texts(fold: Fold, key: str) -> RowTexts | None:
    if not key.startswith(_QUEUED) or key not in fold.where:
        return None
    number = fold.where[key]
    turn: TurnBuilder = fold.none if number is None else fold.turns[number]
    ident = key.removeprefix(_QUEUED)
    content = turn.queued.get(ident)
    if content is None:
        return None
    # As the row that it will be; where it will stand nobody knows yet.
    return RowTexts(SteeringRow(key=key, turn=number, step=None, anchor=-1, id=ident, content=content), ())


def page_of(text: str, offset: int, limit: int) -> TextPage | None:
    """Give at most `limit` bytes of a text from an offset on; `None` where no code point begins there."""
    whole = text.encode()
    if offset > len(whole) or (offset < len(whole) and whole[offset] & 0xC0 == 0x80):
        return None
    part = whole[offset : offset + limit].decode(errors="ignore")
    end = offset + len(part.encode())
    return TextPage(text=part, next_offset=end if end < len(whole) else None, bytes=len(whole))
