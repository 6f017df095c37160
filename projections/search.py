"""Searching one session: every text of every row, folded, hidden and delegated ones included (`views.md` C-16).

1. A hit is one text of a row in which every word of the query stands, whatever its case. Words in double quotes stand
   together.
2. Hits come in the order of the transcript, oldest first: what is added later comes behind, so that a cursor stays true
   while the session goes on.
3. The search gives way: between rows it yields nothing, for whoever shares the thread with others.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from projections.building import TurnBuilder
from projections.errors import CursorError
from projections.fold import Fold
from projections.search_path import Hiding, Opening, Way, Ways
from projections.search_texts import Text, texts_of
from projections.session import SessionFold
from projections.slices import Slices
from projections.view import View

MAX_QUERY_CHARS = 256
MAX_WORDS = 8
# Rows looked at before others get their turn: a fraction of a millisecond of rows of usual size.
ROWS_PER_SLICE = 64
_BEFORE_CHARS, _EXCERPT_CHARS = 60, 240
_CURSOR = re.compile(r"(-?[0-9]{1,15})\.([0-9]{1,15})")


class Piece(Struct, frozen=True, kw_only=True):
    """A part of an excerpt; `match` says that it is what was looked for."""

    text: str
    match: bool


class Hit(Struct, frozen=True, kw_only=True, rename={"inside": "in"}):
    """One text that holds the query.

    Attributes:
        ref: the row, or the block of a step, that says it; `field` is what of it.
        inside: the calls that lead to the delegate's transcript it stands in; empty for the session's own.
        path: what to open to see it, outermost first.
        hidden_by: what hides it even then: a preference of the view (`show_thinking`, `phase`, `reasoning`), or `view`
            where the view never shows such rows.
        excerpt: the text around the first match, in pieces.
    """

    turn: int | None
    key: str
    ref: str
    field: str
    inside: tuple[str, ...]
    path: tuple[Opening, ...]
    hidden_by: tuple[Hiding, ...]
    excerpt: tuple[Piece, ...]


class Query:
    """What is looked for: words that must all stand in one text."""

    __slots__ = ("any_word", "words")

    def __init__(self, words: list[str]) -> None:
        escaped = [re.escape(word) for word in words]
        self.words = tuple(re.compile(word, re.IGNORECASE) for word in escaped)
        # The longest first, so that a match is never only the beginning of another.
        self.any_word = re.compile("|".join(sorted(escaped, key=len, reverse=True)), re.IGNORECASE)


class Found(Struct, frozen=True, kw_only=True):
    """A hit, and the cursor behind it."""

    hit: Hit
    cursor: str


def query_of(text: str) -> Query | None:
    """Read a query; None where it holds no word, too many of them, or is too long."""
    words = [quoted or plain for quoted, plain in re.findall(r'"([^"]+)"|([^\s"]+)', text)]
    if not words or len(words) > MAX_WORDS or len(text) > MAX_QUERY_CHARS:
        return None
    return Query(words)


def search(
    session: SessionFold, query: Query, view: View, after: str | None = None
) -> Iterator[Found | None]:
    """Give the hits behind a cursor; None now and then, where others may work.

    Raises:
        CursorError: `after` was not given out.
    """
    ordinal, skipped = _place(after)
    walk = _Walk(query, view)
    for turn in (session.main.none, *list(session.main.turns.values())):
        if turn.ordinal < ordinal:
            continue
        count = 0
        for hit in walk.hits(session.main, turn):
            if hit is None:
                yield None
                continue
            count += 1
            if turn.ordinal > ordinal or count > skipped:
                yield Found(hit=hit, cursor=f"{turn.ordinal}.{count}")


def locate(session: SessionFold, key: str, inside: tuple[str, ...], view: View) -> Slices[Hit | None]:
    """Find a row by its key: the way to it, without any match; in slices."""
    fold = session.fold_at(inside)
    found = None if fold is None else fold.find(key)
    if fold is None or found is None:
        return None
    turn, slot = found
    silent = Text(key=key, ref=key, field="", text="")
    first = next((text for text in texts_of(turn, slot) if text.text.strip()), silent)
    way = yield from Ways(view).to(fold, turn, first)
    return _hit(fold, turn, first, way, None)


class _Walk:
    """One pass over a session's rows."""

    def __init__(self, query: Query, view: View) -> None:
        self._query = query
        self._ways = Ways(view)
        self._rows = 0

    def hits(self, fold: Fold, turn: TurnBuilder) -> Iterator[Hit | None]:
        """The hits of a turn in its order, what its calls delegated right behind the call."""
        for slot in list(turn.rows):
            self._rows += 1
            if self._rows % ROWS_PER_SLICE == 0:
                yield None
            for text in texts_of(turn, slot):
                if all(word.search(text.text) for word in self._query.words):
                    way = yield from self._ways.to(fold, turn, text)
                    yield _hit(fold, turn, text, way, self._query.any_word)
            below = fold.delegates.get(slot.key.removeprefix("tool:")) if slot.kind == "tool_call" else None
            if below is not None:
                for inner in (below.none, *list(below.turns.values())):
                    yield from self.hits(below, inner)


def _hit(fold: Fold, turn: TurnBuilder, text: Text, way: Way, pattern: "re.Pattern[str] | None") -> Hit:
    return Hit(
        turn=turn.number,
        key=text.key,
        ref=text.ref,
        field=text.field,
        inside=fold.path,
        path=way.openings,
        hidden_by=way.hidden_by,
        excerpt=_excerpt(text.text, pattern),
    )


def _excerpt(text: str, pattern: "re.Pattern[str] | None") -> tuple[Piece, ...]:
    """The text around the first match on one line, cut at both ends with an ellipsis."""
    first = None if pattern is None else pattern.search(text)
    start = 0 if first is None else max(0, first.start() - _BEFORE_CHARS)
    end = min(len(text), start + _EXCERPT_CHARS)
    if first is not None:
        end = min(len(text), max(end, first.end()))
    pieces: list[Piece] = []
    at = start
    for match in pattern.finditer(text, start, end) if pattern is not None else ():
        pieces += (Piece(text=text[at : match.start()], match=False), Piece(text=match.group(), match=True))
        at = match.end()
    pieces.append(Piece(text=text[at:end], match=False))
    before, after = "…" if start else "", "…" if end < len(text) else ""
    pieces = [Piece(text=before, match=False), *pieces, Piece(text=after, match=False)]
    lined = (Piece(text=re.sub(r"\s+", " ", piece.text), match=piece.match) for piece in pieces)
    return tuple(_joined([piece for piece in lined if piece.text]))


def _joined(pieces: list[Piece]) -> Iterator[Piece]:
    """Neighbours that are no match as one piece."""
    held = ""
    for piece in pieces:
        if not piece.match:
            held += piece.text
            continue
        if held:
            yield Piece(text=held, match=False)
        held = ""
        yield piece
    if held:
        yield Piece(text=held, match=False)


def _place(cursor: str | None) -> tuple[int, int]:
    if cursor is None:
        return -1, 0
    found = _CURSOR.fullmatch(cursor)
    if found is None:
        raise CursorError(cursor)
    return int(found[1]), int(found[2])
