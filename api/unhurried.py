"""Edge stage: long work on the event loop, shared out so that everybody else gets a turn in between."""

import asyncio
from time import perf_counter
from typing import TypeVar

from projections.slices import Slices

_Result = TypeVar("_Result")
# One slice of work: short against the 33 ms of a flush tick, long against the cost of a switch.
SLICE_S = 0.004


class Pace:
    """Gives the loop a turn whenever a slice is used up; for one piece of work."""

    __slots__ = ("_since",)

    def __init__(self) -> None:
        """Begin a slice now."""
        self._since = perf_counter()

    async def breathe(self) -> None:
        """Let others run, if it is their turn."""
        if perf_counter() - self._since >= SLICE_S:
            await asyncio.sleep(0)
            self._since = perf_counter()


async def unhurried(work: Slices[_Result]) -> _Result:
    """Do work that rests between short pieces; the caller keeps what it reads from changing meanwhile."""
    pace = Pace()
    while True:
        try:
            next(work)
        except StopIteration as done:
            result: _Result = done.value
            return result
        await pace.breathe()
