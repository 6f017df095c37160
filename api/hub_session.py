"""Hub stage, one session in memory: its fold, its version, and the order of all that happens to it.

Rules:

1. Everything happens under one lock, in the order it was asked for: loading, flushing, following, paging.
   So a snapshot and the deltas after it join without a gap or a duplicate (W-2), and between two of them
   the fold, the version and what the followers were sent never differ.
2. A flush folds all that the log holds by then and sends one delta a view. The first flush after a pause runs in the
   next round (`hub_rounds`), the next ones at least `flush_s` apart (W-3); a view in which nothing changed is told
   the version within `SETTLE_S`.
3. The log is read only when somebody looks: without followers an announcement is just noted. What this process
   committed itself is handed over with the announcement and needs no reading (`hub_handed`).
4. Another epoch is another history: the session is loaded again and every follower starts over with
   `reset`.
5. A session that does not exist can be followed: it is empty, at version 0 of the epoch "". When it
   appears, its epoch is another one, and rule 4 applies.
6. A store that does not answer changes nothing; the flush is tried again. A fold that raises stops this
   session.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from api.codes import ErrorCode
from api.hub_channel import Channel, Follower
from api.hub_channels import Channels
from api.hub_handed import Handed, announcement, handed
from api.hub_loading import FoldBroken, HistoryChanged, KnownVersions, fold_handed, fold_on, load
from api.hub_means import Means
from api.hub_pages import earlier_parts, resume
from api.messages import ResetReason
from api.metrics import NoResume
from api.unhurried import unhurried
from projections.deltas import facts
from projections.position import Position
from projections.session import SessionFold
from projections.view import View
from service.errors import SessionGone, StoreRefused, StoreUnavailable
from service.keys import SessionId
from service.stored import FeedEntry, SessionCommit

# What changes nothing in a view still advances `to` within a second; this leaves room for the flush itself.
SETTLE_S = 0.8
# After a store that did not answer.
RETRY_S = 1.0


class LiveSession:
    """One session in memory; for one event loop."""

    def __init__(self, session: SessionId, means: Means) -> None:
        """Make a session that is not loaded yet, and works with `means`."""
        self.session = session
        self.lock = asyncio.Lock()
        self.epoch = ""
        self.version = 0
        self.announced = 0
        self.gone = False
        self.user_count = 0
        """How many callers hold on to the session; the hub forgets it only at 0."""
        self._fold: SessionFold | None = None
        self._broken: FoldBroken | None = None
        self._foreign: tuple[str, int] | None = None
        self._is_doubtful = False
        self._reader = means.reader
        self._flush_s = means.flush_s
        self._inline_bytes = means.inline_bytes
        self._spawn = means.spawn
        self._report = means.report
        self._metrics = means.metrics
        self._channels = Channels(means.metrics)
        self._versions = KnownVersions(session, means.reader)
        self._handed = Handed()
        self._rounds = means.rounds
        self._is_due = False
        self._settle_timer: asyncio.TimerHandle | None = None
        self._flushed_at = float("-inf")
        self._announced_at: float | None = None
        self._moved = asyncio.Event()

    @property
    def has_followers(self) -> bool:
        """Whether anybody would get a delta, or is owed a restart."""
        return self._channels.has_followers

    @property
    def needs_reading(self) -> bool:
        """Whether more is known to be in the log than was folded or told, or another history."""
        return self._has_news or bool(self._channels.owed)

    @property
    def _has_news(self) -> bool:
        return self._must_load or self.announced > self.version

    @property
    def _must_load(self) -> bool:
        return self._fold is None or self._foreign is not None or self._is_doubtful

    # What the feed says

    def announce(self, entry: FeedEntry) -> None:
        """Note what was committed; with followers, a flush comes at the next tick."""
        if entry.gone:
            self._spawn(self._end_all())
        elif entry.epoch == self.epoch:
            self.announced = max(self.announced, entry.version)
        else:
            self._foreign = (entry.epoch, entry.version)
        self._wake()
        if self.has_followers and self._has_news:  # the feed says again what was handed over and published
            self._announced_at = self._announced_at or asyncio.get_running_loop().time()
            self._schedule()

    def committed(self, part: SessionCommit) -> None:
        """Note what the projector of this process committed, ahead of the feed, which will say it again."""
        if self.has_followers:
            self._handed.put(handed(part))
        self.announce(announcement(part))

    def doubt(self) -> None:
        """Note that the feed had a hole: what is held may be old."""
        self._wake()
        if self._fold is not None:
            self._spawn(self._look_again())

    def _wake(self) -> None:
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()

    def _schedule(self, delay_s: float = 0.0) -> None:
        if not self._is_due and self.needs_reading and not self.gone:
            self._is_due = True
            at = max(asyncio.get_running_loop().time() + delay_s, self._flushed_at + self._flush_s)
            self._rounds.join(at, lambda: self._spawn(self._flush()))

    # What the followers ask

    async def follow(self, follower: Follower, position: Position | None, from_turn: int | None) -> None:
        """Send what the follower lacks, or a snapshot, then every delta."""
        async with self.lock:
            if follower.has_left:
                return
            await self._refresh(0 if position is None else position.version)
            why = "no_position" if position is None else await self._resume(follower, position, from_turn)
            self._metrics.subscribed(why)
            if why is not None:
                await self._begin(follower)
            else:
                self._join(follower, await self._channel(follower.view))

    async def show(self, follower: Follower, view: View, view_rev: int) -> None:
        """Send the follower a snapshot in another view, of what it holds, then every delta of that view."""
        async with self.lock:
            self._channels.leave(follower)
            if follower.has_left:
                return
            follower.view, follower.view_rev = view, view_rev
            await self._refresh()
            await self._begin(follower, follower.floor)

    async def restart(self, follower: Follower, reason: ResetReason) -> None:
        """Void what a follower was sent, and send a snapshot."""
        async with self.lock:
            if follower.has_left:
                return
            await self._refresh()
            await self._reset(follower, reason)

    async def reach(self, follower: Follower, limit: int) -> None:
        """Send the turns before the oldest that the follower holds."""
        async with self.lock:
            if follower.has_left or self._fold is None:
                return
            channel = self._channels.of(follower)
            if channel is None:
                return
            channel.settle()
            parts, floor = await unhurried(
                earlier_parts(self._fold, follower.view, self._position(), follower.floor, limit)
            )
            if follower in channel.followers:
                follower.floor = floor
                for part in parts:
                    follower.send(part)

    def leave(self, follower: Follower) -> None:
        """Forget a follower, at once."""
        follower.has_left = True
        self._channels.leave(follower)

    def skip(self, follower: Follower) -> None:
        """Send a follower nothing until it restarts."""
        self._channels.leave(follower)

    # What a reader of the present asks

    async def look(self, at_least: int = 0) -> tuple[SessionFold, Position]:
        """Return the fold as it is now; the caller must be done with it before it awaits anything.

        It is at version `at_least` or later, if that was committed. Raises SessionGone, FoldBroken, and what
        the store raises.
        """
        async with self.reading(at_least) as found:
            return found

    @asynccontextmanager
    async def reading(self, at_least: int = 0) -> AsyncIterator[tuple[SessionFold, Position]]:
        """Hold the fold as it is now: it stands still for the length of the block. Raises as `look`."""
        async with self.lock:
            yield await self._refresh(at_least), self._position()

    async def until(self, version: int) -> None:
        """Wait until `version` is committed and folded; for ever, if it never is. Raises as `look`."""
        while True:
            moved = self._moved
            _, position = await self.look(version)
            if position.version >= version:
                return
            await moved.wait()

    # Under the lock

    async def _refresh(self, at_least: int = 0) -> SessionFold:
        """Be at the announced version or later: load, load again, or fold on and publish."""
        if self.gone:
            raise SessionGone(self.session)
        if self._broken is not None:
            raise self._broken
        if self._must_load:
            await self._load()
        elif (target := max(self.announced, at_least)) > self.version:
            await self._advance(target)
        await self._make_good()
        return self._held()

    def _held(self) -> SessionFold:
        if self._fold is None:
            # A bug: nothing asks before `_refresh`.
            raise LookupError(f"session {self.session!r} is not loaded")
        return self._fold

    async def _load(self) -> None:
        if await self._reader.is_gone(self.session):
            self.gone = True
            raise SessionGone(self.session)
        self._foreign, self._is_doubtful = None, False
        try:
            loaded = await load(self._reader, self.session)
        except FoldBroken as bug:
            self._broken = bug
            raise
        except BaseException:
            self._is_doubtful = True
            raise
        loaded.fold.inline_bytes = self._inline_bytes
        before, had = self._position(), self._fold
        self._fold, self.epoch, self.version = loaded.fold, loaded.epoch, loaded.version
        self.announced = loaded.version
        self._heed_announced()
        self._versions = KnownVersions(self.session, self._reader)
        self._versions.add(loaded.ends)
        if had is not None and before != self._position():
            self._channels.start_over("appeared" if not before.epoch else "epoch")

    def _heed_announced(self) -> None:
        """Take what was announced while we read: a later version, or an epoch that is not the one we read."""
        if self._foreign is not None and self._foreign[0] == self.epoch:
            self.announced = max(self.announced, self._foreign[1])
            self._foreign = None
        self._announced_at = self._announced_at if self._has_news else None  # told by a reset, no broadcast

    async def _make_good(self) -> None:
        """Let those who must start over do so; who is left when this is cancelled has it at the next flush."""
        try:
            while owed := self._channels.owed:
                follower, reason = next(iter(owed.items()))
                await self._reset(follower, reason)
                owed.pop(follower, None)
        finally:
            if self._channels.owed:
                self._schedule()

    async def _advance(self, target: int) -> None:
        """Fold what was handed over, or what the log holds beyond us, up to `target` or later; publish it."""
        fold = self._held()
        ends: list[tuple[int, int]] = []
        try:
            await fold_handed(self.session, fold, self._handed.take(self.epoch, fold.next_seq), ends)
            if not ends or ends[-1][0] < target:
                await fold_on(self._reader, self.session, fold, ends)
            await self._channels.prepare(fold)
        except HistoryChanged:
            await self._load()
        except FoldBroken as bug:
            self._broken = bug
            raise
        finally:
            # Also after a store that failed half way: the fold and the version never differ (rule 1).
            if ends and self._broken is None:
                self._reach_version(ends, fold)

    def _reach_version(self, ends: list[tuple[int, int]], fold: SessionFold) -> None:
        self.version = ends[-1][0]
        self.announced = max(self.announced, self.version)
        self._versions.add(ends)
        self._publish(fold)

    def _publish(self, fold: SessionFold) -> None:
        delivered = self._channels.publish(self.version, facts(fold.drain()))
        loop = asyncio.get_running_loop()
        if self._announced_at is not None:
            self._metrics.broadcast(delivered, loop.time() - self._announced_at)
            self._announced_at = None
        if self._settle_timer is None and self._channels.is_behind:
            self._settle_timer = loop.call_later(SETTLE_S, lambda: self._spawn(self._settle()))

    async def _resume(self, follower: Follower, position: Position, from_turn: int | None) -> NoResume | None:
        found = await resume(
            self._held(),
            follower.view,
            self._versions,
            since=position,
            now=self._position(),
            from_turn=from_turn,
        )
        if isinstance(found, str):
            return found
        follower.floor, messages = found
        for message in messages:
            follower.send(message)
        return None

    async def _begin(self, follower: Follower, floor: int | None = None) -> None:
        """Send the present state from `floor` on (None: the default window), then every delta."""
        channel = await self._channel(follower.view)
        await channel.send_snapshot(follower, self._held(), self._position(), floor)
        self._join(follower, channel)

    async def _reset(self, follower: Follower, reason: ResetReason) -> None:
        self._metrics.restarted(reason)
        follower.start_over(reason)
        await self._begin(follower)

    def _join(self, follower: Follower, channel: Channel) -> None:
        self._channels.join(follower, channel)
        self._schedule()

    async def _channel(self, view: View) -> Channel:
        return await self._channels.open(view, self._held(), self._position())

    def _position(self) -> Position:
        return Position(epoch=self.epoch, version=self.version)

    # In the background

    async def _flush(self) -> None:
        self._is_due = False
        async with self.lock:
            self._flushed_at = asyncio.get_running_loop().time()
            try:
                await self._refresh()
            except SessionGone:
                self._end(ErrorCode.GONE)
            except FoldBroken as bug:
                self._report("fold_broken", bug)
                self._end(ErrorCode.INTERNAL)
            except (StoreUnavailable, StoreRefused, HistoryChanged) as trouble:
                self._report("flush_failed", trouble)
                self._schedule(RETRY_S)

    async def _settle(self) -> None:
        self._settle_timer = None
        async with self.lock:
            self._channels.settle()

    async def _look_again(self) -> None:
        async with self.lock:
            try:
                summary = await self._reader.summary(self.session)
            except (StoreUnavailable, StoreRefused) as trouble:
                self._report("look_failed", trouble)
                self._is_doubtful = True
            else:
                epoch, version = ("", 0) if summary is None else (summary.epoch, summary.version)
                self._is_doubtful = epoch != self.epoch
                self.announced = max(self.announced, 0 if self._is_doubtful else version)
        if self.has_followers:
            self._schedule()

    async def _end_all(self) -> None:
        async with self.lock:
            self._end(ErrorCode.GONE)

    def _end(self, code: ErrorCode) -> None:
        self.gone = self.gone or code is ErrorCode.GONE
        for follower in self._channels.end():
            follower.has_left = True
            follower.end(follower.sub, code, None)
        self._wake()
