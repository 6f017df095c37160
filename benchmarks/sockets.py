"""What an idle socket with one subscription costs in the service's memory: the slope between few and many."""

import time
from collections.abc import Sequence
from typing import Final

from benchmarks.command import run
from benchmarks.results import Figure, figure
from benchmarks.serving import Service, served_afresh, session_names, subscribers

_FEW: Final = 200
_SESSIONS: Final = 50
_SETTLE_S: Final = 1.0


def measure(short: bool) -> Sequence[Figure]:
    """Open a few sockets, then many more, and compare what the process holds."""
    many, rounds = (1_000, 1) if short else (2_000, 3)
    return (figure("sockets.idle", "KiB", [_kib_each(many) for _ in range(rounds)]),)


def _kib_each(many: int) -> float:
    load = {"sessions": session_names("idle", _SESSIONS), "follow": "own", "rate": 0, "seconds": 0}
    with served_afresh() as service, subscribers(service.target, load, {"sockets": _FEW}):
        few_kib = _settled_kib(service)
        with subscribers(service.target, load, {"sockets": many}):
            return (_settled_kib(service) - few_kib) / many


def _settled_kib(service: Service) -> float:
    time.sleep(_SETTLE_S)
    return service.memory_kib


if __name__ == "__main__":
    run("sockets", measure)
