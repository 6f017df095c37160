"""The 30 vectors of the shipped harness agree for the terminal, in every phase, with and without reasoning (S003)."""

import json
from pathlib import Path
from typing import Any

import pytest

from projections.slices import finished
from projections.tui import TuiPresentation, tui_telling
from projections.view import TuiView
from tests.projections.harness_vectors import VECTORS, fold_vector

FIELDS = ("step", "header", "renders")
# The harness drops text that was cut and never settled; live equals replay here, so it is kept (D-4).
KEPT_HERE = {"18-interrupted-crash-no-message": {(1, 2)}}


def shown_steps(presentation: TuiPresentation) -> list[dict[str, Any]]:
    """The fields that a vector decides."""
    return [{name: getattr(step, name) for name in FIELDS} for step in presentation.steps]


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_harness_log_renders_in_the_terminal_as_the_harness_renders_it(path: Path) -> None:
    """Every phase, with and without reasoning: which steps have a header, and which render at all."""
    vector = json.loads(path.read_text())
    fold, _ = fold_vector(vector)
    assert len(vector["expect"]["tui"]) == 6
    for case in vector["expect"]["tui"]:
        view = TuiView(phase=case["phase"], reasoning=case["reasoning"])
        shown = [
            {"turn": turn.number, **step}
            for turn in fold.main.turns.values()
            for step in shown_steps(finished(tui_telling(turn, view)).told)
        ]
        cut = KEPT_HERE.get(path.stem, set())
        assert cut <= {(step["turn"], step["step"]) for step in shown}
        shown = [step for step in shown if (step["turn"], step["step"]) not in cut]
        assert shown == case["steps"], (case["phase"], case["reasoning"])
        assert sum(step["header"] for step in shown) == case["header_count"]
