"""Every engine there is, and a fresh deployment on it for each test."""

import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from service.connection_redis import ask, connect
from service.engine_valkey import EmbeddedEngine
from tests.deployments import Chain, Deployment


def _engines() -> list[str]:
    named = os.environ.get("TURNFOLD_TEST_REDIS_URL")
    return ["embedded", "redis-server", *([named] if named else [])]


@pytest.fixture(params=_engines())
async def engine_url(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    """The address of an empty engine: the wheel's Valkey, the system's Redis, or a server that was named."""
    if request.param in ("embedded", "redis-server"):
        program = None if request.param == "embedded" else _redis_server()
        async with EmbeddedEngine(tmp_path / "engine", program=program) as engine:
            yield engine.url
        return
    client = connect(request.param)
    await ask(client, "FLUSHDB")
    await client.aclose()
    yield request.param


def _redis_server() -> Path:
    found = shutil.which("redis-server")
    if found is None:
        pytest.skip("no redis-server on PATH")
    return Path(found)


@pytest.fixture(params=[1, 4], ids=["1-partition", "4-partitions"])
def partition_count(request: pytest.FixtureRequest) -> int:
    """Promises hold for every number of partitions."""
    return int(request.param)


@pytest.fixture
async def deployment(engine_url: str, partition_count: int) -> AsyncIterator[Deployment]:
    """A started deployment."""
    made = await Deployment.start(engine_url, partition_count)
    yield made
    await made.close()


@pytest.fixture
async def chain(deployment: Deployment) -> Chain:
    """Commits of the partition that the session `s1` belongs to."""
    return await Chain.take(deployment, deployment.partition("s1"))
