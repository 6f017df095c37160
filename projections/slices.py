"""Work in slices: what grows with a turn is written as a generator that rests between short pieces.

Nothing here knows a clock or a loop: whoever works on one shares the time out (`api.unhurried`), everybody else takes
the result at once (`finished`). While a slice rests, what it reads must not change.
"""

from collections.abc import Generator, Iterable, Iterator
from itertools import islice
from typing import TypeVar

_Result = TypeVar("_Result")
_Item = TypeVar("_Item")
Slices = Generator[None, None, _Result]
# Rows between two rests: 2 to 4 ms of the dearest presentation, which is long against what a rest costs.
SLICE_ROWS = 128


def finished(work: Slices[_Result]) -> _Result:
    """Do all of it at once."""
    while True:
        try:
            next(work)
        except StopIteration as done:
            result: _Result = done.value
            return result


def portions(items: Iterable[_Item]) -> Iterator[tuple[_Item, ...]]:
    """Cut what is there into portions of `SLICE_ROWS`, the last one smaller; none of nothing."""
    left = iter(items)
    while portion := tuple(islice(left, SLICE_ROWS)):
        yield portion
