"""Edge stage, before the stream: the body of an append request to events, or to the first fault in it.

1. Pure: bytes and a media type go in; `IncomingEvent`s come out, or a `Refusal` that names the event.
2. The bytes of each event go on as they came. Only MessagePack, which has no such bytes, is written as JSON.
3. All or nothing: one bad event refuses the request. What the projector would quarantine is refused here,
   where the producer can still hear why; an unknown type is no fault.
"""

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from api.door import MSGPACK_TYPES, NDJSON_TYPES
from api.problems import Refusal
from projections.decode import decode_event
from projections.events import Malformed

_decode_raw = msgspec.json.Decoder(msgspec.Raw).decode
_decode_raws = msgspec.json.Decoder(list[msgspec.Raw]).decode
_decode_msgpack = msgspec.msgpack.Decoder().decode
_encode_json = msgspec.json.Encoder().encode
_scan = json.JSONDecoder().raw_decode
_JSON_SPACE: Final = b" \t\r\n"


class IncomingEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One event that decodes, as its bytes came, and its idempotency key (None: it has none)."""

    raw: bytes
    event_id: str | None


class _BodyError(Exception):
    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.detail)
        self.refusal = refusal


_Placed = tuple[str, bytes]
"""An event's place in the request, in words, and its bytes."""


def read_events(body: bytes, media_type: str, *, max_event_bytes: int) -> tuple[IncomingEvent, ...] | Refusal:
    """The events of a body in their order, at least one; never raises.

    Args:
        body: the request's body, of a size that the server already bounded.
        media_type: the bare media type, one of those that the door lets in.
        max_event_bytes: the limit of one event.
    """
    try:
        events = tuple(_checked(where, raw, max_event_bytes) for where, raw in _split(body, media_type))
    except _BodyError as refused:
        return refused.refusal
    return events or Refusal(code="no_events", detail="The body holds no event.", where="body")


def is_json(raw: bytes) -> bool:
    """Whether the bytes are one JSON value in UTF-8; half of a surrogate pair in an escape is JSON too."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return False
    try:
        _decode_raw(raw)
    except RecursionError:
        return False
    except msgspec.DecodeError:
        return "\\u" in text and _is_json_to_the_scanner(text)
    return True


def _is_json_to_the_scanner(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _checked(where: str, raw: bytes, max_event_bytes: int) -> IncomingEvent:
    if len(raw) > max_event_bytes:
        detail = f"The event has {len(raw)} bytes; the limit is {max_event_bytes}."
        raise _BodyError(Refusal(code="event_too_large", detail=detail, where=where))
    event = decode_event(raw)
    if isinstance(event, Malformed):
        raise _BodyError(Refusal(code="invalid_event", detail=event.reason, where=where))
    return IncomingEvent(raw=raw, event_id=event.event_id)


def _split(body: bytes, media_type: str) -> Iterable[_Placed]:
    if media_type in NDJSON_TYPES:
        return _lines(body)
    if media_type in MSGPACK_TYPES:
        return _packed(body)
    return _json(body.strip(_JSON_SPACE))


def _lines(body: bytes) -> Iterator[_Placed]:
    for number, line in enumerate(body.split(b"\n"), 1):
        if event := line.strip(_JSON_SPACE):
            yield f"line {number}", event


def _json(body: bytes) -> Iterable[_Placed]:
    if not body:
        return ()
    if body.startswith(b"{"):
        return _single(body)
    if not body.startswith(b"["):
        raise _malformed("The body is neither a JSON object nor an array of objects.")
    try:
        items = [bytes(item) for item in _decode_raws(body)]
    except RecursionError:
        raise _malformed("The JSON is nested too deeply.") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        # msgspec cannot skip over half of a surrogate pair, which is JSON and which the fold repairs.
        if b"\\u" not in body:
            raise _malformed(str(error)) from error
        items = _scanned(body)
    return ((f"event {index}", item) for index, item in enumerate(items))


def _single(body: bytes) -> Iterable[_Placed]:
    if not is_json(body):
        try:
            _decode_raw(body)
        except RecursionError:
            raise _malformed("The JSON is nested too deeply.") from None
        except msgspec.DecodeError as error:
            raise _malformed(str(error)) from error
    return (("event 0", body),)


def _scanned(body: bytes) -> list[bytes]:
    """The items of a JSON array, as their bytes, by the standard library's scanner."""
    items: list[bytes] = []
    try:
        text = body.decode()
        at = _past_space(text, 1)
        while text[at : at + 1] != "]":
            _, end = _scan(text, at)
            items.append(text[at:end].encode())
            at = _past_space(text, end)
            if text[at : at + 1] == ",":
                at = _past_space(text, at + 1)
            elif text[at : at + 1] != "]":
                raise _malformed(f"The array does not go on at character {at}.")
        if at != len(text) - 1:
            raise _malformed("Something follows the array.")
    except RecursionError:
        raise _malformed("The JSON is nested too deeply.") from None
    except ValueError as error:
        raise _malformed(f"JSON is malformed: {error}") from error
    return items


def _past_space(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t", "\r", "\n"):
        at += 1
    return at


def _packed(body: bytes) -> Iterator[_Placed]:
    try:
        value = _decode_msgpack(body)
    except (msgspec.DecodeError, RecursionError, ValueError, OverflowError) as error:
        raise _malformed(str(error) or type(error).__name__) from error
    for index, item in enumerate(value if isinstance(value, list) else [value]):
        where = f"event {index}"
        if (complaint := _not_json(item)) is not None:
            raise _BodyError(Refusal(code="invalid_event", detail=complaint, where=where))
        yield where, _encode_json(item)


def _not_json(value: Any) -> str | None:
    """What in a MessagePack value JSON has no form for; iterative, since nesting comes from outside."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case dict() as fields:
                if not all(isinstance(name, str) for name in fields):
                    return "A MessagePack map has a key that is no string."
                waiting.extend(fields.values())
            case list() as items:
                waiting.extend(items)
            case float() as number if not math.isfinite(number):
                return "A MessagePack number is infinite or no number, which JSON cannot say."
            case None | bool() | int() | float() | str():
                pass
            case other:
                return f"A MessagePack value of the type {type(other).__name__} has no form in JSON."
    return None


def _malformed(detail: str) -> _BodyError:
    return _BodyError(Refusal(code="malformed_body", detail=detail, where="body"))
