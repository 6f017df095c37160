"""Lines to rows of a terminal: where each row of a long line begins, counted in cells.

A row is settled once the next has begun, so a line that grows is looked at from its last row on, whatever its length.
"""

import re

from rich.cells import cell_len, split_graphemes

# Whatever else may take two cells, or none.
_NOT_SINGLE = re.compile("[^\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u2500-\u25fc]")
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
    used, chance, used_at_chance, was_wide = 0, begin, 0, False
    for first, end, cells in spans:
        at, char = begin + first, text[begin + first]
        if (cells > 1 or was_wide) and at > starts[-1]:
            chance, used_at_chance = at, used
        if used + cells > room and char != " ":
            if chance <= starts[-1]:
                chance, used_at_chance = at, used
            starts.append(chance)
            used -= used_at_chance
            used_at_chance, room = 0, max(width - hang, 1)
        used += cells
        was_wide = cells > 1
        if char == " ":
            chance, used_at_chance = begin + end, used


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
    return text[:end] + "…"
