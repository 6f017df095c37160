"""A Docker engine for tests: the one that answers, else a private one that ends with the test run.

The private one is for root on a machine that has Docker's packages and runs no daemon, as CI does:

1. Socket, images and containers live in memory, in one temporary directory, and go with it.
2. It touches neither packet filter nor forwarding: containers reach each other, and what they publish is reached
   from this machine's loopback. Nothing leaves the machine, so nothing can be pulled. Its bridge is its own: two
   test runs at once would else give one address twice, and the first to end would take the other's bridge away.
3. It never outlives the test run, however that ends: the program that watches the embedded engine watches it.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from secrets import randbelow, token_hex

import pytest

from service import engine_watchdog

_START_PATIENCE_S = 30.0
_STOP_PATIENCE_S = 40.0
_ANSWER_PATIENCE_S = 10.0
_COMMAND_PATIENCE_S = 280.0
_POLL_S = 0.1
_OPTIONS = ("--iptables=false", "--ip-forward=false", "--ip-masq=false", "--ip=127.0.0.1")


@dataclass(frozen=True)
class DockerEngine:
    """An engine that answers; every `docker` command of this process and its children goes to it."""

    is_private: bool


class NoEngineError(Exception):
    """The private engine does not start on this machine; the message is what the daemon said last."""


def docker(*arguments: str, said: str = "") -> str:
    """Run a `docker` command to its end, with `said` as its input; returns its output, fails the test with it."""
    done = subprocess.run(
        ["docker", *arguments],
        input=said,
        capture_output=True,
        text=True,
        timeout=_COMMAND_PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, f"docker {' '.join(arguments)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
    return done.stdout.strip()


@pytest.fixture(scope="session")
def docker_engine() -> Iterator[DockerEngine]:
    """The engine of this test run."""
    if _answers():
        yield DockerEngine(is_private=False)
        return
    daemon = shutil.which("dockerd")
    has_tools = all(map(shutil.which, ("docker", "ip", "mount")))
    if daemon is None or not has_tools or os.geteuid() != 0:
        pytest.skip(
            "no Docker engine answers; with Docker's packages and iproute2 installed, root could start one"
        )
    with contextlib.ExitStack() as opened:
        try:
            host = opened.enter_context(_private_engine(Path(daemon)))
        except NoEngineError as error:
            pytest.skip(f"no Docker engine answers, and dockerd does not start: {error}")
        environment = opened.enter_context(pytest.MonkeyPatch.context())
        environment.setenv("DOCKER_HOST", host)
        yield DockerEngine(is_private=True)


def _answers(*options: str) -> bool:
    if shutil.which("docker") is None:
        return False
    try:
        done = subprocess.run(
            ["docker", *options, "version"], capture_output=True, timeout=_ANSWER_PATIENCE_S, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


@contextlib.contextmanager
def _private_engine(daemon: Path) -> Iterator[str]:
    """A daemon for the length of the block; yields what DOCKER_HOST takes."""
    # Not below pytest's own directory: a socket's path holds 108 bytes.
    directory = Path(tempfile.mkdtemp(prefix="turnfold-docker-"))
    host = f"unix://{directory}/docker.sock"
    bridge = f"turnfold{token_hex(3)}"  # 15 characters at most
    command = [
        *(sys.executable, engine_watchdog.__file__, str(daemon), "--host", host, *_OPTIONS),
        *("--data-root", f"{directory}/data", "--exec-root", f"{directory}/run"),
        *("--pidfile", f"{directory}/pid", "--bridge", bridge),
    ]
    log = directory / "log"
    try:
        # Thousands of files that nobody will want again: a busy disk takes minutes to write and to forget them.
        _must("mount", "-t", "tmpfs", "-o", "mode=0700", "tmpfs", str(directory))
        _must("ip", "link", "add", bridge, "type", "bridge")
        # Of the range for trials of networks (RFC 2544): no machine's own.
        _must("ip", "address", "add", f"198.18.{randbelow(256)}.1/24", "dev", bridge)
        _must("ip", "link", "set", bridge, "up")
        with log.open("wb") as output:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=output)
        try:
            _await_answer(process, host, log)
            yield host
        finally:
            assert process.stdin is not None
            process.stdin.close()  # the watchdog's order to stop
            process.wait(_STOP_PATIENCE_S)
    finally:
        _unmount(directory)
        if (Path("/sys/class/net") / bridge).exists():
            _must("ip", "link", "delete", bridge)
        directory.rmdir()


def _must(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NoEngineError(f"{' '.join(command)}: {done.stderr.strip()}")


def _await_answer(process: "subprocess.Popen[bytes]", host: str, log: Path) -> None:
    deadline = time.monotonic() + _START_PATIENCE_S
    while not _answers("--host", host):
        if process.poll() is not None or time.monotonic() > deadline:
            last = log.read_text(errors="replace").splitlines()[-1:]
            raise NoEngineError(last[0] if last else "it said nothing")
        time.sleep(_POLL_S)


def _unmount(directory: Path) -> None:
    """The directory and what is mounted below it: the daemon leaves its own network namespace there."""
    mounted = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for path in sorted(mounted, reverse=True):
        if f"{path}/".startswith(f"{directory}/"):
            _must("umount", path)
