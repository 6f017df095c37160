"""A mutational fuzzer that ends by itself: inputs from a corpus, kept when they do something new."""

import hashlib
import random
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tests.fuzz.mutating import mutated
from tests.fuzz.targets import Target

HERE = Path(__file__).parent
# More would only slow the choice down; the newest outcomes are the deepest ones.
_MOST_KEPT = 2_000
# No input of 16 KiB may take so long, whatever it holds.
SLOWEST_S = 5.0


class Bound(msgspec.Struct, frozen=True):
    """When a run ends: after a time, or a number of inputs before that.

    By the number two runs of one seed are the same run; by time alone a faster machine sees more.
    """

    seconds: float
    inputs: int | None = None


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """What a run did."""

    inputs: int
    outcomes: int


class FaultFound(AssertionError):
    """An input broke its target; it is kept in `path` and runs with every test run from now on."""

    def __init__(self, path: Path, seed: int) -> None:
        super().__init__(f"an input breaks the target (seed {seed}); it was kept as {path}")
        self.path = path


def inputs_of(name: str) -> list[Path]:
    """The committed inputs of a target: its corpus, and what broke it before."""
    return sorted(path for kind in ("corpus", "found") for path in (HERE / kind / name).glob("*"))


def run_one(target: Target, data: bytes) -> str:
    """Run one input; an answer that takes too long is a fault like any other."""
    began = time.monotonic()
    outcome = target(data)
    took_s = time.monotonic() - began
    assert took_s < SLOWEST_S, f"{len(data)} bytes took {took_s:.1f} s"
    return outcome


def fuzz(target: Target, corpus: Sequence[bytes], seed: int, bound: Bound, keep_in: Path) -> Ran:
    """Mutate and run until the bound is reached; raises FaultFound at the first input that breaks the target."""
    rng = random.Random(seed)
    pool = list(corpus)
    outcomes = {run_one(target, data) for data in pool}
    until, count = time.monotonic() + bound.seconds, 0
    while time.monotonic() < until and (bound.inputs is None or count < bound.inputs):
        data = mutated(rng, pool)
        count += 1
        try:
            outcome = run_one(target, data)
        except Exception as fault:
            raise FaultFound(_kept(data, keep_in), seed) from fault
        if outcome not in outcomes and len(outcomes) < _MOST_KEPT:
            outcomes.add(outcome)
            pool.append(data)
    return Ran(inputs=count, outcomes=len(outcomes))


def _kept(data: bytes, keep_in: Path) -> Path:
    keep_in.mkdir(parents=True, exist_ok=True)
    path = keep_in / hashlib.sha256(data).hexdigest()[:16]
    path.write_bytes(data)
    return path
