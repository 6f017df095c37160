"""How many frames/s one process writes to 1,000 sockets, the whole way: log, fold, delta, frame, socket.

Every socket follows the same few sessions, and a session's next event is published when everybody has the last
one: there is always something to send, and each frame holds exactly one event, so that its size is known.
"""

from collections.abc import Sequence
from typing import Final

import uvloop

from benchmarks.command import run
from benchmarks.results import Figure, figure
from benchmarks.serving import (
    LOAD_CORE,
    Service,
    Trial,
    engine_apart,
    on_core,
    served_apart,
    session_names,
    trial,
)

_SOCKETS: Final = 1_000
_IN_FLIGHT: Final = 16
# What a delta of one appended text has besides the text, in characters.
_AROUND: Final = 165


def measure(short: bool) -> Sequence[Figure]:
    """Saturate one process with frames of 300 B and of 3 kB."""
    return uvloop.run(_measure(*((1, 2) if short else (3, 5))))


async def _measure(rounds: int, seconds: int) -> Sequence[Figure]:
    async with engine_apart() as engine:
        with served_apart(engine, flush_ms="1") as service:
            return [one for size in (300, 3_000) for one in _of_size(service, size, rounds, seconds)]


def _of_size(service: Service, size_bytes: int, rounds: int, seconds: int) -> Sequence[Figure]:
    trials = [_trial(service, size_bytes, number, seconds) for number in range(rounds)]
    return (
        figure(f"frames.of_{size_bytes}_bytes", "/s", [one.frames / one.elapsed for one in trials]),
        figure(
            f"frames.of_{size_bytes}_bytes_a_core",
            "/s",
            [one.frames / one.elapsed / max(one.server_busy, 0.01) for one in trials],
        ),
        figure(f"frames.mean_of_{size_bytes}", "B", [one.bytes / max(one.frames, 1) for one in trials]),
        figure(f"frames.subscribers_busy_{size_bytes}", "cores", [one.busy for one in trials]),
    )


def _trial(service: Service, size_bytes: int, number: int, seconds: int) -> Trial:
    load = {
        "sockets": _SOCKETS,
        "sessions": session_names(f"{size_bytes}-{number}", _IN_FLIGHT),
        "follow": "all",
        "rate": 0,
        "in_flight": True,
        "text_chars": size_bytes - _AROUND,
        "warm_up_s": 2,
        "seconds": seconds,
    }
    with on_core(LOAD_CORE):
        return trial(service.target, load)


if __name__ == "__main__":
    run("frames", measure)
