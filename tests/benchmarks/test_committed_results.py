"""The committed results: the table says what they say, and they are of what the commands measure."""

import importlib
import re
from pathlib import Path

import pytest

from benchmarks import check, table
from benchmarks.all import names
from benchmarks.budgets import BUDGETS
from benchmarks.results import RESULTS, committed, read

FILES = sorted(RESULTS.rglob("*.json"))


def test_the_table_says_what_the_results_say() -> None:
    """`python -m benchmarks.table` was run after the last result came in."""
    document = table.README.read_text(encoding="utf-8")
    assert table.with_tables(document, committed()) == document


def test_every_budget_has_a_command() -> None:
    """Each benchmark that a budget names is a module with a measure of its own."""
    for name in names():
        assert callable(importlib.import_module(f"benchmarks.{name}").measure)


def test_every_benchmark_says_what_limits_it() -> None:
    """The document has a paragraph for each, under its name."""
    headings = re.findall(r"^### (\w+)$", table.README.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == list(names())


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(RESULTS)))
def test_a_result_is_of_the_command_that_it_names(path: Path) -> None:
    """File, benchmark, command and form belong together, and its figures bear the benchmark's name."""
    found = read(path)
    assert found.benchmark == path.stem
    assert found.short == (path.parent.name == "short")
    assert found.command.split()[:3] == ["python", "-m", f"benchmarks.{path.stem}"]
    assert {figure.name.partition(".")[0] for figure in found.figures} == {path.stem}


def test_every_committed_full_result_has_its_budgets_figures() -> None:
    """A renamed figure would leave its row empty."""
    results = committed()
    missing = [
        budget.figure
        for budget in BUDGETS
        if budget.benchmark in results
        and budget.figure not in {figure.name for figure in results[budget.benchmark].figures}
    ]
    assert missing == []


def test_every_guard_has_something_to_compare_with() -> None:
    """A ratio without a committed value would never be looked at."""
    known = {figure.name for one in committed(short=True).values() for figure in one.figures}
    assert {guard.figure for guard in check.GUARDS} <= known
    assert {guard.figure.partition(".")[0] for guard in check.GUARDS} == set(check.MEASURES)
