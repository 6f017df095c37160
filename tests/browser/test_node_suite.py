"""The pure modules of the browser client, tested by Node's own runner."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WEB = ROOT / "clients" / "web"
EXPANSION_VECTORS = ROOT / "tests" / "vectors" / "expansion"


def test_the_web_clients_own_suite_passes() -> None:
    """`node --test` over the store, the reducers with every expansion vector, the subscription and Markdown."""
    node = shutil.which("node")
    if node is None:
        if os.environ.get("TURNFOLD_REQUIRE_ALL") == "1":
            pytest.fail("no Node on PATH")
        pytest.skip("no Node on PATH")
    command = [node, "--test", "--test-reporter=tap"]
    ran = subprocess.run(command, cwd=WEB, capture_output=True, text=True, timeout=50, check=False)
    assert ran.returncode == 0, ran.stdout
    passed = set(re.findall(r"^\s*ok \d+ - (\S+)$", ran.stdout, re.MULTILINE))
    assert {path.stem for path in EXPANSION_VECTORS.glob("*.json")} <= passed
