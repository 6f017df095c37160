"""Edge stage: what the edge tells about its work (R-15): the port.

1. Calls come once a request, a flush or a subscription, never once a frame and follower.
2. No argument names a session, a subject or a path with either in it: label values stay few however long the
   deployment lives.
3. What is so at an instant (lag, open sockets) is no call: it is handed over when somebody asks.
"""

from typing import Final, Literal, Protocol

from api.codes import CloseCode
from api.condition import Condition, LiveCounts
from api.messages import ResetReason

#: The text form of Prometheus, which every scraper reads; the framework adds the charset.
EXPOSITION_TYPE: Final = "text/plain; version=0.0.4"
#: The route of a request that no route answered: refused at the door, or nothing is there.
NO_ROUTE: Final = "none"

NoResume = Literal["no_position", "epoch", "ahead", "too_old", "window"]
"""Why a subscription began with a snapshot: it named no position; one of another epoch; of a version that this
process does not know yet, or no more; a window whose oldest turn is gone."""
Slow = Literal["skipped", "closed"]
"""What became of a client that does not read: a subscription skipped to a snapshot, or the socket closed (W-4)."""


class EdgeMetrics(Protocol):
    """Cheap, total, and called from one event loop; durations in seconds of a clock that does not step back."""

    def started(self, took_s: float) -> None:
        """The process answers requests for the first time, so long after its start."""
        ...

    def requested(self, method: str, route: str, status: int) -> None:
        """A request got its status; `route` is the route's pattern, or `NO_ROUTE`."""
        ...

    def served(self, route: str, took_s: float) -> None:
        """A request's answer is whole."""
        ...

    def subscribed(self, snapshot_because: NoResume | None) -> None:
        """A subscription of a session began: by resuming (None), or with a snapshot."""
        ...

    def restarted(self, reason: ResetReason) -> None:
        """A subscription was sent `reset`."""
        ...

    def encoded(self, kind: str, size_bytes: int) -> None:
        """A frame for one or many subscribers was encoded."""
        ...

    def broadcast(self, delivery_count: int, waited_s: float) -> None:
        """A flush put its frames into so many outboxes, so long after its first commit was announced."""
        ...

    def slow(self, reaction: Slow) -> None:
        """A client did not read what it was sent."""
        ...

    def closed(self, code: CloseCode) -> None:
        """The service began to close a socket."""
        ...

    def failed(self, what: str) -> None:
        """Something failed that no caller waits for; `what` is the name that the log has."""
        ...

    def exposition(self, condition: Condition, live: LiveCounts) -> bytes:
        """All that was measured, and the present, in the form of `EXPOSITION_TYPE`."""
        ...
