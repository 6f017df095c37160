"""Hub stage, publishing: the channels of one session by view, and the followers who have to start over.

1. A channel lives while it has followers; one without is forgotten at the next change, since it is not told of it.
2. Followers of another history are *owed* a restart. They are in no channel until they had it, so that whoever works
   on it can be cancelled half way.
"""

from api.hub_channel import Channel, Follower
from api.messages import ResetReason
from api.metrics import EdgeMetrics
from projections.deltas import TurnOps
from projections.position import Position
from projections.session import SessionFold
from projections.view import View


class Channels:
    """The channels of one session; used under its lock, but for `leave`."""

    __slots__ = ("_by_view", "_metrics", "owed")

    def __init__(self, metrics: EdgeMetrics) -> None:
        """Begin with no channel."""
        self._metrics = metrics
        self._by_view: dict[View, Channel] = {}
        self.owed: dict[Follower, ResetReason] = {}
        """Who has to start over, and why."""

    @property
    def has_followers(self) -> bool:
        """Whether anybody would get a delta, or is owed a restart."""
        return bool(self.owed) or any(channel.followers for channel in self._by_view.values())

    @property
    def is_behind(self) -> bool:
        """Whether followers of some channel do not know the present version yet."""
        return any(channel.is_behind for channel in self._by_view.values())

    def of(self, follower: Follower) -> Channel | None:
        """Return the channel that a follower is in."""
        channel = self._by_view.get(follower.view)
        return channel if channel is not None and follower in channel.followers else None

    async def open(self, view: View, fold: SessionFold, position: Position) -> Channel:
        """Return the channel of a view, whose followers hold the session as `fold` has it now."""
        channel = self._by_view.get(view)
        if channel is None:
            made = Channel(view, position.epoch, position.version, self._metrics)
            channel = self._by_view[view] = await made.opened(fold)
        return channel

    def join(self, follower: Follower, channel: Channel) -> None:
        """Let a follower have every delta from now on; it holds the present state."""
        if follower.has_left:
            return
        # Its last follower may have left, and the channel with it, while this one was sent the present state.
        self._by_view[follower.view] = channel
        channel.settle()
        channel.followers[follower] = None

    def leave(self, follower: Follower) -> None:
        """Send a follower nothing more."""
        self.owed.pop(follower, None)
        channel = self._by_view.get(follower.view)
        if channel is not None:
            channel.followers.pop(follower, None)
            if not channel.followers:
                del self._by_view[follower.view]

    def start_over(self, reason: ResetReason) -> None:
        """Owe everybody a restart."""
        self.owed.update(dict.fromkeys(self._all(), reason))
        self._by_view = {}

    def end(self) -> list[Follower]:
        """Forget all followers; returns who they were."""
        followers = [*self._all(), *self.owed]
        self._by_view, self.owed = {}, {}
        return followers

    async def prepare(self, fold: SessionFold) -> None:
        """Make ready what is to be published, in slices; the caller keeps the fold from changing in between."""
        for channel in tuple(self._by_view.values()):
            if channel.followers:
                await channel.prepare(fold)

    def publish(self, version: int, changed: tuple[TurnOps, ...]) -> int:
        """Send what changed up to `version`; returns to how many followers."""
        delivered = 0
        for view, channel in tuple(self._by_view.items()):
            if channel.followers:
                delivered += channel.publish(version, changed)
            else:
                del self._by_view[view]
        return delivered

    def settle(self) -> None:
        """Tell every follower the present version."""
        for channel in self._by_view.values():
            channel.settle()

    def _all(self) -> list[Follower]:
        return [follower for channel in self._by_view.values() for follower in channel.followers]
