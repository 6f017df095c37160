"""What a deployment adds to the words of labels: languages, and names of tools (`views.md` C-13).

Unicode's part of a language (plural rules, list patterns, units) comes from Babel's copy of its data, the words from
a file.
"""

from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Final

import msgspec
from babel import Locale, UnknownLocaleError
from babel.numbers import format_decimal
from babel.units import format_unit
from msgspec import Struct

from projections.actions import Action
from projections.languages import EN, Category, Forms, Language, Phrases

ACTIONS_FILE: Final = "actions.json"
_UNITS: Final = ("day", "hour", "minute", "second", "millisecond")
# Every plural category that a language has for whole numbers is met below this.
_SAMPLES: Final = 200
_COUNTED: Final = frozenset(name for name, forms in EN.phrases if "{n}" in forms[-1][1])
_NAMES: Final = frozenset(name for name, _ in EN.phrases)
_CATEGORIES: Final[tuple[Category, ...]] = ("zero", "one", "two", "few", "many", "other")


class VocabularyError(Exception):
    """The vocabulary cannot be used; `problems` are sentences, all of them at once."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("The vocabulary cannot be used: " + " ".join(problems))
        self.problems = problems


class Vocabulary(Struct, frozen=True, kw_only=True):
    """Languages, and (action, names of tools) pairs."""

    languages: tuple[Language, ...] = ()
    aliases: tuple[tuple[Action, tuple[str, ...]], ...] = ()


class _Catalogue(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A language's file: `pair`, `middle`, `end` are CLDR's where they are left out."""

    locale: str
    phrases: dict[str, str | dict[Category, str]]
    more: str = EN.more
    pair: str | None = None
    middle: str | None = None
    end: str | None = None
    unit_separator: str = " "


_decode_catalogue = msgspec.json.Decoder(_Catalogue).decode
_decode_aliases = msgspec.json.Decoder(dict[Action, tuple[str, ...]]).decode


def read_vocabulary(directory: Path) -> Vocabulary:
    """Read every `*.json` file of a directory; raises VocabularyError with all that is wrong."""
    if not directory.is_dir():
        raise VocabularyError((f"{directory} is not a directory.",))
    problems: list[str] = []
    languages: list[Language] = []
    aliases: tuple[tuple[Action, tuple[str, ...]], ...] = ()
    for path in sorted(directory.glob("*.json")):
        try:
            raw = path.read_bytes()
            if path.name == ACTIONS_FILE:
                aliases = tuple(_decode_aliases(raw).items())
            else:
                languages.append(language_from(raw))
        except (OSError, ValueError, msgspec.DecodeError) as error:
            problems.append(f"{path.name}: {error}.")
    if problems:
        raise VocabularyError(tuple(problems))
    return Vocabulary(languages=tuple(languages), aliases=aliases)


def language_from(raw: bytes) -> Language:
    """Make a language of a catalogue; raises ValueError or msgspec's DecodeError with what is wrong."""
    catalogue = _decode_catalogue(raw)
    try:
        cldr = Locale.parse(catalogue.locale, sep="-")
    except (UnknownLocaleError, ValueError) as error:
        raise ValueError(f"locale {catalogue.locale!r} is not known to Unicode ({error})") from None
    faults = list(_faults(catalogue))
    if faults:
        raise ValueError("; ".join(faults))
    joined = cldr.list_patterns["standard"]
    phrases = {name: _forms(given) for name, given in catalogue.phrases.items()}
    return Language(
        locale=catalogue.locale,
        plural_rules=tuple((_category(name), rule) for name, rule in cldr.plural_form.rules.items()),
        pair=catalogue.pair or joined["2"],
        middle=catalogue.middle or joined["middle"],
        end=catalogue.end or joined["end"],
        more=catalogue.more,
        unit_separator=catalogue.unit_separator,
        phrases=(*_units(cldr), *phrases.items()),
    )


def _faults(catalogue: _Catalogue) -> Iterator[str]:
    for name, given in catalogue.phrases.items():
        texts = [given] if isinstance(given, str) else list(given.values())
        if name not in _NAMES:
            yield f"there is no phrase {name!r}"
        elif isinstance(given, dict) and "other" not in given:
            yield f"{name!r} needs the category `other`"
        elif any(_holes(text) != ({"n"} if name in _COUNTED else set()) for text in texts):
            yield f"{name!r} needs {'`{n}` and no other hole' if name in _COUNTED else 'no hole'} in each text"
    for name in ("pair", "middle", "end", "more"):
        pattern = getattr(catalogue, name)
        if pattern is not None and _holes(pattern) != ({"0"} if name == "more" else {"0", "1"}):
            yield f"{name!r} needs `{{0}}`" + ("" if name == "more" else " and `{1}`")


def _holes(text: str) -> set[str]:
    """The names of a text's holes; a brace that opens none is one as well."""
    try:
        return {name for _, name, _, _ in Formatter().parse(text) if name is not None}
    except ValueError:
        return {"{"}


def _forms(given: str | dict[Category, str]) -> Forms:
    if isinstance(given, str):
        return (("other", given),)
    return tuple((category, given[category]) for category in _CATEGORIES if category in given)


def _units(cldr: Locale) -> Phrases:
    """CLDR's narrow units; a sample number of each plural category is taken out again for `{n}`."""
    samples: dict[Category, int] = {}
    for number in range(_SAMPLES):
        samples.setdefault(_category(cldr.plural_form(number)), number)
    samples.setdefault("other", _SAMPLES)
    return tuple(
        (f"unit.{unit}", tuple((name, _unit(cldr, unit, number)) for name, number in samples.items()))
        for unit in _UNITS
    )


def _unit(cldr: Locale, unit: str, number: int) -> str:
    text = format_unit(number, f"duration-{unit}", length="narrow", locale=cldr)
    return text.replace(format_decimal(number, locale=cldr), "{n}")


def _category(name: str) -> Category:
    return next(one for one in _CATEGORIES if one == name)
