"""The machine itself fails the service: a disk that is full, a clock that is set back, an engine that stands still."""

import asyncio
import contextlib
import os
import shlex
import shutil
import signal
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace
from redis.exceptions import RedisError

from service import connection_redis
from service.connection_redis import ask, connect
from service.engine_valkey import EmbeddedEngine, server_program
from service.errors import StoreRefused, StoreUnavailable
from service.keys import SessionId
from service.sealing import SealLimits
from tests.deployments import NOW_MS, Deployment
from tests.service.projecting import LIMITS, SetClock, append, notice, one_turn, projected, projecting
from tests.waiting import wait_until

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(60)]
S1 = SessionId("s1")


def program_with_a_small_disk(directory: Path, limit_bytes: int) -> Path:
    """The server where no file may grow beyond the limit: writing more fails, as on a full disk."""
    program = directory / "small-disk"
    server = shlex.quote(str(server_program()))
    # In units of 512 bytes; without the signal the server meets the error itself.
    program.write_text(f"#!/bin/sh\ntrap '' XFSZ\nulimit -f {limit_bytes // 512}\nexec {server} \"$@\"\n")
    program.chmod(0o700)
    return program


async def append_for_ever(deployment: Deployment, accepted: list[bytes]) -> None:
    """Append events of 10 kB one by one until it fails; those that were answered are noted."""
    for number in count():
        event = b'{"type":"notice","id":"%d","text":"%s"}' % (number, b"x" * 10_000)
        await deployment.source.append(S1, [event], [f"e{number}"])
        accepted.append(event)


async def test_a_full_disk_ends_the_engine_and_what_was_accepted_is_there_afterwards(tmp_path: Path) -> None:
    """R-12: an append that was answered is on the disk; the one that did not fit was not answered."""
    accepted: list[bytes] = []
    program = program_with_a_small_disk(tmp_path, 2 * 1024 * 1024)
    async with EmbeddedEngine(tmp_path / "data", program=program) as engine:
        deployment = await Deployment.start(engine.url, 1)
        with pytest.raises((StoreUnavailable, StoreRefused)):
            await append_for_ever(deployment, accepted)
        failed = await engine.ended()
        await deployment.close()
    assert len(accepted) > 100
    assert "ended unexpectedly" in str(failed)
    assert str(engine.log) in str(failed)
    async with EmbeddedEngine(tmp_path / "data") as engine:
        deployment = await Deployment.start(engine.url, 1)
        async with projecting(deployment):
            await projected(deployment, len(accepted))
        assert await deployment.logged("s1") == accepted
        await deployment.close()


async def test_a_full_disk_is_named_where_the_log_had_no_room_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What, where and what to do, in the first line."""
    async with EmbeddedEngine(tmp_path / "data") as engine:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
        ended = asyncio.create_task(engine.ended())
        client = connect(engine.url)
        with contextlib.suppress(RedisError):
            await ask(client, "SHUTDOWN", "NOSAVE")
        await client.aclose()
        first_line = str(await ended).splitlines()[0]
    assert f"the disk that holds {tmp_path / 'data'} is full: make room there" in first_line


async def test_a_clock_that_is_set_back_stops_nothing(tmp_path: Path) -> None:
    """Events flow, turns end and logs are sealed, whatever times the commits were made at."""
    clock = SetClock()
    limits = replace(LIMITS, seal=SealLimits(rest_ms=0, check_ms=5))
    async with EmbeddedEngine(tmp_path / "data") as engine:
        deployment = await Deployment.start(engine.url, 1)
        async with projecting(deployment, clock=clock, limits=limits):
            await append(deployment, *one_turn(1, 60))
            await projected(deployment, 62)
            clock.ms = NOW_MS - 7 * 86_400_000
            await append(deployment, *one_turn(2, 60))
            summary = await projected(deployment, 124)
            assert (summary.turn_count, summary.version) == (2, 2)
            await wait_until(lambda: sealed(deployment), "both turns are sealed")
            await append(deployment, {"type": "turn/start", "turn": 3}, notice("z"))
            await projected(deployment, 126)
            clock.ms += limits.stale_turn_ms
            ended = await projected(deployment, 127)
        assert ended.turn is not None
        assert (ended.turn.turn, ended.turn.outcome) == (3, "interrupted")
        await deployment.close()


async def append_until_answered(deployment: Deployment, wanted: int, accepted: list[bytes]) -> int:
    """Append events in order, each again under its own id until it is answered; how often one was not."""
    unanswered = 0
    while len(accepted) < wanted:
        number = len(accepted)
        event = b'{"type":"notice","event_id":"e%d","id":"%d","text":"x"}' % (number, number)
        try:
            await deployment.source.append(S1, [event], [f"e{number}"])
        except StoreUnavailable:
            unanswered += 1
        else:
            accepted.append(event)
    return unanswered


async def test_an_engine_that_stands_still_under_load_loses_and_doubles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Longer than any answer is waited for: what was accepted is in the log once, in order (R-3)."""
    accepted: list[bytes] = []
    async with EmbeddedEngine(tmp_path / "data") as engine:
        deployment = await Deployment.start(engine.url, 1)
        pid = int((await deployment.raw.info("server"))["process_id"])
        # Only those who try again: a slow disk holds the test's own questions up for as long.
        monkeypatch.setattr(connection_redis, "ANSWER_TIMEOUT_S", 0.5)
        impatient = Deployment.beside(engine.url, 1)
        async with projecting(impatient):
            writing = asyncio.create_task(append_until_answered(impatient, 400, accepted))
            await wait_until(lambda: len(accepted) >= 100, "the load is under way")
            os.kill(pid, signal.SIGSTOP)
            try:
                await asyncio.sleep(2)
            finally:
                os.kill(pid, signal.SIGCONT)
            assert await writing >= 1
            await projected(deployment, len(accepted))
        assert await deployment.logged("s1") == accepted
        await impatient.close()
        await deployment.close()


async def sealed(deployment: Deployment) -> bool:
    """Whether the session's stream is empty."""
    return not await ask(deployment.raw, "XLEN", deployment.keys.of_session("s1").log("s1"))
