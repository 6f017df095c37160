"""Publish stage, last step: what one socket still has to be sent, in order and bounded (W-4).

1. One writer takes frames in the order they were put; putting never waits, so one client never slows
   another.
2. Unsent *delta* bytes are bounded. Over the bound, the subscription that holds most of them is *skipped*:
   all its unsent frames are dropped, and it gets a fresh snapshot once the box has drained.
3. Snapshots and answers are not counted: there is at most one of them under way for a subscription, they
   were asked for, and their text is shared by all who wait for the same one.
4. Characters stand for bytes in the bound: frames are text until the server encodes them, and counting
   encoded bytes would mean encoding each frame once more for each socket.
"""

import asyncio
from collections import deque
from collections.abc import Callable

# The bound of W-4.
MAX_UNSENT_DELTA_BYTES = 1024 * 1024
# Skipped subscriptions come back when this share of the bound is left, so that a slow client is not emptied
# and refilled at every frame.
_DRAINED_SHARE = 4


class _Waiting:
    """One frame in the box; `sub` is None for what belongs to no subscription."""

    __slots__ = ("delta_bytes", "head", "sub", "tail")

    def __init__(self, head: str, tail: str, sub: str | None, delta_bytes: int) -> None:
        self.head = head
        self.tail = tail
        self.sub = sub
        self.delta_bytes = delta_bytes


class Outbox:
    """The frames that wait for one socket; for one event loop, one writer and many who put."""

    __slots__ = ("_by_sub", "_drained", "_max_bytes", "_queue", "_skip", "_skipped", "_unsent", "_wake")

    def __init__(
        self,
        *,
        skip: Callable[[str], None],
        drained: Callable[[tuple[str, ...]], None],
        max_delta_bytes: int = MAX_UNSENT_DELTA_BYTES,
    ) -> None:
        """Make an empty box.

        Args:
            skip: told the subscription that is skipped; it must put no more deltas until `drained` names it.
            drained: told which skipped subscriptions can have their snapshot now.
            max_delta_bytes: the bound on unsent deltas.
        """
        self._queue: deque[_Waiting] = deque()
        self._by_sub: dict[str, int] = {}
        self._unsent = 0
        self._max_bytes = max_delta_bytes
        self._skip = skip
        self._drained = drained
        self._skipped: list[str] = []
        self._wake: asyncio.Future[None] | None = None

    @property
    def unsent_delta_bytes(self) -> int:
        """How much of the bound is used."""
        return self._unsent

    def __len__(self) -> int:
        return len(self._queue)

    def put(self, frame: str, sub: str | None = None) -> None:
        """Put a frame that is not counted; dropped with its subscription's deltas if that is skipped."""
        self._append(_Waiting(frame, "", sub, 0))

    def put_shared(self, head: str, tail: str, sub: str) -> None:
        """Put a frame whose text is `head` and the shared `tail`; not counted."""
        self._append(_Waiting(head, tail, sub, 0))

    def put_delta(self, head: str, tail: str, sub: str) -> None:
        """Put a delta; over the bound, skip the subscription that holds most of it, perhaps this one."""
        size = len(head) + len(tail)
        self._append(_Waiting(head, tail, sub, size))
        self._by_sub[sub] = self._by_sub.get(sub, 0) + size
        self._unsent += size
        while self._unsent > self._max_bytes:
            greatest = max(self._by_sub, key=self._by_sub.__getitem__)
            self.drop(greatest)
            self._skipped.append(greatest)
            self._skip(greatest)

    def drop(self, sub: str) -> None:
        """Drop every unsent frame of a subscription."""
        self._queue = deque(one for one in self._queue if one.sub != sub)
        self._unsent -= self._by_sub.pop(sub, 0)
        if sub in self._skipped:
            self._skipped.remove(sub)

    async def take(self) -> str:
        """Wait for the next frame and take it; for the one writer."""
        self._call_back()
        while not self._queue:
            self._wake = asyncio.get_running_loop().create_future()
            await self._wake
            self._call_back()
        one = self._queue.popleft()
        if one.delta_bytes and one.sub is not None:
            self._unsent -= one.delta_bytes
            self._by_sub[one.sub] -= one.delta_bytes
            if not self._by_sub[one.sub]:
                del self._by_sub[one.sub]
        return one.head + one.tail if one.tail else one.head

    def _append(self, one: _Waiting) -> None:
        self._queue.append(one)
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    def _call_back(self) -> None:
        if self._skipped and self._unsent <= self._max_bytes // _DRAINED_SHARE:
            back, self._skipped = tuple(self._skipped), []
            self._drained(back)
