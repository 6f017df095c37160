"""Searching, the texts: everything that a row says, as the reader could read it (`views.md` C-16).

Values of JSON count, names of its fields do not: nobody looks for `command`, but for what was run.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Raw, Struct

from projections.building import BlockBuilder, Slot, ToolBuilder, TurnBuilder, is_null

_decode = msgspec.json.Decoder().decode
# Fields that every row has, and those that say how something went rather than what it said.
_SILENT = frozenset(
    {
        "key",
        "turn",
        "step",
        "anchor",
        "status",
        "id",
        "client_id",
        "reason",
        "level",
        "interaction",
        "outcome",
    }
    | {"call_id", "search_id", "round_id", "retry_id", "source", "trigger", "code"}
)


class Text(Struct, frozen=True, kw_only=True):
    """One text of the row `key`: `ref` names the row or the block of a step, `field` what of it."""

    key: str
    ref: str
    field: str
    text: str


def texts_of(turn: TurnBuilder, slot: Slot) -> Iterator[Text]:
    """Give the texts of a row in reading order; a call's belong to its own row, not to the step that made it."""
    if slot.kind == "assistant_step":
        assert slot.step is not None
        for at, block in enumerate(turn.steps[slot.step].blocks):
            yield from _block_texts(slot.key, f"{slot.key}#{at}", block)
    elif slot.kind == "tool_call":
        yield from _tool_texts(slot.key, turn.tools[slot.key.removeprefix("tool:")])
    elif slot.row is not None:
        for name in slot.row.__struct_fields__:
            value = getattr(slot.row, name)
            if name in _SILENT:
                continue
            if isinstance(value, str):
                yield Text(key=slot.key, ref=slot.key, field=name, text=value)
            elif isinstance(value, Raw):
                yield from _json_texts(slot.key, slot.key, name, value)


def _block_texts(key: str, ref: str, block: BlockBuilder) -> Iterator[Text]:
    if block.is_prose:
        yield Text(key=key, ref=ref, field=block.kind, text=block.text())
    elif block.kind != "tool_call":
        yield from _json_texts(key, ref, block.kind, block.json)


def _tool_texts(key: str, tool: ToolBuilder) -> Iterator[Text]:
    yield Text(key=key, ref=key, field="name", text=tool.name)
    if tool.title is not None:
        yield Text(key=key, ref=key, field="title", text=tool.title)
    yield from _json_texts(key, key, "input", tool.input)
    if is_null(tool.output):
        yield Text(key=key, ref=key, field="output", text="".join(tool.progress))
    else:
        yield from _json_texts(key, key, "output", tool.output)
    yield from _json_texts(key, key, "error", tool.error)


def _json_texts(key: str, ref: str, field: str, raw: Raw) -> Iterator[Text]:
    if is_null(raw):
        return
    try:
        value = _decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return  # it was valid JSON when it came; a producer's half pair was repaired before
    for text in _strings(value):
        yield Text(key=key, ref=ref, field=field, text=text)


def _strings(value: Any) -> Iterator[str]:
    """The strings in a JSON value, in its order; images and files are no text."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, list):
            waiting.extend(reversed(one))
        elif isinstance(one, dict):
            kind = one.get("type")
            named = [item for name, item in one.items() if name not in ("type", "data", "media_type")]
            waiting.extend(reversed(named if kind in ("image", "file") else list(_spoken(one))))
        elif isinstance(one, int | float) and not isinstance(one, bool):
            yield str(one)


def _spoken(value: dict[str, Any]) -> Iterator[Any]:
    return (item for name, item in value.items() if not (name == "type" and isinstance(item, str)))
