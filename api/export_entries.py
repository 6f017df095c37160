"""Edge stage: a row of the wire as an entry of an exported document: what it is called, how it went, what it holds.

1. It works on the wire's own JSON, as every client does, and leaves nothing out: what has no place of its own stands
   among the parts as JSON.
2. Every text is harmless: control characters and changes of direction are signs, as on the page (`visible.js`).
3. Nothing here knows a format: HTML and Markdown draw the same entries.
"""

from collections.abc import Iterator
from typing import Final, Literal

import msgspec

from api.export_values import Json, json_text, one_line, visible
from api.export_words import Words
from projections.labels import duration_text

Shape = Literal["said", "answer", "work", "note", "tail"]
Level = Literal["", "info", "warning", "error", "waiting"]

#: Of a call's input in its own line; the whole stands below.
_EXCERPT_CHARS: Final = 160
_FAILED: Final = frozenset({"error", "failed", "denied"})


class Prose(msgspec.Struct, frozen=True, kw_only=True):
    """Markdown, as the model wrote it."""

    text: str


class Plain(msgspec.Struct, frozen=True, kw_only=True):
    """Words as a human wrote them, line by line."""

    text: str


class Thought(msgspec.Struct, frozen=True, kw_only=True):
    """A model's reasoning, in Markdown."""

    text: str


class Code(msgspec.Struct, frozen=True, kw_only=True):
    """Text of fixed width under a label; `kind` is `text`, `diff` or `json`."""

    label: str
    text: str
    kind: Literal["text", "diff", "json"] = "text"


class Attached(msgspec.Struct, frozen=True, kw_only=True):
    """An image or file that is part of the session, by its digest."""

    blob: str
    mime: str
    bytes: int
    name: str


class Remote(msgspec.Struct, frozen=True, kw_only=True):
    """An image that lies elsewhere and is not fetched."""

    url: str


Part = Prose | Plain | Thought | Code | Attached | Remote


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One row as a reader sees it.

    Attributes:
        shape: said by a human; answered by the model; work that was done; a note; the end of a turn.
        status: how it went, in words; empty where there is nothing to say.
        note: what tells it from its neighbours, in one line.
    """

    shape: Shape
    title: str
    status: str = ""
    note: str = ""
    level: Level = ""
    parts: tuple[Part, ...] = ()


def entry_of(row: Json, words: Words) -> Entry | None:
    """Describe a row; None for the control of a turn's process, which is no content."""
    make = _MAKERS.get(row["kind"], _custom)
    return None if row["kind"] == "turn_process" else make(row, words)


def content_parts(blocks: Json) -> Iterator[Part]:
    """The parts of content blocks: words, images, and whatever else was sent."""
    for block in blocks if isinstance(blocks, list) else [blocks]:
        if block.get("type") in ("text", "reasoning") and isinstance(block.get("text"), str):
            yield Plain(text=visible(block["text"]))
        else:
            yield from _other_parts(block)


def _said(row: Json, words: Words) -> Entry:
    return Entry(shape="said", title=words(row["kind"]), parts=tuple(content_parts(row["content"])))


def _step(row: Json, words: Words) -> Entry:
    interrupted = row["status"] == "interrupted"
    return Entry(
        shape="answer",
        title=words("assistant"),
        status=words("interrupted") if interrupted else words("tool_running") if row["status"] == "running" else "",
        level="warning" if interrupted else "",
        parts=tuple(_step_parts(row["blocks"])),
    )  # fmt: skip


def _step_parts(blocks: Json) -> Iterator[Part]:
    for block in blocks:
        match block.get("type"):
            case "text":
                if block["text"].strip():
                    yield Prose(text=visible(block["text"]))
            case "reasoning":
                if block["text"].strip():
                    yield Thought(text=visible(block["text"]))
            case "tool_call":
                pass  # the call is a row of its own
            case _:
                yield from _other_parts(block)


def _other_parts(block: Json) -> Iterator[Part]:
    kind = str(block.get("type", ""))
    blob = block.get("blob")
    if isinstance(blob, str) and isinstance(block.get("bytes"), int):
        mime = block.get("mime") or block.get("media_type") or ""
        name = one_line(str(block.get("name") or ""))
        yield Attached(blob=blob, mime=str(mime), bytes=block["bytes"], name=name)
        if kind == "image":
            return
    elif kind == "image" and isinstance(block.get("url"), str):
        yield Remote(url=one_line(block["url"]))
        return
    if kind == "diff" and isinstance(block.get("unified"), str):
        yield Code(label=one_line(str(block.get("path") or "")), text=visible(block["unified"]), kind="diff")
    else:
        yield Code(label=one_line(kind), text=json_text(block), kind="json")


def _call(row: Json, words: Words) -> Entry:
    title = one_line(row["name"] or row["call_id"])
    return Entry(
        shape="work",
        title=title,
        status=_status_of(row, words),
        note=_excerpt(row.get("title") or row["input"]),
        level=_level_of(row["status"]),
        parts=(
            *_value_parts(words("input"), row["input"]),
            *_value_parts(words("output_live"), row.get("progress")),
            *_value_parts(words("output"), row["output"]),
            *_value_parts(words("error"), row.get("error")),
        ),
    )


def _command(row: Json, words: Words) -> Entry:
    parts = (
        *_value_parts(words("input"), row.get("input")),
        *_value_parts(words("output"), row.get("output")),
    )
    status = "" if row["status"] == "done" else words.named(f"tool_{row['status']}", one_line(row["status"]))
    return Entry(
        shape="work", title=words("command"), note=one_line(row["name"]), status=status,
        level=_level_of(row["status"]), parts=parts,
    )  # fmt: skip


def _search(row: Json, words: Words) -> Entry:
    status = (
        "" if row["status"] == "completed" else words.named(f"tool_{row['status']}", one_line(row["status"]))
    )
    return Entry(
        shape="work", title=words("search"), note=one_line(row.get("query") or row.get("url") or ""),
        status=status, level=_level_of(row["status"]),
        parts=(*_value_parts("", row.get("url")), *_value_parts("", row.get("sources"))),
    )  # fmt: skip


def _system_prompt(row: Json, words: Words) -> Entry:
    return Entry(shape="work", title=words("system_prompt"), parts=(Plain(text=visible(row["text"])),))


def _context(row: Json, words: Words) -> Entry:
    note = one_line(row.get("title") or row["source"])
    return Entry(shape="work", title=words("context"), note=note, parts=tuple(content_parts(row["content"])))


def _retry(row: Json, words: Words) -> Entry:
    waits = row["status"] == "waiting" and "delay_ms" in row
    status = (
        words("retry_waiting", t=duration_text(row["delay_ms"], words.locale)) if waits else words("retry_started")
    )  # fmt: skip
    parts = tuple(_value_parts(words("error"), row.get("failure")))
    return Entry(
        shape="note", title=words("retry", n=row["retry"]), status=status, level="warning", parts=parts
    )


def _compaction(row: Json, words: Words) -> Entry:
    failed = row["status"] == "failed"
    summary = (Prose(text=visible(row["summary"])),) if row.get("summary") else ()
    title = words("compaction_failed") if failed else words("compaction")
    return Entry(shape="note", title=title, level="warning" if failed else "", parts=summary)


def _interaction(row: Json, words: Words) -> Entry:
    title = words.named(row["interaction"], one_line(row["interaction"]))
    waits = row["status"] == "pending"
    state = words.named(row["status"], one_line(row["status"]))
    outcome = one_line(row.get("outcome") or "")
    return Entry(
        shape="note",
        title=title,
        note=one_line(row["title"]),
        status=f"{state}: {outcome}" if outcome else state,
        level="waiting" if waits else "",
        parts=(
            *_value_parts(words("details"), row.get("payload")),
            *_value_parts(words("answer"), row.get("answer")),
        ),
    )


def _notice(row: Json, _words: Words) -> Entry:
    level: Level = row["level"] if row["level"] in ("info", "warning", "error") else ""
    return Entry(shape="note", title="", level=level, parts=(Plain(text=visible(row["text"])),))


def _error(row: Json, words: Words) -> Entry:
    code = one_line(str(row.get("code", "")))
    parts = (Plain(text=visible(row["message"])),) if row.get("message") else ()
    return Entry(shape="note", title=words("turn_error"), note=code, level="error", parts=parts)


def _max_tokens(_row: Json, words: Words) -> Entry:
    return Entry(shape="note", title=words("turn_max_tokens"), level="error")


def _tail(row: Json, words: Words) -> Entry:
    outcome = row["outcome"]
    named = "interrupted_turn" if outcome == "interrupted" else outcome
    level: Level = "error" if outcome == "failed" else ""
    return Entry(shape="tail", title=words.named(named, one_line(outcome)), level=level)


def _custom(row: Json, _words: Words) -> Entry:
    name = one_line(str(row.get("name") or row["kind"]))
    parts = tuple(_value_parts("", row.get("payload")))
    return Entry(shape="work", title=name, note=one_line(row.get("title") or ""), parts=parts)


_MAKERS: Final = {
    "system_prompt": _system_prompt,
    "user": _said,
    "steering": _said,
    "context": _context,
    "assistant_step": _step,
    "tool_call": _call,
    "search": _search,
    "retry": _retry,
    "command": _command,
    "compaction": _compaction,
    "interaction": _interaction,
    "notice": _notice,
    "turn_error": _error,
    "turn_max_tokens": _max_tokens,
    "turn_tail": _tail,
}


def _status_of(row: Json, words: Words) -> str:
    parts = [] if row["status"] == "ok" else [words.named(f"tool_{row['status']}", one_line(row["status"]))]
    if row.get("exit_code"):
        parts.append(words("exit_code", n=row["exit_code"]))
    if "duration_ms" in row:
        parts.append(duration_text(row["duration_ms"], words.locale))
    return " · ".join(parts)


def _level_of(status: str) -> Level:
    return "error" if status in _FAILED else ""


def _value_parts(label: str, value: Json) -> Iterator[Part]:
    """A field of any JSON under its label: a text as it is, an object field by field, blocks as blocks."""
    if value is None or value in ("", [], {}):
        return
    if isinstance(value, str):
        yield Code(label=label, text=visible(value))
    elif isinstance(value, list) and all(isinstance(one, dict) and "type" in one for one in value):
        yield from _block_parts(label, value)
    elif isinstance(value, dict) and any(isinstance(one, str) for one in value.values()):
        for name, one in value.items():
            text = visible(one) if isinstance(one, str) else json_text(one)
            kind: Literal["text", "json"] = "text" if isinstance(one, str) else "json"
            yield Code(label=f"{label} · {one_line(name)}" if label else one_line(name), text=text, kind=kind)
    else:
        yield Code(label=label, text=json_text(value), kind="json")


def _block_parts(label: str, blocks: Json) -> Iterator[Part]:
    for block in blocks:
        if block["type"] in ("text", "reasoning") and isinstance(block.get("text"), str):
            yield Code(label=label, text=visible(block["text"]))
        else:
            yield from _other_parts(block)


def _excerpt(value: Json) -> str:
    if isinstance(value, dict):
        value = next((one for one in value.values() if isinstance(one, str)), "")
    line = one_line(value[: 4 * _EXCERPT_CHARS]) if isinstance(value, str) else ""
    return line if len(line) <= _EXCERPT_CHARS else line[: _EXCERPT_CHARS - 1] + "…"
