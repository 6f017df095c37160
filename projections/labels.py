"""Labels from structured facts (`views.md` B-11, C-10, C-13): what a client shows if it builds no words of its own.

Every label travels with the facts that it was made of.
"""

from functools import lru_cache

from msgspec import Struct

from projections.languages import Locale, language_of, listed, phrase
from projections.spec import TurnProcessSpec

SEPARATOR = " · "
# Action titles name at most so many actions (C-13).
NAMED_ACTIONS = 3
_UNITS_MS = (("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1_000))


class Segment(Struct, frozen=True, kw_only=True, gc=False):
    """One counted part of a label: `tool_calls`, `messages` or `subagents`."""

    kind: str
    count: int


class Label(Struct, frozen=True, kw_only=True, gc=False):
    """A label as facts and as text; zero parts are left out, so `segments` may be empty."""

    segments: tuple[Segment, ...]
    text: str


def process_label(spec: TurnProcessSpec, locale: Locale) -> Label:
    """Label the control of a turn (B-11).

    >>> spec = TurnProcessSpec(
    ...     turn=1,
    ...     control_anchor_seq=5,
    ...     process_start_seq=0,
    ...     answer_anchor_seq=28,
    ...     answer_step=2,
    ...     inline_reasoning=True,
    ...     message_count=2,
    ...     tool_call_count=1,
    ...     subagent_count=0,
    ... )
    >>> process_label(spec, "en").text
    '1 tool call · 2 messages'
    """
    return _label(spec.tool_call_count, spec.message_count, spec.subagent_count, locale)


@lru_cache(maxsize=1024)
def _label(tool_calls: int, messages: int, subagents: int, locale: Locale) -> Label:
    """Make a label; few counts make up most turns, and every flush asks again."""
    counts = (("tool_calls", tool_calls), ("messages", messages), ("subagents", subagents))
    segments = tuple(Segment(kind=kind, count=count) for kind, count in counts if count)
    language = language_of(locale)
    parts = [phrase(language, one.kind, one.count) for one in segments]
    return Label(segments=segments, text=SEPARATOR.join(parts) or phrase(language, "nothing_counted"))


def title_text(
    actions: tuple[str, ...], *, more: bool, operations: int, segments: int, items: int, locale: Locale
) -> str:
    """Say what a group is made of: its actions, then the count, which comes last and is never cut off (C-13).

    Args:
        actions: at most three, in order of first appearance.
        more: whether there are further ones.
        operations: tools, commands and searches; thinking is named, not counted.
        segments: pieces of thinking, counted where there is nothing else to count.
        items: rows shown, counted where there is neither.

    >>> title_text(("search", "read"), more=False, operations=12, segments=0, items=12, locale="zh-CN")
    '搜索并读取文件 · 12 次操作'
    """
    language = language_of(locale)
    named = listed(language, tuple(phrase(language, f"action.{one}") for one in actions), goes_on=more)
    counts = (("operations", operations), ("segments", segments), ("items", items))
    kind, count = next((one for one in counts if one[1]), counts[-1])
    counted = phrase(language, kind, count)
    return SEPARATOR.join(part for part in (named[:1].upper() + named[1:], counted) if part)


def header_text(
    status: str, phase: str | None, duration_ms: float | None, tool_count: int, locale: Locale
) -> str:
    """Say how a process goes or went: status or phase, time, count; nothing that could be of any length (C-10).

    >>> header_text("completed", None, 3_605_000, 2, "en")
    'Completed · 1h 5s · 2 tool calls'
    """
    language = language_of(locale)
    parts = [phrase(language, f"status.{status}" if phase is None else f"phase.{phase}")]
    if duration_ms is not None:
        parts.append(duration_text(duration_ms, locale))
    if tool_count:
        parts.append(phrase(language, "tool_calls", tool_count))
    return SEPARATOR.join(parts)


def duration_text(duration_ms: float, locale: Locale) -> str:
    """Say a duration in its units, zero ones left out; below a second in milliseconds.

    >>> duration_text(3_605_400, "en"), duration_text(3_605_400, "zh-CN"), duration_text(40, "en")
    ('1h 5s', '1小时5秒', '40ms')
    """
    language = language_of(locale)
    left, parts = int(duration_ms), []
    for unit, size_ms in _UNITS_MS:
        count, left = divmod(left, size_ms)
        if count:
            parts.append(phrase(language, f"unit.{unit}", count))
    return language.unit_separator.join(parts or [phrase(language, "unit.millisecond", left)])
