"""Bytes that nobody would send, for a few seconds in every test run and for as long as one likes by `make fuzz`."""

import os
import secrets
import sys
from pathlib import Path

import pytest

from tests.fuzz.fuzzing import HERE, Bound, FaultFound, fuzz, inputs_of, run_one
from tests.fuzz.targets import TARGETS
from tests.no_skips import REQUIRE_ALL

IS_CI = os.environ.get(REQUIRE_ALL) == "1"
_ASKED_S = os.environ.get("TURNFOLD_TEST_FUZZ_SECONDS")
# In CI by a number of inputs for each target: no machine meets what a slower one has not seen. The time then only ends
# a run that hangs.
MOST_INPUTS = 1_000 if IS_CI and _ASKED_S is None else None
SECONDS = float(_ASKED_S or (6 if MOST_INPUTS is None else 180))
# In CI a failure is the commit's and not the day's; everywhere else each run looks elsewhere.
SEED = int(os.environ.get("TURNFOLD_TEST_FUZZ_SEED") or (0 if IS_CI else secrets.randbits(32)))
COMMITTED = [(name, path) for name in TARGETS for path in inputs_of(name)]

pytestmark = pytest.mark.timeout(SECONDS + 60)


def test_every_target_has_a_corpus() -> None:
    """A fuzzer that begins with nothing stays at the first check."""
    for name in TARGETS:
        assert len(inputs_of(name)) >= 3, name


@pytest.mark.parametrize(("name", "path"), COMMITTED, ids=lambda value: getattr(value, "name", value))
def test_committed_inputs_hold(name: str, path: Path) -> None:
    """The corpus, and every input that ever broke its target."""
    run_one(TARGETS[name], path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_mutated_inputs_hold(name: str) -> None:
    """Up to the bound; what breaks the target is kept in `found`, to be committed with the repair."""
    corpus = [path.read_bytes() for path in inputs_of(name)]
    ran = fuzz(TARGETS[name], corpus, SEED, Bound(SECONDS / len(TARGETS), MOST_INPUTS), HERE / "found" / name)
    sys.stdout.write(f"{name}: {ran.inputs} inputs, {ran.outcomes} outcomes, seed {SEED}\n")
    assert ran.inputs > 0


def test_a_fault_is_found_and_its_input_kept(tmp_path: Path) -> None:
    """The fuzzer works: a fault two steps behind the corpus is reached, and its input breaks the target again."""

    def target(data: bytes) -> str:
        depth = data.count(b"[")
        assert depth < 500, "too deep"
        return str(min(depth, 3))

    with pytest.raises(FaultFound) as caught:
        fuzz(target, [b'{"a":1}'], 1, Bound(20), tmp_path)
    with pytest.raises(AssertionError, match="too deep"):
        run_one(target, caught.value.path.read_bytes())
