"""Waiting in tests: for a condition that has a name, never for a time."""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable

_POLL_S = 0.005


async def wait_until(
    condition: Callable[[], bool] | Callable[[], Awaitable[bool]], what: str, *, within_s: float = 10.0
) -> None:
    """Returns once `condition()` is true; fails the test with `what` when that takes longer than `within_s`."""
    deadline = time.monotonic() + within_s
    while True:
        result = condition()
        if inspect.isawaitable(result):
            result = await result
        if result:
            return
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {within_s:g} s in vain until {what}")
        await asyncio.sleep(_POLL_S)
