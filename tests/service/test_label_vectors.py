"""Labels from facts, in the languages that ship and in those that a deployment adds (B-11, C-10, C-13)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from projections import actions, labels, languages
from projections.actions import action_of, add_aliases
from projections.labels import duration_text, header_text, process_label, title_text
from projections.languages import add_languages
from projections.spec import TurnProcessSpec
from service.vocabulary import VocabularyError, read_vocabulary

ROOT = Path(__file__).parent.parent / "vectors"
VECTORS = sorted((ROOT / "labels").glob("*.json"))
SCHEMA = json.loads((ROOT / "labels.schema.json").read_text(encoding="utf-8"))
KINDS = ("process", "header", "title", "duration_ms", "tool", "refused")
Case = dict[str, Any]


def vector_of(path: Path) -> Case:
    """A vector."""
    found: Case = json.loads(path.read_text(encoding="utf-8"))
    return found


@pytest.fixture
def own_words() -> Iterator[None]:
    """What a test adds is taken away again, and what was said with it is forgotten."""
    known, aliases = dict(languages._KNOWN), dict(actions._ACTION_OF)
    labels._label.cache_clear()
    yield
    languages._KNOWN.clear()
    languages._KNOWN.update(known)
    actions._ACTION_OF.clear()
    actions._ACTION_OF.update(aliases)
    labels._label.cache_clear()
    action_of.cache_clear()


def add_vocabulary(given: Case, directory: Path) -> None:
    """Write a deployment's files and read them as the service does at its start."""
    for number, catalogue in enumerate(given["catalogues"]):
        (directory / f"language-{number}.json").write_text(json.dumps(catalogue), encoding="utf-8")
    (directory / "actions.json").write_text(json.dumps(given["actions"]), encoding="utf-8")
    vocabulary = read_vocabulary(directory)
    add_languages(vocabulary.languages)
    add_aliases(dict(vocabulary.aliases))


def spec_of(counts: Case) -> TurnProcessSpec:
    """A spec with these counts."""
    return TurnProcessSpec(
        turn=1,
        control_anchor_seq=1,
        process_start_seq=0,
        answer_anchor_seq=None,
        answer_step=None,
        inline_reasoning=False,
        message_count=counts["messages"],
        tool_call_count=counts["tool_calls"],
        subagent_count=counts["subagents"],
    )


def said(case: Case) -> Case:
    """What is said of the facts of a case."""
    match case:
        case {"process": counts, "locale": locale}:
            label = process_label(spec_of(counts), locale)
            segments = [{"kind": one.kind, "count": one.count} for one in label.segments]
            return {"text": label.text, "segments": segments}
        case {"header": facts, "locale": locale}:
            return {"text": header_text(**facts, locale=locale)}
        case {"title": facts, "locale": locale}:
            text = title_text(
                tuple(facts["actions"]),
                more=facts["more"],
                operations=facts["operation_count"],
                segments=facts["thinking_count"],
                items=facts["visible_count"],
                locale=locale,
            )
            return {"text": text}
        case {"duration_ms": duration_ms, "locale": locale}:
            return {"text": duration_text(duration_ms, locale)}
        case _:
            return {"action": action_of(case["tool"])}


def refusal(refused: Case, directory: Path) -> str:
    """Why a file of a vocabulary is refused."""
    name = "actions.json" if "actions" in refused else "one.json"
    (content,) = refused.values()
    (directory / name).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(VocabularyError) as caught:
        read_vocabulary(directory)
    (problem,) = caught.value.problems
    assert problem.startswith(f"{name}: ")
    return problem


def test_the_vectors_are_there_and_well_formed() -> None:
    """A run over an empty folder proves nothing; every kind of label has its vectors, and there are negative ones."""
    assert len(VECTORS) >= 28
    for path in VECTORS:
        vector = vector_of(path)
        jsonschema.validate(vector, SCHEMA)
        assert path.stem == vector["name"]
    cases = [case for path in VECTORS for case in vector_of(path)["cases"]]
    assert {kind for kind in KINDS if any(kind in case for case in cases)} == set(KINDS)
    assert {case["locale"] for case in cases if "locale" in case} >= {"en", "zh-CN"}
    assert any(vector_of(path)["negative"] for path in VECTORS)


@pytest.mark.usefixtures("own_words")
@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_vector_says_what_it_must(path: Path, tmp_path: Path) -> None:
    """Each case with the words that ship and what the vector adds to them."""
    vector = vector_of(path)
    if vector["vocabulary"] is not None:
        add_vocabulary(vector["vocabulary"], tmp_path)
    for number, case in enumerate(vector["cases"]):
        if "refused" in case:
            directory = tmp_path / f"refused-{number}"
            directory.mkdir()
            assert case["says"] in refusal(case["refused"], directory)
        else:
            wanted = {name: case[name] for name in ("text", "segments", "action") if name in case}
            assert said(case) == wanted, case
