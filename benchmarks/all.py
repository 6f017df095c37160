"""Every benchmark in turn, each in a process of its own, then the table: `python -m benchmarks.all [NAME ...]`."""

import argparse
import subprocess
import sys
from collections.abc import Sequence

from benchmarks import table
from benchmarks.budgets import BUDGETS
from benchmarks.results import RESULTS


def names() -> Sequence[str]:
    """The benchmarks in the order of the budgets."""
    return tuple(dict.fromkeys(budget.benchmark for budget in BUDGETS))


def main() -> int:
    """Run them and commit nothing; the exit code is of the first that failed, else 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.all")
    parser.add_argument("names", nargs="*", metavar="NAME", help="these alone")
    for name in parser.parse_args().names or names():
        print(f"== {name}", flush=True)
        module = f"benchmarks.{name}"
        run = subprocess.run(
            [sys.executable, "-m", module, "--json", str(RESULTS / f"{name}.json")], check=False
        )
        if run.returncode:
            return run.returncode
    table.main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
