"""The 30 vectors of the shipped harness agree: specs, rows, anchors, order, membership, labels (issue 2)."""

import json
from pathlib import Path

import msgspec
import pytest

from tests.projections.harness_vectors import OUTCOMES, VECTORS, expected_rows, fold_vector, shown_rows


def test_the_vectors_are_there() -> None:
    """A run over an empty folder proves nothing."""
    assert len(VECTORS) >= 30


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_harness_log_folds_into_the_rows_that_the_harness_shows(path: Path) -> None:
    """Every mode, history and expansion of a vector shows the same rows in the same order."""
    vector = json.loads(path.read_text())
    fold, _ = fold_vector(vector)
    for case in vector["expect"]["web"]:
        shown = shown_rows(fold, case["mode"], case["history_complete"], case["expanded"] == "all")
        assert shown == expected_rows(case["rows"]), {
            name: case[name] for name in ("mode", "history_complete", "expanded")
        }


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_harness_log_gives_the_specs_that_the_harness_gives(path: Path) -> None:
    """Every field of every spec, the outcome and the generation agree."""
    vector = json.loads(path.read_text())
    fold, _ = fold_vector(vector)
    for case in vector["expect"]["web"]:
        for expected in case.get("turns", ()):
            turn = fold.main.turns[expected["turn"]]
            closing = turn.closing
            assert ("open" if closing is None else "closed") == expected["status"]
            outcome = OUTCOMES.get(expected["outcome"], expected["outcome"])
            assert (None if closing is None else closing.reason) == outcome
            assert msgspec.to_builtins(turn.spec) == expected["spec"]
            if turn.spec is not None:
                step = turn.spec.answer_step
                assert f"{turn.tag}|{'' if step is None else step}" == expected["generation"]
