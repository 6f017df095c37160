"""Writes the table of `README.md` from the committed results: `python -m benchmarks.table`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from benchmarks.budgets import BUDGETS, Budget
from benchmarks.results import Figure, Result, committed

README: Final = Path(__file__).parent / "README.md"
BEGIN, END = "<!-- results -->\n", "<!-- /results -->\n"
_VERDICTS: Final = {"aim": "aim", "must": "must", "missed": "**missed**"}


def tables(results: Mapping[str, Result]) -> str:
    """What stands between the two marks: the budgets with what was measured, and the runs they come from."""
    return "\n".join((*_budget_lines(results), "", *_run_lines(results), "", *_machine_lines(results), ""))


def with_tables(document: str, results: Mapping[str, Result]) -> str:
    """The document with these results in it."""
    before, _, rest = document.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{tables(results)}{END}{after}"


def _budget_lines(results: Mapping[str, Result]) -> list[str]:
    lines = [
        "| what | must | aim | measured | smallest to greatest | holds |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for budget in BUDGETS:
        found = results.get(budget.benchmark)
        measured = None if found is None else found.figure(budget.figure)
        lines.append(f"| {budget.what} | {_bounds(budget)} | {_measured(budget, measured)} |")
    return lines


def _bounds(budget: Budget) -> str:
    sign = "≥" if budget.bound == "least" else "≤"
    return f"{sign} {_number(budget.must, budget.unit)} | {sign} {_number(budget.aim, budget.unit)}"


def _measured(budget: Budget, figure: Figure | None) -> str:
    if figure is None:
        return "not measured | | "
    spread = f"{_number(figure.low, '')} to {_number(figure.high, '')} in {figure.runs}"
    verdict = _VERDICTS[budget.verdict(figure.value)]
    return f"{_number(figure.value, budget.unit)} | {spread} | {verdict}"


def _run_lines(results: Mapping[str, Result]) -> list[str]:
    lines = ["| run | date | commit | load before, after |", "| --- | --- | --- | --- |"]
    for _, one in sorted(results.items()):
        before, after = one.load_average
        lines.append(f"| `{one.command}` | {one.date} | `{one.commit}` | {before:g}, {after:g} |")
    return lines


def _machine_lines(results: Mapping[str, Result]) -> list[str]:
    machines: dict[str, None] = {}
    for one in results.values():
        facts = one.machine
        packages = ", ".join(f"{name} {version}" for name, version in sorted(facts.packages.items()))
        said = (
            f"{facts.cpu}, {facts.cores} cores, {facts.memory_gib:g} GiB; {facts.system}; "
            f"Python {facts.python}; {facts.engine}; {packages}."
        )
        machines[said] = None
    return [f"Machine: {said}" for said in machines]


def _number(value: float, unit: str) -> str:
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"
    return f"{text} {unit}".rstrip()


def main() -> None:
    """Write the document again."""
    README.write_text(with_tables(README.read_text(encoding="utf-8"), committed()), encoding="utf-8")


if __name__ == "__main__":
    main()
