"""Logs say what happened, in one JSON object a line, and nothing of what a message holds."""

import json
import subprocess
import sys

_PROGRAM = """
import structlog
from service.telemetry import start_logging

def fail(secret):
    raise ValueError("what went wrong")

start_logging("warning")
log = structlog.get_logger()
log.info("not shown")
log.warning("shown", session="s1")
try:
    fail("a message body")
except ValueError:
    log.exception("failed")
"""


def test_logs_are_json_lines_without_local_variables() -> None:
    """R-15: a traceback shows code, never the values that a frame held."""
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    shown, failed = [json.loads(line) for line in done.stderr.splitlines()]
    assert (shown["event"], shown["session"], shown["level"]) == ("shown", "s1", "warning")
    assert "ValueError: what went wrong" in failed["exception"]
    assert "a message body" not in done.stderr
    assert done.stdout == ""
