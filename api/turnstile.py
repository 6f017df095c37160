"""Subscribe stage: a client's requests are worked on in their order, and only while it takes the answers (W-4).

Asking is cheap and an answer may be great: a client that asks on and reads nothing would fill the memory with
snapshots. So at most `AT_ONCE` requests of a socket are under way, none begins while too much is unread, and
who has `MOST_WAITING` of them waiting is not served at all.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

#: Enough to load some sessions beside each other; each may put one snapshot beyond the bound.
AT_ONCE: Final = 4
#: Twice what a client asks for that opens all its subscriptions in one go (W-7).
MOST_WAITING: Final = 256


class Turnstile:
    """The way from a socket's requests to the sessions; for one event loop."""

    __slots__ = ("_count", "_has_room", "_inside", "_is_open", "_line", "_moved")

    def __init__(self, has_room: Callable[[], bool]) -> None:
        """Make a turnstile; `has_room` says whether the client has read enough for another answer."""
        self._has_room = has_room
        self._count = 0
        self._inside = 0
        self._is_open = False
        self._line = asyncio.Lock()
        self._moved: asyncio.Future[None] | None = None

    def join(self) -> bool:
        """Stand in line, for `passing` later; False, and nothing changes, where too many do already.

        Apart from `passing`, because a whole burst of requests is read before the first of them is worked on.
        """
        if self._count >= MOST_WAITING:
            return False
        self._count += 1
        return True

    @asynccontextmanager
    async def passing(self) -> AsyncIterator[None]:
        """Wait for one's turn and for room; for each `join` once.

        Who enters first runs first, up to where its block waits itself.
        """
        try:
            await self._enter()
            try:
                yield
            finally:
                self._inside -= 1
                self.look_again()
        finally:
            self._count -= 1

    def look_again(self) -> None:
        """Say that there may be room now."""
        if self._moved is not None and not self._moved.done():
            self._moved.set_result(None)

    def open(self) -> None:
        """Let everybody through: the socket is gone, and what is left to do will see that."""
        self._is_open = True
        self.look_again()

    async def _enter(self) -> None:
        async with self._line:
            while not self._is_open and (self._inside >= AT_ONCE or not self._has_room()):
                self._moved = asyncio.get_running_loop().create_future()
                await self._moved
            self._inside += 1
