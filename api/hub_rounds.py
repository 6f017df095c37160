"""Hub stage, when flushes run: together, in rounds, so that a socket which follows many sessions is written to once.

A transport writes in one system call all that it was given in one turn of the event loop. Sessions that flush each at a
moment of its own give it one frame a turn; under load that call is what a frame costs most for.

1. A round begins at once when none ran lately: a lone event waits for nothing.
2. The next one begins no sooner after a round than that took, writing included, and at most `LONGEST_PAUSE_S` after it.
   The busier the loop, the more sessions share one.
"""

import asyncio
from collections.abc import Callable
from time import perf_counter
from typing import Final

# Measured with 1,000 sockets on 8 sessions of 20 events/s: p99 is 51 ms; with 16 ms here it was 85, in an idle process.
LONGEST_PAUSE_S: Final = 0.004


class Rounds:
    """The flushes of one hub; for one event loop."""

    __slots__ = ("_began", "_due", "_is_running", "_next_at")

    def __init__(self) -> None:
        self._due: list[Callable[[], object]] = []
        self._is_running = False
        self._began = 0.0
        self._next_at = 0.0

    def join(self, at: float, start: Callable[[], object]) -> None:
        """Call `start` in a round at the loop's time `at` or soon after; it must not raise."""
        loop = asyncio.get_running_loop()
        if at > loop.time():
            loop.call_at(at, self._join_now, start)
        else:
            self._join_now(start)

    def _join_now(self, start: Callable[[], object]) -> None:
        self._due.append(start)
        if not self._is_running:
            self._is_running = True
            pause_s = min(self._next_at - perf_counter(), LONGEST_PAUSE_S)
            loop = asyncio.get_running_loop()
            if pause_s > 0:
                loop.call_later(pause_s, self._run)
            else:
                loop.call_soon(self._run)

    def _run(self) -> None:
        self._began = perf_counter()
        due, self._due = self._due, []
        for start in due:
            start()
        # In the next turn of the loop run the tasks that were started, and behind them what they gave to transports.
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self._end)

    def _end(self) -> None:
        now = perf_counter()
        self._next_at = now + (now - self._began)
        self._is_running = False
        if self._due:
            self._join_now(self._due.pop())
