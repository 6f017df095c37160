"""Stage 2 of an import: one line's bytes to a JSON object, or the reason why it is none."""

import json
import math
from typing import NoReturn, cast

import msgspec

from service.importers.fields import JsonObject

_decoder = msgspec.json.Decoder()
_encoder = msgspec.json.Encoder()


class Unreadable(msgspec.Struct, frozen=True, kw_only=True):
    """A line that holds no JSON object; `reason` is for the reader of the report."""

    reason: str


def parse_object(raw: bytes) -> JsonObject | Unreadable:
    """The JSON object that the bytes hold; never raises.

    >>> parse_object(b"[1]")
    Unreadable(reason='a JSON array, not an object')
    """
    try:
        value: object = _decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        value = _parse_leniently(raw)
    if isinstance(value, Unreadable):
        return value
    if isinstance(value, dict):
        return cast(JsonObject, value)
    return Unreadable(reason=f"a JSON {_kind_of(value)}, not an object")


def encode(value: object) -> bytes:
    """JSON bytes of a parsed value; lone surrogates stay escapes, so that the fold can join two halves."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return json.dumps(_plain(value), ensure_ascii=True, separators=(",", ":")).encode()


def readable_text(raw: bytes) -> str:
    """The bytes as text; what is no UTF-8 becomes U+FFFD."""
    return raw.decode("utf-8", "replace")


def valid_utf8(raw: bytes) -> bytes:
    """The bytes themselves where they are UTF-8, else repaired by U+FFFD."""
    return readable_text(raw).encode()


def _parse_leniently(raw: bytes) -> object:
    # The fast parser refuses lone surrogates and invalid UTF-8, which real logs hold (a cut in mid-
    # character).
    try:
        return json.loads(readable_text(raw), parse_constant=_refuse_constant)
    except RecursionError:
        return Unreadable(reason="nested too deeply")
    except ValueError as error:
        return Unreadable(reason=f"not JSON: {error}")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


def _plain(value: object) -> object:
    if isinstance(value, msgspec.Raw):
        return json.loads(bytes(value))
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in cast(dict[str, object], value).items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast(list[object], value)]
    # The fast encoder writes null for what JSON cannot say.
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _kind_of(value: object) -> str:
    match value:
        case list():
            return "array"
        case str():
            return "string"
        case bool():
            return "boolean"
        case None:
            return "null"
        case _:
            return "number"
