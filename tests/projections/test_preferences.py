"""Preferences: what is stored reads as something valid, and what is written is valid (B-1, C-4)."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw
from msgspec.structs import asdict

from projections.preferences import FIELDS, InvalidPreference, Preferences, changes_of, normalised

DEFAULTS = Preferences(
    presentation="web",
    transcript_view="compact",
    transcript_display_mode="fully-folded",
    show_thinking=True,
    auto_collapse_settled_groups=True,
    auto_collapse_thinking=True,
    language="auto",
)
ROOT = Path(__file__).parent.parent / "vectors"
VECTORS = sorted((ROOT / "preferences").glob("*.json"))
SCHEMA = json.loads((ROOT / "preferences.schema.json").read_text(encoding="utf-8"))
JSON_VALUES = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.lists(st.integers(), max_size=2)
)


def stored(**values: object) -> dict[str, bytes]:
    """Fields as they lie in the store."""
    return {name: json.dumps(value).encode() for name, value in values.items()}


def asked(**values: object) -> dict[str, Raw]:
    """Fields as a request gives them."""
    return {name: Raw(json.dumps(value).encode()) for name, value in values.items()}


def test_the_vectors_are_there_and_well_formed() -> None:
    """A run over an empty folder proves nothing."""
    assert len(VECTORS) >= 15
    for path in VECTORS:
        vector = json.loads(path.read_text(encoding="utf-8"))
        jsonschema.validate(vector, SCHEMA)
        assert path.stem == vector["name"]


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_vector_reads_as_it_must(path: Path) -> None:
    """What is stored, then what a write makes of it."""
    vector = json.loads(path.read_text(encoding="utf-8"))
    kept = stored(**vector["stored"])
    changes = changes_of(asked(**(vector["write"] or {})))
    refused = changes.field if isinstance(changes, InvalidPreference) else None
    if not isinstance(changes, InvalidPreference):
        merged = {**kept, **changes}
        kept = {name: value for name, value in merged.items() if value is not None}
    assert refused == vector["refused_field"]
    assert asdict(normalised(kept)) == vector["after"]


def test_nothing_stored_reads_as_the_defaults() -> None:
    """C-4, B-1."""
    assert normalised({}) == DEFAULTS


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("presentation", "desktop"),
        ("transcript_view", "normal"),
        ("transcript_display_mode", "flat"),
        ("transcript_display_mode", "command-first"),
        ("show_thinking", False),
        ("auto_collapse_settled_groups", False),
        ("auto_collapse_thinking", False),
        ("language", "zh-CN"),
    ],
)
def test_a_valid_value_is_read_back(field: str, value: object) -> None:
    """Each alone; the others keep their defaults."""
    assert getattr(normalised(stored(**{field: value})), field) == value


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("transcript_view", "COMPACT"),
        ("transcript_display_mode", "folded"),
        ("transcript_display_mode", 3),
        ("show_thinking", "false"),
        ("auto_collapse_settled_groups", 0),
        ("auto_collapse_thinking", None),
        ("presentation", "tui"),
        ("language", "tlh"),
    ],
)
def test_an_invalid_stored_value_reads_as_the_default(field: str, value: object) -> None:
    """C-4: missing or invalid is `fully-folded`; a switch that is no boolean is true."""
    assert normalised(stored(**{field: value})) == DEFAULTS


@pytest.mark.parametrize(
    ("legacy", "shows"), [("compact", False), ("detailed", True), ("surprise", True), (7, True), (None, True)]
)
def test_the_older_thinking_setting_stands_in_for_a_missing_one(legacy: object, shows: bool) -> None:
    """C-4, S000: an explicit `compact` hides, anything else shows."""
    assert normalised(stored(thinking_display_mode=legacy)).show_thinking is shows
    assert normalised(stored(thinking_display_mode=legacy, show_thinking="x")).show_thinking is shows
    assert normalised(stored(thinking_display_mode="compact", show_thinking=True)).show_thinking is True


def test_keep_commands_expanded_is_accepted_and_kept_nowhere() -> None:
    """C-4: it loads, changes nothing and is never written."""
    assert normalised(stored(keep_commands_expanded=True)) == DEFAULTS
    assert changes_of(asked(keep_commands_expanded=True)) == {}


def test_an_old_clients_thinking_setting_is_written_as_the_new_one() -> None:
    """Older fields are never written."""
    assert changes_of(asked(thinking_display_mode="compact")) == {"show_thinking": b"false"}
    assert changes_of(asked(thinking_display_mode="compact", show_thinking=True)) == {
        "show_thinking": b"true"
    }


def test_null_goes_back_to_the_default() -> None:
    """The field is forgotten, so that a later default applies."""
    assert changes_of(asked(transcript_view=None)) == {"transcript_view": None}


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("transcript_view", "wide", "one of compact, normal"),
        ("transcript_display_mode", "", "one of flat, command-first, fully-folded"),
        ("show_thinking", "yes", "true or false"),
        ("auto_collapse_thinking", 1, "true or false"),
        ("presentation", "tui", "one of web, desktop"),
        ("language", "tlh", "one of auto, en, zh-CN"),
        ("colour", "red", f"one of {', '.join(FIELDS)}"),
    ],
)
def test_an_invalid_write_says_what_is_expected(field: str, value: object, expected: str) -> None:
    """C-4: refused with a clear error, with every other field of the write."""
    refused = changes_of(asked(**{"auto_collapse_settled_groups": False, field: value}))
    assert refused == InvalidPreference(field=field, given=json.dumps(value), expected=expected)


def test_a_long_value_is_not_echoed_whole() -> None:
    """An error is no place for a megabyte."""
    refused = changes_of(asked(transcript_view="x" * 1_000))
    assert isinstance(refused, InvalidPreference)
    assert len(refused.given) < 50


def test_the_documented_table_is_the_code() -> None:
    """`docs/preferences.md` names every field with its values and default."""
    text = (Path(__file__).parents[2] / "docs" / "preferences.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.+) \| `(.+)` \|$", text, re.MULTILINE)
    assert [name for name, _, _ in rows] == list(FIELDS)
    for name, values, default in rows:
        shown = getattr(DEFAULTS, name)
        assert default == (json.dumps(shown) if isinstance(shown, bool) else shown)
        for value in re.findall(r"`([^`]+)`", values):
            given = {"true": True, "false": False}.get(value, value)
            assert getattr(normalised(stored(**{name: given})), name) == given


@given(st.dictionaries(st.sampled_from([*FIELDS, "thinking_display_mode", "other"]), st.binary(max_size=12)))
def test_any_bytes_read_as_valid_preferences(raw: dict[str, bytes]) -> None:
    """Reading never fails."""
    read = normalised(raw)
    assert read == normalised({name: json.dumps(getattr(read, name)).encode() for name in FIELDS})


@given(st.dictionaries(st.sampled_from([*FIELDS, "thinking_display_mode"]), JSON_VALUES))
def test_what_a_write_keeps_is_what_a_read_gives(values: dict[str, Any]) -> None:
    """A write that is not refused is read back as it was asked for."""
    changes = changes_of(asked(**values))
    if isinstance(changes, InvalidPreference):
        return
    read = normalised({name: value for name, value in changes.items() if value is not None})
    for name in FIELDS:
        wanted = values.get(name)
        if wanted is not None:
            assert getattr(read, name) == wanted
