"""Folded sessions for the HTTP tests, without the hub: each look loads the session as a cold start does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from api.hub_loading import load
from api.parts import Transcripts
from projections.position import Position
from projections.session import SessionFold
from service.keys import SessionId
from service.ports import Reader


class ColdTranscripts:
    """`api.parts.Transcripts` by loading every time."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def look(self, session: SessionId, at_least: int = 0) -> tuple[SessionFold, Position]:
        """The fold as it is stored now."""
        loaded = await load(self._reader, session)
        return loaded.fold, Position(epoch=loaded.epoch, version=max(loaded.version, 0))

    async def until(self, session: SessionId, version: int) -> None:
        """Poll until the version is there."""
        while (await self.look(session))[1].version < version:
            await asyncio.sleep(0.005)


@asynccontextmanager
async def transcripts_of(reader: Reader) -> AsyncIterator[Transcripts]:
    """Transcripts for the length of the block."""
    yield ColdTranscripts(reader)
