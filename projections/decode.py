"""Stage 2, decode: bytes of one entry to an event, or to the reason why it is none.

1. One tagged union decodes what is known: the fastest form msgspec has (`measurements.md`).
2. Whatever it refuses takes the slow path, which peeks at the tag first: msgspec raises one error class for an
   unknown tag and for a malformed body, and the two mean opposite things here.
3. A type that is not known is kept (`Custom`, `known=False`); a block of an unknown type is kept (`UnknownBlock`).
4. Half of a surrogate pair is repaired in the bytes, never refused: U+FFFD, but for the two edges of a streamed
   text, where the other half may stand in the neighbouring chunk; there it is left for the fold to join.
5. `decode_event` returns for any bytes and never raises; too deep nesting is malformed.
"""

import json
import re
from typing import Any, get_args

import msgspec
from msgspec import Raw

from projections import events as ev
from projections.events import Event, Malformed

_decode_fast = msgspec.json.Decoder(ev.Tagged).decode
_TAGS: dict[str, type[ev.Tagged]] = {str(kind.__struct_config__.tag): kind for kind in get_args(ev.Tagged)}
# The one field of each type that holds blocks, so that the slow path can read them one by one.
_BLOCK_FIELDS: dict[str, str] = {
    "user/message": "content",
    "user/steering": "content",
    "context/injection": "content",
    "assistant/message": "blocks",
    "assistant/chunk": "block",
    "tool/result": "output",
}
_CHUNK_NEEDS: dict[str, tuple[str, ...]] = {
    "block_start": ("index", "block_type"),
    "text": ("index", "text"),
    "reasoning": ("index", "text"),
    "tool_input": ("index", "text"),
    "block_end": ("index",),
    "usage": (),
    "finish": (),
}
_BLOCK_TAGS = {"text", "reasoning", "image", "diff", "tool_call"}
_MAX_REASON_CHARS = 500
# A run of pairs, a half, or a run of escaped backslashes, whose second ones begin no escape. Every other escape is
# passed over: an output of terminal colours has a million of them.
_PAIR = rb"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(
    rb"\\(?:" + _PAIR + rb"(?:\\" + _PAIR + rb")*|u[dD][89a-fA-F][0-9a-fA-F]{2}|\\(?:\\\\)*)"
)
_MAYBE_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_LONE_ESCAPE_BYTES = 6
_FIRST_SURROGATE, _LAST_SURROGATE = "\ud800", "\udfff"


class _Peek(msgspec.Struct):
    type: str
    visible: Any = False
    title: Any = None
    payload: Raw = Raw()


_peek = msgspec.json.Decoder(_Peek).decode
_decode_whole = msgspec.json.Decoder().decode
_decode_block = msgspec.json.Decoder(ev.KnownBlock).decode
_raw_list = msgspec.json.Decoder(list[Raw]).decode
_decode_stamps = msgspec.json.Decoder(ev.Stamps).decode


def decode_event(raw: bytes) -> Event | Malformed:
    """Decode one entry; never raises.

    Args:
        raw: one JSON object, UTF-8, as the producer sent it.

    Returns:
        The event; or `Malformed` with a reason that names the field and what was expected there.
    """
    try:
        event = _decode_fast(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _decode_slow(raw)
    if not raw.isascii() and not _is_utf8(raw):
        return Malformed(reason="the entry is not UTF-8")
    if b"\\u" in raw and _may_hold_half(raw):
        return _decode_slow(raw)
    # Most chunks are streamed text, and have all that their kind needs when they have these two.
    if type(event) is not ev.AssistantChunk or (
        event.text is not None and event.index is not None and event.kind != "block_start"
    ):
        return event
    return _checked(event)


def _checked(event: Event) -> Event | Malformed:
    if type(event) is ev.AssistantChunk:
        for field in _CHUNK_NEEDS[event.kind]:
            if getattr(event, field) is None:
                return Malformed(reason=f"assistant/chunk of kind {event.kind!r} needs the field {field!r}")
    return event


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _may_hold_half(raw: bytes) -> bool:
    """Whether a value that the fast decoder passes over as raw JSON holds half of a surrogate pair."""
    if _MAYBE_SURROGATE.search(raw) is None:
        return False
    try:
        _decode_whole(raw)
    except (msgspec.DecodeError, RecursionError):
        return True
    return False


def _is_lone(escape: bytes) -> bool:
    return len(escape) == _LONE_ESCAPE_BYTES and escape[1:3] in (b"ud", b"uD")


def _repair(raw: bytes) -> bytes:
    return _ESCAPE.sub(lambda match: b"\\ufffd" if _is_lone(match.group()) else match.group(), raw)


def _decode_slow(raw: bytes) -> Event | Malformed:
    try:
        text_ok = raw.decode()
    except UnicodeDecodeError as error:
        return Malformed(reason=f"the entry is not UTF-8 (byte {error.start})")
    if not text_ok.strip():
        return Malformed(reason="the entry is empty")
    try:
        repaired = _repair(raw) if b"\\u" in raw else raw
        tag = _peek_tag(repaired)
        if isinstance(tag, Malformed):
            return tag
        event = _decode_tagged(tag, repaired) if tag in _TAGS else _decode_custom(tag, repaired)
    except RecursionError:
        return Malformed(reason="the JSON is nested too deeply")
    except msgspec.DecodeError as error:
        return Malformed(reason=str(error)[:_MAX_REASON_CHARS])
    if repaired is not raw and not isinstance(event, Malformed):
        event = _with_edges(event, raw)
    return event if isinstance(event, Malformed) else _checked(event)


def _peek_tag(raw: bytes) -> str | Malformed:
    try:
        tag = _peek(raw).type
    except msgspec.ValidationError as error:
        return Malformed(reason=f"not an event: {error}"[:_MAX_REASON_CHARS])
    if not tag:
        return Malformed(reason="the field 'type' is empty")
    return tag


def _decode_custom(tag: str, raw: bytes) -> Event | Malformed:
    known = tag.startswith("custom/")
    seen, stamps = _peek(raw), _decode_stamps(raw)
    fields: dict[str, Any] = {name: getattr(stamps, name) for name in ev.Stamps.__struct_fields__}
    if known and not (isinstance(seen.visible, bool) and isinstance(seen.title, str | None)):
        return Malformed(reason="custom events need 'visible' to be true or false and 'title' to be a string")
    return ev.Custom(
        **fields,
        name=tag.removeprefix("custom/"),
        known=known,
        visible=seen.visible is True,
        title=seen.title if isinstance(seen.title, str) else None,
        payload=seen.payload or (ev.NO_JSON if known else Raw(raw)),
    )


def _decode_tagged(tag: str, raw: bytes) -> Event | Malformed:
    field = _BLOCK_FIELDS.get(tag)
    if field is None:
        return _decode_fast(raw)
    try:
        return _decode_fast(raw)
    except msgspec.ValidationError as error:
        if ".type`" not in str(error):
            raise
    return _decode_with_blocks(tag, field, raw)


def _decode_with_blocks(tag: str, field: str, raw: bytes) -> Event | Malformed:
    """Decode an event whose blocks hold an unknown type: each block by itself, the rest by a twin of the struct."""
    twin = _TWINS[tag].decode(raw)
    values: dict[str, Any] = {name: getattr(twin, name) for name in _TAGS[tag].__struct_fields__}
    encoded: Raw = values[field]
    if field == "block":
        values[field] = _block(encoded, "block")
    else:
        values[field] = tuple(_block(one, f"{field}[{at}]") for at, one in enumerate(_raw_list(encoded)))
    found = values[field] if isinstance(values[field], tuple) else (values[field],)
    for one in found:
        if isinstance(one, Malformed):
            return one
    return _TAGS[tag](**values)


def _block(encoded: Raw, where: str) -> ev.Block | Malformed:
    raw = bytes(encoded)
    try:
        return _decode_block(raw)
    except msgspec.ValidationError as error:
        reason = f"{error} (in `$.{where}`)"
    try:
        tag = _peek(raw).type
    except msgspec.ValidationError:
        return Malformed(reason=f"`$.{where}` is not a block: it needs a string `type`")
    if tag in _BLOCK_TAGS:
        return Malformed(reason=reason[:_MAX_REASON_CHARS])
    return ev.UnknownBlock(type=tag, raw=Raw(raw))


def _twin(tag: str, field: str) -> msgspec.json.Decoder[Any]:
    kind = _TAGS[tag]
    optional = field == "block" or tag in ("user/steering", "tool/result")
    spec: tuple[Any, ...] = (field, Raw, Raw(b"[]")) if optional else (field, Raw)
    struct = msgspec.defstruct("_Twin", [spec], bases=(kind,), frozen=True, kw_only=True, tag=tag)
    return msgspec.json.Decoder(struct)


_TWINS = {tag: _twin(tag, field) for tag, field in _BLOCK_FIELDS.items()}


def _with_edges(event: Event, raw: bytes) -> Event:
    """Give a streamed text its halves of surrogate pairs back, at its two edges only (rule 4)."""
    match event:
        case ev.AssistantChunk(text=str()):
            field = "text"
        case ev.ToolProgress():
            field = "output"
        case _:
            return event
    original = json.loads(raw)[field]
    inner = "".join("\ufffd" if _is_surrogate(char) else char for char in original[1:-1])
    text = original if len(original) < 2 else original[0] + inner + original[-1]
    return msgspec.structs.replace(event, **{field: text})


def _is_surrogate(char: str) -> bool:
    return _FIRST_SURROGATE <= char <= _LAST_SURROGATE
