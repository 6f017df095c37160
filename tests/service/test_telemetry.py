"""Logs say what happened, in one JSON object a line, and nothing of what a message holds."""

import json
import subprocess
import sys

import pytest

_PROGRAM = """
import logging
import structlog
from service.telemetry import start_logging

def fail(secret):
    raise ValueError("what went wrong")

start_logging("warning", FORM)
log = structlog.get_logger()
log.info("not shown")
log.warning("shown", session="s1")
try:
    fail("a message body")
except ValueError:
    log.exception("failed")
logging.getLogger("somebody.else").info("not shown either")
logging.getLogger("somebody.else").error("it broke: %s", "badly")
"""


def said(form: str) -> str:
    """What the program writes to stderr, which is no terminal."""
    program = _PROGRAM.replace("FORM", repr(form))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    return done.stderr


@pytest.mark.parametrize("form", ["json", "auto"])
def test_logs_are_json_lines_without_local_variables(form: str) -> None:
    """R-15: a traceback shows code, never the values that a frame held."""
    stderr = said(form)
    shown, failed, library = [json.loads(line) for line in stderr.splitlines()]
    assert (shown["event"], shown["session"], shown["level"]) == ("shown", "s1", "warning")
    assert shown["timestamp"].endswith("Z")
    assert "ValueError: what went wrong" in failed["exception"]
    assert "a message body" not in stderr
    assert (library["event"], library["level"], library["logger"]) == ("library", "error", "somebody.else")
    assert library["message"] == "it broke: badly"


def test_logs_as_text_are_readable_and_without_colours() -> None:
    """`text` where stderr is no terminal: the same facts, and no local variables either."""
    stderr = said("text")
    assert "shown" in stderr
    assert "session=s1" in stderr
    assert "ValueError: what went wrong" in stderr
    assert "a message body" not in stderr
    assert "\x1b" not in stderr
