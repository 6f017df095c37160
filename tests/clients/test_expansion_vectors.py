"""The Python reducers against the vectors that the JavaScript ones run too (`clients.md` E-3 to E-5, E-8 to E-10)."""

import json
from pathlib import Path

import jsonschema
import pytest

from tests.clients.expansion_vectors import SCHEMA, Vector, load_vectors, run

VECTORS = load_vectors()
RULES = ("E-2", "E-3", "E-4", "E-5", "E-8", "E-9", "E-10")


@pytest.mark.parametrize("vector", VECTORS.values(), ids=VECTORS)
def test_reducers_do_what_the_vector_says(vector: Vector) -> None:
    """Each step's action gives the state, moves the focus and shows the turns as the vector says."""
    run(vector)


@pytest.mark.parametrize(("name", "vector"), VECTORS.items(), ids=VECTORS)
def test_vector_has_the_schemas_form(name: str, vector: Vector) -> None:
    """A misspelt field would be an expectation that nobody checks."""
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(vector)
    assert vector["name"] == name


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_has_a_vector(rule: str) -> None:
    """A rule that no vector names is one that the two implementations may read differently."""
    assert [name for name, vector in VECTORS.items() if rule in vector["rules"]]


def test_a_folder_without_vectors_fails(tmp_path: Path) -> None:
    """A moved folder must not pass as one in which all is well."""
    with pytest.raises(LookupError, match="no vectors"):
        load_vectors(tmp_path)
