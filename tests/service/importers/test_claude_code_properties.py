"""Whatever a Claude Code file holds, in whichever pieces it comes: no line raises, none is lost, ids are stable."""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from projections.decode import decode_event
from projections.events import Malformed
from projections.fold import Fold
from projections.session import SessionFold
from service.importers import open_session_file
from tests.service.importers.claude_log import Json, Log, account, call, raw, read, thought
from tests.service.importers.growth import followed

Strategy = st.SearchStrategy[Any]

_TYPES = [
    "user", "assistant", "system", "attachment", "progress", "queue-operation", "summary", "custom-title",
    "ai-title", "tool_use", "tool_result", "pr-link", "relocated", "hologram",
]  # fmt: skip
_WORDS = [
    "u1", "u2", "t1", "m1", "a1", "", " ", "<command-name>/x</command-name>", "<bash-input>ls</bash-input>",
    "<local-command-stdout>x</local-command-stdout>", "[Request interrupted by user]x", "human", "enqueue",
    "popAll", "queued_command", "turn_duration", "api_error", "compact_boundary", "api_refusal",
    "local_command", "<synthetic>", "Task", "web_search", "\ud83d", "\u0000", "2026-01-01T00:00:00Z",
]  # fmt: skip
_BLOCK_TYPES = [
    "text", "thinking", "redacted_thinking", "tool_use", "tool_result", "image", "fallback",
    "server_tool_use", "mcp_tool_use", "web_search_tool_result", "mcp_tool_result", "reasoning", "hologram",
]  # fmt: skip

_TEXTS = st.sampled_from(_WORDS)
_NUMBERS = st.sampled_from([-1, 0, 1, 2.0, 0.5, 2**53, 2**70, 1e300])
_LEAVES: Strategy = st.none() | st.booleans() | _NUMBERS | _TEXTS


def _shape(keys: str, values: Strategy, **fixed: Strategy) -> Strategy:
    """An object that has some of the keys."""
    return st.fixed_dictionaries(fixed, optional=dict.fromkeys(keys.split(), values))


_DETAILS = _shape(
    "agentId interrupted filePath structuredPatch durationMs kind model data media_type url query prompt",
    _LEAVES | st.lists(_LEAVES, max_size=2),
)
_BLOCKS = _shape(
    "id name input text thinking data source content tool_use_id is_error from to",
    _LEAVES | _DETAILS | st.lists(_LEAVES, max_size=2),
    type=st.sampled_from(_BLOCK_TYPES),
)
_CONTENTS: Strategy = _LEAVES | st.lists(_BLOCKS | _LEAVES, max_size=3)
_ATTACHMENTS = _shape(
    "prompt commandMode origin isMeta source_uuid content stderr blockingError snippet hookName",
    _CONTENTS | _DETAILS,
    type=_TEXTS | st.sampled_from(["file", "nested_memory", "hook_blocking_error", "hook_success"]),
)
_FIELDS = [
    "uuid", "parentUuid", "logicalParentUuid", "isSidechain", "agentId", "isMeta", "isCompactSummary",
    "timestamp", "cwd", "subtype", "sessionId", "isApiErrorMessage", "isAbortedMidStream", "error", "content",
    "operation", "toolDenialKind", "promptSource", "interruptedMessageId", "retryAttempt", "retryInMs",
    "durationMs", "level", "sourceToolAssistantUUID", "parentToolUseID", "summary", "customTitle", "aiTitle",
    "prNumber", "prUrl", "name", "input", "output", "tool_use_id",
]  # fmt: skip
_LINES = st.fixed_dictionaries(
    {"type": st.sampled_from(_TYPES)},
    optional={
        "message": _shape("id model stop_reason usage", _LEAVES, content=_CONTENTS) | _LEAVES,
        "attachment": _ATTACHMENTS | _LEAVES,
        "toolUseResult": _DETAILS | _LEAVES,
        "origin": _DETAILS | _LEAVES,
        "retractedMessageUuids": st.lists(_LEAVES, max_size=3),
        "supersedesUuids": st.lists(_LEAVES, max_size=3),
        "data": _DETAILS | _LEAVES,
        "compactMetadata": _DETAILS | _LEAVES,
    }
    | dict.fromkeys(_FIELDS, _LEAVES),
)
_FILES = st.lists(_LINES | st.binary(max_size=20).map(lambda part: part.replace(b"\n", b"")), max_size=12)


@given(_FILES, st.booleans())
@settings(max_examples=150)
def test_no_line_raises_and_every_line_is_accounted_for(lines: list[Json | bytes], leave_open: bool) -> None:
    """Every event is decodable, and the fold takes it."""
    fold = SessionFold()
    for event in read(lines, leave_open=leave_open):
        decoded = decode_event(event.body)
        assert not isinstance(decoded, Malformed), decoded.reason
        fold.apply(fold.next_seq, decoded)
    assert account(lines).is_complete


@given(_FILES)
@settings(max_examples=150)
def test_finished_file_leaves_nothing_running(lines: list[Json | bytes]) -> None:
    """Every turn is ended, in the transcripts of subagents too."""
    fold = SessionFold()
    for event in read(lines):
        fold.apply(fold.next_seq, decode_event(event.body))
    assert not [path for path, one in _transcripts(fold.main) if one.open is not None]


def _transcripts(fold: Fold) -> Iterator[tuple[tuple[str, ...], Fold]]:
    yield fold.path, fold
    for below in fold.delegates.values():
        yield from _transcripts(below)


@given(_FILES)
@settings(max_examples=100)
def test_ids_are_distinct_and_the_same_in_every_reading(lines: list[Json | bytes]) -> None:
    """So a repeated import adds nothing."""
    ids = [json.loads(event.body)["event_id"] for event in read(lines)]
    assert len(ids) == len(set(ids))
    assert ids == [json.loads(event.body)["event_id"] for event in read(lines)]


@given(_FILES, st.data())
@settings(max_examples=100)
def test_longer_file_begins_with_the_events_of_a_shorter_one(lines: list[Json | bytes], data: Any) -> None:
    """What a line becomes depends on the lines before it alone."""
    count = data.draw(st.integers(0, len(lines)))
    shorter = [event.body for event in read(lines[:count], leave_open=True)]
    assert [event.body for event in read(lines, leave_open=True)][: len(shorter)] == shorter


def _session() -> list[Json]:
    log = Log()
    log.human("Go")
    log.model(thought("Hm"), message="m")
    log.model(call("t1"), message="m")
    log.about("queue-operation", operation="enqueue", content="Also")
    log.result("t1", "ä€🎈")
    log.system("api_error", retryAttempt=1)
    fork = log.model("Done.")
    log.human("No")
    log.leaf = fork
    log.human("Yes")
    log.model("Well.")
    log.system("turn_duration", durationMs=1)
    return log.lines


@given(st.lists(st.integers(0, 4000), max_size=12).map(sorted))
@settings(max_examples=60, deadline=None)
def test_file_that_grows_in_any_pieces_gives_the_same_events(cuts: list[int]) -> None:
    """A piece may end anywhere, in the middle of a character too."""
    content = b"".join(line + b"\n" for line in raw(_session()))
    pieces = [content[a:b] for a, b in zip([0, *cuts], [*cuts, len(content)], strict=True)]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "s1.jsonl"
        path.write_bytes(b"")
        grown = [event.body for event in followed(open_session_file(path, "claude-code"), path, pieces)]
        at_once = [event.body for event in open_session_file(path, "claude-code", True)]
    assert grown == at_once
    assert grown
