"""What every command says when it cannot go on: one line, an exit code, never a traceback; and its help."""

import resource
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.api.command import ROOT, SAMPLE, TURN, shell_words, turnfold, written


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nope"], "No such command 'nope'"),
        (["show"], "Missing argument"),
        (["show", "/does/not/exist"], "No such file or directory"),
        (["show", "--view", "tui", "--mode", "flat", "x"], "--view tui has no mode flat; use --phase"),
        (["show", "--view", "desktop", "--mode", "normal", "x"], "has no mode normal; use fully-folded"),
        (["show", "--no-thinking", "x"], "--thinking belongs to --view desktop, not to --view web"),
        (["show", "--view", "desktop", "--phase", "hidden", "x"], "--phase belongs to --view tui"),
        (["show", "--mode", "odd", "x"], "'odd' is not one of"),
        (["show", ROOT / "LICENSE"], "unknown session format"),
        (["import", "--session", "no good", SAMPLE], "is not a session id"),
        (["import", "--url", "http://127.0.0.1:1", SAMPLE], "does not answer"),
        (["status", "--url", "http://127.0.0.1:1"], "does not answer"),
        (["status", "--url", "nonsense"], "does not answer"),
        (["tail", "--url", "http://127.0.0.1:1", "s"], "does not answer"),
        (["tail", "--url", "nonsense", "s"], "is not an address"),
        (["serve", "--port", "abc"], "TURNFOLD_PORT='abc'"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_an_error_is_one_clear_line_and_a_failing_exit_code(arguments: list[str | Path], says: str) -> None:
    """No traceback, whatever was asked."""
    done = turnfold(*arguments)
    assert done.returncode != 0
    lines = [line for line in done.stderr.splitlines() if "waiting for the service" not in line]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("turnfold: ")
    assert says in lines[0]


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (200, b"<html>", "is no Turnfold service"),
        (200, b"[]", "is no Turnfold service"),
        (200, b'{"events": [1]}', "is no Turnfold service"),
        (301, b"moved", "HTTP 301"),
        (403, b"[]", "HTTP 403"),
        (403, b'{"detail": "a\\u001b[2Jb"}', "a␛[2Jb"),
    ],
)
@pytest.mark.parametrize("command", [["import", SAMPLE], ["status"]], ids=["import", "status"])
def test_speaking_to_something_else_is_one_clear_line(
    command: list[str | Path], status: int, body: bytes, says: str
) -> None:
    """Whatever answers at the address."""

    class Stranger(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.do_POST()

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Stranger) as stranger:
        threading.Thread(target=stranger.serve_forever, daemon=True).start()
        done = turnfold(*command, "--url", f"http://127.0.0.1:{stranger.server_port}")
        stranger.shutdown()
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert says in done.stderr


def test_a_reader_who_has_had_enough_is_no_error() -> None:
    """`turnfold show … | head -1`."""
    command = f"{shell_words('show', SAMPLE, SAMPLE)} | head -1"
    done = subprocess.run(
        ["/bin/bash", "-o", "pipefail", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("output", [">&-", ">/dev/full"])
def test_an_output_that_cannot_be_written_is_no_traceback(output: str) -> None:
    """Closed: nobody wants it. Full: one line."""
    command = f"{shell_words('show', SAMPLE)} {output}"
    done = subprocess.run(
        ["/bin/bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    full = (1, "turnfold: cannot go on: No space left on device\n")
    assert (done.returncode, done.stderr) == ((0, "") if output == ">&-" else full)


def test_an_output_of_another_encoding_gets_signs_instead(tmp_path: Path) -> None:
    """A label's sign is not in ASCII; the text goes on."""
    done = turnfold("show", written(tmp_path / "s.jsonl", TURN), PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "\\u25b8 1 tool call" in done.stdout


def test_a_help_page_comes_quickly() -> None:
    """A command that takes seconds to say how it is used is not used."""
    turnfold("--help")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert turnfold("--help").returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Computing time: what else the machine does is not the command's fault.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 3
