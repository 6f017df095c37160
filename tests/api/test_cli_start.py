"""What a command costs before it does anything: only what it needs is imported."""

import subprocess
import sys

import pytest

from api.cli import app
from api.cli_import import PAUSE_CAP_MS

_FRAMEWORKS = ("litestar", "uvicorn", "httpx", "redis", "markdown_it", "textual")
_PROGRAM = """
import sys
import {module}
print(*sorted({names!r} & {{name.partition(".")[0] for name in sys.modules}}))
"""


def imported(module: str) -> set[str]:
    """Which of the great libraries a fresh interpreter holds once it has imported the module."""
    program = _PROGRAM.format(module=module, names=set(_FRAMEWORKS))
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.mark.parametrize(
    ("module", "needed"),
    [
        ("api.cli", set()),
        ("api.cli_show", set()),
        ("api.cli_import", {"httpx"}),
        ("api.serve", {"litestar", "uvicorn", "redis"}),
    ],
)
def test_a_command_imports_what_it_needs(module: str, needed: set[str]) -> None:
    """No framework of another command: each would double the time that this one takes to start."""
    assert imported(module) == needed


def test_the_help_names_the_longest_pause() -> None:
    """The importer's constant, which the help cannot read without importing it."""
    command = next(one for one in app.registered_commands if one.name == "import")
    assert command.callback is not None
    assert f"at most {PAUSE_CAP_MS // 1000} s" in str(
        command.callback.__annotations__["speed"].__metadata__[0].help
    )
