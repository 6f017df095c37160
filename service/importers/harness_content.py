"""The harness log's messages, blocks and tool results in native terms."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import msgspec

from service.importers.fields import JsonObject, as_table, items, table, text, whole
from service.importers.parse import Unreadable, parse_object

# The harness's own shell tool ends its text with this; the number is recorded nowhere else.
_EXIT_CODE = re.compile(r"\[exit code: (-?\d{1,9})\]\s*\Z")
_ABORT_CODES = frozenset({"ABORTED", "ABORTED_BEFORE_DISPATCH"})
_DENIAL_CODES = frozenset({"DENIED", "PERMISSION_DENIED", "APPROVAL_DENIED", "REJECTED", "USER_REJECTED"})

_NATIVE_BLOCKS = frozenset({"text", "reasoning", "image", "diff", "tool_call"})


def message_of(data: JsonObject) -> JsonObject:
    """The message of an event: v0 has its fields in `data` itself, later versions in `data.message`."""
    return table(data, "message") or data


def blocks_of(message: JsonObject) -> list[object]:
    """A message's content as native blocks; a plain text counts as one text block."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [
        native_block(as_table(block)) for block in items(message, "content") if text(as_table(block), "type")
    ]


def native_block(block: JsonObject) -> object:
    """One block; a type that native events do not have stays as it is."""
    match block.get("type"):
        case "text" | "reasoning" as kind if text(block, "text") is not None:
            return {"type": kind, "text": text(block, "text")}
        case "tool-call" if text(block, "id", "callId") is not None:
            return {
                "type": "tool_call",
                "call_id": text(block, "id", "callId"),
                "name": text(block, "name") or "",
                "input": tool_input(block.get("arguments", block.get("input"))),
            }
        case "image":
            return _image(block)
        case "diff" if text(block, "path") is not None and text(block, "unified") is not None:
            return dict(block)
        case _:
            return _kept_block(block)


def tool_input(arguments: object) -> object:
    """Arguments as the JSON they spell; text that is no JSON object (a cut call) stays text."""
    if not isinstance(arguments, str):
        return arguments
    try:
        raw = arguments.encode()
    except UnicodeEncodeError:
        return arguments
    if isinstance(parse_object(raw), Unreadable):
        return arguments
    # Events travel one a line, so JSON that was spelled over several lines is joined.
    return msgspec.Raw(msgspec.json.format(raw, indent=-1) if b"\n" in raw or b"\r" in raw else raw)


def text_of(message: JsonObject) -> str:
    """The text blocks of a message, joined."""
    blocks = [as_table(block) for block in blocks_of(message)]
    return "".join(text(block, "text") or "" for block in blocks if block.get("type") == "text")


def tool_result(data: JsonObject, denied_calls: AbstractSet[str]) -> dict[str, object] | None:
    """A `tool/result` from an event's data; nothing where no call is named."""
    message = message_of(data)
    block = next(
        (b for b in map(as_table, items(message, "content")) if b.get("type") == "tool-result"), data
    )
    source_call = text(table(message, "source"), "callId")
    call_id = text(block, "toolCallId") or text(data, "callId") or source_call
    if call_id is None:
        return None
    output = blocks_of(block)
    fields: dict[str, object] = {
        "type": "tool/result",
        "call_id": call_id,
        "status": _status(data, block, denied=call_id in denied_calls),
        "output": _plain_text(output),
    }
    if isinstance(fields["output"], str) and (found := _EXIT_CODE.search(fields["output"])):
        fields["exit_code"] = int(found[1])
    if (duration_ms := whole(data, "durationMs")) is not None:
        fields["duration_ms"] = duration_ms
    if "error" in data:
        fields["error"] = data["error"]
    return fields


def _status(data: JsonObject, block: JsonObject, *, denied: bool) -> str:
    code = text(table(data, "error"), "code")
    if code in _ABORT_CODES:
        return "canceled"
    if code in _DENIAL_CODES:
        return "denied"
    if block.get("isError") is True or data.get("isError") is True:
        return "denied" if denied else "error"
    return "ok"


def _plain_text(blocks: Sequence[object]) -> object:
    """Text alone is a string on the wire, which clients show as output; anything else stays blocks."""
    tables = [as_table(block) for block in blocks]
    if all(block.get("type") == "text" for block in tables):
        return "".join(text(block, "text") or "" for block in tables)
    return list(blocks)


def _image(block: JsonObject) -> object:
    """An image; the harness keeps the bytes apart and names them, so the name becomes the blob's."""
    attachment = table(block, "attachment") or table(block, "source") or block
    image: dict[str, object] = {"type": "image"}
    places = {
        "blob": text(attachment, "attachmentId", "id", "blob"),
        "url": text(attachment, "url"),
        "data": text(attachment, "data"),
        "mime": text(attachment, "mediaType", "mimeType", "mime"),
        "width": whole(attachment, "width"),
        "height": whole(attachment, "height"),
    }
    image.update({key: value for key, value in places.items() if value is not None})
    return image if image.keys() & {"blob", "url", "data"} else _kept_block(block)


def _kept_block(block: JsonObject) -> object:
    # A known name with fields missing would be refused by the decoder; under another name it is an unknown
    # block.
    kind = text(block, "type")
    return {**block, "type": f"harness/{kind}"} if kind in _NATIVE_BLOCKS else dict(block)
