"""Session files of others, read where they lie beside the repository; without them there is no test here."""

import json
import os
from pathlib import Path

import pytest

from projections.decode import decode_event
from projections.events import Malformed
from service.importers import UnknownFormatError, open_session_file
from service.importers.harness import read_harness

_REPOSITORY = Path(__file__).resolve().parents[3]
_SHARED = Path(os.environ.get("TURNFOLD_SHARED") or _REPOSITORY.parent / "shared")
_VECTORS = sorted((_REPOSITORY / "tests" / "vectors" / "harness").glob("*.json"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a file; where there are no files, one over no file at all, so that no run reports a skip."""
    if "shared_files" in metafunc.fixturenames:
        files = sorted((_SHARED / "files" / "deepseek-harness").glob("*.jsonl"))
        metafunc.parametrize(
            "shared_files",
            [(path,) for path in files] or [()],
            ids=lambda paths: "".join(p.name for p in paths),
        )


def test_every_line_of_a_real_file_is_accounted_for(shared_files: tuple[Path, ...]) -> None:
    """Every line becomes a decodable event or is named; protocol traffic is refused as a whole."""
    for path in shared_files:
        if ".acp." in path.name:
            with pytest.raises(UnknownFormatError, match="not a session log"):
                open_session_file(path)
            continue
        file = open_session_file(path, related=shared_files)
        decoded = [decode_event(event.body) for event in file]
        assert decoded
        assert not [event for event in decoded if isinstance(event, Malformed)]
        assert file.report.is_complete, str(file.report)
        assert file.report.quarantined_count == 0
        assert not file.report.unknown


@pytest.mark.parametrize("path", _VECTORS, ids=lambda path: path.stem)
def test_every_vector_keeps_the_logs_own_seq(path: Path) -> None:
    """The expected anchors speak of it."""
    log = json.loads(path.read_bytes())["events"]
    read = list(read_harness(log))
    assert [event.source_seq for event in read] == [record["seq"] for record in log]
    assert not [event for event in read if isinstance(decode_event(event.body), Malformed)]
