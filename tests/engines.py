"""Every engine there is, one after the other, and empty for each test.

The embedded one, Debian's Redis and a container of it are always asked for; without them a test is skipped, in CI it
fails. A server that `TURNFOLD_TEST_REDIS_URL` names comes in addition: its database is emptied.
"""

import os
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from testcontainers.community.redis import RedisContainer
from testcontainers.core.config import ConnectionMode, testcontainers_config

from service.connection_redis import ask, connect
from service.engine_valkey import EmbeddedEngine
from tests.docker_engine import DockerEngine
from tests.waiting import wait_until

NAMED = "TURNFOLD_TEST_REDIS_URL"
#: The first test on a container waits for the engine and its image, which may have to be made.
_PATIENT = pytest.mark.timeout(600)
_CONTAINER_COMMAND = "redis-server --protected-mode no --appendonly yes --appendfsync always"
#: What tests set to other values on a server that others use after them.
_TUNED = ("appendonly", "appendfsync")

# The helper that removes containers after a killed test run is an image of its own, which not everyone can pull.
testcontainers_config.ryuk_disabled = True


def _engines() -> list[object]:
    named = [os.environ[NAMED]] if os.environ.get(NAMED) else []
    return ["embedded", "redis-server", pytest.param("container", marks=_PATIENT), *named]


@pytest.fixture(params=_engines())
def engine(request: pytest.FixtureRequest) -> str:
    """The name of an engine, or the address of one that was named: a test runs once on each."""
    return str(request.param)


@pytest.fixture
async def engine_url(engine: str, request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    """The address of an empty engine."""
    if engine in ("embedded", "redis-server"):
        program = None if engine == "embedded" else _redis_server()
        async with EmbeddedEngine(tmp_path / "engine", program=program) as started:
            yield started.url
        return
    url = request.getfixturevalue("container_url") if engine == "container" else engine
    async with _emptied(str(url)):
        yield str(url)


@pytest.fixture(scope="session")
def container_url(docker_engine: DockerEngine, redis_image: str) -> Iterator[str]:
    """The address of a Redis in a container."""
    if docker_engine.is_private:
        # It runs beside this process, also where both are in a container that looks for its engine outside.
        testcontainers_config.tc_host_override = "127.0.0.1"
        testcontainers_config.connection_mode_override = ConnectionMode.docker_host
    with RedisContainer(redis_image).with_command(_CONTAINER_COMMAND) as container:
        yield f"redis://{container.get_container_host_ip()}:{container.get_exposed_port(6379)}/0"


def _redis_server() -> Path:
    found = shutil.which("redis-server")
    if found is None:
        pytest.skip("no redis-server on PATH")
    return Path(found)


@asynccontextmanager
async def _emptied(url: str) -> AsyncIterator[None]:
    """A server that outlives the test, emptied before it, and with its settings as they were after it."""
    client = connect(url)
    await ask(client, "FLUSHDB")
    before = {name: (await ask(client, "CONFIG", "GET", name))[1] for name in _TUNED}
    try:
        yield

        async def is_written() -> bool:
            return not (await client.info("persistence"))["aof_rewrite_in_progress"]

        for name, value in before.items():
            await ask(client, "CONFIG", "SET", name, value)
        await wait_until(is_written, "the server has written the append-only file that a test turned off")
    finally:
        await client.aclose()
