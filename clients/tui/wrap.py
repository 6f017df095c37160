"""Lines to rows of a terminal: where each row of a long line begins, counted in cells.

A row is settled once the next has begun, so a line that grows is looked at from its last row on, whatever its length.
"""

import re

from rich.cells import cell_len, split_graphemes

# What surely takes one cell: Latin, Greek, Cyrillic, dashes, quotes, arrows, boxes, ticks. Others may take two or none.
SINGLE = "\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2190-\u21ff\u2500-\u25fc\u2713-\u2718"
_NOT_SINGLE = re.compile(f"[^{SINGLE}]")
ONE_ROW = (0,)


def is_single(text: str) -> bool:
    """Say whether each character surely takes one cell."""
    return text.isascii() or _NOT_SINGLE.search(text) is None


def row_starts(
    text: str, width: int, hang: int = 0, known: list[int] | None = None
) -> tuple[int, ...] | list[int]:
    """Give the offset of each row's first character; a space at which a row breaks hangs over its end.

    Args:
        width: cells of a row, at least 1.
        hang: cells that each row but the first is narrower.
        known: the rows of what the text began with, changed in place.
    """
    if known is None and len(text) <= width and is_single(text):
        return ONE_ROW
    starts = [0] if known is None else known
    if is_single(text if len(starts) == 1 else text[starts[-1] :]):
        _single(text, width, hang, starts)
    else:
        _mixed(text, width, hang, starts)
    return starts


def _single(text: str, width: int, hang: int, starts: list[int]) -> None:
    start, size = starts[-1], len(text)
    room = width if len(starts) == 1 else max(width - hang, 1)
    while size - start > room:
        end = start + room
        if text[end] == " ":
            start = end + 1
        else:
            space = text.rfind(" ", start, end)
            start = end if space < 0 else space + 1
        if start >= size:
            return
        starts.append(start)
        room = max(width - hang, 1)


def _mixed(text: str, width: int, hang: int, starts: list[int]) -> None:
    """Break after a space, and beside whatever is two cells wide: Chinese has no spaces."""
    begin = starts[-1]
    room = width if len(starts) == 1 else max(width - hang, 1)
    spans, _ = split_graphemes(text[begin:])
    at = row = chance = used = 0
    was_wide = False
    while at < len(spans):
        first, end, cells = spans[at]
        is_space = end - first == 1 and text[begin + first] == " "
        if (cells > 1 or was_wide) and at > row:
            chance = at
        if used + cells > room and at > row and not (is_space and used == room):
            # What stands after the last chance is counted again: the next row may have less room.
            row = at = chance if chance > row else at
            starts.append(begin + spans[row][0])
            used, room, was_wide = 0, max(width - hang, 1), False
            continue
        used += cells
        was_wide = cells > 1
        at += 1
        if is_space:
            chance = at


def cut(text: str, width: int) -> str:
    """Shorten a text to so many cells, with a sign where something is left out."""
    if len(text) <= width and is_single(text):
        return text
    if width < 1:
        return ""
    if cell_len(text) <= width:
        return text
    used, end = 0, 0
    for _, stop, cells in split_graphemes(text)[0]:
        if used + cells > width - 1:
            break
        used, end = used + cells, stop
    # Joiners that join nothing are measured in two ways.
    while end and cell_len(text[:end]) > width - 1:
        end -= 1
    return text[:end] + "…"
