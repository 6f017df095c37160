"""The pure modules of the browser client, tested by Node's own runner."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "clients" / "web"


def test_the_web_clients_own_suite_passes() -> None:
    """`node --test` over the store, the reducer, the derivation, the subscription and Markdown."""
    node = shutil.which("node")
    if node is None:
        if os.environ.get("TURNFOLD_REQUIRE_ALL") == "1":
            pytest.fail("no Node on PATH")
        pytest.skip("no Node on PATH")
    ran = subprocess.run([node, "--test"], cwd=WEB, capture_output=True, text=True, timeout=50, check=False)
    assert ran.returncode == 0, ran.stdout
    assert "# pass 0" not in ran.stdout
