"""Subscribe stage: a client's requests are worked on in their order, and only while it takes the answers (W-4).

Asking is cheap and an answer may be great: a client that asks on and reads nothing would fill the memory with
snapshots. So at most `AT_ONCE` requests of a socket are under way, and none begins while too much is unread.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

#: Enough to load some sessions beside each other; each may put one snapshot beyond the bound.
AT_ONCE: Final = 4


class Turnstile:
    """The way from a socket's requests to the sessions; for one event loop."""

    __slots__ = ("_has_room", "_inside", "_is_open", "_line", "_moved")

    def __init__(self, has_room: Callable[[], bool]) -> None:
        """Make a turnstile; `has_room` says whether the client has read enough for another answer."""
        self._has_room = has_room
        self._inside = 0
        self._is_open = False
        self._line = asyncio.Lock()
        self._moved: asyncio.Future[None] | None = None

    @asynccontextmanager
    async def passing(self) -> AsyncIterator[None]:
        """Wait for one's turn and for room; others follow at the latest at the end of the block.

        Who enters first runs first, up to where its block waits itself.
        """
        async with self._line:
            while not self._is_open and (self._inside >= AT_ONCE or not self._has_room()):
                self._moved = asyncio.get_running_loop().create_future()
                await self._moved
            self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1
            self.look_again()

    def look_again(self) -> None:
        """Say that there may be room now."""
        if self._moved is not None and not self._moved.done():
            self._moved.set_result(None)

    def open(self) -> None:
        """Let everybody through: the socket is gone, and what is left to do will see that."""
        self._is_open = True
        self.look_again()
