"""Wire stage 4, patience: how long to stay away from a service that is not there."""

import random
from collections.abc import Callable

FIRST_S, LONGEST_S = 0.5, 20.0


class BackOff:
    """Waits that grow and are spread at random (full jitter), so that not all readers come back at once.

    Args:
        chance: from 0 to below 1.
    """

    def __init__(self, chance: Callable[[], float] = random.random) -> None:
        self._chance = chance
        self._bound_s = FIRST_S
        self._named_s: float | None = None

    def reset(self) -> None:
        """Start over: the service is there."""
        self._bound_s, self._named_s = FIRST_S, None

    def name(self, wait_s: float) -> None:
        """Take the time that the service named, for the next wait."""
        self._named_s = wait_s

    def next_s(self) -> float:
        """Give the next wait, in s."""
        if self._named_s is not None:
            named_s, self._named_s = self._named_s, None
            return named_s
        wait_s = self._chance() * self._bound_s
        self._bound_s = min(self._bound_s * 2, LONGEST_S)
        return wait_s
