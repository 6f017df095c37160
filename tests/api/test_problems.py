"""The table of problems: what clients branch on, and what the documentation says of it."""

from pathlib import Path

import msgspec
import pytest

from api.problems import KINDS, Problem, ProblemKind, Refusal, encode_problem, problem_of

DOCS = Path(__file__).parents[2] / "docs" / "problems.md"


def test_every_code_stands_once_in_the_table() -> None:
    """A code names one status, one title and one advice."""
    codes = [kind.code for kind in KINDS]
    assert len(codes) == len(set(codes))


def test_documentation_holds_the_same_table() -> None:
    """docs/problems.md and the code agree, row by row and in the same order."""
    rows = [line for line in DOCS.read_text().splitlines() if line.startswith("| `")]
    assert rows == [
        f"| `{kind.code}` | {kind.status} | {kind.title} | {kind.advice} | {'yes' if kind.retry else 'no'} |"
        for kind in KINDS
    ]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_problem_document_says_what_where_and_what_to_do(kind: ProblemKind) -> None:
    """RFC 9457 members, the stable code, and advice in every document."""
    document = encode_problem(problem_of(Refusal(code=kind.code, detail="It happened.", where="here")))
    problem = msgspec.json.decode(document, type=Problem)
    assert problem.type == f"urn:turnfold:problem:{kind.code}"
    assert (problem.code, problem.detail, problem.where) == (kind.code, "It happened.", "here")
    assert problem.title
    assert problem.advice
    assert 400 <= problem.status < 600


def test_refusal_outside_the_table_is_a_bug() -> None:
    """No code can be made up at the place that refuses."""
    with pytest.raises(KeyError):
        problem_of(Refusal(code="made_up", detail=""))
