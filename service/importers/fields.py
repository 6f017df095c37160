"""Typed looks into foreign JSON: a missing field and one of a wrong type are both absent."""

from collections.abc import Mapping, Sequence
from typing import cast

JsonObject = Mapping[str, object]

NO_FIELDS: JsonObject = {}

# JSON readers in JavaScript, and so the event schema, know no greater whole number.
_MAX_WHOLE = 2**53 - 1


def as_table(value: object) -> JsonObject:
    """The value if it is an object, else an empty one."""
    return cast(JsonObject, value) if isinstance(value, dict) else NO_FIELDS


def table(fields: JsonObject, key: str) -> JsonObject:
    """The object at `key`; empty when absent."""
    return as_table(fields.get(key))


def items(fields: JsonObject, key: str) -> Sequence[object]:
    """The array at `key`; empty when absent."""
    value = fields.get(key)
    return cast(list[object], value) if isinstance(value, list) else ()


def text(fields: JsonObject, *keys: str) -> str | None:
    """The first of `keys` that holds a string."""
    for key in keys:
        value = fields.get(key)
        if isinstance(value, str):
            return value
    return None


def whole(fields: JsonObject, key: str) -> int | None:
    """The whole number >= 0 at `key`; `2.0` counts as 2, `true` as no number."""
    value = fields.get(key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_WHOLE:
        return value
    return None


def millis(fields: JsonObject, key: str) -> int | float | None:
    """The positive number at `key`; snapshots write 0 for a time that was taken out (A-7: never 0)."""
    value = fields.get(key)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= _MAX_WHOLE:
        return value
    return None
