"""The terminal's vectors, drawn by the client: headers, footers, cards, bodies and ends in their order (D; S003).

The vectors' lines are those of `turnfold show`; the client draws each in its own way, so what a line is gets compared,
and of a body what it says.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.projections.folding import fold
from tests.tui.screens import shown

VECTORS = sorted((Path(__file__).parents[1] / "vectors" / "terminal").glob("*.json"))
KINDS = {
    "Assistant": "header", "  ⏱": "footer", "  ⚙": "tool", "  ⌕": "search", "  /": "command", "  #": "context",
    "— ": "end", "● ": "runs", "✗ ": "error", "! ": "notice", "? ": "waits",
    "  ?": "waits", "▶ ": "waits", "… ": "queued",
    "  ↻": "retry", "──": "compaction", "  ~": "reasoning", "┃ ": "human", "You: ": "human",
    "You (while it ran): ": "human",
}  # fmt: skip
# What only one of both shows: the name above the reader's words, details of what waits, blocks that are no text.
PASSED_OVER = ("", "You", "You (while it ran)")


def kinds(lines: list[str]) -> list[str]:
    """What each line is; a body's lines say themselves."""
    found = []
    for line in lines:
        if line in PASSED_OVER or line.startswith(("[", "    ", "(", "  (")):
            continue
        kind = next((kind for begin, kind in KINDS.items() if line.startswith(begin)), None)
        found.append(kind or line.strip())
    return [one for at, one in enumerate(found) if one != "human" or found[at - 1 : at] != ["human"]]


def cases() -> list[tuple[str, int, str, bool, list[str]]]:
    """Each phase of each moment that says its lines."""
    found: list[tuple[str, int, str, bool, list[str]]] = []
    for path in VECTORS:
        vector: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        found.extend(
            (str(path), moment["after"], phase, one["reasoning"], one["lines"])
            for moment in vector["moments"]
            for one in moment["shown"]
            if "lines" in one
            for phase in one["phases"]
        )
    return found


def test_there_are_vectors_to_run() -> None:
    """A run over an empty folder proves nothing."""
    assert len(cases()) >= 42


@pytest.mark.parametrize(
    ("case"), cases(), ids=lambda case: f"{Path(case[0]).stem}-{case[1]}-{case[2]}-{case[3]}"
)
def test_the_client_draws_what_the_vector_says(case: tuple[str, int, str, bool, list[str]]) -> None:
    """Live text of both is made of the same presentation."""
    path, after, phase, reasoning, lines = case
    events = json.loads(Path(path).read_text(encoding="utf-8"))["events"][:after]
    assert fold(*events) is not None
    mine = shown(events, phase, reasoning=reasoning)  # type: ignore[arg-type]  # a phase, as the schema says
    assert kinds(mine) == kinds(lines), "\n".join(mine)
