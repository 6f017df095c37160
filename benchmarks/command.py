"""The command of every benchmark: `python -m benchmarks.NAME [--short] [--json FILE] [--profile]`."""

import argparse
import cProfile
import pstats
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from benchmarks.budgets import BUDGETS
from benchmarks.results import Figure, load_average, result, write
from service.collector import relax_collector
from service.telemetry import start_logging

Measure = Callable[[bool], Sequence[Figure]]
"""Measures; told whether the short form is asked for."""

_PROFILE_LINES: Final = 25


def run(name: str, measure: Measure, arguments: Sequence[str] | None = None) -> None:
    """Measure, print the figures beside their budgets, and write the result where `--json` says."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=measure.__doc__)
    parser.add_argument("--short", action="store_true", help="fewer and smaller runs: for comparing ratios")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result there")
    parser.add_argument("--profile", action="store_true", help="say where this process's time goes")
    asked = parser.parse_args(arguments)
    start_logging("error")
    relax_collector()  # as `turnfold serve` does
    load_before = load_average()
    figures = _profiled(measure, asked.short) if asked.profile else measure(asked.short)
    print(table(figures))
    if asked.json is not None:
        made = result(name, short=asked.short, load_before=load_before, figures=figures)
        write(made, asked.json)


def table(figures: Sequence[Figure]) -> str:
    """The figures for a terminal, with the bound that each holds."""
    budgets = {one.figure: one for one in BUDGETS}
    lines = []
    for one in figures:
        budget = budgets.get(one.name)
        says = ""
        if budget is not None:
            says = f"must {budget.must:g}, aim {budget.aim:g}: {budget.verdict(one.value)}"
        spread = f"{one.low:g} to {one.high:g} in {one.runs}"
        lines.append(f"{one.name:32} {one.value:>12,g} {one.unit:10} ({spread}) {says}".rstrip())
    return "\n".join(lines)


def _profiled(measure: Measure, short: bool) -> Sequence[Figure]:
    profile = cProfile.Profile()
    figures = profile.runcall(measure, short)
    pstats.Stats(profile, stream=sys.stdout).sort_stats("tottime").print_stats(_PROFILE_LINES)
    return figures
