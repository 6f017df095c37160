"""Which call of a parent's log started a child's session: the logs name the parent, never the call."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from service.importers.fields import NO_FIELDS, JsonObject, as_table, table, text
from service.importers.harness import header_of, session_of
from service.importers.harness_content import message_of, text_of
from service.importers.lines import open_bytes, read_lines
from service.importers.parse import parse_object

# A child's task stands at its beginning; a log that has not told it by then will not.
_OPENING_LINES = 200


class _Call(msgspec.Struct, frozen=True, kw_only=True):
    call_id: str
    prompt: str | None
    label: str | None


def find_parent_call(child: Path, related: Sequence[Path]) -> str | None:
    """The id of the call that started the child's session.

    `related` are files among which the parent's is looked for. Calls are matched by their prompt, which is
    the child's first message, and by their label; nothing is returned where that leaves more than one.
    """
    parent_id = _parent_session(child)
    if parent_id is None:
        return None
    parent = next((path for path in related if path != child and session_id(path) == parent_id), None)
    if parent is None:
        return None
    prompt, label = _task(child)
    calls = {call.call_id: call for call in _delegate_calls(parent)}.values()
    same_prompt = [call for call in calls if prompt is not None and call.prompt == prompt]
    for candidates in (same_prompt, [call for call in same_prompt or calls if label and call.label == label]):
        if len(candidates) == 1:
            return candidates[0].call_id
    return None


def session_id(path: Path) -> str | None:
    """The id that a harness log gives its session."""
    return session_of(next(_objects(path), NO_FIELDS))


def _parent_session(path: Path) -> str | None:
    header = header_of(next(_objects(path), NO_FIELDS))
    return None if header is None else text(header, "parentSession")


def _task(child: Path) -> tuple[str | None, str | None]:
    prompt: str | None = None
    label: str | None = None
    for fields in islice(_objects(child), _OPENING_LINES):
        data = table(fields, "data")
        if fields.get("type") == "subagent/descriptor":
            label = label or text(data, "label")
        if fields.get("type") == "user/message":
            prompt = prompt or text_of(message_of(data))
    return prompt, label


def _delegate_calls(parent: Path) -> Iterator[_Call]:
    for fields in _objects(parent):
        data = table(fields, "data")
        name, call_id = text(data, "name") or "", text(data, "callId")
        is_delegate = name == "subagent" or name.startswith("subagent_")
        if fields.get("type") != "tool/call" or call_id is None or not is_delegate:
            continue
        arguments = as_table(parse_object((text(data, "arguments") or "{}").encode("utf-8", "replace")))
        label = text(arguments, "description", "label")
        yield _Call(call_id=call_id, prompt=text(arguments, "prompt", "task"), label=label)


def _objects(path: Path) -> Iterator[JsonObject]:
    with open_bytes(path) as stream:
        for line in read_lines(stream):
            fields = parse_object(line.raw)
            if isinstance(fields, dict):
                yield fields
