"""Hub stage, publishing: one channel a view of a session, and the followers who get the same frames (W-3).

1. All live followers of a channel are at the same version, `sent`; the next delta goes from there.
2. A delta is encoded once. Followers who hold every turn that changed share it; those who hold the history
   from a `floor` on, and not all that changed, get the part that is theirs, encoded once a floor.
3. What changes nothing in the view is not sent at once: it only makes the channel *behind*, until the next
   delta or until `settle`, which tells the followers the version with an empty delta.
4. A delta greater than a page comes in several, of which the last alone moves the version. A client that lost its
   connection in between resumes from before all of them: what changed since then is told as whole values (ADR 0004).
5. A follower that was skipped (`outbox.py`) leaves the channel and comes back through a snapshot.
"""

from collections.abc import Callable, Iterable
from typing import Self

from api.codes import ErrorCode
from api.frames import NO_REV, NOBODY, SharedFrame
from api.hub_pages import PAGE_BYTES, paged, snapshot_parts
from api.messages import Delta, Reset, ResetReason, Shared
from api.metrics import EdgeMetrics
from api.outbox import Outbox
from api.unhurried import unhurried
from projections.deltas import Op, TurnOps, in_window
from projections.position import Position
from projections.presenter import Presenter
from projections.session import SessionFold
from projections.slices import Slices, finished
from projections.view import View


class Follower:
    """One subscription of a session, as the hub sees it; `view` changes by `LiveSession.show`."""

    __slots__ = ("_metrics", "end", "floor", "has_left", "outbox", "sub", "view", "view_rev")

    def __init__(
        self,
        *,
        sub: str,
        view: View,
        view_rev: int,
        outbox: Outbox,
        end: Callable[[str, ErrorCode, str | None], None],
        metrics: EdgeMetrics,
    ) -> None:
        """Make a follower that is in no channel yet; `end` is told when the hub ends the subscription."""
        self.sub = sub
        self.view = view
        self.view_rev = view_rev
        self.outbox = outbox
        self.end = end
        self._metrics = metrics
        self.floor = -1
        """The smallest `seq` of the client's window; -1: it holds the whole history."""
        self.has_left = False

    def send(self, message: Shared) -> None:
        """Send a message that is this follower's alone."""
        shared = SharedFrame(message)
        self._metrics.encoded(shared.tag, shared.size_bytes)
        self.send_shared(shared)

    def send_shared(self, message: SharedFrame) -> None:
        """Send a shared message that is no live delta."""
        if not self.has_left:
            self.outbox.put(message.to(self.sub, self.view_rev, self.outbox.codec), self.sub)

    def send_snapshot(self, parts: Iterable[SharedFrame]) -> None:
        """Send a snapshot, to its last part."""
        for part in parts:
            self.send_shared(part)
        if not self.has_left:
            self.outbox.made_good(self.sub)

    def send_delta(self, message: SharedFrame) -> None:
        """Send a live delta."""
        if not self.has_left:
            self.outbox.put_delta(message.to(self.sub, self.view_rev, self.outbox.codec), self.sub)

    def start_over(self, reason: ResetReason) -> None:
        """Void what was sent, and drop what was not: a snapshot follows."""
        if self.has_left:
            return
        self.outbox.void(self.sub)
        self.send(Reset(sub=NOBODY, view_rev=NO_REV, reason=reason))


class Channel:
    """The followers of one view of one session."""

    __slots__ = ("_metrics", "_presenter", "epoch", "followers", "sent", "snapshot", "version", "view")

    def __init__(self, view: View, epoch: str, version: int, metrics: EdgeMetrics) -> None:
        """Make a channel without followers, which is of no use until it is `opened`."""
        self._metrics = metrics
        self.view = view
        self.epoch = epoch
        self.version = version
        self.sent = version
        self.followers: dict[Follower, None] = {}
        self.snapshot: tuple[tuple[int, int | None], tuple[SharedFrame, ...], int] | None = None
        """The last snapshot's parts and floor, by (version, floor asked for): many may come at once."""
        self._presenter = Presenter(view)

    async def opened(self, fold: SessionFold) -> Self:
        """Return the channel: those who join it hold the session as `fold` has it now."""
        await unhurried(self._presenter.tell_open(fold))
        return self

    async def prepare(self, fold: SessionFold) -> None:
        """Make in slices what `publish` else makes at once; the caller keeps the fold from changing in between."""
        await unhurried(self._presenter.prepare(fold))

    @property
    def is_behind(self) -> bool:
        """Whether the followers do not know the present version yet."""
        return self.sent != self.version

    async def send_snapshot(
        self, follower: Follower, fold: SessionFold, position: Position, floor: int | None
    ) -> None:
        """Send the present state from `floor` on (None: the default window) to one follower."""
        asked = (position.version, floor)
        if self.snapshot is None or self.snapshot[0] != asked:
            frames, holds = await unhurried(self._snapshot(fold, position, floor))
            self.snapshot = (asked, frames, holds)
        _, shared, follower.floor = self.snapshot
        follower.send_snapshot(shared)

    def _snapshot(
        self, fold: SessionFold, position: Position, floor: int | None
    ) -> Slices[tuple[tuple[SharedFrame, ...], int]]:
        """Encode a snapshot; what was told of a turn is its present state, since every change is published."""
        parts, holds = yield from snapshot_parts(fold, self.view, position, floor, self._presenter.telling_of)
        frames: list[SharedFrame] = []
        for part in parts:
            frames.append(SharedFrame(part))
            self._metrics.encoded(frames[-1].tag, frames[-1].size_bytes)
            yield
        return tuple(frames), holds

    def publish(self, version: int, changed: tuple[TurnOps, ...]) -> int:
        """Send what changed up to `version`: the ops that all views share, made before the next event.

        Returns how many followers were sent something.
        """
        self.version = version
        ops = tuple((one, self._presenter.ops(one)) for one in changed)
        everything = tuple(op for _, each in ops for op in each)
        if not everything:
            return 0
        since, self.sent = self.sent, version
        shared = self._deltas(since, everything)
        by_floor: dict[int, tuple[SharedFrame, ...]] = {}
        for follower in tuple(self.followers):
            floor = follower.floor
            if floor not in by_floor:
                part = tuple(op for one, each in ops for op in in_window(one, each, floor))
                by_floor[floor] = shared if len(part) == len(everything) else self._deltas(since, part)
            for delta in by_floor[floor]:
                # A page may be the one too many that has the follower skipped.
                if follower in self.followers:
                    follower.send_delta(delta)
        return len(self.followers)

    def settle(self) -> None:
        """Tell the followers the present version, where only batches without a change came."""
        if self.is_behind:
            since, self.sent = self.sent, self.version
            delta = self._delta(since, self.sent, ())
            for follower in tuple(self.followers):
                follower.send_delta(delta)

    def _deltas(self, since: int, ops: tuple[Op, ...]) -> tuple[SharedFrame, ...]:
        whole = self._delta(since, self.sent, ops)
        if whole.size_bytes <= PAGE_BYTES:
            return (whole,)
        *pages, last = finished(paged(ops))
        return (*(self._delta(since, since, page) for page in pages), self._delta(since, self.sent, last))

    def _delta(self, since: int, to: int, ops: tuple[Op, ...]) -> SharedFrame:
        delta = Delta(sub=NOBODY, view_rev=NO_REV, since=since, to=to, epoch=self.epoch, ops=ops)
        shared = SharedFrame(delta)
        self._metrics.encoded(shared.tag, shared.size_bytes)
        return shared
