"""The regression check: the short form of some benchmarks, its ratios against the committed ones.

Only ratios between things measured in turn in one run are compared: of processor time, or of bytes. They say the
same on a busy machine and on another one. A ratio that is worse than its tolerance allows is measured again, up
to three times in all, and the best of them counts: noise passes, a regression does not.

`python -m benchmarks.check` compares; with `--write` it makes what is compared with.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Final, Literal

from msgspec import Struct

from benchmarks import fold, growth, projector, replay, storage
from benchmarks.command import Measure
from benchmarks.results import RESULTS, Figure, committed, load_average, result, write
from service.collector import relax_collector
from service.telemetry import start_logging

_ATTEMPTS: Final = 3
_BASELINE: Final = RESULTS / "short"


class Guard(Struct, frozen=True, kw_only=True):
    """One ratio that may not get worse.

    Attributes:
        figure: its name in the results.
        better: which way is better.
        tolerance: how many times worse than the committed one it may be.
    """

    figure: str
    better: Literal["less", "more"]
    tolerance: float

    def worse_by(self, now: float, before: float) -> float:
        """How many times worse it is; below 1 it is better."""
        return now / before if self.better == "less" else before / now

    def holds(self, now: float, before: float) -> bool:
        """Whether it is within the tolerance."""
        return self.worse_by(now, before) <= self.tolerance


def _less(figure: str, tolerance: float) -> Guard:
    return Guard(figure=figure, better="less", tolerance=tolerance)


def _more(figure: str, tolerance: float) -> Guard:
    return Guard(figure=figure, better="more", tolerance=tolerance)


MEASURES: Final[dict[str, Measure]] = {
    "fold": fold.measure,
    "growth": growth.measure,
    "projector": projector.measure,
    "replay": replay.measure,
    "storage": storage.measure,
}
# How much each varied on two cores under a load of 14, doubled: bytes hardly (where a log is cut into segments depends
# on when), times in one process by a third, and by more where engine and client share the cores with others.
GUARDS: Final = (
    _less("fold.chunks_by_decode", 1.6),
    _less("fold.mixed_by_decode", 1.6),
    _less("growth.turn", 1.4),
    _less("growth.session", 1.4),
    _more("projector.ratio", 2.5),
    _more("replay.ratio", 2.0),
    _less("storage.closed_by_raw", 1.25),
)


def check(measures: dict[str, Measure], say: Callable[[str], None]) -> bool:
    """Measure what is guarded and compare; returns whether every ratio holds."""
    baseline = committed(short=True)
    holds = True
    for name, measure in measures.items():
        guards = [guard for guard in GUARDS if guard.figure.startswith(f"{name}.")]
        waiting = guards
        for attempt in range(1, _ATTEMPTS + 1):
            waiting = _compare(waiting, measure(True), baseline[name].figures, say)
            if not waiting or attempt == _ATTEMPTS:
                break
            say(f"  measured again, {attempt} of {_ATTEMPTS - 1}")
        holds = holds and not waiting
    return holds


def _compare(
    guards: Sequence[Guard],
    now: Sequence[Figure],
    before: Sequence[Figure],
    say: Callable[[str], None],
) -> list[Guard]:
    """Compare and say so; returns the guards that do not hold."""
    values = {one.name: one.value for one in now}
    known = {one.name: one.value for one in before}
    broken = []
    for guard in guards:
        value, was = values[guard.figure], known[guard.figure]
        holds = guard.holds(value, was)
        verdict = "holds" if holds else "WORSE"
        say(
            f"{guard.figure:24} {value:>8.4g}, was {was:.4g}: {guard.worse_by(value, was):.2f} times, "
            f"{guard.tolerance:g} allowed: {verdict}"
        )
        if not holds:
            broken.append(guard)
    return broken


def write_baseline(measures: dict[str, Measure]) -> None:
    """Measure the short forms and keep them."""
    for name, measure in measures.items():
        load_before = load_average()
        made = result(name, short=True, load_before=load_before, figures=measure(True))
        write(made, _BASELINE / f"{name}.json")


def main() -> int:
    """Compare, or write; the exit code says whether everything holds."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.check", description=check.__doc__)
    parser.add_argument("--write", action="store_true", help="make what later checks compare with")
    asked = parser.parse_args()
    start_logging("error")
    relax_collector()  # as `turnfold serve` does
    if asked.write:
        write_baseline(MEASURES)
        return 0
    return 0 if check(MEASURES, print) else 1


if __name__ == "__main__":
    sys.exit(main())
