"""Labels of the web view from structured facts (`views.md` B-11), in the languages that ship with the service.

A client may build its own words: every label also travels as its segments (kind and count).
"""

from typing import Literal

from msgspec import Struct

from projections.spec import TurnProcessSpec

Locale = Literal["en", "zh-CN"]
LOCALES: tuple[Locale, ...] = ("en", "zh-CN")
SEPARATOR = " · "
# (one, other) of each kind; zh has no plural.
_WORDS: dict[Locale, dict[str, tuple[str, str]]] = {
    "en": {
        "tool_calls": ("{n} tool call", "{n} tool calls"),
        "messages": ("{n} message", "{n} messages"),
        "subagents": ("{n} subagent", "{n} subagents"),
    },
    "zh-CN": {
        "tool_calls": ("{n} 次工具调用", "{n} 次工具调用"),
        "messages": ("{n} 条消息", "{n} 条消息"),
        "subagents": ("{n} 个 subagent", "{n} 个 subagent"),
    },
}
_NOTHING_COUNTED: dict[Locale, str] = {"en": "Thought for a while", "zh-CN": "已思考"}


class Segment(Struct, frozen=True, kw_only=True):
    """One counted part of a label: `tool_calls`, `messages` or `subagents`."""

    kind: str
    count: int


class Label(Struct, frozen=True, kw_only=True):
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
    counts = (
        ("tool_calls", spec.tool_call_count),
        ("messages", spec.message_count),
        ("subagents", spec.subagent_count),
    )
    segments = tuple(Segment(kind=kind, count=count) for kind, count in counts if count)
    words = _WORDS[locale]
    parts = [words[one.kind][0 if one.count == 1 else 1].format(n=one.count) for one in segments]
    return Label(segments=segments, text=SEPARATOR.join(parts) or _NOTHING_COUNTED[locale])
