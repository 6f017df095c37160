"""How fast a session's log is read and folded again, against the pure fold of the same events in memory.

There is no rebuild yet (R-8). What is measured is what one would do at its core and what a cold start does
without a saved state: read the log in batches, decode, fold. A rebuild also writes; this figure is its bound.
"""

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Final

import uvloop

from api.hub_loading import fold_on
from benchmarks.command import run
from benchmarks.engines import Deployment, deployed
from benchmarks.fold import fold
from benchmarks.projecting import project
from benchmarks.results import Figure, figure
from benchmarks.sampling import paired
from benchmarks.workload import interleaved, mixed, streamed_turn
from projections.session import SessionFold
from service.keys import SessionId

_SESSIONS: Final = 20


def measure(short: bool) -> Sequence[Figure]:
    """Replay 20 sessions, streamed and mixed, from the engine and from memory, in turn."""
    return uvloop.run(_measure(short))


async def _measure(short: bool) -> Sequence[Figure]:
    turns, rounds = (2, 5) if short else (10, 7)
    log = [event for turn in range(1, turns + 1) for event in streamed_turn(turn, 400)] + mixed(turns)
    logs = {f"session-{number}": log for number in range(_SESSIONS)}
    async with deployed() as deployment:
        count = deployment.shelve(interleaved(logs))
        deployment.unshelve(deployment.partition.ingest)
        await project(deployment, count)
        replayed_s: list[float] = []
        folded_s: list[float] = []
        for number in range(rounds + 1):
            if number % 2:
                folded, replayed = _fold(logs), await _replay(deployment, logs)
            else:
                replayed, folded = await _replay(deployment, logs), _fold(logs)
            if number:
                replayed_s.append(replayed)
                folded_s.append(folded)
    return (
        figure("replay.ratio", "", paired(folded_s, replayed_s)),
        figure("replay.replayed", "events/s", [count / one for one in replayed_s]),
        figure("replay.folded", "events/s", [count / one for one in folded_s]),
    )


async def _replay(deployment: Deployment, logs: Mapping[str, Sequence[bytes]]) -> float:
    started = perf_counter()
    for session, events in logs.items():
        replayed = SessionFold()
        await fold_on(deployment.reader, SessionId(session), replayed, [])
        if replayed.next_seq != len(events):
            raise AssertionError(f"{session}: {replayed.next_seq} of {len(events)} events in the log")
    return perf_counter() - started


def _fold(logs: Mapping[str, Sequence[bytes]]) -> float:
    started = perf_counter()
    for events in logs.values():
        fold(events)
    return perf_counter() - started


if __name__ == "__main__":
    run("replay", measure)
