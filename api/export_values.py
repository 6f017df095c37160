"""Edge stage: values of the wire as an exported document can show them: texts that steer nothing, JSON, times."""

import json
import re
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from projections.rows import Row

Json = Any  # decoded JSON of the wire

_UNSEEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_DIRECTIONS: Final = {
    "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF", "\u202d": "LRO", "\u202e": "RLO",
    "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI",
}  # fmt: skip
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def visible(text: str) -> str:
    """Make a text show all that it holds.

    >>> visible("a\\x1b[2Jb\\u202ec")
    'a␛[2Jb⟨RLO⟩c'
    """
    return _UNSEEN.sub(_sign, text.replace("\r\n", "\n"))


def _sign(match: "re.Match[str]") -> str:
    char = match.group()
    if char in _DIRECTIONS:
        return f"\u27e8{_DIRECTIONS[char]}\u27e9"
    if char < " ":
        return chr(0x2400 + ord(char))
    return "\u2421" if char == "\x7f" else "\ufffd" if char >= "\ud800" else "\u2426"


def one_line(text: str) -> str:
    """The text on one line, as a heading needs it."""
    return " ".join(visible(text).split())


def time_text(ms: float) -> str:
    """A time of the log in UTC; one that no calendar has, as its number.

    >>> time_text(0)
    '1970-01-01 00:00:00 UTC'
    """
    try:
        return f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, OverflowError, OSError):
        return f"{ms} ms"


def json_value(raw: msgspec.Raw) -> Json:
    """Decode JSON of the wire; what is nested too deep, or holds numbers that nobody can, as its text."""
    return _decode(_as_text(raw))


def row_json(row: Row) -> Json:
    """Decode a row as it stands on the wire; JSON that is nested too deep, or holds numbers that nobody can, as
    its text.
    """
    try:
        return _decode(_encode(row))
    except (msgspec.DecodeError, RecursionError):
        changes = {name: _as_text(getattr(row, name)) for name in row.__struct_fields__}
        return _decode(_encode(msgspec.structs.replace(row, **changes)))


def _as_text(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_as_text(one) for one in value)
    if not isinstance(value, msgspec.Raw):
        return value
    try:
        _decode(value)
    except (msgspec.DecodeError, RecursionError):
        text = {"type": "json", "json": bytes(value).decode(errors="replace")}
        return msgspec.Raw(_encode(text))
    return value


def json_text(value: Json) -> str:
    """JSON as people read it."""
    try:
        return visible(json.dumps(value, ensure_ascii=False, indent=2))
    except RecursionError:  # the library indents by calling itself
        return visible(_encode(value).decode())
