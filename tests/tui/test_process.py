"""`turnfold tui` as a process in a terminal of its own: the screen opens and is left as it was, colours as asked."""

import asyncio
import os
import pty
import re
import signal
import sys
import termios
from pathlib import Path

import pytest

from tests.api.command import COMMAND, ROOT
from tests.clients.wire_service import process
from tests.tui.test_app import turn

# A colour of the sixteen, of the 256, or of all.
_COLOUR = re.compile(r"\x1b\[[\d;]*?(?<![\d])(?:3[0-7]|4[0-7]|9[0-7]|10[0-7]|38|48)[;m]")
_MANY_COLOURS = re.compile(r"\x1b\[[\d;]*?(?:38|48);[25];")


class Console:
    """A process with a terminal."""

    def __init__(self, *arguments: str, **variables: str) -> None:
        self.seen = ""
        self._child, self._terminal = pty.fork()
        if self._child == 0:
            environ = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", **variables}
            os.chdir(ROOT)
            os.execve(sys.executable, [*COMMAND, *arguments], environ)
        termios.tcsetwinsize(self._terminal, (24, 80))
        os.set_blocking(self._terminal, False)

    def read(self) -> str:
        """All that came so far."""
        try:
            while data := os.read(self._terminal, 65_536):
                self.seen += data.decode(errors="replace")
        except OSError:
            pass
        return self.seen

    async def shows(self, text: str) -> None:
        """Returns once it came."""
        for _ in range(600):
            if text in self.read():
                return
            await asyncio.sleep(0.05)
        raise AssertionError(f"{text!r} is not in {self.seen[-2000:]!r}")

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self._terminal, keys.encode())

    async def ended(self) -> int:
        """The exit code."""
        for _ in range(600):
            self.read()
            found, status = os.waitpid(self._child, os.WNOHANG)  # noqa: ASYNC222 - it does not wait
            if found:
                self.read()
                os.close(self._terminal)
                return os.waitstatus_to_exitcode(status)
            await asyncio.sleep(0.05)
        os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)  # noqa: ASYNC222 - killed a line above
        raise AssertionError(f"it does not end: {self.seen[-2000:]!r}")


@pytest.mark.parametrize("options", [{}, {"NO_COLOR": "1"}], ids=["colours", "none"])
async def test_the_terminal_is_left_as_it_was(tmp_path: Path, options: dict[str, str]) -> None:
    """The other screen is entered and left; the usual theme has the sixteen colours alone, and NO_COLOR none."""
    async with process(tmp_path / "data") as service:
        await service.append("s", *turn(1))
        console = Console("tui", "s", "--url", service.url, **options)
        await console.shows("answer 1")
        console.press("\x0f")
        await console.shows("output 1")
        console.press("t" if options else "")
        console.press("q")
        assert await console.ended() == 0
    assert console.seen.count("\x1b[?1049h") == console.seen.count("\x1b[?1049l") == 1
    assert console.seen.rindex("\x1b[?25h") > console.seen.rindex("\x1b[?25l")
    assert _MANY_COLOURS.search(console.seen) is None
    assert (_COLOUR.search(console.seen) is None) is bool(options)


async def test_without_a_session_the_list_comes_first(tmp_path: Path) -> None:
    """And `q` leads out of it, from a session by way of the list."""
    async with process(tmp_path / "data") as service:
        await service.append("s", *turn(1))
        console = Console("tui", "--url", service.url)
        await console.shows("1 session")
        console.press("\r")
        await console.shows("answer 1")
        console.press("q")
        await console.shows("oldest")
        console.press("q")
        assert await console.ended() == 0
    assert console.seen.count("\x1b[?1049h") == console.seen.count("\x1b[?1049l") == 1


async def test_what_is_typed_ahead_is_read_key_by_key(tmp_path: Path) -> None:
    """In one write: `q` is a letter of the search before Esc, and leaves behind it."""
    async with process(tmp_path / "data") as service:
        await service.append("s", *turn(1))
        console = Console("tui", "s", "--url", service.url)
        await console.shows("answer 1")
        console.press("/quite")
        await console.shows("not found")
        console.press("\x1b/thought\x1bq")
        assert await console.ended() == 0


@pytest.mark.parametrize("session", [["s"], []], ids=["one", "list"])
async def test_a_service_that_is_not_there_is_one_line_before_any_screen(session: list[str]) -> None:
    """What was said on the other screen would be gone with it."""
    console = Console("tui", *session, "--url", "http://127.0.0.1:1")
    assert await console.ended() == 1
    assert console.seen.startswith("turnfold: the service at http://127.0.0.1:1 does not answer")
    assert "\x1b" not in console.seen


async def test_a_terminal_that_can_do_nothing_gets_plain_text(tmp_path: Path) -> None:
    """`TERM=dumb`: as into a pipe."""
    async with process(tmp_path / "data") as service:
        await service.append("s", *turn(1))
        console = Console("tui", "s", "--url", service.url, TERM="dumb")
        assert await console.ended() == 0
    assert "answer 1" in console.seen
    assert "\x1b" not in console.seen
