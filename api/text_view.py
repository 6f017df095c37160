"""A transcript as text for a terminal or a pipe: what the web view folds is folded here too.

1. It works on the wire's own JSON, so that `show` and `tail` print what a client of any language would derive.
2. Every text is harmless: control characters, terminal escapes and bidirectional overrides become visible signs.
3. Nothing here decides what is process and what is answer: the presentation says it (B-6 to B-8).
"""

import re
from collections.abc import Iterator
from typing import Any

Json = Any  # decoded JSON of the wire
# Control characters, bidirectional overrides, and halves of surrogate pairs, which no encoding can write.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_INDENT = "  "
# Of a tool's input and output in one line; the whole is what `--json` and the page are for.
_EXCERPT_CHARS = 120
_OUTCOMES = {
    "en": {
        "completed": "completed", "aborted": "stopped", "interrupted": "interrupted", "failed": "failed",
        "max_tokens": "cut off: token limit", "blocked": "blocked", "running": "running",
        "user": "You", "steering": "You (while it ran)", "waiting": "waits for you", "queued": "to be sent",
        "assistant": "Assistant", "thinking": "Thinking",
    },
    "zh-CN": {
        "completed": "已完成", "aborted": "已停止", "interrupted": "已中断", "failed": "失败",
        "max_tokens": "达到 token 上限", "blocked": "已阻止", "running": "运行中",
        "user": "你", "steering": "你（运行中）", "waiting": "等待你", "queued": "待发送",
        "assistant": "助手", "thinking": "思考",
    },
}  # fmt: skip


def words_of(locale: str) -> dict[str, str]:
    """Give the words of a language (`en` or `zh-CN`)."""
    return _OUTCOMES[locale]


def harmless(text: str) -> str:
    """Make a text safe to print: what could steer a terminal, or cannot be written, is shown as a sign.

    >>> harmless("a\\x1b[2Jb")
    'a␛[2Jb'
    """
    return _UNSAFE.sub(_sign, text.replace("\r\n", "\n"))


def _sign(match: "re.Match[str]") -> str:
    code = ord(match.group())
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"


def transcript_lines(transcript: Json, *, locale: str, expand: bool) -> Iterator[str]:
    """Give the lines of a whole transcript (`wire.md`, *Transcript*).

    Args:
        transcript: decoded JSON, compact or normal mode.
        locale: `en` or `zh-CN`, for the words that are not labels.
        expand: show the members of folded turns as well.
    """
    words = _OUTCOMES[locale]
    for row in transcript["session_rows"]:
        yield from row_lines(row, words)
    for turn in transcript["turns"]:
        yield from turn_lines(turn, locale=locale, expand=expand)


def turn_lines(turn: Json, *, locale: str, expand: bool) -> Iterator[str]:
    """Give the lines of one turn; an open turn shows everything and says that it runs."""
    words = _OUTCOMES[locale]
    view = turn["presentation"] or {}
    foldable = bool(view.get("foldable"))
    closed = foldable and not expand
    members = set(view.get("members", ())) if closed else set()
    for row in turn["rows"]:
        if row["key"] in members:
            continue
        if row["kind"] == "turn_process":
            if foldable:
                yield f"{'▸' if closed else '▾'} {view['label']['text']}"
            continue
        is_answer = row["key"] == view.get("answer")
        yield from row_lines(row, words, hide_reasoning=closed and is_answer)
    for waiting in turn.get("queued", ()):
        yield f"… {words['queued']}: {content_text(waiting['content'])}"
    yield from life_lines(turn, words)
    yield ""


def life_lines(turn: Json, words: dict[str, str]) -> Iterator[str]:
    """Give a line that says that a turn runs, and how much waits for the reader; none for a closed one."""
    if turn["status"] == "open":
        waiting = f" · {words['waiting']} ({turn['waiting']})" if turn["waiting"] else ""
        yield f"● {words['running']}{waiting}"


def row_lines(row: Json, words: dict[str, str], *, hide_reasoning: bool = False) -> Iterator[str]:
    """Give the lines of one row."""
    kind = row["kind"]
    if kind in ("user", "steering"):
        yield f"{words[kind]}: {content_text(row['content'])}"
    elif kind == "assistant_step":
        yield from _step_lines(row, words, hide_reasoning=hide_reasoning)
    elif kind == "tool_call":
        yield from _tool_lines(row, words)
    elif kind == "turn_tail":
        yield f"— {words.get(row['outcome'], harmless(row['outcome']))}"
    else:
        yield _plain(row, words)


def open_row_lines(row: Json, words: dict[str, str]) -> Iterator[str]:
    """Give a row of activity with all that it holds."""
    yield from row_lines(row, words)


def closed_row_lines(row: Json, words: dict[str, str]) -> Iterator[str]:
    """Give a row of activity as its title and status alone."""
    if row["kind"] == "tool_call":
        yield f"{_INDENT}⚙ {_tool_title(row)}"
    elif row["kind"] == "context":
        yield f"{_INDENT}# {harmless(row.get('title') or row['source'])}"
    else:
        yield _plain(row, words)


def left_out(value: Json) -> str:
    """Say that a block's text is a head, and of how much; empty where it is whole (`wire.md`, *Size*)."""
    return f" [… {value['bytes']:,} bytes in all]" if value.get("truncated") else ""


def _step_lines(row: Json, words: dict[str, str], *, hide_reasoning: bool) -> Iterator[str]:
    for block in row["blocks"]:
        kind = block["type"]
        text = harmless(block.get("text", "")) + left_out(block) if kind in ("text", "reasoning") else ""
        if kind == "reasoning" and text.strip() and not hide_reasoning:
            yield from (f"{_INDENT}~ {line}" for line in text.strip().splitlines())
        elif kind == "text" and text.strip():
            yield from text.strip().splitlines()
        elif kind not in ("reasoning", "text", "tool_call"):
            yield f"[{harmless(kind)}]"
    if row["status"] == "interrupted":
        yield f"({words['interrupted']})"


def _tool_lines(row: Json, words: dict[str, str]) -> Iterator[str]:
    yield f"{_INDENT}⚙ {_tool_title(row)} {_excerpt(row['input'])}".rstrip()
    output = row["output"] if row["output"] is not None else row.get("progress")
    if output:
        yield f"{_INDENT}  → {_excerpt(output)}"
    if "delegate" in row:
        for inner in row["delegate"]["turns"]:
            for line in turn_lines(
                inner, locale="zh-CN" if words is _OUTCOMES["zh-CN"] else "en", expand=True
            ):
                if line:
                    yield f"{_INDENT}│ {line}"


def _tool_title(row: Json) -> str:
    status = "" if row["status"] == "ok" else f" [{row['status']}]"
    return harmless(row.get("title") or row["name"] or row["call_id"]) + status


def _plain(row: Json, words: dict[str, str]) -> str:
    match row["kind"]:
        case "turn_error":
            return harmless(f"✗ {row.get('code', '')} {row.get('message', '')}".replace("  ", " "))
        case "turn_max_tokens":
            return f"✗ {words['max_tokens']}"
        case "system_prompt":
            return f"{_INDENT}# system: {_excerpt(row['text'])}"
        case "context":
            return f"{_INDENT}# {harmless(row.get('title') or row['source'])}: {_excerpt(row['content'])}"
        case "interaction":
            state = words["waiting"] if row["status"] == "pending" else row.get("outcome", row["status"])
            return harmless(f"? {row['interaction']}: {row['title']} — {state}")
        case "notice":
            return harmless(f"! {row['level']}: {row['text']}{left_out(row)}")
        case "retry":
            return f"{_INDENT}↻ retry {row['retry']}"
        case "compaction":
            return f"──── compaction {row['status']} ────"
        case "command":
            return harmless(f"{_INDENT}/ {row['name']} [{row['status']}]")
        case "search":
            return harmless(f"{_INDENT}⌕ {row.get('query', row.get('url', ''))} [{row['status']}]")
        case _:
            return harmless(f"{_INDENT}· {row.get('title') or row.get('name', row['kind'])}")


def content_text(blocks: Json) -> str:
    """Give the text of content blocks in one line; what is no text by its type."""
    texts = ((block.get("text") or f"[{block['type']}]") + left_out(block) for block in blocks)
    return harmless(" ".join(texts))


def _excerpt(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, list) and value and isinstance(value[0], dict) and "type" in value[0]:
        value = " ".join(str(block.get("text") or f"[{block['type']}]") for block in value)
    text = value if isinstance(value, str) else _compact(value)
    line = harmless(" ".join(text.split()))
    return line if len(line) <= _EXCERPT_CHARS else line[: _EXCERPT_CHARS - 1] + "…"


def _compact(value: Json) -> str:
    if isinstance(value, dict) and len(value) == 1:
        return str(next(iter(value.values())))
    return str(value)
