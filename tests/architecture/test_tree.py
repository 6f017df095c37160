"""What a newcomer types exists, and nothing in the tree depends on one machine or one registry."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from api.cli import app

ROOT = Path(__file__).parents[2]
DIRECTORIES = (".ci", "api", "benchmarks", "clients", "deploy", "docs", "projections", "service", "tests")
LOCKS = ("requirements.txt", "requirements-dev.txt")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z][a-z-]*):", MAKEFILE, re.MULTILINE))
DOCUMENTS = (ROOT / "README.md", ROOT / "benchmarks" / "README.md", *sorted((ROOT / "docs").glob("*.md")))

MACHINE_PATH = re.compile(r"/(?:work|root|home|Users|mnt)/\w")
ADDRESS = re.compile(r"\b(?:https?|ftp|git\+\w+)://(?:[^\s/@\"'`<>]*@)?(\[[^\]]*\]|[\w.-]+)")
# Names that lead nowhere by definition, this machine, and the name of a namespace that nobody fetches.
NOWHERE = re.compile(
    r"(?:.*\.)?(?:example(?:\.(?:com|org|net|evil))?|invalid|test|localhost)|127\.\d.*|\[::1?\]|www\.w3\.org"
)
# Link targets and bad values inside tests' inputs and samples: content, never asked.
CONTENT = {"a.b", "c.d", "x", "www.rfc-editor.org"}


def files() -> Iterator[Path]:
    """Every text file of the tree that is ours, the locks apart."""
    yield from (path for path in ROOT.iterdir() if path.is_file() and path.name not in LOCKS)
    for directory in DIRECTORIES:
        for path in (ROOT / directory).rglob("*"):
            if path.is_file() and not {"__pycache__", "node_modules"} & set(path.parts):
                yield path


def text_of(path: Path) -> str:
    """A file's text; bytes of a picture or an archive match nothing."""
    return path.read_text(encoding="utf-8", errors="replace")


def code_of(document: Path) -> str:
    """What a reader may type: fenced blocks and inline code."""
    text = text_of(document)
    return "\n".join(re.findall(r"```.*?```|`[^`\n]+`", text, re.DOTALL))


def commands() -> dict[str, set[str]]:
    """The commands of `turnfold`, each with its options."""
    group = typer.main.get_command(app)
    found = getattr(group, "commands", {})
    return {
        name: {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
        for name, command in found.items()
    }


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_documented_make_targets_exist(document: Path) -> None:
    """`make lint` in a text is a promise."""
    named = set(re.findall(r"\bmake ((?!install-)[a-z][a-z-]*)", code_of(document)))
    assert named <= TARGETS


@pytest.mark.parametrize("document", [*DOCUMENTS, ROOT / "Makefile"], ids=lambda path: path.name)
def test_documented_turnfold_commands_exist(document: Path) -> None:
    """With the options that stand on the same line; `docker exec` runs others in a container of that name."""
    text = text_of(document) if document.name == "Makefile" else code_of(document)
    known = commands()
    for name, rest in re.findall(r"(?:^|[`/ ])(?<!exec )turnfold ([a-z]+)([^\n`#|]*)", text):
        assert name in known
        assert set(re.findall(r"(?<=\s)--[a-z-]+", rest)) <= known[name] | {"--help"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_linked_files_exist(document: Path) -> None:
    """A link inside the tree leads to a file of the tree."""
    links = re.findall(r"\]\((?!\w+:|#)([^)#\s]+)", text_of(document))
    assert [link for link in links if not (document.parent / link).exists()] == []


def test_programs_of_the_makefile_exist() -> None:
    """Its scripts may be run, and its tools come with the lock."""
    scripts = [ROOT / name for name in re.findall(r"(?<![\w/])\.ci/[\w-]+", MAKEFILE)]
    tools = [Path(sys.executable).parent / name for name in re.findall(r"\$\(BIN\)/([\w-]+)", MAKEFILE)]
    assert scripts
    assert tools
    assert [path for path in (*scripts, *tools) if not os.access(path, os.X_OK)] == []


def test_continuous_integration_runs_everyones_commands() -> None:
    """Nothing hides behind the tests and the benchmarks' check: no selection, and a skip is a failure."""
    lines = [line for line in text_of(ROOT / ".ci" / "run").splitlines() if line and not line.startswith("#")]
    assert lines[0] == "set -euo pipefail"
    assert lines[-3:] == ["export TURNFOLD_REQUIRE_ALL=1", "make test", "exec make bench-check"]


def test_no_file_names_a_path_of_one_machine() -> None:
    """A clone works wherever it lies."""
    found = [
        (str(path.relative_to(ROOT)), hit) for path in files() for hit in MACHINE_PATH.findall(text_of(path))
    ]
    assert found == []


def test_no_file_names_a_registry_or_a_download() -> None:
    """Where packages come from is the machine's business; every other address here is made up."""
    found = {
        (str(path.relative_to(ROOT)), host)
        for path in files()
        for host in ADDRESS.findall(text_of(path))
        if not NOWHERE.fullmatch(host) and host not in CONTENT
    }
    assert found == set()


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_has_hashes_and_no_index(lock: str) -> None:
    """pip refuses what is not the very file that was locked, wherever it comes from."""
    text = text_of(ROOT / lock)
    entries = [entry for entry in re.split(r"\n(?=\S)", text) if entry and not entry.startswith("#")]
    assert entries
    assert [entry for entry in entries if not re.match(r"[\w.\[\],-]+==\S+", entry)] == []
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []
    assert "://" not in text
