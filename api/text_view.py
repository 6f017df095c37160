"""A transcript as text for a terminal or a pipe: what the web view folds is folded here too.

1. It works on the wire's own JSON, so that `show` and `tail` print what a client of any language would derive.
2. Every text is harmless: control characters, terminal escapes and bidirectional overrides become visible signs.
3. Nothing here decides what is process and what is answer: the presentation says it (B-6 to B-8).
4. A delegate's transcript is drawn by the view that draws the one around it, open where its call's row is.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

Json = Any  # decoded JSON of the wire
# Control characters but tab and newline, marks and overrides of direction, separators that some terminals break a line
# at, tags that nobody sees, and halves of surrogate pairs, which no encoding can write.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
_INDENT = "  "
# Of a tool's input and output in one line; the whole is what `--json` and the page are for.
_EXCERPT_CHARS = 120
# Of an input with several fields, what a reader knows the call by, in this order.
_TELLING = (
    "command", "cmd", "file_path", "notebook_path", "pattern", "query", "url", "path", "description", "prompt",
    "name", "skill",
)  # fmt: skip
_WORDS = {
    "en": {
        "completed": "completed", "aborted": "stopped", "interrupted": "interrupted", "failed": "failed",
        "max_tokens": "cut off: token limit", "blocked": "blocked", "running": "running",
        "user": "You", "steering": "You (while it ran)", "waiting": "waits for you", "queued": "to be sent",
        "assistant": "Assistant", "thinking": "Thinking", "system": "system prompt", "retry": "retry",
        "compaction": "compaction", "unknown": "result not recorded", "other": "request",
    },
    "zh-CN": {
        "completed": "已完成", "aborted": "已停止", "interrupted": "已中断", "failed": "失败",
        "max_tokens": "达到 token 上限", "blocked": "已阻止", "running": "运行中",
        "user": "你", "steering": "你（运行中）", "waiting": "等待你", "queued": "待发送",
        "assistant": "助手", "thinking": "思考", "system": "系统提示词", "retry": "重试",
        "compaction": "上下文压缩", "unknown": "未记录结果", "ok": "成功", "error": "出错", "denied": "已拒绝",
        "canceled": "已取消", "searching": "搜索中", "started": "已开始", "done": "完成", "success": "成功",
        "resolved": "已处理", "expired": "已过期",
        "permission": "权限", "question": "问题", "plan": "计划", "goal": "目标", "other": "请求",
        "level_info": "提示", "level_warning": "警告", "level_error": "错误",
    },
}  # fmt: skip
Words = dict[str, str]
#: Draws a delegate's transcript (`turns`, `session_rows`), as the view that its call's row is drawn in.
Nested = Callable[[Json], Iterator[str]]


def words_of(locale: str) -> Words:
    """Give the words of a language (`en` or `zh-CN`); what a log may say in any words is looked up by `said`."""
    return _WORDS[locale]


def said(words: Words, word: str) -> str:
    """Give a status, kind or outcome of a log in the reader's language; one that is not known here as it is."""
    return words.get(word, word)


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
    words, nested = _WORDS[locale], web_nested(locale)
    for row in transcript["session_rows"]:
        yield from row_lines(row, words, nested)
    for turn in transcript["turns"]:
        yield from _turn_lines(turn, words, nested, expand=expand)


def web_nested(locale: str) -> Nested:
    """Give what draws a delegate in the web view: open, since its call's row is."""
    return partial(transcript_lines, locale=locale, expand=True)


def _turn_lines(turn: Json, words: Words, nested: Nested, *, expand: bool) -> Iterator[str]:
    """Give the lines of one turn; an open turn shows everything and says that it runs."""
    view = turn["presentation"] or {}
    foldable = bool(view.get("foldable"))
    closed = foldable and not expand
    members = set(view.get("members", ())) if closed else set()
    for row in rows_of(turn):
        if row["key"] in members:
            continue
        if row["kind"] == "turn_process":
            if foldable:
                yield f"{'▸' if closed else '▾'} {view['label']['text']}"
            continue
        is_answer = row["key"] == view.get("answer")
        yield from row_lines(row, words, nested, hide_reasoning=closed and is_answer)
    for waiting in turn.get("queued", ()):
        yield f"… {words['queued']}: {content_text(waiting['content'])}"
    yield from life_lines(turn, words)
    yield ""


def rows_of(turn: Json) -> Iterator[Json]:
    """Give a turn's rows in their places, but what it came to at its end: in text that stands for the end (A-10)."""
    yield from (row for row in turn["rows"] if row["kind"] != "turn_tail")
    yield from (row for row in turn["rows"] if row["kind"] == "turn_tail")


def life_lines(turn: Json, words: Words) -> Iterator[str]:
    """Give a line that says that a turn runs, and how much waits for the reader; none for a closed one."""
    if turn["status"] == "open":
        waiting = f" · {words['waiting']} ({turn['waiting']})" if turn["waiting"] else ""
        yield f"● {words['running']}{waiting}"


def row_lines(row: Json, words: Words, nested: Nested, *, hide_reasoning: bool = False) -> Iterator[str]:
    """Give the lines of one row, with all that it holds."""
    kind = row["kind"]
    if kind in ("user", "steering"):
        yield f"{words[kind]}: {content_text(row['content'])}"
    elif kind == "assistant_step":
        yield from _step_lines(row, words, hide_reasoning=hide_reasoning)
    elif kind == "tool_call":
        yield from _tool_lines(row, words, nested)
    elif kind == "turn_tail":
        yield harmless(f"— {said(words, row['outcome'])}")
    else:
        yield _plain(row, words)


def closed_row_lines(row: Json, words: Words) -> Iterator[str]:
    """Give a row of activity as its title and status alone."""
    if row["kind"] == "tool_call":
        yield f"{_INDENT}⚙ {_tool_title(row, words)} {_line_of(_telling(row['input']))}".rstrip()
    elif row["kind"] == "context":
        yield f"{_INDENT}# {harmless(row.get('title') or row['source'])}"
    else:
        yield _plain(row, words)


def left_out(value: Json) -> str:
    """Say that a block's text is a head, and of how much; empty where it is whole (`wire.md`, *Size*)."""
    return f" [… {value['bytes']:,} bytes in all]" if value.get("truncated") else ""


def _step_lines(row: Json, words: Words, *, hide_reasoning: bool) -> Iterator[str]:
    for block in row["blocks"]:
        kind = block["type"]
        text = harmless(block.get("text", "")) + left_out(block) if kind in ("text", "reasoning") else ""
        if kind == "reasoning" and text.strip() and not hide_reasoning:
            yield from (f"{_INDENT}~ {line}".rstrip() for line in text.strip().splitlines())
        elif kind == "text" and text.strip():
            yield from text.strip().splitlines()
        elif kind not in ("reasoning", "text", "tool_call"):
            yield f"[{harmless(kind)}]"
    if row["status"] == "interrupted":
        yield f"({words['interrupted']})"


def _tool_lines(row: Json, words: Words, nested: Nested) -> Iterator[str]:
    yield f"{_INDENT}⚙ {_tool_title(row, words)} {_excerpt(row['input'])}".rstrip()
    output = row["output"] if row["output"] is not None else row.get("progress")
    if output:
        yield f"{_INDENT}  → {_excerpt(output)}"
    if "delegate" in row:
        yield from (f"{_INDENT}│ {line}" for line in nested(row["delegate"]) if line)


def _tool_title(row: Json, words: Words) -> str:
    status = "" if row["status"] == "ok" else f" [{said(words, row['status'])}]"
    return harmless((row.get("title") or row["name"] or row["call_id"]) + status)


def _plain(row: Json, words: Words) -> str:
    match row["kind"]:
        case "turn_error":
            return harmless(f"✗ {row.get('code', '')} {row.get('message', '')}".replace("  ", " "))
        case "turn_max_tokens":
            return f"✗ {words['max_tokens']}"
        case "system_prompt":
            return f"{_INDENT}# {words['system']}: {_excerpt(row['text'])}"
        case "context":
            return f"{_INDENT}# {harmless(row.get('title') or row['source'])}: {_excerpt(row['content'])}"
        case "interaction":
            is_pending = row["status"] == "pending"
            state = words["waiting"] if is_pending else said(words, row.get("outcome", row["status"]))
            return harmless(f"? {said(words, row['interaction'])}: {row['title']} — {state}")
        case "notice":
            level = words.get(f"level_{row['level']}", row["level"])
            return harmless(f"! {level}: {row['text']}{left_out(row)}")
        case "retry":
            return f"{_INDENT}↻ {words['retry']} {row['retry']}"
        case "compaction":
            return f"──── {words['compaction']} · {said(words, row['status'])} ────"
        case "command":
            return harmless(f"{_INDENT}/ {row['name'].removeprefix('/')} [{said(words, row['status'])}]")
        case "search":
            asked = row.get("query", row.get("url", ""))
            return harmless(f"{_INDENT}⌕ {asked} [{said(words, row['status'])}]")
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
    return _line_of(value if isinstance(value, str) else _compact(value))


def _line_of(text: str) -> str:
    line = harmless(" ".join(text.split()))
    return line if len(line) <= _EXCERPT_CHARS else line[: _EXCERPT_CHARS - 1] + "…"


def _compact(value: Json) -> str:
    return _telling(value) or ("" if value == {} else json.dumps(value, ensure_ascii=False))


def _telling(value: Json) -> str:
    """Give what a reader knows a call by: its command, path or query, or the only text that it has; else nothing."""
    if not isinstance(value, dict):
        return value if isinstance(value, str) else ""
    if len(value) == 1 and isinstance(only := next(iter(value.values())), str):
        return only
    found = (value.get(name) for name in _TELLING)
    return next((one for one in found if isinstance(one, str) and one.strip()), "")
