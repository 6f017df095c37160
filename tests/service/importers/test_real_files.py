"""Session files of others, read where they lie beside the repository; without them there is no test here."""

import json
import os
from pathlib import Path

import pytest

from projections.decode import decode_event
from projections.events import Malformed
from projections.session import SessionFold
from service.importers import UnknownFormatError, open_session_file
from service.importers.harness import read_harness

_REPOSITORY = Path(__file__).resolve().parents[3]
_SHARED = Path(os.environ.get("TURNFOLD_SHARED") or _REPOSITORY.parent / "shared")
_FILES = sorted((_SHARED / "files" / "deepseek-harness").glob("*.jsonl"))
_PROTOCOL_FILES = [path for path in _FILES if ".acp." in path.name]
_SESSION_FILES = [path for path in _FILES if path not in _PROTOCOL_FILES]
_CLAUDE_FILES = sorted(
    path
    for folder in (
        "agent-sessions",
        "agentsview",
        "claude-code-log",
        "claude-code-transcripts",
        "claude-code-viewer",
    )
    for path in (_SHARED / "files" / folder).rglob("*.jsonl")
    if path.name.startswith(("claude_", "cc_", "agent-"))
    or folder.startswith("claude-")
    or path.name == "parent.jsonl"
)
_VECTORS = sorted((_REPOSITORY / "tests" / "vectors" / "harness").glob("*.json"))


if _SESSION_FILES and _PROTOCOL_FILES:  # an empty parameter list would be reported as a skipped test

    @pytest.mark.parametrize("path", _SESSION_FILES, ids=lambda path: path.name)
    def test_every_line_of_a_real_file_is_accounted_for(path: Path) -> None:
        """Every line becomes a decodable event or is named."""
        file = open_session_file(path, related=_SESSION_FILES)
        decoded = [decode_event(event.body) for event in file]
        assert decoded
        assert not [event for event in decoded if isinstance(event, Malformed)]
        assert file.report.is_complete, str(file.report)
        assert file.report.quarantined_count == 0
        assert not file.report.unknown

    @pytest.mark.parametrize("path", _PROTOCOL_FILES, ids=lambda path: path.name)
    def test_real_protocol_traffic_is_refused_as_a_whole(path: Path) -> None:
        """The agent client protocol tells no log events."""
        with pytest.raises(UnknownFormatError, match="not a session log"):
            open_session_file(path)


if _CLAUDE_FILES:

    @pytest.mark.parametrize("path", _CLAUDE_FILES, ids=lambda path: path.name)
    def test_real_claude_code_file_is_recognised_and_read_without_loss(path: Path) -> None:
        """Every line is named, no event twice, and the fold meets no disorder that the log does not have."""
        file = open_session_file(path)
        assert file.format == "claude-code"
        fold, ids = SessionFold(), set()
        for event in file:
            decoded = decode_event(event.body)
            assert not isinstance(decoded, Malformed)
            ids.add(decoded.event_id)
            fold.apply(fold.next_seq, decoded)
        assert len(ids) == fold.next_seq
        assert file.report.is_complete, str(file.report)
        assert file.report.quarantined_count == (path.name == "claude_truncated.jsonl")
        assert not file.report.unknown
        # One call of the trimmed file has no id, and two results name its line.
        assert set(fold.anomalies) <= {"result_before_call"}


@pytest.mark.parametrize("path", _VECTORS, ids=lambda path: path.stem)
def test_every_vector_keeps_the_logs_own_seq(path: Path) -> None:
    """The expected anchors speak of it."""
    log = json.loads(path.read_bytes())["events"]
    read = list(read_harness(log))
    assert [event.source_seq for event in read] == [record["seq"] for record in log]
    assert not [event for event in read if isinstance(decode_event(event.body), Malformed)]
