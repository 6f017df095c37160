"""Edge stage: the live side of the service as one part: folded sessions, subscribers and the socket."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from litestar.types import ASGIApp

from api.auth import Authenticator
from api.condition import LiveCounts
from api.credentials import Credentials
from api.hub import Hub
from api.messages import Limits
from api.metrics import EdgeMetrics
from api.socket import SlowLimits, Sockets
from projections.position import Position
from projections.session import SessionFold
from service.keys import SessionId
from service.ports import Reader
from service.preferences import PreferenceStore
from service.settings import Settings
from service.stored import Commit
from service.tickets import TicketStore


class Live:
    """Folded sessions, loaded as they are asked for, and followed; see `api.parts.Transcripts`."""

    def __init__(self, hub: Hub, sockets: Sockets, drain_window_ms: int) -> None:
        self._hub = hub
        self._sockets = sockets
        self._drain_window_ms = drain_window_ms
        self.socket: ASGIApp = sockets

    @property
    def socket_count(self) -> int:
        """How many sockets are open."""
        return len(self._sockets)

    def counts(self) -> LiveCounts:
        """What is held in memory at this instant, sockets included."""
        return LiveCounts(
            sockets=self.socket_count,
            subscriptions=self._sockets.subscription_count,
            sessions=len(self._hub),
        )

    async def look(self, session: SessionId, at_least: int = 0) -> tuple[SessionFold, Position]:
        """The fold at version `at_least` or later, if that was committed; use it before the next await."""
        return await self._hub.look(session, at_least)

    def reading(
        self, session: SessionId, at_least: int = 0
    ) -> AbstractAsyncContextManager[tuple[SessionFold, Position]]:
        """The fold at version `at_least` or later, which stands still for the length of the block."""
        return self._hub.reading(session, at_least)

    async def until(self, session: SessionId, version: int) -> None:
        """Wait until the version is committed and folded; for ever, if it never is."""
        await self._hub.until(session, version)

    def committed(self, commit: Commit) -> None:
        """Take over what a projector in this process committed, ahead of the change feed."""
        self._hub.committed(commit)

    async def drain(self, within_s: float) -> None:
        """Send the sockets away; they come back spread over the window of the settings (W-5)."""
        await self._sockets.drain(window_ms=self._drain_window_ms, within_s=within_s)

    def abort(self) -> None:
        """Cut every socket, at once."""
        self._sockets.abort()


@asynccontextmanager
async def open_live(
    reader: Reader,
    preferences: PreferenceStore,
    tickets: TicketStore,
    settings: Settings,
    *,
    metrics: EdgeMetrics,
    limits: Limits | None = None,
) -> AsyncIterator[Live]:
    """The live side for the length of the block; `limits` of a socket are the documented ones unless given."""
    hub = await Hub(
        reader, flush_ms=settings.flush_ms, metrics=metrics, inline_bytes=settings.inline_bytes
    ).start()
    slow = SlowLimits(max_unsent_bytes=settings.max_unsent_bytes, slow_ms=settings.slow_client_ms)
    credentials = Credentials(Authenticator(settings.jwt_secret), tickets)
    sockets = Sockets(hub, credentials, preferences, metrics, limits=limits, slow=slow)
    hub.spawn(sockets.watch())
    hub.spawn(sockets.follow_preferences())
    try:
        yield Live(hub, sockets, settings.drain_window_ms)
    finally:
        await hub.stop()
