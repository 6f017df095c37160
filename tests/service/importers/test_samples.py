"""The sample sessions that `make run` shows: valid, and worth a newcomer's watching."""

from pathlib import Path

import pytest

import service
from projections.decode import decode_event
from projections.events import (
    AssistantChunk,
    Compaction,
    Event,
    InteractionRequest,
    LlmRetry,
    Malformed,
    SearchRound,
    ToolResult,
    TurnEnd,
    UserSteering,
)
from service.importers import open_session_file

_SAMPLES = sorted((Path(service.__file__).parent / "samples").glob("*.jsonl"))


def events_of(path: Path) -> list[Event]:
    """The decoded events of a sample."""
    decoded = [decode_event(native.body) for native in open_session_file(path)]
    assert not [event for event in decoded if isinstance(event, Malformed)]
    return [event for event in decoded if not isinstance(event, Malformed)]


@pytest.mark.parametrize("path", _SAMPLES, ids=lambda path: path.stem)
def test_sample_is_whole(path: Path) -> None:
    """Every line is projected, and every turn has its own end."""
    file = open_session_file(path)
    count = len(list(file))
    assert file.format == "native"
    assert file.report.projected_count == file.report.line_count == count
    assert file.report.synthetic_end is None


@pytest.mark.parametrize("path", _SAMPLES, ids=lambda path: path.stem)
def test_sample_is_watchable_at_its_recorded_speed(path: Path) -> None:
    """Between half a minute and a minute and a half, and never more than seven seconds of silence."""
    pauses = [native.pause_ms for native in open_session_file(path)]
    assert 30_000 <= sum(pauses) <= 90_000
    assert max(pauses) <= 7_000


def test_samples_show_what_the_product_folds() -> None:
    """Streaming, failed and denied tools, delegates, steering, retries, searches, ends of all kinds."""
    events = [event for path in _SAMPLES for event in events_of(path)]
    kinds = {type(event) for event in events}
    assert kinds >= {AssistantChunk, Compaction, InteractionRequest, LlmRetry, SearchRound, UserSteering}
    assert {event.status for event in events if isinstance(event, ToolResult)} == {"ok", "error", "denied"}
    assert {event.reason for event in events if isinstance(event, TurnEnd)} == {
        "completed",
        "aborted",
        "failed",
    }
    assert any(event.parent_call_id for event in events)


def test_samples_do_not_share_a_session_name() -> None:
    """Each is a session of its own in the list."""
    names = {open_session_file(path).suggested_session for path in _SAMPLES}
    assert len(names) == len(_SAMPLES) >= 3
