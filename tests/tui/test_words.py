"""The terminal's own words: complete in both languages, all of them used, and durations as the service says them."""

import re
from pathlib import Path

import pytest

import clients.tui
from clients.tui.words import LOCALES, duration_text, words_of
from projections.labels import duration_text as service_says

SOURCES = "".join(path.read_text(encoding="utf-8") for path in Path(clients.tui.__path__[0]).glob("*.py"))
# What the service says, and so no source names.
SAID = {
    "completed", "aborted", "interrupted", "failed", "max_tokens", "blocked", "ok", "error", "denied", "canceled",
    "unknown", "searching", "started", "done", "resolved", "expired", "user", "steering", "running", "waiting",
    "permission", "question", "plan", "goal", "other",
}  # fmt: skip


def test_both_languages_say_the_same() -> None:
    """Each word, with the same places to fill."""
    en, zh = (words_of(locale) for locale in LOCALES)
    assert en.keys() == zh.keys()
    for name in en:
        assert sorted(re.findall(r"{\w+}", en[name])) == sorted(re.findall(r"{\w+}", zh[name])), name


def test_every_word_is_used() -> None:
    """A word that nobody says is one that somebody forgot."""
    used = set(re.findall(r"words\[[\"'](\w+)[\"']", SOURCES)) | set(
        re.findall(r"\"(reasoning_\w+|loaded|nothing_more|answer_over|nothing_yet)\"", SOURCES)
    )
    used = (used - {"phase_"}) | {"phase_collapsed", "phase_expanded", "phase_hidden"}
    assert set(words_of("en")) == (used | SAID) & set(words_of("en"))
    assert used <= set(words_of("en"))


@pytest.mark.parametrize("duration_ms", [0, 1, 40, 999, 1_000, 59_999, 60_000, 3_605_400, 90_061_000])
def test_a_duration_reads_as_the_service_says_it(duration_ms: int) -> None:
    """The client imports nothing of the service, and yet both say the same."""
    for locale in LOCALES:
        assert duration_text(duration_ms, locale) == service_says(duration_ms, locale)
