"""From XADD to the frame in a client: `serve` as it is started by hand, 200 live sessions at 10 events/s each."""

from collections.abc import Sequence
from typing import Final

from benchmarks.command import run
from benchmarks.results import Figure, figure
from benchmarks.serving import served_afresh, session_names, trial

_SESSIONS: Final = 200
_RATE: Final = 10


def measure(short: bool) -> Sequence[Figure]:
    """One socket for each of 200 sessions; the time stands in the event's text."""
    rounds, seconds = (1, 3) if short else (5, 10)
    load = {"sockets": _SESSIONS, "follow": "own", "rate": _RATE, "warm_up_s": 2, "seconds": seconds}
    with served_afresh() as service:
        trials = [
            trial(service.target, load, {"sessions": session_names(f"round{number}", _SESSIONS)})
            for number in range(rounds)
        ]
    return (
        figure("latency.p50", "ms", [one.p50_ms for one in trials]),
        figure("latency.p99", "ms", [one.p99_ms for one in trials]),
        figure("latency.delivered", "events/s", [one.deliveries / one.elapsed for one in trials]),
        figure("latency.server_busy", "cores", [one.server_busy for one in trials]),
        figure("latency.subscribers_busy", "cores", [one.busy for one in trials]),
    )


if __name__ == "__main__":
    run("latency", measure)
