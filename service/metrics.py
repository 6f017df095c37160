"""What a projector tells about its work (R-15): the port, and the choice to measure nothing.

Durations are seconds of a clock that does not step back. Nothing here names a session: a metric with a session's
name in it would grow with the deployment's history.
"""

from typing import Protocol

from service.stored import Commit, CommitStatus


class ProjectorMetrics(Protocol):
    """Told once a batch, never once an event; cheap, total, and called from one event loop."""

    def folded(self, entry_count: int, took_s: float) -> None:
        """A batch of so many entries became a commit: cold starts, decoding and folding."""
        ...

    def answered(self, status: CommitStatus, took_s: float) -> None:
        """The store answered to a commit."""
        ...

    def advanced(self, commit: Commit, entry_count: int) -> None:
        """A batch of so many entries is known to be committed, by whichever answer."""
        ...

    def failed(self, error: Exception) -> None:
        """A step ended with an error of the store; it will be tried again."""
        ...

    def ended_stale_turn(self) -> None:
        """An open turn that fell silent was ended (rule 9)."""
        ...


class NoProjectorMetrics:
    """Measures nothing: for a projector whose deployment does not ask."""

    def folded(self, entry_count: int, took_s: float) -> None:
        """As ProjectorMetrics."""

    def answered(self, status: CommitStatus, took_s: float) -> None:
        """As ProjectorMetrics."""

    def advanced(self, commit: Commit, entry_count: int) -> None:
        """As ProjectorMetrics."""

    def failed(self, error: Exception) -> None:
        """As ProjectorMetrics."""

    def ended_stale_turn(self) -> None:
        """As ProjectorMetrics."""
