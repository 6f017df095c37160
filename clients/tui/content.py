"""JSON of the wire to harmless text: blocks, inputs, outputs, and what was left out of them (`docs/protocol.md`)."""

import re

import msgspec

from clients.tui.harmless import harmless, one_line
from clients.tui.words import Words, size_text
from clients.wire.messages import Json

_LEADING_BLANK = re.compile(r"\A(?:[^\S\n]*\n)+")
# Of an input with several fields, what a reader knows the call by, in this order.
_TELLING = (
    "command", "cmd", "file_path", "notebook_path", "pattern", "query", "url", "path", "description", "prompt",
    "name", "skill",
)  # fmt: skip
_TITLE_CHARS = 400


def text_of(block: Json) -> str:
    """Give a block's text, as it came; empty where it has none."""
    text = block.get("text") if isinstance(block, dict) else block
    return text if isinstance(text, str) else ""


def objects_of(value: Json) -> list[dict[str, Json]]:
    """Give the objects of a list; none where it is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list | tuple) else []


def is_blank(text: str) -> bool:
    """Say whether a text has nothing to show."""
    return not text.strip()


def body_text(block: Json, *, is_whole: bool) -> str:
    """Give a text as a body shows it: no blank lines at its beginning, nor at its end once it is whole."""
    text = harmless(_LEADING_BLANK.sub("", text_of(block)))
    return text.rstrip() if is_whole else text


def left_out(value: Json, words: Words) -> str:
    """Say that a text is a head, and of how much; empty where it is whole."""
    if not isinstance(value, dict) or not value.get("truncated"):
        return ""
    return "… " + words["in_all"].format(size=size_text(number_of(value.get("bytes")) or 0))


def content_text(blocks: Json, words: Words) -> str:
    """Give the text of content blocks; what is no text by its type."""
    if not isinstance(blocks, list):
        return harmless(json_text(blocks)).rstrip()
    return "\n".join(block_text(block, words) for block in blocks).rstrip()


def block_text(block: Json, words: Words) -> str:
    """Give the text of a block that is no diff."""
    text = text_of(block)
    if text:
        return harmless(text)
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "image":
        size = block.get("bytes")
        return f"[{words['image']}{'' if not isinstance(size, int) else f', {size_text(size)}'}]"
    return "" if kind == "text" else f"[{one_line(str(kind))}]"


def is_blocks(value: Json) -> bool:
    """Say whether an output is a list of blocks."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, dict) and "type" in one for one in value)
    )


def json_text(value: Json) -> str:
    """Give any value as text: a text as it is, an object of plain texts field by field, else JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if (
        isinstance(value, dict)
        and value
        and all(isinstance(one, str | int | float | bool) for one in value.values())
    ):
        if len(value) == 1:
            return str(next(iter(value.values())))
        return "\n".join(f"{name}: {_plain(one)}" for name, one in value.items())
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def telling(value: Json) -> str:
    """Give one line that a reader knows a call by; empty where its input has none."""
    if isinstance(value, dict):
        for name in _TELLING:
            if isinstance(value.get(name), str) and value[name].strip():
                return one_line(value[name][:_TITLE_CHARS])
        if len(value) == 1:
            only = next(iter(value.values()))
            return one_line(only[:_TITLE_CHARS]) if isinstance(only, str) else ""
        return ""
    return one_line(value[:_TITLE_CHARS]) if isinstance(value, str) else ""


def number_of(value: Json) -> float | None:
    """Give a number; None for anything else."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def duration_of(facts: Json) -> float | None:
    """Give how long something took, in ms; None where it is unknown or 0 (A-7)."""
    if not isinstance(facts, dict):
        return None
    told = number_of(facts.get("duration_ms"))
    if told is None:
        start, end = number_of(facts.get("started_at_ms")), number_of(facts.get("ended_at_ms"))
        told = None if start is None or end is None else end - start
    return told if told is not None and told >= 1 else None


def _plain(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    # A long text begins on a line of its own.
    return f"\n{value}" if isinstance(value, str) and "\n" in value else str(value)
