"""The running service of a benchmark, and the Node programs that load it, each a process of its own."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from service.engine_valkey import EmbeddedEngine
from service.keys import KeySpace

Config = Mapping[str, Any]
"""A configuration of `subscribers.mjs`, or a part of one."""

SERVER_CORE, LOAD_CORE = 0, 1
NODE: Final = Path(__file__).parent / "node"
_READY: Final = "Turnfold is ready at "
_STOP_WITHIN_S: Final = 60
_PROGRAM: Final = "import sys; from api.cli import main; sys.exit(main())"


class Service(Struct, frozen=True, kw_only=True):
    """A running `turnfold serve`, and the socket of the engine that it uses."""

    port: int
    pid: int
    engine: Path

    @property
    def target(self) -> Config:
        """What `subscribers.mjs` needs to know of it."""
        return {
            "protocol": "turnfold",
            "port": self.port,
            "engine": str(self.engine),
            "stream": KeySpace(1).partitions[0].ingest,
            "server_pid": self.pid,
        }

    @property
    def memory_kib(self) -> float:
        """What the process holds in memory (resident)."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1024


class Trial(Struct, frozen=True, kw_only=True):
    """What the subscribers saw; times in ms, `elapsed` in s.

    Attributes:
        busy: the subscribers' own share of a core; near 1 they are what is measured.
        server_busy: the server's. A rate divided by it is what a core of its own would give, whoever else is
            at work on the machine.
    """

    deliveries: int
    published: int
    frames: int
    bytes: int
    elapsed: float
    p50_ms: float
    p99_ms: float
    busy: float
    server_busy: float


@contextmanager
def served(data_dir: Path, **environ: str) -> Iterator[Service]:
    """`turnfold serve` with its embedded engine, on a free port, for the length of the block."""
    with _serving(data_dir, environ) as process:
        yield Service(port=_port_of(process), pid=process.pid, engine=data_dir / "engine" / "engine.sock")


@contextmanager
def served_afresh() -> Iterator[Service]:
    """The same over an empty directory."""
    with (
        tempfile.TemporaryDirectory(prefix="turnfold-bench-") as directory,
        served(Path(directory)) as service,
    ):
        yield service


@contextmanager
def served_apart(engine: EmbeddedEngine, **environ: str) -> Iterator[Service]:
    """`turnfold serve` alone on one core, with an engine that runs elsewhere, for the length of the block.

    Args:
        environ: further `TURNFOLD_*` variables, without their prefix and in small letters.
    """
    variables = environ | {"redis_url": engine.url}
    with (
        tempfile.TemporaryDirectory(prefix="turnfold-bench-") as directory,
        _serving(Path(directory), variables, core=SERVER_CORE) as process,
    ):
        yield Service(port=_port_of(process), pid=process.pid, engine=engine.socket)


@asynccontextmanager
async def engine_apart() -> AsyncIterator[EmbeddedEngine]:
    """An engine on the core of the load."""
    with tempfile.TemporaryDirectory(prefix="turnfold-bench-") as directory:
        with on_core(LOAD_CORE):
            engine = await EmbeddedEngine(Path(directory)).__aenter__()
        try:
            yield engine
        finally:
            await engine.stop()


@contextmanager
def peer() -> Iterator[Config]:
    """The socket.io server alone on one core, as `subscribers.mjs` needs to know it."""
    with on_core(SERVER_CORE):
        process = subprocess.Popen([_node(), str(NODE / "peer.mjs")], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield {"protocol": "socket.io", "port": int(process.stdout.readline()), "server_pid": process.pid}
    finally:
        _stop(process)


@contextmanager
def _serving(
    data_dir: Path, environ: Mapping[str, str], *, core: int | None = None
) -> Iterator["subprocess.Popen[str]"]:
    variables = {f"TURNFOLD_{name.upper()}": value for name, value in environ.items()}
    variables |= {"TURNFOLD_DATA_DIR": str(data_dir), "TURNFOLD_PORT": "0", "TURNFOLD_LOG_LEVEL": "error"}
    command = [sys.executable, "-c", _PROGRAM, "serve"]
    with on_core(core):
        process = subprocess.Popen(command, env=os.environ | variables, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        _stop(process)


def trial(*parts: Config) -> Trial:
    """Run the subscribers once; `subscribers.mjs` says what a configuration holds."""
    with subscribers(*parts) as process:
        assert process.stdout is not None
        return msgspec.json.decode(process.stdout.readline(), type=Trial)


@contextmanager
def subscribers(*parts: Config) -> Iterator[subprocess.Popen[str]]:
    """The process of the subscribers, from when all of them follow to the end of the block."""
    config = {
        "text_chars": 24,
        "warm_up_s": 1,
        **{name: value for part in parts for name, value in part.items()},
    }
    process = subprocess.Popen(
        [_node(), str(NODE / "subscribers.mjs"), json.dumps(config)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        if "ready" not in (line := process.stdout.readline()):
            raise RuntimeError(f"the subscribers did not come up: {line!r}")
        yield process
    finally:
        _stop(process)


@contextmanager
def on_core(number: int | None) -> Iterator[None]:
    """Run on one core, so that children started in the block stay there; this process gets all of them back.

    None, and a system that cannot say so, leave everything as it is.
    """
    if number is None or not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(allowed)[number % len(allowed)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def prepare_node() -> None:
    """Install what the peer needs, from the lock, once."""
    if not (NODE / "node_modules").exists():
        _run_npm("ci", "--no-audit", "--no-fund", "--silent")


def _run_npm(*words: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError("npm was not found: the peer of this benchmark comes from there")
    subprocess.run([npm, *words], cwd=NODE, check=True)


def _node() -> str:
    node = shutil.which("node")
    if node is None:
        raise RuntimeError("node was not found: subscribers and peer run on it")
    return node


def _port_of(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(_READY):
            return int(line.strip().rstrip("/").rpartition(":")[2])
    raise RuntimeError(f"the service ended with {process.wait()} before it was ready")


def _stop(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.communicate(timeout=_STOP_WITHIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def session_names(prefix: str, count: int) -> Sequence[str]:
    """Names of sessions that nobody has used before."""
    return [f"{prefix}-{number}" for number in range(count)]
