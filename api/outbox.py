"""Publish stage, last step: what one socket still has to be sent, in order and bounded (W-4).

1. A frame goes to the wire at once while the peer takes what it is sent; else it waits here. Putting never
   waits, so one client never slows another.
2. Unsent *delta* bytes are bounded. Over the bound, the subscription that holds most of them is *skipped*:
   all its unsent frames are dropped, and it gets a fresh snapshot once the box has drained.
3. Snapshots and answers are not counted, because they were asked for. A snapshot voids what its subscription
   had waiting, its bytes are shared by all who wait for the same one, and a client that leaves its answers
   unread is not worked for (`turnstile.py`).
4. The peer is *late* from when frames wait and none is taken, and from a skip until the fresh snapshot is
   written, however much is taken in between: who reads slower than the session moves never gets a whole one.
"""

import asyncio
from collections import deque
from collections.abc import Callable

from api.frames import Frame, bytes_of
from api.messages import Codec
from api.wire import Wire

# Skipped subscriptions come back when this share of the bound is left, so that a slow client is not emptied
# and refilled at every frame.
_DRAINED_SHARE = 4


class _Waiting:
    """One frame in the box; `sub` is None for what belongs to no subscription, `frame` is empty for a mark."""

    __slots__ = ("frame", "is_delta", "size_bytes", "sub")

    def __init__(self, frame: Frame, sub: str | None, *, is_delta: bool) -> None:
        self.frame = frame
        self.sub = sub
        self.size_bytes = bytes_of(frame)
        self.is_delta = is_delta


class Outbox:
    """The frames that wait for one socket; for one event loop."""

    __slots__ = (
        "_buffered_bytes",
        "_by_sub",
        "_drained",
        "_end",
        "_is_finishing",
        "_max_bytes",
        "_moved",
        "_moved_at_s",
        "_owed",
        "_queue",
        "_skip",
        "_skipped",
        "_unsent_bytes",
        "_wire",
        "codec",
        "waiting_bytes",
    )

    def __init__(
        self,
        wire: Wire,
        codec: Codec,
        *,
        skip: Callable[[str], None],
        drained: Callable[[tuple[str, ...]], None],
        moved: Callable[[], None],
        max_delta_bytes: int,
    ) -> None:
        """Make an empty box before a wire.

        Args:
            wire: where the frames go.
            codec: what the frames are encoded in.
            skip: told the subscription that is skipped; it must put no more deltas until `drained` names it.
            drained: told which skipped subscriptions can have their snapshot now.
            moved: told that less is waiting than before.
            max_delta_bytes: the bound on unsent deltas.
        """
        self.codec: Codec = codec
        self.waiting_bytes = 0
        """All that waits here, counted or not."""
        self._wire = wire
        self._queue: deque[_Waiting] = deque()
        self._by_sub: dict[str, int] = {}
        self._unsent_bytes = 0
        self._max_bytes = max_delta_bytes
        self._skip = skip
        self._drained = drained
        self._moved = moved
        self._skipped: list[str] = []
        self._owed: dict[str, float] = {}
        self._moved_at_s = 0.0
        self._buffered_bytes = 0
        self._end: Callable[[], None] | None = None
        self._is_finishing = False
        wire.on_writable = self.flush

    @property
    def unsent_delta_bytes(self) -> int:
        """How much of the bound is used."""
        return self._unsent_bytes

    def __len__(self) -> int:
        return len(self._queue)

    def put(self, frame: Frame, sub: str | None = None) -> None:
        """Put a frame that is not counted; dropped with its subscription's deltas if that is skipped."""
        if self._is_finishing:
            return
        if not self._queue and self._wire.is_writable:
            self._wire.write(frame)
        else:
            self._append(_Waiting(frame, sub, is_delta=False))

    def put_delta(self, frame: Frame, sub: str) -> None:
        """Put a delta; over the bound, skip the subscription that holds most of it, perhaps this one."""
        if self._is_finishing:
            return
        if not self._queue and self._wire.is_writable:
            self._wire.write(frame)
            return
        waiting = _Waiting(frame, sub, is_delta=True)
        self._append(waiting)
        self._by_sub[sub] = self._by_sub.get(sub, 0) + waiting.size_bytes
        self._unsent_bytes += waiting.size_bytes
        while self._unsent_bytes > self._max_bytes:
            greatest = max(self._by_sub, key=self._by_sub.__getitem__)
            self._remove(greatest)
            self._skipped.append(greatest)
            self._owed.setdefault(greatest, asyncio.get_running_loop().time())
            self._skip(greatest)

    def made_good(self, sub: str) -> None:
        """Say that a snapshot of a subscription was put to its last part; once it is sent, no skip is owed."""
        if sub in self._owed:
            self._append(_Waiting((), sub, is_delta=False))
            self.flush()

    def void(self, sub: str) -> None:
        """Drop every unsent frame of a subscription, because a snapshot follows."""
        self._remove(sub)
        self.flush()

    def drop(self, sub: str) -> None:
        """Drop every unsent frame of a subscription, and what it is owed: it ended."""
        self._owed.pop(sub, None)
        if sub in self._skipped:
            self._skipped.remove(sub)
        self.void(sub)

    def clear(self) -> None:
        """Drop everything."""
        self._queue.clear()
        self._by_sub.clear()
        self._owed.clear()
        self._skipped.clear()
        self._unsent_bytes = self.waiting_bytes = 0
        self._moved()
        self._close()

    def finish(self, end: Callable[[], None]) -> None:
        """Take no more, and call `end` once nothing waits; the first call counts."""
        if self._is_finishing:
            return
        self._is_finishing, self._end = True, end
        if self._queue:
            self.flush()
        else:
            self._close()

    def late_s(self) -> float:
        """Return for how long the peer has been late (rule 4), as far as the times of asking can tell."""
        now_s = asyncio.get_running_loop().time()
        buffered_bytes = self._wire.buffered_bytes
        if not self._queue or buffered_bytes != self._buffered_bytes:
            self._moved_at_s = now_s
            self._buffered_bytes = buffered_bytes
        return now_s - min((self._moved_at_s, *self._owed.values()))

    def flush(self) -> None:
        """Send what waits, as far as the wire takes it; then tell whom that concerns."""
        before_bytes = self.waiting_bytes
        while self._queue and self._wire.is_writable:
            self._send(self._queue.popleft())
        if self.waiting_bytes < before_bytes:
            self._moved_at_s = asyncio.get_running_loop().time()
            self._moved()
        elif not self._wire.is_writable:
            return
        if self._skipped and self._unsent_bytes <= self._max_bytes // _DRAINED_SHARE:
            back, self._skipped = tuple(self._skipped), []
            self._drained(back)
        if not self._queue:
            self._close()

    def _close(self) -> None:
        end, self._end = self._end, None
        if end is not None:
            end()

    def _send(self, one: _Waiting) -> None:
        self.waiting_bytes -= one.size_bytes
        if one.frame:
            self._wire.write(one.frame)
        elif one.sub is not None:
            self._owed.pop(one.sub, None)
        if one.is_delta and one.sub is not None:
            self._unsent_bytes -= one.size_bytes
            self._by_sub[one.sub] -= one.size_bytes
            if not self._by_sub[one.sub]:
                del self._by_sub[one.sub]

    def _append(self, one: _Waiting) -> None:
        if not self._queue:
            self._moved_at_s = asyncio.get_running_loop().time()
        self._queue.append(one)
        self.waiting_bytes += one.size_bytes

    def _remove(self, sub: str) -> None:
        self._queue = deque(one for one in self._queue if one.sub != sub)
        self.waiting_bytes = sum(one.size_bytes for one in self._queue)
        self._unsent_bytes -= self._by_sub.pop(sub, 0)
        self._moved()
