"""A deployment on an engine of its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from service.engine_valkey import EmbeddedEngine
from tests.deployments import Deployment


@pytest.fixture
async def deployment(tmp_path: Path) -> AsyncIterator[Deployment]:
    """Two partitions on an embedded engine."""
    async with EmbeddedEngine(tmp_path / "engine") as engine:
        made = await Deployment.start(engine.url, 2)
        yield made
        await made.close()
