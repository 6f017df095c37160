"""A row to styled parts: Markdown as far as one row tells it, diffs, and what was searched for.

The text stays as it is, its marks included: what a reader copies is what was said.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from rich.segment import Segment
from rich.style import Style

from clients.tui.cards import REASONING, USER
from clients.tui.piece import Row

_HEADING = re.compile(r"#{1,6} ")
_INLINE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)|\*\*(?=\S).+?(?<=\S)\*\*|https?://[^\s<>\"')\]]+")
# Beyond this, a line is data and no prose, and a pattern over all of it would cost.
_LONGEST_MARKED = 4_000
_BOLD, _UNDERLINE = Style(bold=True), Style(underline=True)
_MATCH, _CURRENT = Style(reverse=True), Style(reverse=True, bold=True, underline=True)

Span = tuple[int, int, Style]


def segments(
    row: Row,
    styles: Mapping[str, Style],
    found: "re.Pattern[str] | None",
    *,
    is_current: bool,
    chosen: tuple[int, int] | None = None,
) -> list[Segment]:
    """Give a row as the terminal gets it.

    Args:
        chosen: from which to which character of the row, its margin included, the reader marked; -1 is its end.
        found: what is searched for; its matches are marked, more so in the row that the reader was led to.
    """
    piece = row.piece
    style = styles[piece.role]
    spans = list(_spans(row, styles))
    if found is not None:
        mark = _CURRENT if is_current else _MATCH
        begin, end = row.offset, row.offset + len(row.text)
        spans.extend(
            (max(match.start() - begin, 0), min(match.end() - begin, len(row.text)), mark)
            for match in found.finditer(piece.lines[row.line])
            if match.start() < end and match.end() > begin
        )
    if chosen is not None:
        begin = max(chosen[0] - len(row.margin), 0)
        end = len(row.text) if chosen[1] < 0 else min(chosen[1] - len(row.margin), len(row.text))
        if begin < end:
            spans.append((begin, end, _MATCH))
    margin = styles["bar"] if row.margin.endswith(USER) else style
    if row.margin.endswith(REASONING) or not row.margin.strip():
        margin = style
    parts = [Segment(row.margin, margin)] if row.margin else []
    return [*parts, *_cut_up(row.text, style, spans)]


def _spans(row: Row, styles: Mapping[str, Style]) -> Iterator[Span]:
    piece, whole = row.piece, row.piece.lines[row.line]
    if piece.role == "diff":
        name = {"+": "added", "-": "taken", "@": "footer"}.get(whole[:1])
        if name is not None:
            yield 0, len(row.text), styles[name]
        return
    if not piece.is_prose or len(whole) > _LONGEST_MARKED:
        return
    if piece.in_code(row.line):
        yield 0, len(row.text), styles["code"]
        return
    if _HEADING.match(whole):
        yield 0, len(row.text), styles["heading"] if piece.role == "text" else _BOLD
    for match in _INLINE.finditer(whole):
        begin, end = match.start() - row.offset, match.end() - row.offset
        if begin < len(row.text) and end > 0:
            kind = match.group()[0]
            style = styles["code"] if kind == "`" else _BOLD if kind == "*" else _UNDERLINE
            yield max(begin, 0), min(end, len(row.text)), style


def _cut_up(text: str, style: Style, spans: list[Span]) -> Iterator[Segment]:
    edges = sorted({0, len(text), *(edge for begin, end, _ in spans for edge in (begin, end))})
    for begin, end in pairwise(edges):
        over = [one for first, last, one in spans if first <= begin and end <= last]
        yield Segment(text[begin:end], Style.combine([style, *over]) if over else style)
