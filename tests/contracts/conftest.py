"""Every engine there is, the ports on it, and a fresh deployment for each test."""

import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from redis.asyncio import Redis

from service.connection_redis import connect
from service.engine_valkey import EmbeddedEngine
from service.keys import KeySpace
from service.reader_redis import RedisReader
from service.source_redis import RedisSource
from service.store_redis import RedisStore

NOW_MS = 1_700_000_000_000


@dataclass
class Deployment:
    """The adapters of one fresh deployment, and a raw client beside them."""

    url: str
    keys: KeySpace
    store: RedisStore
    source: RedisSource
    reader: RedisReader
    raw: Redis


def _engines() -> list[str]:
    named = os.environ.get("TURNFOLD_TEST_REDIS_URL")
    return ["embedded", *([named] if named else [])]


@pytest.fixture(params=_engines())
async def engine_url(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    """The address of an empty engine."""
    if request.param != "embedded":
        client = connect(request.param)
        await client.flushdb()
        await client.aclose()
        yield request.param
        return
    async with EmbeddedEngine(tmp_path / "engine") as engine:
        yield engine.url


@pytest.fixture(params=[1, 4], ids=["one partition", "four partitions"])
def partition_count(request: pytest.FixtureRequest) -> int:
    """Promises hold for every number of partitions."""
    return int(request.param)


@pytest.fixture
async def deployment(engine_url: str, partition_count: int) -> AsyncIterator[Deployment]:
    """A started deployment."""
    keys = KeySpace(partition_count)
    made = Deployment(
        url=engine_url,
        keys=keys,
        store=RedisStore(engine_url, keys),
        source=RedisSource(engine_url, keys),
        reader=RedisReader(engine_url, keys),
        raw=connect(engine_url),
    )
    await made.store.start(NOW_MS)
    yield made
    for one in (made.store, made.source, made.reader):
        await one.close()
    await made.raw.aclose()


