"""A fresh deployment for each test, on every engine there is."""

from collections.abc import AsyncIterator

import pytest

from tests.deployments import Chain, Deployment


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
