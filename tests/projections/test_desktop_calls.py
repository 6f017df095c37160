"""A `tool_call` block before its call bounds nothing: the event makes the part (ADR 0021; C-2, C-3, C-7)."""

import pytest

from projections.session import SessionFold
from tests.projections.desktop_entries import BEGIN, entries, items
from tests.projections.folding import Event, call, chunk, end, fold, message, more, result

BLOCK = {
    "type": "assistant/chunk",
    "turn": 1,
    "step": 1,
    "index": 1,
    "kind": "block_start",
    "block_type": "tool_call",
}
INPUT = {
    "type": "assistant/chunk",
    "turn": 1,
    "step": 1,
    "index": 1,
    "kind": "tool_input",
    "call_id": "c1",
    "text": "{",
}
CALLING: list[Event] = [
    {"type": "text", "text": "I look."},
    {"type": "tool_call", "call_id": "c1", "name": "read", "input": {}},
]


def entry(session: SessionFold) -> Event:
    """The only entry of the first turn."""
    (found,) = entries(session)
    return found


def test_text_is_the_answer_until_the_call_is_logged() -> None:
    """While the input streams nothing can stand in the call's place; the event moves the text into the process."""
    session = fold(*BEGIN, chunk("I look."), BLOCK, INPUT)
    shown = entry(session)
    assert (shown["answer"], shown["disclosure"]) == (["step:1:1#0"], None)
    more(session, call())
    shown = entry(session)
    assert items(shown) == ["step:1:1#0", "tool:c1"]
    assert shown["answer"] == []


@pytest.mark.parametrize("reason", ["completed", "aborted", "interrupted", "max_tokens"])
def test_a_call_that_was_never_made_hides_no_text(reason: str) -> None:
    """The only text of such a turn stands outside, streamed or settled (S000: the end of an aborted answer)."""
    streamed = [*BEGIN, chunk("I look."), BLOCK, INPUT, end(reason)]
    settled = [*BEGIN, message(CALLING), end(reason)]
    for log in (streamed, settled):
        assert entry(fold(*log))["answer"] == ["step:1:1#0"]


def test_a_call_stands_where_its_block_stands_once_it_is_made() -> None:
    """Between the texts around the block: the first is process, the second the answer."""
    session = fold(*BEGIN, message([*CALLING, {"type": "text", "text": "So."}]))
    assert entry(session)["answer"] == ["step:1:1#0", "step:1:1#2"]
    shown = entry(more(session, call(), result(), end()))
    assert items(shown) == ["step:1:1#0", "tool:c1"]
    assert shown["answer"] == ["step:1:1#2"]


def test_reasoning_streams_until_its_end_or_the_call() -> None:
    """A block of a call that is still to come is no later part of the step."""
    session = fold(*BEGIN, chunk("hm", kind="reasoning"), BLOCK, INPUT)
    assert entry(session)["disclosure"]["header"]["phase"] == "thinking"
    more(session, call())
    assert entry(session)["disclosure"]["header"]["phase"] is None
