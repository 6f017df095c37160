"""What a closed turn costs in the engine's memory, per event: its log, specs, saved state and the session's entries.

Events come as they do live: one of each session at a time, each committed before the next one is sent. That is the
dearest way to store them; a backlog is stored in great batches.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

import uvloop

from benchmarks.command import run
from benchmarks.engines import Deployment, deployed, fill
from benchmarks.projecting import projecting
from benchmarks.results import Figure, figure
from benchmarks.workload import streamed_turn

_SESSIONS: Final = 20
_CHUNKS: Final = 400
# What every deployment has, however many sessions: the ingest stream and the feed, which are trimmed, and one hash.
_BOUNDED: Final = (":in", ":feed", ":checkpoint", "turnfold:deployment")
_POLL_S: Final = 0.05


def measure(short: bool) -> Sequence[Figure]:
    """Project closed turns live and in a backlog, and ask the engine for the size of every key."""
    return uvloop.run(_measure(1 if short else 3))


async def _measure(turn_count: int) -> Sequence[Figure]:
    turns = [streamed_turn(turn, _CHUNKS) for turn in range(1, turn_count + 1)]
    events = [event for turn in turns for event in turn]
    raw_bytes = sum(map(len, events)) / len(events)
    async with deployed() as deployment:
        deployment.keep_in_memory()
        await _project_live(deployment, events)
        live = _bytes_stored(deployment) / (_SESSIONS * len(events))
        await deployment.empty()
        await _project_live(deployment, events, at_once=len(events))
        backlog = _bytes_stored(deployment) / (_SESSIONS * len(events))
    return (
        figure("storage.closed", "B", [live]),
        figure("storage.closed_in_backlog", "B", [backlog]),
        figure("storage.raw", "B", [raw_bytes]),
        figure("storage.closed_by_raw", "", [live / raw_bytes]),
    )


async def _project_live(deployment: Deployment, events: Sequence[bytes], *, at_once: int = 1) -> None:
    names = [f"session-{number}" for number in range(_SESSIONS)]
    sent = 0
    async with projecting(deployment) as reach:
        for start in range(0, len(events), at_once):
            part = events[start : start + at_once]
            entries = ((name, event) for event in part for name in names)
            sent += fill(deployment.raw, deployment.partition.ingest, entries)
            await reach(sent)
        await _sealed(deployment)


async def _sealed(deployment: Deployment) -> None:
    """Wait until no log is due for sealing (R-5), which happens some seconds behind the commit."""
    while deployment.raw.zcard(deployment.partition.sealable):  # noqa: ASYNC110 - a sorted set of the engine's that empties: no command waits for that
        await asyncio.sleep(_POLL_S)


def _bytes_stored(deployment: Deployment) -> int:
    keys = [key for key in deployment.raw.scan_iter(count=1_000) if not key.decode().endswith(_BOUNDED)]
    return sum(deployment.raw.memory_usage(key, samples=0) or 0 for key in keys)


if __name__ == "__main__":
    run("storage", measure)
