"""The regression check compares ratios: what is worse fails, what is better or noise does not."""

from collections.abc import Iterator, Sequence

import pytest

from benchmarks.budgets import Budget
from benchmarks.check import GUARDS, check
from benchmarks.results import Figure, committed, figure
from benchmarks.sampling import paired, quantile

BASELINE = {one.name: one.value for one in committed(short=True)["growth"].figures}


def growth_of(times: float) -> list[Figure]:
    """The committed ratios of `growth`, so many times as great."""
    return [figure(name, "", [value * times]) for name, value in BASELINE.items()]


def checked(attempts: Sequence[float]) -> tuple[bool, list[str]]:
    """Check with these outcomes of one benchmark after the other; what was said comes with it."""
    outcomes: Iterator[float] = iter(attempts)
    said: list[str] = []
    holds = check({"growth": lambda _: growth_of(next(outcomes))}, said.append)
    assert list(outcomes) == []
    return holds, said


def test_check_passes_for_what_is_as_it_was() -> None:
    """The committed ratios themselves hold, in one attempt."""
    assert checked([1.0])[0]


def test_check_passes_for_what_is_better() -> None:
    """Half the time per event is no regression."""
    assert checked([0.5])[0]


def test_check_measures_again_before_it_complains() -> None:
    """One noisy attempt passes when the next one holds."""
    holds, said = checked([5.0, 1.0])
    assert holds
    assert any("again" in line for line in said)


def test_check_fails_for_what_stays_worse() -> None:
    """Three attempts that agree are a regression, and the line names figure, ratio and tolerance."""
    holds, said = checked([2.0, 2.0, 2.0])
    assert not holds
    assert any("growth.turn" in line and "2.00 times" in line and "WORSE" in line for line in said)


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.figure)
def test_a_guard_knows_which_way_is_worse(guard: object) -> None:
    """Twice as good always holds; ten times worse never does."""
    found = next(one for one in GUARDS if one is guard)
    better, worse = (0.5, 10.0) if found.better == "less" else (2.0, 0.1)
    assert found.holds(better, 1.0)
    assert not found.holds(worse, 1.0)


@pytest.mark.parametrize(
    ("bound", "value", "verdict"),
    [
        ("least", 3.0, "aim"),
        ("least", 2.0, "aim"),
        ("least", 1.5, "must"),
        ("least", 0.9, "missed"),
        ("most", 2.0, "missed"),
        ("most", 1.0, "must"),
    ],
)
def test_a_budget_names_the_better_bound_that_holds(bound: str, value: float, verdict: str) -> None:
    """Aim before must; a bound itself is still within."""
    budget = Budget(
        figure="a.b", what="", unit="", bound="least" if bound == "least" else "most", must=1.0, aim=2.0
    )
    if bound == "most":
        budget = Budget(figure="a.b", what="", unit="", bound="most", must=1.0, aim=0.5)
    assert budget.verdict(value) == verdict


def test_ratios_are_taken_between_neighbours() -> None:
    """A machine that slows down in between slows both sides of a pair."""
    assert paired([2.0, 20.0], [1.0, 10.0]) == [2.0, 2.0]


def test_a_quantile_is_a_value_that_was_seen() -> None:
    """Of 1 to 100, 99 % do not exceed 100 by the nearest rank upwards."""
    assert quantile(list(map(float, range(1, 101))), 0.99) == 100.0
    assert quantile([3.0, 1.0, 2.0], 0.5) == 2.0


def test_a_figure_is_the_median_of_its_runs() -> None:
    """One slow run changes the spread, not the value."""
    made = figure("a.b", "s", [1.0, 9.0, 2.0])
    assert (made.value, made.low, made.high, made.runs) == (2.0, 1.0, 9.0, 3)
