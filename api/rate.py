"""Subscribe stage, its pure part: how many messages a socket may send (W-7)."""

from typing import Literal

Spent = Literal["within", "over", "far over"]


class Rate:
    """A token bucket of one minute's messages; what is refused costs too, down to a minute's debt."""

    __slots__ = ("_at_ms", "_left", "_per_minute")

    def __init__(self, per_minute: int, now_ms: int) -> None:
        self._per_minute = per_minute
        self._left = float(per_minute)
        self._at_ms = now_ms

    def spend(self, now_ms: int) -> Spent:
        """Take one message out of the bucket; return `within`, `over` or `far over`."""
        gained = max(0, now_ms - self._at_ms) * self._per_minute / 60_000
        self._at_ms = now_ms  # a clock that was set back gives nothing now, and goes on from there
        self._left = min(float(self._per_minute), self._left + gained) - 1
        if self._left >= 0:
            return "within"
        return "over" if self._left >= -self._per_minute else "far over"
