"""What a run leaves behind: figures with their spread, and the machine, command, commit and date they belong to."""

import os
import platform
import subprocess
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Final

import msgspec
from msgspec import Struct

from service.engine_valkey import server_program

RESULTS: Final = Path(__file__).parent / "results"
_ROOT: Final = Path(__file__).parents[1]
_PACKAGES: Final = ("msgspec", "redis", "hiredis", "uvicorn", "uvloop", "websockets", "litestar")


class Figure(Struct, frozen=True, kw_only=True):
    """One measured number: the median of `runs` samples, with the smallest and the greatest of them."""

    name: str
    value: float
    unit: str
    low: float
    high: float
    runs: int


class Machine(Struct, frozen=True, kw_only=True):
    """Where a run took place."""

    cpu: str
    cores: int
    memory_gib: float
    system: str
    python: str
    engine: str
    packages: Mapping[str, str]


class Result(Struct, frozen=True, kw_only=True):
    """One run of one benchmark.

    Attributes:
        commit: what was measured; `+` says that the tree held more than the commit.
        load_average: of one minute, before and after. The run itself is part of the second; a first one above
            0.5 means that others were at work and absolute figures are too low.
    """

    benchmark: str
    command: str
    short: bool
    date: str
    commit: str
    machine: Machine
    load_average: tuple[float, float]
    figures: tuple[Figure, ...]

    def figure(self, name: str) -> Figure:
        """The figure of this name."""
        return next(one for one in self.figures if one.name == name)


def figure(name: str, unit: str, samples: Sequence[float]) -> Figure:
    """Sum samples up."""
    return Figure(
        name=name,
        value=_rounded(median(samples)),
        unit=unit,
        low=_rounded(min(samples)),
        high=_rounded(max(samples)),
        runs=len(samples),
    )


def result(benchmark: str, *, short: bool, load_before: float, figures: Sequence[Figure]) -> Result:
    """Add to a run's figures where and when it was."""
    return Result(
        benchmark=benchmark,
        command=f"python -m benchmarks.{benchmark}{' --short' if short else ''}",
        short=short,
        date=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        commit=_commit(),
        machine=_machine(),
        load_average=(round(load_before, 2), load_average()),
        figures=tuple(figures),
    )


def load_average() -> float:
    """The machine's load average of the last minute."""
    return round(os.getloadavg()[0], 2)


def write(made: Result, path: Path) -> None:
    """Write a result as JSON that a diff can show."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(made), indent=2) + b"\n")


def read(path: Path) -> Result:
    """Read a result back."""
    return msgspec.json.decode(path.read_bytes(), type=Result)


def committed(*, short: bool = False) -> dict[str, Result]:
    """The committed results by benchmark; the short runs are what `benchmarks.check` compares with."""
    directory = RESULTS / "short" if short else RESULTS
    return {path.stem: read(path) for path in sorted(directory.glob("*.json"))}


def _rounded(value: float) -> float:
    return float(f"{value:.4g}") if abs(value) < 1000 else round(value)


def _commit() -> str:
    try:
        commit = _git("rev-parse", "--short", "HEAD")
        return f"{commit}+" if _git("status", "--porcelain", "--", ":!benchmarks/results") else commit
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*words: str) -> str:
    command = ("git", *words)
    return subprocess.run(command, cwd=_ROOT, check=True, capture_output=True, text=True).stdout.strip()


def _machine() -> Machine:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    program = (str(server_program()), "--version")
    engine = subprocess.run(program, check=True, capture_output=True, text=True).stdout
    return Machine(
        cpu=_cpu(),
        cores=os.cpu_count() or 0,
        memory_gib=round(pages / 2**30, 1),
        system=platform.platform(terse=True),
        python=platform.python_version(),
        engine=" ".join(engine.split()[:3]),
        packages={name: version(name) for name in _PACKAGES},
    )


def _cpu() -> str:
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for line in facts.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
