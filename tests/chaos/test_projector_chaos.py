"""A projector or its engine is killed, stopped or cut off at any instant: work is lost, events never (R-3).

Each test appends a known sequence per session and ends by comparing every session's log with it, byte for
byte.
"""

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from service.connection_redis import ask
from service.engine_valkey import EmbeddedEngine
from service.errors import NotDurable, StoreRefused, StoreUnavailable
from service.keys import KeySpace, SessionId
from service.projector import Projector, ProjectorLimits
from service.read_ahead import ReadLimits
from service.sealing import SealLimits
from service.source_redis import RedisSource
from service.store_redis import RedisStore
from tests.chaos.projector_process import FENCED, SystemClock
from tests.deployments import Deployment
from tests.waiting import wait_until

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(180)]

ROOT = Path(__file__).parents[2]
SESSIONS = tuple(f"chaos-{index}" for index in range(12))
LIMITS = ProjectorLimits(
    read=ReadLimits(first_count=50, most_count=200, block_ms=50),
    seal=SealLimits(rest_ms=0, check_ms=20),
    retry_first_ms=10,
    retry_most_ms=50,
)


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[EmbeddedEngine]:
    """An engine that syncs always."""
    async with EmbeddedEngine(tmp_path / "engine") as started:
        yield started


@pytest.fixture
async def deployment(engine: EmbeddedEngine) -> AsyncIterator[Deployment]:
    """Two partitions."""
    made = await Deployment.start(engine.url, 2)
    yield made
    await made.close()


@contextmanager
def projector_process(url: str) -> Iterator[subprocess.Popen[bytes]]:
    """A projector process; killed at the end if it still lives."""
    command = [sys.executable, "-m", "tests.chaos.projector_process", url, "2"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.kill()
        process.wait()


def event(session: str, number: int) -> bytes:
    """The n-th event of a session; every tenth is malformed, which must make no difference."""
    if number % 10 == 9:
        return b'{"type":"notice","session":"%s",%d' % (session.encode(), number)
    text = f'"id":"{number}","level":"info","text":"{session} {number}"'
    return f'{{"type":"notice","event_id":"{session}-{number}",{text}}}'.encode()


async def fill(deployment: Deployment, first: int, count: int) -> dict[str, list[bytes]]:
    """Append `count` events to each session, from the `first` on, mixed."""
    expected: dict[str, list[bytes]] = {name: [] for name in SESSIONS}
    for start in range(first, first + count, 100):
        for name in SESSIONS:
            events = [event(name, number) for number in range(start, start + 100)]
            await deployment.source.append(SessionId(name), events, [None] * len(events))
            expected[name] += events
    return expected


async def consumed(deployment: Deployment) -> int:
    """Entries behind the checkpoints."""
    return sum([(await deployment.store.read_checkpoint(one)).consumed_count for one in range(2)])


async def tokens_of(deployment: Deployment) -> list[int]:
    """How often each partition was taken."""
    return [(await deployment.store.read_checkpoint(one)).token for one in range(2)]


async def wait_for_consumed(deployment: Deployment, count: int) -> None:
    """Wait until so many entries are behind the checkpoints."""

    async def there() -> bool:
        return await consumed(deployment) >= count

    await wait_until(there, f"{count} entries were consumed", within_s=30)


async def sealed_count(deployment: Deployment) -> int:
    """Segments that the sealers made."""
    keys = [deployment.keys.of_session(name).segments(name) for name in SESSIONS]
    return sum([int(await ask(deployment.raw, "XLEN", key)) for key in keys])


async def assert_logs_are(deployment: Deployment, expected: dict[str, list[bytes]]) -> None:
    """Every accepted event once, in order, as it came; and the summaries agree."""
    for name, events in expected.items():
        assert await deployment.logged(name) == events
        summary = await deployment.reader.summary(SessionId(name))
        assert summary is not None
        assert summary.next_seq == len(events)
        assert summary.quarantined == sum(raw[-1:] != b"}" for raw in events)
        assert summary.row_count == len(events) - summary.quarantined


async def test_a_projector_killed_at_random_instants_loses_and_doubles_nothing(
    deployment: Deployment,
) -> None:
    """SIGKILL in the middle of a backlog, seven times."""
    expected = await fill(deployment, 0, 1_000)
    total = sum(map(len, expected.values()))
    chance = random.Random(7)
    for _ in range(7):
        before = await consumed(deployment)
        with projector_process(deployment.url) as process:
            await wait_for_consumed(deployment, min(total, before + chance.randrange(1, 1_500)))
            process.kill()
    tokens = await tokens_of(deployment)
    with projector_process(deployment.url) as process:
        await wait_for_consumed(deployment, total)

        # The killed ones may have consumed all of it: before it owns its partitions, this one knows no signal.
        async def has_taken_over() -> bool:
            return all(now > before for now, before in zip(await tokens_of(deployment), tokens, strict=True))

        await wait_until(has_taken_over, "it owns both partitions", within_s=30)
        process.terminate()
        assert await asyncio.to_thread(process.wait, 10) == 0
    assert await consumed(deployment) == total
    await assert_logs_are(deployment, expected)
    assert await sealed_count(deployment) > 0, "no kill could have met a sealing"


async def test_projectors_that_believe_they_own_one_partition_fence_each_other(
    deployment: Deployment,
) -> None:
    """SIGSTOP in mid-work, another takes over, SIGCONT: the sleeper commits nothing any more, and ends."""
    expected: dict[str, list[bytes]] = {name: [] for name in SESSIONS}
    chance = random.Random(11)
    for round_number in range(4):
        for name, events in (await fill(deployment, 500 * round_number, 500)).items():
            expected[name] += events
        before = await consumed(deployment)
        with projector_process(deployment.url) as sleeper:
            await wait_for_consumed(deployment, before + chance.randrange(1, 800))
            sleeper.send_signal(signal.SIGSTOP)
            at_stop = await consumed(deployment)
            with projector_process(deployment.url):
                await wait_for_consumed(deployment, at_stop + 500)
                sleeper.send_signal(signal.SIGCONT)
                assert await asyncio.to_thread(sleeper.wait, 20) == FENCED
    total = sum(map(len, expected.values()))
    with projector_process(deployment.url):
        await wait_for_consumed(deployment, total)
    assert await consumed(deployment) == total
    await assert_logs_are(deployment, expected)


async def test_an_engine_killed_under_load_loses_nothing_that_was_accepted(tmp_path: Path) -> None:
    """kill -9 of a server that syncs always, four times, while a producer with event ids retries."""
    data_dir = tmp_path / "engine"
    engine = EmbeddedEngine(data_dir)
    await engine.__aenter__()
    deployment = await Deployment.start(engine.url, 2)
    projector = Projector(deployment.store, deployment.source, range(2), SystemClock(), limits=LIMITS)
    projecting = asyncio.create_task(projector.run())
    producing = asyncio.create_task(_produce(deployment, 400))
    chance = random.Random(13)
    for _ in range(4):
        await wait_for_consumed_through_trouble(
            deployment, await _consumed(deployment) + chance.randrange(50, 800)
        )
        os.kill((await deployment.raw.info("server"))["process_id"], signal.SIGKILL)
        await engine.stop()
        engine = EmbeddedEngine(data_dir)
        await engine.__aenter__()
    expected = await producing
    await wait_until(lambda: _is_whole(deployment, expected), "all was projected", within_s=20)
    projector.stop()
    await projecting
    await assert_logs_are(deployment, expected)
    await deployment.close()
    await engine.stop()


async def test_a_reply_lost_after_the_script_ran_makes_no_duplicate(
    engine: EmbeddedEngine, tmp_path: Path, deployment: Deployment
) -> None:
    """The connection is cut between the engine's answer and the projector, again and again."""
    expected = await fill(deployment, 0, 500)
    total = sum(map(len, expected.values()))
    async with cutting_proxy(engine.socket, tmp_path / "cut.sock") as proxy:
        keys = KeySpace(2)
        url = f"unix://{quote(str(tmp_path / 'cut.sock'))}"
        store, source = RedisStore(url, keys), RedisSource(url, keys)
        projector = Projector(store, source, range(2), SystemClock(), limits=LIMITS)
        projecting = asyncio.create_task(projector.run())
        await wait_for_consumed(deployment, total)
        projector.stop()
        await projecting
        await store.close()
        await source.close()
    assert proxy.cut_count >= 5
    assert await consumed(deployment) == total
    await assert_logs_are(deployment, expected)


async def _produce(deployment: Deployment, count: int) -> dict[str, list[bytes]]:
    """Append one event after the other to each session; retry each with its event id until it is accepted."""
    expected: dict[str, list[bytes]] = {name: [] for name in SESSIONS}
    for number in range(count):
        for name in SESSIONS:
            # Only events with an id may be retried; here every one has one.
            raw = event(name, number * 10)
            expected[name].append(raw)
            await _append(deployment, name, raw, f"{name}-{number * 10}")
    return expected


async def _append(deployment: Deployment, session: str, raw: bytes, event_id: str) -> None:
    async def accepted() -> bool:
        try:
            await deployment.source.append(SessionId(session), [raw], [event_id])
        except (StoreUnavailable, StoreRefused, NotDurable):
            return False
        return True

    await wait_until(accepted, "the event was accepted", within_s=20)


async def _consumed(deployment: Deployment) -> int:
    try:
        return await consumed(deployment)
    except StoreUnavailable:
        return 0


async def wait_for_consumed_through_trouble(deployment: Deployment, count: int) -> None:
    """As wait_for_consumed, on an engine that may be away."""

    async def there() -> bool:
        return await _consumed(deployment) >= count

    await wait_until(there, f"{count} entries were consumed", within_s=30)


async def _is_whole(deployment: Deployment, expected: dict[str, list[bytes]]) -> bool:
    for name, events in expected.items():
        summary = await deployment.reader.summary(SessionId(name))
        if summary is None or summary.next_seq < len(events):
            return False
    return True


class CuttingProxy:
    """Passes bytes on between a client and the engine, and cuts some connections instead of passing a
    script's reply.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._script_count = 0
        self.cut_count = 0

    async def serve(self, client_reader: asyncio.StreamReader, client_writer: asyncio.StreamWriter) -> None:
        """One connection."""
        engine_reader, engine_writer = await asyncio.open_unix_connection(str(self._target))
        passing = asyncio.create_task(self._pass_commands(client_reader, engine_writer))
        try:
            while data := await engine_reader.read(1 << 16):
                if data.startswith(b"*2\r\n$9\r\ncommitted") and self._is_cut():
                    break
                client_writer.write(data)
                await client_writer.drain()
        except ConnectionError:
            pass
        finally:
            passing.cancel()
            client_writer.close()
            engine_writer.close()

    def _is_cut(self) -> bool:
        self._script_count += 1
        cut = self._script_count % 4 == 0
        self.cut_count += cut
        return cut

    @staticmethod
    async def _pass_commands(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
        writer.close()


@asynccontextmanager
async def cutting_proxy(target: Path, socket: Path) -> AsyncIterator[CuttingProxy]:
    """A proxy on a socket of its own."""
    proxy = CuttingProxy(target)
    server = await asyncio.start_unix_server(proxy.serve, str(socket))
    try:
        yield proxy
    finally:
        server.close()
