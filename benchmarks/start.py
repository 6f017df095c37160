"""`turnfold serve` from start to the line that says it is ready: on nothing, and on a million events."""

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Final

import uvloop

from benchmarks.command import run
from benchmarks.engines import Deployment, fill
from benchmarks.projecting import project
from benchmarks.results import Figure, figure
from benchmarks.serving import served
from benchmarks.workload import streamed_turn
from service.engine_valkey import EmbeddedEngine

_TURNS_A_SESSION: Final = 5
_CHUNKS: Final = 194
_SESSIONS: Final = 1_000


def measure(short: bool) -> Sequence[Figure]:
    """Start on an empty directory; and on one that holds a million projected events (short: 50,000)."""
    rounds = 3 if short else 5
    empty_s = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="turnfold-bench-") as directory:
            empty_s.append(_start_s(Path(directory)))
    with tempfile.TemporaryDirectory(prefix="turnfold-bench-") as directory:
        count = uvloop.run(_filled(Path(directory), _SESSIONS // 20 if short else _SESSIONS))
        full_s = [_start_s(Path(directory)) for _ in range(rounds)]
    return (
        figure("start.empty", "s", empty_s),
        figure("start.part_of_a_million" if short else "start.million", "s", full_s),
        figure("start.events", "", [count]),
    )


def _start_s(data_dir: Path) -> float:
    started = perf_counter()
    with served(data_dir):
        return perf_counter() - started


async def _filled(data_dir: Path, session_count: int) -> int:
    """Project sessions of 1,000 events, one batch of each after the other; the ingest stream is trimmed behind."""
    events = [event for turn in range(1, _TURNS_A_SESSION + 1) for event in streamed_turn(turn, _CHUNKS)]
    total = 0
    async with EmbeddedEngine(data_dir) as engine:
        deployment = Deployment(engine.url)
        await deployment.start()
        for number in range(session_count):
            total += await asyncio.to_thread(
                fill,
                deployment.raw,
                deployment.partition.ingest,
                ((f"session-{number}", event) for event in events),
            )
        await project(deployment, total)
        await deployment.close()
    return total


if __name__ == "__main__":
    run("start", measure)
