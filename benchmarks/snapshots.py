"""Snapshots over HTTP: a session of 20 turns and 200 rows, asked for 200 times a second.

Requests leave at their appointed times, whether or not the ones before were answered, and a latency counts from
that time: a service that stalls cannot slow its own examiner.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import Final

import httpx
import msgspec
import uvloop

from benchmarks.command import run
from benchmarks.results import Figure, figure
from benchmarks.sampling import quantile
from benchmarks.serving import served_afresh
from benchmarks.workload import FIRST_MS, opening, tool_step

_RATE: Final = 200
_CONNECTIONS: Final = 16
_TURNS, _STEPS = 20, 4
_PATH: Final = "/v1/sessions/snapshot/transcript?view=web&mode=compact"


def measure(short: bool) -> Sequence[Figure]:
    """Ask for the transcript at a fixed rate over 16 connections."""
    rounds, seconds = (1, 3) if short else (5, 10)
    with served_afresh() as service:
        row_count = _fill(service.port)
        samples_ms = [uvloop.run(_latencies_ms(service.port, seconds * _RATE)) for _ in range(rounds)]
    return (
        figure("snapshots.p50", "ms", [quantile(one, 0.5) for one in samples_ms]),
        figure("snapshots.p99", "ms", [quantile(one, 0.99) for one in samples_ms]),
        figure("snapshots.rows", "", [row_count]),
    )


def _fill(port: int) -> int:
    """Make the session, through the door; returns its number of rows."""
    address = f"http://127.0.0.1:{port}/v1/sessions/snapshot"
    events = [event for turn in range(1, _TURNS + 1) for event in _turn(turn)]
    answer = httpx.post(
        f"{address}/events?wait=projected",
        content=b"\n".join(events),
        headers={"content-type": "application/x-ndjson"},
    )
    answer.raise_for_status()
    shown = msgspec.json.decode(httpx.get(f"http://127.0.0.1:{port}{_PATH}").raise_for_status().content)
    return sum(len(turn["rows"]) for turn in shown["turns"])


def _turn(turn: int) -> list[bytes]:
    """Ten rows: what was asked, the control, a step and its call four times less one, the answer, the tail."""
    events = opening(turn)
    for step in range(1, _STEPS):
        events += tool_step(FIRST_MS, turn, step)
    answer = {"type": "assistant/message", "turn": turn, "step": _STEPS}
    events += [
        msgspec.json.encode(
            answer | {"blocks": [{"type": "text", "text": "It holds apples and pears. " * 20}]}
        ),
        msgspec.json.encode({"type": "turn/end", "turn": turn, "reason": "completed"}),
    ]
    return events


async def _latencies_ms(port: int, count: int) -> list[float]:
    connections = [await asyncio.open_connection("127.0.0.1", port) for _ in range(_CONNECTIONS)]
    free: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
    for one in connections:
        free.put_nowait(one)
    started = time.perf_counter()
    asked = []
    for number in range(count):
        due = started + number / _RATE
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        asked.append(asyncio.create_task(_ask(free, port, due)))
    found = await asyncio.gather(*asked)
    for _, writer in connections:
        writer.close()
    return [seconds * 1000 for seconds in found]


async def _ask(
    free: "asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]]", port: int, due: float
) -> float:
    """Ask once on the next free connection; returns the seconds since the request was due."""
    reader, writer = connection = await free.get()
    writer.write(f"GET {_PATH} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(head.decode())
    length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    await reader.readexactly(int(length.partition(b":")[2]))
    free.put_nowait(connection)
    return time.perf_counter() - due


if __name__ == "__main__":
    run("snapshots", measure)
