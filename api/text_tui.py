"""A transcript in the terminal view as text: one message a turn, or one a step (`views.md` D)."""

from collections.abc import Iterator
from typing import Any

from api.text_view import (
    closed_row_lines,
    content_text,
    harmless,
    life_lines,
    open_row_lines,
    row_lines,
    words_of,
)
from projections.labels import duration_text
from projections.languages import Locale

Json = Any  # decoded JSON of the wire
_CARDS = ("tool_call", "search", "command")
_NOT_HERE = ("turn_process", "system_prompt")
_INDENT = "  "


def tui_lines(transcript: Json, *, locale: Locale, expand: bool) -> Iterator[str]:
    """Give the lines of a whole transcript in the terminal view.

    Args:
        transcript: decoded JSON.
        locale: `en` or `zh-CN`.
        expand: show the cards that are there with input and output, in any phase.
    """
    words = words_of(locale)
    phase = transcript["view"]["phase"]
    for row in transcript["session_rows"]:
        yield from row_lines(row, words)
    for turn in transcript["turns"]:
        yield from _turn_lines(turn, phase, words, locale, expand=expand)
        yield ""


def _turn_lines(
    turn: Json, phase: str, words: dict[str, str], locale: Locale, *, expand: bool
) -> Iterator[str]:
    steps = {step["step"]: step for step in turn["presentation"]["steps"]}
    last = {row["step"]: at for at, row in enumerate(turn["rows"]) if row["step"] in steps and _is_model(row)}
    left = dict(steps)
    for at, row in enumerate(turn["rows"]):
        step = left.get(row["step"]) if _is_model(row) else None
        if step is not None:
            for number in [one for one in left if one not in last]:
                if list(steps).index(number) < list(steps).index(step["step"]):
                    yield from _bare_step(left.pop(number), words, locale)
            del left[row["step"]]
            if step["header"]:
                yield words["assistant"]
        yield from _row_lines(row, steps, phase, words, expand=expand)
        if last.get(row["step"]) == at and row["step"] in steps:
            yield from _footer_lines(steps[row["step"]], locale)
    for number in [one for one in left if one not in last]:
        yield from _bare_step(left.pop(number), words, locale)
    for waiting in turn["queued"]:
        yield f"… {words['queued']}: {content_text(waiting['content'])}"
    yield from life_lines(turn, words)


def _is_model(row: Json) -> bool:
    return row["kind"] in ("assistant_step", "tool_call", "search")


def _bare_step(step: Json, words: dict[str, str], locale: Locale) -> Iterator[str]:
    """A step without any row: its header, where the phase gives it one, and its footer (D-3, D-5)."""
    if step["header"]:
        yield words["assistant"]
    yield from _footer_lines(step, locale)


def _row_lines(row: Json, steps: Json, phase: str, words: dict[str, str], *, expand: bool) -> Iterator[str]:
    kind = row["kind"]
    if kind in _NOT_HERE or (kind in _CARDS and phase == "hidden"):
        return
    if kind == "assistant_step":
        yield from _body_lines(row, steps[row["step"]]["body"] if row["step"] in steps else ())
    elif kind in (*_CARDS, "context"):
        shown = open_row_lines if expand or phase == "expanded" else closed_row_lines
        yield from shown(row, words)
    else:
        yield from row_lines(row, words)


def _body_lines(row: Json, body: Json) -> Iterator[str]:
    for block in row["blocks"]:
        if block["type"] in body and block["text"].strip():
            mark = f"{_INDENT}~ " if block["type"] == "reasoning" else ""
            yield from (f"{mark}{line}" for line in harmless(block["text"]).strip().splitlines())


def _footer_lines(step: Json, locale: Locale) -> Iterator[str]:
    footer = step["footer"]
    duration = footer.get("duration_ms")
    if duration is None and {"started_at_ms", "ended_at_ms"} <= footer.keys():
        duration = footer["ended_at_ms"] - footer["started_at_ms"]
    if duration is not None and duration > 0:
        yield f"{_INDENT}⏱ {duration_text(duration, locale)}"
