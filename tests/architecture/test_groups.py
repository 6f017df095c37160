"""Which tests run in one worker: what `make test` relies on, and would not miss aloud."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.groups import DOCKER, group_of

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("nodeid", "group"),
    [
        ("tests/api/test_x.py::test_y", "api/test_x"),
        ("tests/api/test_x.py::test_y[embedded words]", "api/test_x"),
        ("tests/contracts/test_x.py::test_y[embedded-4-partitions]", "contracts/test_x-embedded"),
        ("tests/contracts/test_x.py::test_y[redis-server]", "contracts/test_x-redis-server"),
        ("tests/contracts/test_x.py::test_y[container-1-partition-log:s2]", DOCKER),
        ("tests/deploy/test_image.py::test_y", DOCKER),
    ],
)
def test_a_tests_name_says_its_group(nodeid: str, group: str) -> None:
    """The module, by engine where it runs on several; Docker's are one."""
    assert group_of(nodeid) == group


@pytest.mark.timeout(180)  # three processes of Python begin in it
def test_a_group_runs_in_one_worker(tmp_path: Path) -> None:
    """On the installed pytest and pytest-xdist: no module is shared out, and Docker's two are together."""
    counts = {"deploy/test_compose": 9, "deploy/test_image": 9, "other/test_one": 3, "other/test_two": 3}
    for name, count in counts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.py").write_text(
            f"import pytest\n@pytest.mark.parametrize('number', range({count}))\ndef test_it(number): pass\n"
        )
    command = [sys.executable, "-m", "pytest", "-v", "-p", "tests.groups", "-n", "2", "--dist", "loadscope"]
    run = subprocess.run(
        [*command, "-c", os.devnull, "--rootdir", ".", "."],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == pytest.ExitCode.OK, run.stdout
    ran = set(re.findall(r"\[(gw\d)\] \[ *\d+%\] PASSED ([\w/]+)\.py", run.stdout))
    workers = {module: worker for worker, module in ran}
    assert len(ran) == len(workers) == len(counts), run.stdout
    assert workers["deploy/test_compose"] == workers["deploy/test_image"]
    assert len(set(workers.values())) == 2
