"""One running service for a test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.api.stack import Stack, serving


@pytest.fixture
async def stack(tmp_path: Path) -> AsyncIterator[Stack]:
    """A service without authentication, on an engine of its own."""
    async with serving(tmp_path / "data") as running:
        yield running
