"""Hub stage: what every live session is given by its hub."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass

from api.hub_rounds import Rounds
from api.metrics import EdgeMetrics
from service.ports import Reader


@dataclass(frozen=True, kw_only=True)
class Means:
    """What the sessions of a hub work with.

    Attributes:
        flush_s: the least time between two flushes of a session.
        inline_bytes: of a greater text the head alone travels; None: every text whole.
        rounds: when flushes run.
        spawn: runs a coroutine in the background and keeps hold of it.
        report: told of faults that nobody waits for, by a name and the error.
    """

    reader: Reader
    metrics: EdgeMetrics
    flush_s: float
    inline_bytes: int | None
    rounds: Rounds
    spawn: Callable[[Coroutine[None, None, None]], object]
    report: Callable[[str, BaseException], None]
