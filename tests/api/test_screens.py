"""The screens in the documentation are what `turnfold show` prints today."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from api.cli import app

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "screens.md").read_text(encoding="utf-8")
SCREENS = re.findall(r"```console\n\$ turnfold (show [^\n]*)\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize(("command", "screen"), SCREENS, ids=[command for command, _ in SCREENS])
def test_a_screen_is_what_the_command_prints(
    command: str, screen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Line by line; the empty line after each turn stands between turns alone."""
    monkeypatch.chdir(ROOT)
    printed = CliRunner().invoke(app, shlex.split(command), catch_exceptions=False)
    assert printed.exit_code == 0
    assert printed.stdout.rstrip("\n").splitlines() == screen.rstrip("\n").splitlines()


def test_every_view_and_every_kind_of_turn_has_its_screens() -> None:
    """Each view with several variants: failed, waiting, delegating, with groups, in both languages."""
    commands = [command for command, _ in SCREENS]
    assert PAGE.count("```console") == len(SCREENS)
    for view in ("web", "desktop", "tui"):
        mine = [one for one in commands if f"--view {view}" in one or (view == "web" and "--view" not in one)]
        for session in ("work", "failure", "waiting", "delegates", "groups"):
            assert any(f"{session}.jsonl" in one for one in mine), (view, session)
        assert any("--locale zh-CN" in one for one in mine)
        assert any("--expand" in one or "--phase expanded" in one for one in mine)


def test_every_session_of_the_screens_is_shown() -> None:
    """None lies there unused."""
    files = {path.name for path in (ROOT / "tests" / "screens").glob("*.jsonl")}
    assert files == {name for command, _ in SCREENS for name in re.findall(r"[\w-]+\.jsonl", command)}
