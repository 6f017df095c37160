"""Claude's content blocks and tool results in native terms."""

import re
from collections.abc import Sequence

from service.importers.fields import JsonObject, as_table, items, millis, table, text, whole

Fields = dict[str, object]

_NATIVE_BLOCKS = frozenset({"text", "reasoning", "image", "diff", "tool_call"})
# The shell tool's text begins with this when the command failed; no field holds the number.
_EXIT_CODE = re.compile(r"(?:Error: )?Exit code (\d{1,9})\b")
# Versions before `toolDenialKind` say it in the result's text alone.
_DENIAL_TEXT = re.compile(
    r"(?:Error: )?The user doesn't want to (?:proceed with|take) this (?:tool use|action)"
)


def blocks_of(content: object) -> list[Fields]:
    """Content as native blocks; a plain text is one text block, and what is no block is left out."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    blocks = [as_table(block) for block in items({"content": content}, "content")]
    return [native_block(block) for block in blocks if text(block, "type") is not None]


def native_block(block: JsonObject) -> Fields:
    """One block; a type that native events do not have stays as it is."""
    match block.get("type"):
        case "text" if text(block, "text") is not None:
            return {"type": "text", "text": text(block, "text")}
        case "thinking":
            return {"type": "reasoning", "text": text(block, "thinking", "text") or ""}
        case "redacted_thinking":
            # Encrypted: nothing of it can be shown, and as an unknown block it would count as an answer.
            return {"type": "reasoning", "text": "", "redacted": block.get("data")}
        case "image" if (image := _image(table(block, "source"))) is not None:
            return image
        case str() as kind if kind in _NATIVE_BLOCKS:
            # A known name with other fields would be refused by the decoder.
            return {**block, "type": f"claude/{kind}"}
        case _:
            return dict(block)


def _image(source: JsonObject) -> Fields | None:
    places = {"data": text(source, "data"), "url": text(source, "url"), "mime": text(source, "media_type")}
    image: Fields = {"type": "image", **{key: value for key, value in places.items() if value is not None}}
    return image if image.keys() & {"data", "url"} else None


def tool_result(block: JsonObject, line: JsonObject) -> Fields:
    """The fields of a `tool/result` besides its call.

    Args:
        block: the `tool_result` block.
        line: its line, whose `toolUseResult` is the structured copy of the only result in it.
    """
    output = _output(block.get("content", block.get("output")))
    said = output if isinstance(output, str) else ""
    details = table(line, "toolUseResult")
    fields: Fields = {"status": _status(block, line, said)}
    if (unified := _unified_diff(details)) is not None:
        shown = [{"type": "text", "text": output}] if isinstance(output, str) else list(output)
        output = [*shown, {"type": "diff", "path": text(details, "filePath"), "unified": unified}]
    fields["output"] = output
    if block.get("is_error") is True and (found := _EXIT_CODE.match(said)):
        fields["exit_code"] = int(found[1])
    duration_ms = millis(details, "totalDurationMs") or millis(details, "durationMs")
    if duration_ms is not None:
        fields["duration_ms"] = duration_ms
    return fields


def _output(content: object) -> str | list[Fields]:
    if content is None:
        return ""
    if isinstance(content, dict | int | float):
        return [{"type": "claude/output", "output": content}]
    blocks = blocks_of(content)
    if all(block["type"] == "text" for block in blocks):
        return "\n".join(str(block["text"]) for block in blocks)
    return blocks


def _status(block: JsonObject, line: JsonObject, said: str) -> str:
    denial = text(line, "toolDenialKind")
    if denial == "interrupted" or table(line, "toolUseResult").get("interrupted") is True:
        return "canceled"
    if denial is not None:
        return "denied"
    if block.get("is_error") is not True:
        return "ok"
    return "denied" if _DENIAL_TEXT.match(said) else "error"


def _unified_diff(details: JsonObject) -> str | None:
    """The edit that a result's structured copy records, as a unified diff."""
    hunks = [as_table(hunk) for hunk in items(details, "structuredPatch")]
    path = text(details, "filePath")
    if path is None or not hunks:
        return None
    lines = [f"--- {path}", f"+++ {path}"]
    for hunk in hunks:
        lines.append(f"@@ -{_range(hunk, 'old')} +{_range(hunk, 'new')} @@")
        lines += [line for line in items(hunk, "lines") if isinstance(line, str)]
    return "\n".join(lines) + "\n"


def _range(hunk: JsonObject, side: str) -> str:
    return f"{whole(hunk, f'{side}Start') or 0},{whole(hunk, f'{side}Lines') or 0}"


def search_sources(content: object) -> Sequence[object]:
    """Where a search that the provider ran found something."""
    return items({"content": content}, "content")
