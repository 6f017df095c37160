"""Stage 5, heads: how much of a row's texts travels (`wire.md`, *Size*; A-13).

1. The fold keeps every text whole. A row on the wire holds the head of each text that is greater than the limit.
2. The object that holds a head says so by `truncated: true` and `bytes`, the size of the whole in UTF-8: a block for
   its text, the row for its main text. The row's `heads` name the others, by JSON pointer.
3. Arbitrary JSON is cut member by member, so that an object stays one. A member that is no string, JSON that is no
   object, and an object of too many members give way to a string: the head of their JSON text.
4. A head ends between two characters as readers see them, not only between two code points.
5. The blocks of one list share `SHARED_HEADS` limits, so that a row of a thousand great blocks is bounded too.
6. What is cut depends on the whole row and the limit alone, never on the way it came: a delta and a snapshot agree.
"""

import unicodedata
from collections.abc import Container
from typing import TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct

from projections.rows import ContextRow, Head, Row, SteeringRow, StepRow, ToolRow, UserRow

SHARED_HEADS = 8
# Of a block whose list has used up what it shares: enough to recognise it.
_LEAST_SHARE = 64
# An object whose members are cut and that still is greater than so many limits is cut as a whole.
_OBJECT_LIMITS = 4
# Zero-width joiners and the like are followed back so far; a longer pile of marks is cut inside.
_MAX_STEPS_BACK = 64
_SEEN_BEYOND = 64
_ZERO_WIDTH_JOINER = "\u200d"
# What identifies a row or names a state is no text.
_NAMES = frozenset({"key", "id", "client_id", "call_id", "search_id", "round_id", "retry_id", "status"})
_MAIN_TEXTS = frozenset({"text", "output", "progress", "summary", "message"})
_BLOCK_LISTS = frozenset({"content", "output"})
_WITH_BLOCKS = (UserRow, SteeringRow, ContextRow, ToolRow)

_encode = msgspec.json.encode
_string = msgspec.json.Decoder(str).decode
_members = msgspec.json.Decoder(dict[str, Raw]).decode
_items = msgspec.json.Decoder(list[Raw]).decode
_AnyRow = TypeVar("_AnyRow", bound=Row)


class _Block(Struct):
    """What of a block is looked at; which of it is there depends on the type."""

    type: str
    text: Raw = Raw()
    unified: Raw = Raw()
    input: Raw = Raw()
    path: str = ""
    call_id: str = ""
    name: str = ""


_block = msgspec.json.Decoder(_Block).decode
_TEXT_OF = {"text": "text", "reasoning": "text", "diff": "unified", "tool_call": "input"}
_KEPT = {"text": (), "reasoning": (), "diff": ("path",), "tool_call": ("call_id", "name")}


def size_bytes(text: str) -> int:
    """Give the size of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


def head_of(text: str, limit: int) -> str:
    """Give the longest beginning of at most `limit` bytes that ends between two characters as readers see them.

    >>> head_of("cafe\\u0301", 5)
    'caf'
    """
    at = len(text[:limit].encode()[:limit].decode(errors="ignore"))
    end = at
    while 0 < at < len(text) and end - at < _MAX_STEPS_BACK and _continues(text, at):
        at -= 1
    return text[:end] if end - at == _MAX_STEPS_BACK else text[:at]


def _continues(text: str, at: int) -> bool:
    """Whether the code point at a position belongs to the character before it."""
    before, here = text[at - 1], text[at]
    if _is_flag_letter(here) and _is_flag_letter(before):
        run = at
        while run > 0 and at - run < _MAX_STEPS_BACK and _is_flag_letter(text[run - 1]):
            run -= 1
        return (at - run) % 2 == 1
    return (
        unicodedata.category(here).startswith("M")
        or _ZERO_WIDTH_JOINER in (before, here)
        or "\U0001f3fb" <= here <= "\U0001f3ff"
        or (before == "\r" and here == "\n")
    )


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def cut_row(row: _AnyRow, limit: int | None, whole: Container[int] = ()) -> _AnyRow:
    """Give a row with the heads of its great texts; the same row where it has none.

    Args:
        row: as the fold makes it, with whole texts.
        limit: the most bytes of one text; `None` cuts nothing.
        whole: positions of the blocks of a step that are not cut.
    """
    return row if limit is None else _Cut(limit).row(row, whole)


def cut_blocks(content: Raw, limit: int | None) -> Raw:
    """Give an array of blocks with the heads of its great texts."""
    return content if limit is None or len(content) <= limit else _Cut(limit).blocks("", content)


def cut_fields(row: Row, limit: int, whole: Container[int] = ()) -> tuple[str, ...]:
    """Name the texts of a whole row that travel as heads, by JSON pointer, in the row's order."""
    cut = _Cut(limit)
    cut.row(row, whole)
    return tuple(cut.fields)


def text_at(row: Row, pointer: str) -> tuple[str, bool] | None:
    """Give a text of a whole row, and whether it is JSON that was no string; `None` where there is nothing.

    Args:
        row: with its whole texts.
        pointer: a JSON pointer (RFC 6901) into the row as it stands on the wire.
    """
    if not pointer.startswith("/"):
        return None
    here = _encode(row)
    for token in pointer[1:].split("/"):
        found = _step_into(here, token.replace("~1", "/").replace("~0", "~"))
        if found is None:
            return None
        here = bytes(found)
    return (_string(here), False) if here.startswith(b'"') else (here.decode(), True)


def _step_into(here: bytes, token: str) -> Raw | None:
    if here.startswith(b"{"):
        return _members(here).get(token)
    if here.startswith(b"[") and token.isascii() and token.isdigit():
        items = _items(here)
        return items[int(token)] if len(token) < 10 and int(token) < len(items) else None
    return None


def _pointer(*tokens: str | int) -> str:
    return "".join(f"/{str(token).replace('~', '~0').replace('/', '~1')}" for token in tokens)


class _Cut:
    """The cutting of one row; `fields` names what was cut, `heads` what nothing else says so of."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.fields: list[str] = []
        self.heads: list[Head] = []
        self.main_bytes: int | None = None

    def row(self, row: _AnyRow, whole: Container[int]) -> _AnyRow:
        """Cut the texts of a row, field by field."""
        changes: dict[str, object] = {}
        for name in row.__struct_fields__:
            value = getattr(row, name)
            if type(value) is str and 4 * len(value) > self.limit and name not in _NAMES:
                changes[name] = self._own_text(name, value)
            elif type(value) is Raw and len(value) > self.limit:
                changes[name] = self._own_json(row, name, value)
            elif isinstance(row, StepRow) and name == "blocks" and sum(map(len, row.blocks)) > self.limit:
                changes[name] = self._list("blocks", row.blocks, whole)
        if not self.fields:
            return row
        if self.main_bytes is not None:
            changes |= {"truncated": True, "whole_bytes": self.main_bytes}
        return msgspec.structs.replace(row, heads=tuple(self.heads) or UNSET, **changes)

    def blocks(self, name: str, content: Raw) -> Raw:
        """Cut the texts of an array of blocks."""
        return Raw(_encode(self._list(name, tuple(_items(content)), ())))

    def _own_text(self, name: str, text: str) -> str:
        whole_bytes = size_bytes(text)
        if whole_bytes <= self.limit:
            return text
        pointer = _pointer(name)
        self.fields.append(pointer)
        if name in _MAIN_TEXTS:
            self.main_bytes = whole_bytes
        else:
            self.heads.append(Head(field=pointer, bytes=whole_bytes))
        return head_of(text, self.limit)

    def _own_json(self, row: Row, name: str, value: Raw) -> Raw:
        first = _first(value)
        if first == b'"':
            return Raw(_encode(self._own_text(name, _string(value))))
        if first == b"[" and name in _BLOCK_LISTS and isinstance(row, _WITH_BLOCKS):
            return self.blocks(name, value)
        if first == b"{":
            marks = len(self.fields), len(self.heads)
            cut = Raw(_encode({key: self._member(name, key, one) for key, one in _members(value).items()}))
            if len(cut) <= _OBJECT_LIMITS * self.limit:
                return cut
            del self.fields[marks[0] :], self.heads[marks[1] :]
        return self._as_text(_pointer(name), value)

    def _member(self, name: str, key: str, value: Raw) -> Raw:
        if len(value) <= self.limit:
            return value
        pointer = _pointer(name, key)
        if _first(value) != b'"':
            return self._as_text(pointer, value)
        text = _string(value)
        whole_bytes = size_bytes(text)
        if whole_bytes <= self.limit:
            return value
        self.fields.append(pointer)
        self.heads.append(Head(field=pointer, bytes=whole_bytes))
        return Raw(_encode(head_of(text, self.limit)))

    def _as_text(self, pointer: str, value: Raw) -> Raw:
        self.fields.append(pointer)
        self.heads.append(Head(field=pointer, bytes=len(value), json=True))
        return Raw(_encode(_json_head(value, self.limit)))

    def _list(self, name: str, blocks: tuple[Raw, ...], whole: Container[int]) -> tuple[Raw, ...]:
        left = SHARED_HEADS * self.limit
        found: list[Raw] = []
        for at, raw in enumerate(blocks):
            if at in whole:
                found.append(raw)
                continue
            share = max(min(self.limit, left), self.limit // _LEAST_SHARE)
            cut = raw if len(raw) <= share else self._block((name, at), raw, share)
            left -= len(cut)
            found.append(cut)
        return tuple(found)

    def _block(self, place: tuple[str, int], raw: Raw, limit: int) -> Raw:
        block = _block(raw)
        field = _TEXT_OF.get(block.type)
        if field is None:
            self.fields.append(_pointer(*place))
            whole = {"bytes": len(raw), "truncated": True, "json": True}
            return Raw(_encode({"type": block.type, "text": _json_head(raw, limit), **whole}))
        value = getattr(block, field)
        is_text = _first(value) == b'"'
        text = _string(value) if is_text else ""
        whole_bytes = size_bytes(text) if is_text else len(value)
        if whole_bytes <= limit:
            return raw
        self.fields.append(_pointer(*place, field))
        kept = {name: getattr(block, name) for name in _KEPT[block.type]}
        head = head_of(text, limit) if is_text else _json_head(value, limit)
        cut = {"type": block.type, **kept, field: head, "bytes": whole_bytes, "truncated": True}
        return Raw(_encode(cut if is_text else cut | {"json": True}))


def _json_head(value: Raw, limit: int) -> str:
    # A little more than the head, so that it is seen what comes behind it.
    return head_of(bytes(memoryview(value)[: limit + _SEEN_BEYOND]).decode(errors="ignore"), limit)


def _first(value: Raw) -> bytes:
    return bytes(memoryview(value)[:1])
