"""The cases of the desktop view agree: of the owner's twelve, `expect` is decided by S000 itself and `expect_views` by
`views.md` C; of ours, which are named by their rule, all by `views.md` C.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from projections.view import DesktopView
from tests.projections.folding import fold, transcript

VECTORS = sorted((Path(__file__).parent.parent / "vectors" / "desktop").glob("*.json"))
SCHEMA = json.loads((VECTORS[0].parent.parent / "desktop.schema.json").read_text())
OUR_NAME = re.compile(r"c([0-9]+)-")
PREFERENCES = ("mode", "thinking", "collapse_groups", "collapse_thinking", "locale")


def variants() -> Iterator[Any]:
    """Every variant of every case, with the name that a failure is known by."""
    for path in VECTORS:
        case = json.loads(path.read_text())
        for variant in case["variants"]:
            chosen = {name: variant[name] for name in PREFERENCES if name in variant}
            marks = "-".join(str(value) for value in chosen.values())
            yield pytest.param(case["events"], chosen, variant, id=f"{path.stem}-{marks}")


def differences(expected: Any, shown: Any, where: str = "") -> Iterator[str]:
    """Where what is shown is not what is expected; a case names just the fields that it is about."""
    if isinstance(expected, dict) and isinstance(shown, dict):
        for name, value in expected.items():
            if name == "text_match":
                if not re.search(value, shown["text"]):
                    yield f"{where}.text: {shown['text']!r} is not like {value!r}"
            else:
                yield from differences(value, shown.get(name), f"{where}.{name}")
    elif isinstance(expected, list) and isinstance(shown, list):
        if len(expected) != len(shown):
            yield f"{where}: {len(shown)} instead of {len(expected)}"
        for at, (one, other) in enumerate(zip(expected, shown, strict=False)):
            yield from differences(one, other, f"{where}[{at}]")
    elif expected != shown:
        yield f"{where}: {shown!r} instead of {expected!r}"


def entries(events: list[dict[str, Any]], view: DesktopView) -> list[Any]:
    """The entries of all turns, as a client gets them."""
    shown = transcript(fold(*events), view)
    return [entry for turn in shown["turns"] for entry in turn["presentation"]["entries"]]


def test_the_cases_are_there() -> None:
    """A run over an empty folder proves nothing: the owner's twelve, and of ours one for each rule at least.

    C-16 has vectors of its own (`tests/vectors/search`).
    """
    ours = {path.stem: json.loads(path.read_text()) for path in VECTORS if OUR_NAME.match(path.stem)}
    assert len(VECTORS) - len(ours) == 12
    assert all(named[1] in numbers_of(case) for name, case in ours.items() if (named := OUR_NAME.match(name)))
    assert {number for case in ours.values() for number in numbers_of(case)} == {
        str(one) for one in range(1, 16)
    }
    assert all("reason" in case for case in ours.values())


def numbers_of(case: dict[str, Any]) -> list[str]:
    """The rules that a case is about."""
    return re.findall(r"C-([0-9]+)", case["why"])


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_case_is_written_as_the_schema_says(path: Path) -> None:
    """A field that is misspelt would expect nothing."""
    case = json.loads(path.read_text())
    jsonschema.validate(case, SCHEMA)
    assert case["name"] == path.stem


@pytest.mark.parametrize(
    ("expected", "shown"),
    [
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {}),
        ({"a": []}, {"a": [1]}),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1}, {"b": 2}]}),
        ({"a": [{"b": 1}]}, {"a": [{"c": 1}]}),
        ({"t": {"text_match": "x$"}}, {"t": {"text": "xy"}}),
        ({"a": None}, {"a": {}}),
    ],
)
def test_a_difference_is_found(expected: Any, shown: Any) -> None:
    """Also in lists that are longer, and in fields that are not there."""
    assert list(differences(expected, shown))


@pytest.mark.parametrize(("events", "chosen", "variant"), list(variants()))
def test_a_case_is_shown_as_decided(
    events: list[dict[str, Any]], chosen: dict[str, Any], variant: dict[str, Any]
) -> None:
    """Each field that the case is about, in each mode and preference that it names."""
    shown = {"entries": entries(events, msgspec.convert(chosen, DesktopView))}
    found = [
        line
        for expected in (variant["expect"], variant.get("expect_views", {}))
        for line in differences(expected, shown)
    ]
    assert found == []
