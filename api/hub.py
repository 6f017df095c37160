"""Hub stage: the sessions that this process holds in memory, and the feed that says which of them moved.

1. One task reads the change feed of all partitions and tells the sessions and the list. It is opened before
   any session is loaded, so nothing falls between a load and the first announcement.
   A projector in the same process says the same earlier, and hands the events over (`committed`).
2. A hole in the feed, or a store that did not answer, makes everything held doubtful: each session looks
   again.
3. Sessions are kept while somebody uses them, and the `kept_sessions` last used ones beyond that.
4. Nothing here waits for a client: what is sent goes to that client's outbox.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Self

import structlog

from api.hub_list import SessionListHub
from api.hub_means import Means
from api.hub_rounds import Rounds
from api.hub_session import LiveSession
from api.metrics import EdgeMetrics
from projections.position import Position
from projections.session import SessionFold
from service.errors import FeedGap, StoreRefused, StoreUnavailable
from service.keys import SessionId
from service.ports import Feed, Reader
from service.stored import Commit

# A read that finds nothing comes back after this time, to see whether the hub is closing.
FEED_BLOCK_MS = 1000
# Idle sessions cost memory only: about the size of their rows.
KEPT_SESSIONS = 128
_RETRY_S = 0.5

_log = structlog.get_logger(__name__)


class Hub:
    """All live sessions of one process; for one event loop. `start` before use, `stop` after."""

    def __init__(
        self,
        reader: Reader,
        *,
        flush_ms: int,
        metrics: EdgeMetrics,
        inline_bytes: int | None = None,
        kept_sessions: int = KEPT_SESSIONS,
    ) -> None:
        """Make a hub that follows nothing yet.

        Args:
            reader: where sessions and the feed are read from.
            flush_ms: the least time between two deltas of a session (`TURNFOLD_FLUSH_MS`).
            metrics: told what is sent, and what failed.
            inline_bytes: of a greater text the head alone travels (`TURNFOLD_INLINE_BYTES`); None: every text whole.
            kept_sessions: how many sessions stay in memory while nobody uses them.
        """
        self._reader = reader
        self._means = Means(
            reader=reader,
            metrics=metrics,
            flush_s=flush_ms / 1000,
            inline_bytes=inline_bytes,
            rounds=Rounds(),
            spawn=self.spawn,
            report=self.report,
        )
        self._kept = kept_sessions
        self._metrics = metrics
        self._sessions: dict[SessionId, LiveSession] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._feed: Feed | None = None
        self._is_stopping = False
        self.list = SessionListHub(reader, spawn=self.spawn, report=self.report)

    def __len__(self) -> int:
        """How many sessions are in memory."""
        return len(self._sessions)

    async def start(self) -> Self:
        """Open the feed and read it from now on; raises what the reader raises."""
        feed = self._feed = await self._reader.open_feed()
        self.spawn(self._read_feed(feed))
        return self

    async def stop(self) -> None:
        """End every task of the hub and close the feed."""
        self._is_stopping = True
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._feed is not None:
            await self._feed.close()

    def enter(self, session: SessionId) -> LiveSession:
        """Return the session, which stays in memory until `exit`; loads nothing yet."""
        live = self._sessions.pop(session, None)
        if live is None:
            live = LiveSession(session, self._means)
        self._sessions[session] = live
        live.user_count += 1
        return live

    def exit(self, live: LiveSession) -> None:
        """Say that a user of the session is done with it."""
        live.user_count -= 1
        self._evict()

    async def look(self, session: SessionId, at_least: int = 0) -> tuple[SessionFold, Position]:
        """Return a session's fold as it is now, at `at_least` or later if that was committed.

        The caller must be done with it before it awaits anything. Raises as `LiveSession.look`.
        """
        live = self.enter(session)
        try:
            return await live.look(at_least)
        finally:
            self.exit(live)

    @asynccontextmanager
    async def reading(
        self, session: SessionId, at_least: int = 0
    ) -> AsyncIterator[tuple[SessionFold, Position]]:
        """Hold a session's fold as it is now, at `at_least` or later if that was committed.

        It stands still for the length of the block. Raises as `LiveSession.look`.
        """
        live = self.enter(session)
        try:
            async with live.reading(at_least) as found:
                yield found
        finally:
            self.exit(live)

    async def until(self, session: SessionId, version: int) -> None:
        """Wait until `version` is committed and folded; for ever, if it never is."""
        live = self.enter(session)
        try:
            await live.until(version)
        finally:
            self.exit(live)

    def committed(self, commit: Commit) -> None:
        """Take over what a projector in this process committed: its followers need not wait for the feed."""
        for part in commit.sessions:
            live = self._sessions.get(part.summary.session) if part.events else None
            if live is not None:
                live.committed(part)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run work in the background, to its end or to that of the hub."""
        if self._is_stopping:
            work.close()
            return
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def report(self, what: str, trouble: BaseException) -> None:
        """Log and count a fault that no caller waits for."""
        self._metrics.failed(what)
        _log.warning(what, error=str(trouble), kind=type(trouble).__name__)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (bug := task.exception()) is not None:
            _log.error("hub_task_failed", exc_info=bug)

    def _evict(self) -> None:
        idle = [live for live in self._sessions.values() if live.user_count == 0 and not live.lock.locked()]
        for live in idle[: max(0, len(idle) - self._kept)]:
            del self._sessions[live.session]

    async def _read_feed(self, feed: Feed) -> None:
        while not self._is_stopping:
            try:
                entries = await feed.read(FEED_BLOCK_MS)
            except FeedGap as gap:
                self.report("feed_gap", gap)
                self._doubt()
                continue
            except (StoreUnavailable, StoreRefused) as trouble:
                self.report("feed_failed", trouble)
                await asyncio.sleep(_RETRY_S)
                self._doubt()
                continue
            for entry in entries:
                self.list.announce(entry)
                live = self._sessions.get(entry.session)
                if live is not None:
                    live.announce(entry)

    def _doubt(self) -> None:
        self.list.doubt()
        for live in self._sessions.values():
            live.doubt()
