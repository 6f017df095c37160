"""Whatever JSON stands in a row is drawn: what a producer sends as input, output or content is nobody's promise."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from clients.tui.cards import Look
from clients.tui.document import Document
from clients.tui.plain import lines_of
from clients.tui.texts import complete, cut_texts
from clients.wire.held import HeldTranscript
from clients.wire.messages import TurnValue
from tests.tui.screens import rows_of

KINDS = [
    "system_prompt", "user", "steering", "context", "assistant_step", "tool_call", "search", "retry", "command",
    "compaction", "interaction", "notice", "turn_process", "turn_error", "turn_max_tokens", "turn_tail", "custom",
    "of_tomorrow",
]  # fmt: skip
FIELDS = [
    "text", "content", "blocks", "name", "title", "input", "output", "progress", "error", "exit_code", "status",
    "query", "url", "sources", "retry", "delay_ms", "failure", "summary", "interaction", "outcome", "payload", "answer",
    "level", "code", "message", "duration_ms", "started_at_ms", "ended_at_ms", "source", "heads", "truncated", "bytes",
    "id", "call_id",
]  # fmt: skip
SCALAR = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 10**15),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["", "a", "two\nlines", "\x1b[m", "ok"]),
)
BLOCK_FIELDS = ["type", "text", "truncated", "bytes", "path", "unified", "field", "title", "url"]
JSON = st.recursive(
    SCALAR,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(BLOCK_FIELDS), inner, max_size=4),
        st.fixed_dictionaries(
            {"type": st.sampled_from(["text", "reasoning", "image", "diff", "odd"]), "text": inner}
        ),
    ),
    max_leaves=8,
)
ROW = st.tuples(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=8))


@given(
    st.lists(ROW, max_size=6),
    st.sampled_from(["collapsed", "expanded", "hidden"]),
    st.dictionaries(st.sampled_from(["queued", "waiting", "status"]), JSON),
    JSON,
)
def test_every_row_is_drawn(
    rows: list[tuple[str, dict[str, Any]]], phase: str, facts: dict[str, Any], footer: Any
) -> None:
    """In every phase, live and as lines; its texts are found, and completed where they are."""
    values = [
        {**fields, "kind": kind, "key": f"k{at}", "turn": 1, "step": at % 2, "anchor": at}
        for at, (kind, fields) in enumerate(rows)
    ]
    body = ["text", "reasoning"]
    steps = [{"step": number, "header": True, "body": body, "footer": footer} for number in (0, 1, 2)]
    turn = TurnValue(turn=1, rows=tuple(values), presentation={"steps": steps})
    held = HeldTranscript((turn,))
    list(held.apply({"op": "turn", "turn": 1, **facts}))
    document = Document(held, Look(phase=phase, more_key="m"))
    for width in (40, 80):
        rows_of(document, width)
    list(lines_of(held, Look(phase=phase)))
    for row in held.turns[0].rows:
        for pointer in cut_texts(row):
            complete(row, pointer, "whole")
        part = next(seat for seat in document.seats() if seat.key == row.key)
        document.redraw(part)
