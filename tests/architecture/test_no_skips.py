"""CI's promise that no suite is skipped, kept by the plugin itself."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SUITE = {
    "test_runs.py": "import pytest\ndef test_runs(): pass\n@pytest.mark.xfail\ndef test_expected(): assert False\n",
    "test_marked.py": "import pytest\n@pytest.mark.skip(reason='no browser')\ndef test_marked(): pass\n",
    "test_calls.py": "import pytest\ndef test_calls(): pytest.skip('no engine')\n",
    "test_module.py": "import pytest\npytest.skip('no node', allow_module_level=True)\n",
}
OPTIONS = ("-p", "tests.no_skips", "-c", os.devnull, "--rootdir", ".", "--continue-on-collection-errors")
REASONS = ("no browser", "no engine", "no node")


def run_suite(directory: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Runs a suite that skips in each way there is, with the plugin."""
    for name, text in SUITE.items():
        (directory / name).write_text(text)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-rs", *OPTIONS, "."],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TURNFOLD_REQUIRE_ALL": "", **environ},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_skip_is_reported_with_its_reason(tmp_path: Path) -> None:
    """On a developer's machine: the run passes, and says what it left out and why."""
    run = run_suite(tmp_path)
    assert run.returncode == pytest.ExitCode.OK, run.stdout
    assert "1 passed, 3 skipped, 1 xfailed" in run.stdout
    assert all(reason in run.stdout for reason in REASONS)


def test_a_skip_fails_where_all_is_required(tmp_path: Path) -> None:
    """In CI: each way of skipping fails the run with the reason, an expected failure does not."""
    run = run_suite(tmp_path, TURNFOLD_REQUIRE_ALL="1")
    assert run.returncode != pytest.ExitCode.OK
    assert "skipped" not in run.stdout.splitlines()[-1]
    assert all(reason in run.stdout for reason in REASONS)
