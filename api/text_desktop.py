"""A transcript in the desktop view as text: entries, one disclosure each, groups inside (`views.md` C).

What is open by default is shown open; everything else shows its title alone, unless all of it is asked for.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from api.text_view import (
    Nested,
    closed_row_lines,
    content_text,
    harmless,
    life_lines,
    row_lines,
    words_of,
)

Json = Any  # decoded JSON of the wire
_CLOSED, _OPEN, _INDENT = "▸", "▾", "  "
_ERRORS = ("error:", "max_tokens:")


def desktop_lines(transcript: Json, *, locale: str, expand: bool) -> Iterator[str]:
    """Give the lines of a whole transcript in the desktop view.

    Args:
        transcript: decoded JSON, of a session or of a delegate.
        locale: `en` or `zh-CN`, for the words that are not labels.
        expand: show closed disclosures, groups and rows open.
    """
    words, nested = words_of(locale), partial(desktop_lines, locale=locale, expand=expand)
    for row in transcript["session_rows"]:
        yield from row_lines(row, words, nested)
    for turn in transcript["turns"]:
        yield from _Turn(turn, words, nested, expand=expand).lines()
        yield from life_lines(turn, words)
        yield ""


class _Turn:
    """One turn and how it is to be shown."""

    def __init__(self, turn: Json, words: dict[str, str], nested: Nested, *, expand: bool) -> None:
        self._turn = turn
        self._words = words
        self._nested = nested
        self._expand = expand
        self._rows = {row["key"]: row for row in turn["rows"]}

    def lines(self) -> Iterator[str]:
        """Entry after entry: boundary row, disclosure, errors, answer, what else stands outside (C-1)."""
        for entry in self._turn["presentation"]["entries"]:
            if entry["boundary"] is not None:
                yield from row_lines(self._rows[entry["boundary"]], self._words, self._nested)
            if entry["disclosure"] is not None:
                yield from self._disclosure(entry["disclosure"])
            outside = entry["outside"]
            yield from self._outside(ref for ref in outside if ref.startswith(_ERRORS))
            yield from self._answer(entry["answer"])
            yield from self._outside(ref for ref in outside if not ref.startswith(_ERRORS))

    def _answer(self, refs: list[str]) -> Iterator[str]:
        """The answer's blocks; one that was cut says so, for a plain answer has no header that would."""
        for ref in refs:
            yield from _block_lines(self._block(ref))
        if refs and self._rows[refs[-1].rpartition("#")[0]]["status"] == "interrupted":
            yield f"({self._words['interrupted']})"

    def _outside(self, refs: Iterator[str]) -> Iterator[str]:
        for ref in refs:
            if ref in self._rows:
                yield from row_lines(self._rows[ref], self._words, self._nested)
                continue
            for waiting in self._turn["queued"]:
                if f"steering:{waiting['id']}" == ref:
                    yield f"… {self._words['queued']}: {content_text(waiting['content'])}"

    def _disclosure(self, disclosure: Json) -> Iterator[str]:
        is_open = self._expand or disclosure["default_open"]
        yield f"{_OPEN if is_open else _CLOSED} {disclosure['header']['text']}"
        for node in disclosure["items"] if is_open else ():
            yield from _indented(self._node(node))

    def _node(self, node: Json) -> Iterator[str]:
        inner = node.get("items") or node.get("tasks")
        if inner is None:
            yield from self._item(node)
        elif "topology" in node:
            for item in inner:
                yield from self._item(item)
        else:
            is_open = self._expand or node["default_open"]
            yield f"{_OPEN if is_open else _CLOSED} {node['title']['text']}"
            for item in inner if is_open else ():
                yield from _indented(self._item(item))

    def _item(self, item: Json) -> Iterator[str]:
        is_open = self._expand or item.get("default_open", True)
        if item["kind"] == "message":
            yield from _block_lines(self._block(item["ref"]))
        elif item["kind"] == "thinking":
            yield f"~ {self._words['thinking']}{'…' if item.get('streaming') else ''}"
            if is_open and not item.get("indicator"):
                yield from _indented(_block_lines(self._block(item["ref"])))
        else:
            row = self._rows[item["ref"]]
            lines = (
                row_lines(row, self._words, self._nested) if is_open else closed_row_lines(row, self._words)
            )
            yield from (line.removeprefix(_INDENT) for line in lines)

    def _block(self, ref: str) -> Json:
        key, _, at = ref.rpartition("#")
        return self._rows[key]["blocks"][int(at)]


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"{_INDENT}{line}" if line else "" for line in lines)


def _block_lines(block: Json) -> Iterator[str]:
    if block["type"] in ("text", "reasoning"):
        yield from harmless(block["text"]).strip().splitlines()
    else:
        yield f"[{harmless(block['type'])}]"
