"""Words of labels: those that ship agree with Unicode's data, and a deployment adds languages and tool names."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from babel import Locale
from babel.numbers import format_decimal
from babel.units import format_unit

from projections import actions, languages
from projections.actions import action_of, add_aliases
from projections.labels import duration_text, title_text
from projections.languages import EN, ZH_CN, add_languages, category_of, language_of, phrase
from service.vocabulary import VocabularyError, language_from, read_vocabulary

POLISH: dict[str, Any] = {
    "locale": "pl",
    "more": "{0} i inne",
    "phrases": {
        "tool_calls": {
            "one": "{n} wywołanie",
            "few": "{n} wywołania",
            "many": "{n} wywołań",
            "other": "{n} x",
        },
        "operations": {
            "one": "{n} operacja",
            "few": "{n} operacje",
            "many": "{n} operacji",
            "other": "{n} x",
        },
        "action.read": "odczyt plików",
        "action.search": "szukanie",
    },
}


@pytest.fixture
def own_words() -> Iterator[None]:
    """What a test adds is taken away again."""
    known, aliases = dict(languages._KNOWN), dict(actions._ACTION_OF)
    yield
    languages._KNOWN.clear()
    languages._KNOWN.update(known)
    actions._ACTION_OF.clear()
    actions._ACTION_OF.update(aliases)
    action_of.cache_clear()


def written(directory: Path, **files: Any) -> Path:
    """A vocabulary directory."""
    for name, value in files.items():
        (directory / f"{name}.json").write_text(json.dumps(value))
    return directory


@pytest.mark.parametrize("language", [EN, ZH_CN], ids=lambda one: one.locale)
def test_shipped_plurals_are_unicodes(language: languages.Language) -> None:
    """Babel's copy of the data decides."""
    cldr = Locale.parse(language.locale, sep="-")
    assert dict(language.plural_rules) == cldr.plural_form.rules
    assert [category_of(language, n) for n in range(300)] == [cldr.plural_form(n) for n in range(300)]


@pytest.mark.parametrize("tag", ["pl", "ar", "ru", "fr", "cy", "lv", "ga", "ja", "sl", "he", "pt-BR"])
def test_any_languages_plural_rules_are_understood(tag: str) -> None:
    """The rules of UTS 35, for every whole number that a label could count."""
    cldr = Locale.parse(tag, sep="-")
    language = language_from(json.dumps({"locale": tag, "phrases": {}}).encode())
    numbers = [*range(250), 1_000, 1_001, 1_000_000]
    assert [category_of(language, n) for n in numbers] == [cldr.plural_form(n) for n in numbers]


def test_english_lists_are_unicodes() -> None:
    """Chinese joins verbs, for which Unicode's pattern of nouns does not do."""
    joined = Locale.parse("en").list_patterns["standard"]
    assert (EN.pair, EN.middle, EN.end) == (joined["2"], joined["middle"], joined["end"])
    assert ZH_CN.middle == Locale.parse("zh-CN", sep="-").list_patterns["standard"]["middle"]


@pytest.mark.parametrize("language", [EN, ZH_CN], ids=lambda one: one.locale)
def test_shipped_units_are_unicodes(language: languages.Language) -> None:
    """The narrow ones: `1h 5s`."""
    cldr = Locale.parse(language.locale, sep="-")
    for unit in ("day", "hour", "minute", "second", "millisecond"):
        text = format_unit(7, f"duration-{unit}", length="narrow", locale=cldr)
        assert phrase(language, f"unit.{unit}", 7) == text.replace(format_decimal(7, locale=cldr), "7")


def test_both_languages_that_ship_say_everything() -> None:
    """No phrase falls back to English, and each has the categories of its language."""
    assert [name for name, _ in EN.phrases] == [name for name, _ in ZH_CN.phrases]


@pytest.mark.usefixtures("own_words")
def test_a_deployment_adds_a_language(tmp_path: Path) -> None:
    """Plurals, lists and durations in its own way; what the catalogue lacks is said in English."""
    add_languages(read_vocabulary(written(tmp_path, polish=POLISH)).languages)
    polish = language_of("pl-PL")
    assert [phrase(polish, "tool_calls", n) for n in (1, 3, 5, 22)] == [
        "1 wywołanie", "3 wywołania", "5 wywołań", "22 wywołania",
    ]  # fmt: skip
    shown = title_text(("read", "search"), more=False, operations=5, segments=0, items=5, locale="pl")
    assert shown == "Odczyt plików i szukanie · 5 operacji"
    assert duration_text(3_605_000, "pl") == "1 h 5 s"
    assert phrase(polish, "status.failed") == "Failed"


@pytest.mark.usefixtures("own_words")
def test_a_deployment_adds_names_of_tools(tmp_path: Path) -> None:
    """At a word boundary, like ours, and with the last word on ours."""
    assert action_of("launch_job") == "use"
    vocabulary = read_vocabulary(written(tmp_path, actions={"run": ["launch_job"], "search": ["glob"]}))
    add_aliases(dict(vocabulary.aliases))
    assert [action_of(name) for name in ("launch_job", "mcp__x__launch_job", "Glob")] == [
        "run",
        "run",
        "search",
    ]


@pytest.mark.parametrize(
    ("catalogue", "fault"),
    [
        ({**POLISH, "locale": "xx-Nowhere"}, "is not known to Unicode"),
        ({**POLISH, "phrases": {"tool_cals": "x"}}, "there is no phrase 'tool_cals'"),
        ({**POLISH, "phrases": {"tool_calls": {"one": "{n} x"}}}, "needs the category `other`"),
        ({**POLISH, "phrases": {"tool_calls": "many"}}, "needs `{n}` and no other hole"),
        ({**POLISH, "phrases": {"action.read": "{n} files"}}, "needs no hole"),
        ({**POLISH, "phrases": {"action.read": "{"}}, "needs no hole"),
        ({**POLISH, "more": "and more"}, "'more' needs `{0}`"),
        ({**POLISH, "plurals": {}}, "unknown field"),
        ({"phrases": {}}, "missing required field `locale`"),
    ],
)
def test_a_catalogue_that_cannot_be_used_is_refused_with_the_reason(
    tmp_path: Path, catalogue: dict[str, Any], fault: str
) -> None:
    """At the start, never in front of a reader."""
    with pytest.raises(VocabularyError) as caught:
        read_vocabulary(written(tmp_path, one=catalogue, actions={"fly": ["x"]}))
    first, second = caught.value.problems
    assert first.startswith("actions.json: ")
    assert second.startswith("one.json: ")
    assert fault in second


def test_a_directory_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """Rather than a service that silently speaks other words."""
    with pytest.raises(VocabularyError, match="is not a directory"):
        read_vocabulary(tmp_path / "none")
