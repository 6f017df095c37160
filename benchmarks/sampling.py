"""Sampling that a busy machine does not fool: things to compare run in turn, and ratios are taken pair by pair."""

import gc
from collections.abc import Callable, Sequence
from statistics import median
from time import process_time

Work = Callable[[], object]


def cpu_seconds(work: Work) -> float:
    """Processor time of one run in this process: what others do on the machine hardly counts."""
    gc.collect()
    started = process_time()
    work()
    return process_time() - started


def in_turn(works: Sequence[Work], rounds: int) -> list[list[float]]:
    """Processor seconds of each work, `rounds` times after one warm-up; every other round runs in reverse.

    Returns:
        One list of samples for each work, in rounds' order, so that equal positions are neighbours in time.
    """
    samples: list[list[float]] = [[] for _ in works]
    for number in range(rounds + 1):
        order = range(len(works)) if number % 2 else reversed(range(len(works)))
        for index in order:
            seconds = cpu_seconds(works[index])
            if number:
                samples[index].append(seconds)
    return samples


def paired(numerators: Sequence[float], denominators: Sequence[float]) -> list[float]:
    """Ratios of neighbours."""
    return [one / other for one, other in zip(numerators, denominators, strict=True)]


def quantile(values: Sequence[float], share: float) -> float:
    """The value that this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def middle(values: Sequence[float]) -> float:
    """The median."""
    return median(values)
