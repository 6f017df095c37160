"""What each figure is held to: the rows of the product's budgets.

*must* is what a release keeps; *aim* is where the next step goes. A figure that is not here is measured to explain
one that is.
"""

from typing import Final, Literal

from msgspec import Struct


class Budget(Struct, frozen=True, kw_only=True):
    """One number that is held to a bound.

    Attributes:
        figure: its name in the results: `BENCHMARK.WHAT`.
        what: the same for a reader.
        unit: of value and bounds; a ratio has the unit "".
        bound: whether the bounds are the least or the most that is allowed.
    """

    figure: str
    what: str
    unit: str
    bound: Literal["least", "most"]
    must: float
    aim: float

    @property
    def benchmark(self) -> str:
        """The module that measures it."""
        return self.figure.partition(".")[0]

    def verdict(self, value: float) -> Literal["aim", "must", "missed"]:
        """Which bound a value holds."""
        if self._holds(value, self.aim):
            return "aim"
        return "must" if self._holds(value, self.must) else "missed"

    def _holds(self, value: float, bound: float) -> bool:
        return value >= bound if self.bound == "least" else value <= bound


def _least(figure: str, what: str, unit: str, must: float, aim: float) -> Budget:
    return Budget(figure=figure, what=what, unit=unit, bound="least", must=must, aim=aim)


def _most(figure: str, what: str, unit: str, must: float, aim: float) -> Budget:
    return Budget(figure=figure, what=what, unit=unit, bound="most", must=must, aim=aim)


_DELIVERIES: Final = "event deliveries/s at p99 ≤ 60 ms ÷ socket.io"

BUDGETS: Final = (
    _least(
        "projector.ratio", "projected events/s, stream to commit ÷ a consumer that does nothing", "", 0.5, 1.0
    ),
    _most("growth.turn", "time per event in a turn of 10,000 rows ÷ of 100", "", 1.3, 1.1),
    _most("growth.session", "time per event in a session of 1,000 turns ÷ of 10", "", 1.3, 1.1),
    _least("fanout.ratio_100x20", f"{_DELIVERIES}: 100 subscribers, 20 events/s a session", "", 1, 5),
    _least("fanout.ratio_100x300", f"{_DELIVERIES}: 100 subscribers, 300 events/s a session", "", 1, 5),
    _least("fanout.ratio_1000x20", f"{_DELIVERIES}: 1,000 subscribers, 20 events/s a session", "", 1, 5),
    _least("fanout.ratio_1000x300", f"{_DELIVERIES}: 1,000 subscribers, 300 events/s a session", "", 1, 5),
    _least("frames.of_300_bytes", "frames/s of one process to 1,000 sockets, 300 B", "/s", 100_000, 240_000),
    _least("frames.of_3000_bytes", "frames/s of one process to 1,000 sockets, 3 kB", "/s", 80_000, 240_000),
    _most("latency.p50", "XADD to frame, 200 sessions at 10 events/s: p50", "ms", 10, 4),
    _most("latency.p99", "XADD to frame, 200 sessions at 10 events/s: p99", "ms", 60, 30),
    _most("wire.ratio", "bytes on the wire of a streamed turn ÷ its raw event bytes", "", 0.5, 0.2),
    _most("sockets.idle", "memory of an idle socket with one subscription", "KiB", 45, 32),
    _most("snapshots.p50", "snapshot of 20 turns (200 rows) at 200 requests/s: p50", "ms", 10, 3),
    _most("snapshots.p99", "snapshot of 20 turns (200 rows) at 200 requests/s: p99", "ms", 40, 15),
    _least("replay.ratio", "replay of the log, events/s ÷ pure fold", "", 0.5, 0.8),
    _least("fold.chunks", "pure fold with web spec: streamed chunks, one core", "events/s", 300_000, 500_000),
    _least("fold.mixed", "pure fold with web spec: mixed events, one core", "events/s", 100_000, 200_000),
    _most("storage.closed", "Redis memory per event of a closed turn", "B", 60, 15),
    _most("start.empty", "`serve` from start to ready: empty", "s", 2, 0.7),
    _most("start.million", "`serve` from start to ready: 1M events", "s", 4, 2),
    _most("browser.growth", "the page: applying a delta at 2,000 rows ÷ at 50 rows", "", 2, 1.2),
    _most(
        "browser.longest_task", "the page: longest task while a turn of 300 events/s streams", "ms", 50, 16
    ),
    # Not of the owner's table: what C-16 asks of a great session, "sensible", in numbers.
    _most("search.absent", "full text search through 100,000 rows, to the end", "ms", 3000, 1000),
    _most("search.slice", "the same: longest time without letting others work, p99", "ms", 33, 4),
)
