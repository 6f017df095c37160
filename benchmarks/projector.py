"""Projected events/s from stream to commit, against a consumer that reads, decodes and acknowledges, and no more.

Same events, same server, same run, one after the other. The backlog is of live sessions whose answers stream;
the projector starts cold, so that making the sessions is part of the figure.
"""

import time
from collections.abc import Sequence
from typing import Final

import msgspec
import uvloop
from redis import Redis

from benchmarks.command import run
from benchmarks.engines import Deployment, command, deployed
from benchmarks.projecting import project
from benchmarks.results import Figure, figure
from benchmarks.sampling import paired
from benchmarks.workload import interleaved, streaming
from projections.events import Tagged

SESSIONS: Final = 200
_EVENTS_PER_READ: Final = 500
_STREAM: Final = "benchmark:in"
_decode = msgspec.json.Decoder(Tagged).decode


def measure(short: bool) -> Sequence[Figure]:
    """Drain a backlog of 200 live sessions both ways, in turn; with the engine in memory, and as it is shipped."""
    chunk_count, rounds = (100, 5) if short else (500, 7)
    return uvloop.run(_measure(chunk_count, rounds, with_disk=not short))


async def _measure(chunk_count: int, rounds: int, *, with_disk: bool) -> Sequence[Figure]:
    logs = {f"session-{number}": streaming(chunk_count) for number in range(SESSIONS)}
    figures: list[Figure] = []
    async with deployed() as deployment:
        count = deployment.shelve(interleaved(logs))
        if with_disk:
            figures += await _compared(deployment, count, rounds, "_on_disk")
        deployment.keep_in_memory()
        figures += await _compared(deployment, count, rounds, "")
    return figures


async def _compared(deployment: Deployment, count: int, rounds: int, suffix: str) -> Sequence[Figure]:
    projected_s: list[float] = []
    consumed_s: list[float] = []
    for number in range(rounds + 1):
        await deployment.empty()
        deployment.unshelve(_STREAM)
        deployment.unshelve(deployment.partition.ingest)
        if number % 2:
            projected = await project(deployment, count)
            consumed = consume(deployment.raw, count)
        else:
            consumed = consume(deployment.raw, count)
            projected = await project(deployment, count)
        if number:
            projected_s.append(projected)
            consumed_s.append(consumed)
    return (
        figure(f"projector.ratio{suffix}", "", paired(consumed_s, projected_s)),
        figure(f"projector.projected{suffix}", "events/s", [count / one for one in projected_s]),
        figure(f"projector.consumed{suffix}", "events/s", [count / one for one in consumed_s]),
    )


def consume(client: Redis, event_count: int) -> float:
    """Read, decode and acknowledge this many entries in a consumer group; returns the seconds that took."""
    client.xgroup_create(_STREAM, "nothing", "0")
    started = time.perf_counter()
    seen = 0
    while seen < event_count:
        entries = command(
            client,
            "XREADGROUP",
            "GROUP",
            "nothing",
            "one",
            "COUNT",
            _EVENTS_PER_READ,
            "STREAMS",
            _STREAM,
            ">",
        )[0][1]
        for _, fields in entries:
            _decode(fields[3])
        client.xack(_STREAM, "nothing", *(entry_id for entry_id, _ in entries))
        seen += len(entries)
    return time.perf_counter() - started


if __name__ == "__main__":
    run("projector", measure)
