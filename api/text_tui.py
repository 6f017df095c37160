"""A transcript in the terminal view as text: one message a turn, or one a step (`views.md` D)."""

from collections import deque
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
    rows_of,
    words_of,
)
from projections.labels import duration_text
from projections.languages import Locale
from projections.tui import TOOL_CARDS

Json = Any  # decoded JSON of the wire
_NOT_HERE = ("turn_process", "system_prompt")
# What the end of a turn brings; a step without any row stands before it.
_ENDS = ("turn_error", "turn_max_tokens", "turn_tail")
_INDENT = "  "


def tui_lines(transcript: Json, *, locale: Locale, expand: bool) -> Iterator[str]:
    """Give the lines of a whole transcript in the terminal view.

    Args:
        transcript: decoded JSON.
        locale: `en` or `zh-CN`.
        expand: show the cards that are there with input and output, in any phase.
    """
    yield from _lines(transcript, transcript["view"]["phase"], locale, expand=expand)


def _lines(transcript: Json, phase: str, locale: Locale, *, expand: bool) -> Iterator[str]:
    """The transcript of a session, or that of a delegate in the same phase."""
    words, nested = words_of(locale), partial(_lines, phase=phase, locale=locale, expand=expand)
    for row in transcript["session_rows"]:
        yield from row_lines(row, words, nested)
    for turn in transcript["turns"]:
        yield from _turn_lines(turn, phase, words, locale, nested, expand=expand)
        yield ""


def _turn_lines(
    turn: Json, phase: str, words: dict[str, str], locale: Locale, nested: Nested, *, expand: bool
) -> Iterator[str]:
    steps = {step["step"]: step for step in turn["presentation"]["steps"]}
    order = {number: at for at, number in enumerate(steps)}
    rows = list(rows_of(turn))
    last = {row["step"]: at for at, row in enumerate(rows) if row["step"] in steps and _is_model(row)}
    work_ends = max(last.values(), default=-1)
    bare = deque(step for number, step in steps.items() if number not in last)
    headed: set[int] = set()
    for at, row in enumerate(rows):
        number = row["step"] if last.get(row["step"], -1) >= at and _is_model(row) else None
        is_end = row["kind"] in _ENDS and at > work_ends
        while bare and (is_end or _is_before(bare[0]["step"], number, order)):
            yield from _bare_step(bare.popleft(), words, locale)
        if number is not None and number not in headed and _is_shown(row, phase):
            headed.add(number)
            if steps[number]["header"]:
                yield words["assistant"]
        yield from _row_lines(row, steps, phase, words, nested, expand=expand)
        if number is not None and last[number] == at:
            yield from _footer_lines(steps[number], locale)
    for step in bare:
        yield from _bare_step(step, words, locale)
    for waiting in turn["queued"]:
        yield f"… {words['queued']}: {content_text(waiting['content'])}"
    yield from life_lines(turn, words)


def _is_model(row: Json) -> bool:
    return row["kind"] in ("assistant_step", *TOOL_CARDS)


def _is_before(step: int, other: int | None, order: dict[int, int]) -> bool:
    return other is not None and order[step] < order[other]


def _is_shown(row: Json, phase: str) -> bool:
    return row["kind"] not in _NOT_HERE and not (row["kind"] in TOOL_CARDS and phase == "hidden")


def _bare_step(step: Json, words: dict[str, str], locale: Locale) -> Iterator[str]:
    """A step without any row: its header, where the phase gives it one, and its footer (D-3, D-5)."""
    if step["header"]:
        yield words["assistant"]
    yield from _footer_lines(step, locale)


def _row_lines(
    row: Json, steps: Json, phase: str, words: dict[str, str], nested: Nested, *, expand: bool
) -> Iterator[str]:
    kind = row["kind"]
    if not _is_shown(row, phase):
        return
    if kind == "assistant_step":
        yield from _body_lines(row, steps[row["step"]]["body"] if row["step"] in steps else ())
    elif kind in (*TOOL_CARDS, "context"):
        is_open = expand or phase == "expanded"
        yield from row_lines(row, words, nested) if is_open else closed_row_lines(row, words)
    else:
        yield from row_lines(row, words, nested)


def _body_lines(row: Json, body: Json) -> Iterator[str]:
    for block in row["blocks"]:
        if block["type"] in body and block["text"].strip():
            mark = f"{_INDENT}~ " if block["type"] == "reasoning" else ""
            yield from (f"{mark}{line}".rstrip() for line in harmless(block["text"]).strip().splitlines())


def _footer_lines(step: Json, locale: Locale) -> Iterator[str]:
    footer = step["footer"]
    duration = footer.get("duration_ms")
    if duration is None and {"started_at_ms", "ended_at_ms"} <= footer.keys():
        duration = footer["ended_at_ms"] - footer["started_at_ms"]
    if duration is not None and duration >= 1:
        yield f"{_INDENT}⏱ {duration_text(duration, locale)}"
