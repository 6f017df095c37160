"""The pure modules of the browser client, tested by Node's own runner."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.clients.expansion_histories import history

ROOT = Path(__file__).parents[2]
WEB = ROOT / "clients" / "web"
EXPANSION_VECTORS = ROOT / "tests" / "vectors" / "expansion"
HISTORY_COUNT = 300


def run_node(*arguments: str, **environ: str) -> set[str]:
    """Run Node's tests in the client's folder; gives the names of those that passed, and none may fail."""
    node = shutil.which("node")
    if node is None:
        if os.environ.get("TURNFOLD_REQUIRE_ALL") == "1":
            pytest.fail("no Node on PATH")
        pytest.skip("no Node on PATH")
    ran = subprocess.run(
        [node, "--test", "--test-reporter=tap", *arguments],
        cwd=WEB,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    return set(re.findall(r"^\s*ok \d+ - (\S+)$", ran.stdout, re.MULTILINE))


def test_the_web_clients_own_suite_passes() -> None:
    """`node --test` over the store, the reducers with every expansion vector, the subscription and Markdown."""
    assert {path.stem for path in EXPANSION_VECTORS.glob("*.json")} <= run_node()


def test_both_implementations_agree_on_random_histories(tmp_path: Path) -> None:
    """What the Python reducers say of histories that nobody wrote down, the JavaScript ones say too."""
    for seed in range(HISTORY_COUNT):
        vector = history(seed)
        (tmp_path / f"{vector['name']}.json").write_text(json.dumps(vector), encoding="utf-8")
    passed = run_node("test/expansion_vectors.test.js", EXPANSION_VECTORS=str(tmp_path))
    assert {path.stem for path in tmp_path.glob("*.json")} <= passed
