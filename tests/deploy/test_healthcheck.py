"""`deploy/healthcheck.py`, the program, against a service on this machine."""

import asyncio
import os
import re
import runpy
import signal
import socket
import sys
from pathlib import Path

import pytest

from tests.api.test_serve import environment, served

DEPLOY = Path(__file__).parents[2] / "deploy"
PROGRAM = DEPLOY / "healthcheck.py"


async def checked(**variables: str) -> tuple[int | None, str]:
    """The exit code of the check in an environment, and what it prints."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        PROGRAM,
        env={**os.environ, **variables},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    printed, _ = await asyncio.wait_for(process.communicate(), 30)
    return process.returncode, printed.decode()


async def test_a_service_that_answers_is_healthy(tmp_path: Path) -> None:
    """Asked where the settings say that it listens: the port, and below the base path."""
    async with served(environment(tmp_path, TURNFOLD_BASE_PATH="/turnfold")) as (client, _):
        port = str(client.base_url.port)
        assert await checked(TURNFOLD_PORT=port, TURNFOLD_BASE_PATH="/turnfold") == (0, "")
        code, printed = await checked(TURNFOLD_PORT=port)
        assert (code, printed.strip()) == (1, "not alive: /livez answers 404")


async def test_a_service_bound_to_every_address_is_asked_on_loopback(tmp_path: Path) -> None:
    """As in the image."""
    secret = "a secret of more than thirty-two bytes"
    environ = environment(tmp_path, TURNFOLD_HOST="0.0.0.0", TURNFOLD_JWT_SECRET=secret)
    async with served(environ) as (client, _):
        assert (await checked(TURNFOLD_HOST="0.0.0.0", TURNFOLD_PORT=str(client.base_url.port)))[0] == 0


@pytest.mark.parametrize(
    ("bound", "asked"),
    [
        ("0.0.0.0", "127.0.0.1"),
        ("::", "::1"),
        ("0:0:0:0:0:0:0:0", "::1"),
        ("10.0.0.7", "10.0.0.7"),
        ("localhost", "localhost"),
    ],
)
def test_what_is_bound_is_asked_where_it_answers(bound: str, asked: str) -> None:
    """Every spelling of every address is loopback, and nothing else is."""
    assert runpy.run_path(str(PROGRAM))["reachable"](bound) == asked


async def test_a_port_on_which_nobody_listens_is_unhealthy() -> None:
    """One line and no traceback."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    code, printed = await checked(TURNFOLD_PORT=str(port))
    assert code == 1
    assert printed.startswith("not alive: ")
    assert len(printed.splitlines()) == 1


async def test_a_service_that_hangs_is_unhealthy_before_the_engine_gives_up(tmp_path: Path) -> None:
    """It gives up by itself, with a reason, where the engine's own timeout would only kill it."""
    async with served(environment(tmp_path)) as (client, process):
        process.send_signal(signal.SIGSTOP)
        try:
            code, printed = await checked(TURNFOLD_PORT=str(client.base_url.port))
        finally:
            process.send_signal(signal.SIGCONT)
    assert (code, printed.strip()) == (1, "not alive: timed out")


def test_its_patience_ends_before_the_engines() -> None:
    """What the image allows the check, less a second for starting Python."""
    (allowed_s,) = re.findall(
        r"^HEALTHCHECK .*--timeout=(\d+)s", (DEPLOY / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert 0 < runpy.run_path(str(PROGRAM))["_PATIENCE_S"] <= int(allowed_s) - 1
