"""Whatever a log holds, the importer gives one decodable event for each of its events."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from projections.decode import decode_event
from projections.events import Malformed
from service.importers.accounting import Ledger
from service.importers.harness import read_harness

Strategy = st.SearchStrategy[Any]

_KINDS = [
    "agent/inbox/spliced", "approval/asked", "approval/decided", "assistant/chunk", "assistant/message",
    "command/done", "command/run", "compaction/start", "compaction/summary", "compaction/end",
    "llm/retry", "llm/retry-started", "request/context", "request/header", "session/title",
    "step/start", "step/end", "system/message", "todo/write", "tool/call", "tool/result", "turn/start",
    "turn/end", "user/message", "quantum/leap",
]  # fmt: skip
_BLOCK_TYPES = [
    "text", "reasoning", "image", "diff", "tool-call", "tool_call", "tool-result", "chart",
]  # fmt: skip
_CHUNK_TYPES = [
    "block-start", "block-end", "text-delta", "reasoning-delta", "tool-call-delta", "usage", "finish",
    "citation",
]  # fmt: skip
_WORDS = [
    "user",
    "plugin",
    "append",
    "next-step",
    "next-turn",
    "canceled",
    "denied",
    "error",
    "c1",
    "{}",
    '{"a":1}',
]
_ODD_TEXTS = ["\ud83d", "", " ", "[exit code: 999999999]", '{\n"a": 1}', "\u0000"]

_TEXTS = st.sampled_from(_WORDS + _ODD_TEXTS)
_NUMBERS = st.sampled_from([-1, 0, 1, 2, 2.0, 0.5, 2**53, 2**70, 1e300])
_LEAVES: Strategy = st.none() | st.booleans() | _NUMBERS | _TEXTS


def _shape(keys: str, values: Strategy, **fixed: Strategy) -> Strategy:
    """An object that has some of the keys."""
    return st.fixed_dictionaries(fixed, optional=dict.fromkeys(keys.split(), values))


_BLOCKS = _shape(
    "text id callId toolCallId name arguments path unified width height url data isError",
    _LEAVES,
    type=st.sampled_from(_BLOCK_TYPES),
) | st.fixed_dictionaries(
    {"type": st.sampled_from(["image", "tool-result"])},
    optional={
        "attachment": _shape("attachmentId mediaType width height", _LEAVES),
        "content": st.lists(_shape("text", _LEAVES, type=st.sampled_from(_BLOCK_TYPES)), max_size=2),
    },
)
_SOURCES = _shape("kind plugin title callId", _LEAVES)
_CONTENT: Strategy = _LEAVES | st.lists(_BLOCKS | _LEAVES, max_size=3)
_MESSAGES = st.fixed_dictionaries(
    {}, optional={"id": _LEAVES, "content": _CONTENT, "source": _SOURCES | _LEAVES, "phase": _LEAVES}
)
_CHUNKS = st.fixed_dictionaries(
    {"type": st.sampled_from(_CHUNK_TYPES)},
    optional={
        "index": _LEAVES, "text": _LEAVES, "id": _LEAVES, "name": _LEAVES, "argumentsDelta": _LEAVES,
        "blockType": _LEAVES, "block": _BLOCKS | _LEAVES, "usage": _LEAVES, "reason": _SOURCES | _LEAVES,
    },
)  # fmt: skip
_PLAIN_KEYS = (
    "id callId name arguments args commandId text kind outcome retryId retry delayMs durationMs interrupted "
    "isError title model start removedCount target trigger usage failure summary"
)
_DATA = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(_PLAIN_KEYS.split(), _LEAVES)
    | dict.fromkeys(["turn", "step"], st.sampled_from([1, 2, None, "1"]))
    | {
        "message": _MESSAGES | _LEAVES,
        "content": _CONTENT,
        "source": _SOURCES,
        "chunk": _CHUNKS | _LEAVES,
        "error": _shape("code message name", _LEAVES) | _LEAVES,
        "reason": st.fixed_dictionaries(
            {"kind": _LEAVES}, optional={"error": _shape("code message", _LEAVES)}
        ),
        "header": st.fixed_dictionaries(
            {}, optional={"system": _CONTENT, "config": _shape("model", _LEAVES)}
        ),
        "inserted": st.lists(_MESSAGES, max_size=3),
    },
)
_RECORDS = st.fixed_dictionaries(
    {"type": st.sampled_from(_KINDS), "data": _DATA},
    optional={
        "time": _LEAVES,
        "surfaceOp": st.sampled_from(["append", "replace", {"op": "append"}, {"op": "replace"}, None, 7]),
        "ignorable": _LEAVES,
    },
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_RECORDS, max_size=6))
def test_any_log_gives_one_decodable_event_for_each_of_its_events(log: list[dict[str, Any]]) -> None:
    """No shape of known fields makes an event that the service would refuse."""
    read = list(read_harness(log))
    assert len(read) == len(log)
    for event in read:
        assert b"\n" not in event.body
        assert not isinstance(decode_event(event.body), Malformed), (decode_event(event.body), event.body)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.binary(max_size=40) | _RECORDS.map(lambda record: json.dumps(record).encode()), max_size=5)
)
def test_any_lines_are_accounted_for(lines: list[bytes]) -> None:
    """Bytes of any kind: no exception, no line without an account."""
    ledger = Ledger()
    read = list(read_harness(lines, ledger=ledger, leave_open=False))
    assert ledger.report().is_complete
    assert ledger.report().line_count == len(lines)
    assert ledger.report().event_count == len(read)
    assert not [event for event in read if isinstance(decode_event(event.body), Malformed)]
