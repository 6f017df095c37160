"""docs/owner-documents.md goes through every sentence, and what it names is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "owner-documents.md").read_text(encoding="utf-8")
DOCUMENTS = ("S000", "S001", "S003")
VECTORS = {
    f"{path.parent.name}/{path.stem}"
    for path in (ROOT / "tests" / "vectors").glob("*/*.json")
    if path.parent.name
    in ("desktop", "harness", "situations", "search", "preferences", "expansion", "labels", "terminal")
}


def rows(document: str) -> list[list[str]]:
    """The cells of each row: sentence, what it says, requirement, pinned by, left to a client."""
    lines = [line for line in PAGE.splitlines() if line.startswith(f"| {document}-")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def numbers(cell: str) -> range:
    """The sentences of a row: one, or a span of background."""
    found = [int(number) for number in re.findall(r"S\d{3}-(\d+)", cell)]
    return range(found[0], found[-1] + 1)


def named(cell: str) -> list[str]:
    """The names in a cell."""
    return re.findall(r"`([^`]+)`", cell)


def is_background(requirement: str) -> bool:
    """Whether a sentence asks for nothing."""
    return requirement == "background"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_no_sentence_is_left_out(document: str) -> None:
    """From 1 on, in order, each once."""
    found = [number for cell, *_ in rows(document) for number in numbers(cell)]
    assert found
    assert found == list(range(1, len(found) + 1))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_sentence_is_pinned_or_left_to_a_client(document: str) -> None:
    """By the numbers of its requirements; what asks for nothing names nothing, and it alone comes in spans."""
    for cell, _, requirement, tests, client in rows(document):
        if is_background(requirement):
            assert (tests, client) == ("none", "nothing"), cell
            continue
        assert re.fullmatch(r"[A-F]-\d+(, [A-F]-\d+)*", requirement), cell
        assert len(numbers(cell)) == 1
        assert named(tests) or client.startswith("client: "), cell
        assert (tests == "none") is not bool(named(tests)), cell


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_named_test_and_vector_exists(document: str) -> None:
    """A test by file and function, a vector by its file."""
    for cell, _, _, tests, _ in rows(document):
        for name in named(tests):
            path, _, function = name.partition("::")
            if name in VECTORS:
                continue
            assert path.startswith(("tests/", "clients/")), (cell, name)
            text = (ROOT / path).read_text(encoding="utf-8")
            assert not function or re.search(rf"def {function}\(", text), (cell, name)
            assert function or path.endswith(".js"), (cell, name)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_named_source_of_a_client_exists(document: str) -> None:
    """What a client is said to have, it has."""
    for cell, _, _, _, client in rows(document):
        for name in named(client):
            if name.startswith("clients/"):
                assert (ROOT / name).exists(), (cell, name)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_sums_are_those_of_the_rows(document: str) -> None:
    """All sentences, those that tests pin, those of them that a client has a part in, a client's alone, background."""
    asking = [row for row in rows(document) if not is_background(row[2])]
    pinned = [row for row in asking if named(row[3])]
    shared = [row for row in pinned if row[4] != "nothing"]
    count = sum(len(numbers(row[0])) for row in rows(document))
    sums = [count, len(pinned), len(shared), len(asking) - len(pinned), count - len(asking)]
    assert f"| {document} | {' | '.join(map(str, sums))} |" in PAGE
