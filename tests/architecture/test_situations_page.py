"""docs/situations.md says what pins each situation, and what it names is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "situations.md").read_text(encoding="utf-8")
FOLDER = ROOT / "tests" / "vectors"
VECTORS = {path.stem for path in (FOLDER / "situations").glob("*.json")} | {
    f"terminal/{path.stem}" for path in (FOLDER / "terminal").glob("[0-9]*.json")
}
# The list's own numbers; the gaps are its own too.
NUMBERS = [
    *(1, 2, 3, 4, 5, 8, 9, 10, 12, 13, 16, 17, 18, 21, 23, 24, 26, 27, 28, 30, 31, 32, 35, 36, 37, 40, 41),
    *(44, 45, 46, 48, 49, 52, 54, 55, 57, 59, 60, 61, 63, 64, 65, 66, 69, 71, 72, 73, 74, 75, 76, 77, 78),
]


def rows() -> list[list[str]]:
    """The cells of each row: number, what breaks, vectors, tests, what is left."""
    lines = [line for line in PAGE.splitlines() if re.match(r"\| \d", line)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def named(cell: str) -> list[str]:
    """The names in a cell."""
    return re.findall(r"`([^`]+)`", cell)


def test_every_situation_has_a_row() -> None:
    """In the list's order, none twice."""
    assert [int(number) for number, *_ in rows()] == NUMBERS


def test_every_situation_is_pinned_or_says_why_not() -> None:
    """A vector or a test; what has neither says what it waits for."""
    for number, _, vectors, tests, later in rows():
        assert named(vectors) or named(tests) or later != "nothing", number


def test_every_vector_stands_in_the_row_of_its_number() -> None:
    """And each row names vectors of its own number alone."""
    assert VECTORS
    assert {name for _, _, cell, *_ in rows() for name in named(cell)} == VECTORS
    for number, _, cell, *_ in rows():
        assert all(name.removeprefix("terminal/").startswith(f"{int(number):02}-") for name in named(cell))


def test_every_named_test_exists() -> None:
    """By file, and by function where one is named."""
    for _, _, _, cell, _ in rows():
        for name in named(cell):
            path, _, function = name.partition("::")
            assert re.search(rf"def {function}\b", (ROOT / path).read_text(encoding="utf-8")) or not function
