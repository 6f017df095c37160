"""Stage 2, blobs: images and files that stand inline in an event (`wire.md`, *Size*).

Rows hold a reference, the SHA-256 of the content; the content stays where it came in, in the log, and is found there
again by the `seq` of the event that brought it. So it is stored once, and goes when its session is deleted.
"""

import binascii
import re
from collections.abc import Iterator
from hashlib import sha256

import msgspec
from msgspec import Raw, Struct

from projections import events as ev

_DATA_URL = re.compile(r"data:([^;,]*)(?:;[^;,]*)*?;base64,", re.IGNORECASE)
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9.+-]*/[a-z0-9][a-z0-9.+-]*")
_WHITE = str.maketrans("", "", " \t\r\n")
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
)

_encode = msgspec.json.encode
_members = msgspec.json.Decoder(dict[str, Raw]).decode


class Blob(Struct, frozen=True, kw_only=True):
    """The content of one image or file; `media_type` as its producer says, `None` where nobody knows."""

    sha256: str
    media_type: str | None
    content: bytes


class _File(Struct):
    """What a block of a type that is not ours may say of a file."""

    data: str
    mime: str | None = None
    media_type: str | None = None


_file = msgspec.json.Decoder(_File).decode


def blob_in(block: ev.Block) -> Blob | None:
    """Give the content that stands inline in a block; `None` where none does, or it is no base64."""
    match block:
        case ev.ImageBlock(data=str() as data):
            return _blob(data, block.mime)
        case ev.ImageBlock(url=str() as url) if url[:5].lower() == "data:":
            return _blob(url, block.mime)
        case ev.UnknownBlock(raw=raw) if b'"data"' in bytes(raw):
            try:
                file = _file(raw)
            except msgspec.ValidationError:
                return None
            named = file.mime or file.media_type
            return _blob(file.data, named) if named else None
        case _:
            return None


def reference_to(blob: Blob, block: ev.Block) -> Raw:
    """Give the block as it travels: `blob` and `bytes` in the place of the content, the rest as it was."""
    members = _members(block.raw if isinstance(block, ev.UnknownBlock) else _encode(block))
    members.pop("data", None)
    found: dict[str, object] = {"blob": blob.sha256, "bytes": len(blob.content)}
    if isinstance(block, ev.ImageBlock):
        members.pop("url", None)
        found |= {} if blob.media_type is None else {"mime": blob.media_type}
    return Raw(_encode({**members, **found}))


def blobs_of(event: ev.Event) -> Iterator[Blob]:
    """Give every blob that came in with an event."""
    for block in _blocks_of(event):
        found = blob_in(block)
        if found is not None:
            yield found


def _blocks_of(event: ev.Event) -> tuple[ev.Block, ...]:
    match event:
        case ev.UserMessage() | ev.UserSteering() | ev.ContextInjection():
            return event.content
        case ev.AssistantMessage():
            return event.blocks
        case ev.AssistantChunk(block=block) if block is not None:
            return (block,)
        case ev.ToolResult(output=tuple() as output):
            return output
        case _:
            return ()


def _blob(text: str, media_type: str | None) -> Blob | None:
    url = _DATA_URL.match(text)
    if url is not None:
        text, media_type = text[url.end() :], media_type or url[1]
    has_lines = any(white in text for white in "\n\r ")
    try:
        content = binascii.a2b_base64(text.translate(_WHITE) if has_lines else text, strict_mode=True)
    except (binascii.Error, ValueError):
        return None
    if not content:
        return None
    named = (media_type or "").strip().lower()
    known = named if _MEDIA_TYPE.fullmatch(named) else _sniffed(content)
    return Blob(sha256=sha256(content).hexdigest(), media_type=known, content=content)


def _sniffed(content: bytes) -> str | None:
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for signature, kind in _SIGNATURES if content.startswith(signature)), None)
