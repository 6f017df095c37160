"""`turnfold show` and the terminal client draw the same view in code that shares nothing: what both must say alike.

The lines themselves are compared by the vectors (`test_terminal_vectors`).
"""

import sys
from itertools import permutations
from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st

from api.cli import Theme
from api.cli_views import Language
from api.text_view import closed_row_lines, said
from api.text_view import harmless as shown_harmless
from api.text_view import words_of as shown_words
from clients.tui.cards import CARDS
from clients.tui.content import _TELLING, duration_of, telling
from clients.tui.harmless import harmless
from clients.tui.palette import THEMES
from clients.tui.session import PHASES
from clients.tui.words import LOCALES, words_of
from projections.tui import TOOL_CARDS
from projections.view import TuiPhase
from tests.tui.test_words import SAID

INPUT = st.one_of(
    st.none(),
    st.integers(),
    st.sampled_from(["", " ", "ls | wc -l", "a\x1b[2Jb"]),
    st.dictionaries(
        st.sampled_from(
            ["command", "file_path", "pattern", "path", "notebook_path", "name", "prompt", "odd", "count"]
        ),
        st.one_of(st.integers(), st.sampled_from(["", " ", "one", "two\nlines", "\u202ethree"])),
        max_size=4,
    ),
)


def test_both_make_the_same_characters_harmless() -> None:
    """All of Unicode; a tab alone is wider in the client, which counts cells."""
    for char in map(chr, range(sys.maxunicode + 1)):
        if char != "\t":
            assert harmless(char) == shown_harmless(char), hex(ord(char))
    assert harmless("a\r\nb") == shown_harmless("a\r\nb")


@given(INPUT)
def test_both_know_a_call_by_the_same(given_input: Any) -> None:
    """A search by its pattern, and not by the folder that it looked in."""
    row = {"kind": "tool_call", "call_id": "c", "name": "x", "status": "ok", "input": given_input}
    (line,) = closed_row_lines(row, shown_words("en"))
    assert line == f"  ⚙ x {telling(given_input)}".rstrip()


def test_both_take_the_same_of_several_fields() -> None:
    """Each pair, so that none goes before another in one of them alone."""
    for one, other in permutations(_TELLING, 2):
        row = {
            "kind": "tool_call",
            "call_id": "c",
            "name": "x",
            "status": "ok",
            "input": {one: "first", other: "last"},
        }
        (line,) = closed_row_lines(row, shown_words("en"))
        assert line == f"  ⚙ x {telling(row['input'])}", (one, other)


def test_what_took_less_than_a_millisecond_has_no_duration() -> None:
    """`0ms` says nothing (A-7)."""
    assert duration_of({"duration_ms": 0.4}) is None
    assert duration_of({"started_at_ms": 1.0, "ended_at_ms": 1.9}) is None
    assert duration_of({"duration_ms": 1}) == 1


def test_both_say_states_and_kinds_in_the_same_words() -> None:
    """In each language; a word that one of them lacks would be a log's English in a Chinese screen."""
    for locale in LOCALES:
        for word in SAID:
            assert said(shown_words(locale), word) == words_of(locale)[word], (locale, word)


def test_the_client_knows_each_value_of_an_option_and_no_others() -> None:
    """It imports nothing of the service, and yet both mean the same."""
    assert get_args(TuiPhase) == PHASES
    assert tuple(language.value for language in Language) == LOCALES
    assert set(CARDS) == set(TOOL_CARDS)
    assert tuple(theme.value for theme in Theme) == THEMES
