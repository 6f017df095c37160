"""Size is a budget (house style 11): no module and no function grows until nobody reads it whole."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("projections", "service", "api", "clients")
BESIDE = ("tests", "benchmarks")
MODULE_LINES = 400
FUNCTION_LINES = 50


def modules() -> list[Path]:
    """Every module of the packages."""
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def functions(source: str) -> Iterator[tuple[str, int]]:
    """Name and number of lines of each function, methods and inner ones too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            yield node.name, node.end_lineno - node.lineno + 1


def test_the_packages_are_found() -> None:
    """A moved package would pass every test below."""
    assert {path.relative_to(ROOT).parts[0] for path in modules()} == set(PACKAGES)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_module_and_its_functions_stay_within_the_budget(path: Path) -> None:
    """A module that outgrows it is two stages, a function is two steps."""
    source = path.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= MODULE_LINES
    assert [(name, lines) for name, lines in functions(source) if lines > FUNCTION_LINES] == []


def test_modules_of_tests_and_benchmarks_stay_within_the_budget() -> None:
    """Who looks for a test reads a module of them, not two."""
    found = (path for folder in BESIDE for path in (ROOT / folder).rglob("*.py"))
    beside = [path for path in found if "node_modules" not in path.parts]
    assert {path.relative_to(ROOT).parts[0] for path in beside} == set(BESIDE)
    sizes = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in beside}
    assert {path: lines for path, lines in sizes.items() if lines > MODULE_LINES} == {}
