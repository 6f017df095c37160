"""Rows of a line: none wider than the screen, nothing lost; what grows is wrapped as if it had come at once."""

import re

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from clients.tui.piece import Piece
from clients.tui.wrap import SINGLE, cut, row_starts

TEXT = st.lists(
    st.sampled_from([*"ab  -—é中文，😀\u0301", "\u2764\ufe0f", "\U0001f469\u200d\U0001f4bb"]), max_size=120
).map("".join)
WIDTH = st.integers(2, 40)


def rows_of(text: str, width: int, hang: int) -> list[str]:
    """The rows as they begin."""
    starts = list(row_starts(text, width, hang))
    return [text[begin:end] for begin, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def test_what_counts_as_one_cell_is_one_cell() -> None:
    """The short way is right for each character that it is for."""
    single = [char for char in map(chr, range(0x10000)) if re.fullmatch(f"[{SINGLE}]", char)]
    assert len(single) > 1_000
    assert [char for char in single if cell_len(char) != 1] == []


@given(TEXT, WIDTH, st.integers(0, 4))
def test_no_row_is_wider_than_its_room_and_nothing_is_lost(text: str, width: int, hang: int) -> None:
    """The space at which a row breaks hangs over its end; a row holds one character at least."""
    rows = rows_of(text, width, hang)
    assert "".join(rows) == text
    for number, row in enumerate(rows):
        room = width if number == 0 else max(width - hang, 1)
        shown = row.rstrip(" ")
        assert cell_len(shown) <= max(room, 2), (rows, row)


@given(TEXT, WIDTH)
def test_a_shortened_text_fits_and_says_that_it_is_shortened(text: str, width: int) -> None:
    """With the sign for it, or whole."""
    short = cut(text, width)
    assert cell_len(short) <= width
    assert short == text or (short.endswith("…") and text.startswith(short[:-1]))


@given(st.lists(st.text(alphabet=st.sampled_from("ab  -*1.`\n中😀\t\x1b"), max_size=30), max_size=12), WIDTH)
def test_a_piece_that_grew_is_the_piece_that_came_at_once(chunks: list[str], width: int) -> None:
    """Rows, lists that hang and fenced code included, at the width that it grew in and at another one."""
    grown = Piece("text", "", first="  ", is_prose=True)
    grown.height(width)
    for chunk in chunks:
        grown.grow(chunk)
        grown.height(width)
    whole = Piece("text", "\n".join(grown.lines), first="  ", is_prose=True)
    for one in (width, width + 7):
        assert [grown.row(at, one).text for at in range(grown.height(one))] == [
            whole.row(at, one).text for at in range(whole.height(one))
        ]
        for at in range(grown.height(one)):
            row = grown.row(at, one)
            assert grown.row_at(row.line, row.offset, one) == at
