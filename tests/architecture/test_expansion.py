"""`clients.expansion` is as pure as the fold: computing alone, frozen values, the same modules in both languages."""

import ast
import importlib
import inspect
import pkgutil
import typing
from pathlib import Path

import msgspec
import pytest

import clients.expansion
from tests.architecture.test_projections import IMPURE_CALLS, PURE_MODULES, imports, mutable_parts

SOURCES = sorted(Path(clients.expansion.__path__[0]).glob("*.py"))
SCRIPTS = Path(__file__).parents[2] / "clients" / "web" / "src" / "expansion"

# The plain form is JSON, and JSON's objects are dicts; no reducer takes or gives it.
PLAIN_FIELDS = {"ExpansionValue.sessions"}
# Python has its struct types, and decodes what comes from outside into them; JavaScript says both by hand.
PYTHON_ONLY = {"__init__", "turns"}
SCRIPTS_ONLY = {"shape"}


def structs() -> list[type[msgspec.Struct]]:
    """Every struct of the package."""
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(clients.expansion.__path__, "clients.expansion.")
    ]
    return [
        kind
        for module in modules
        for kind in vars(module).values()
        if inspect.isclass(kind) and issubclass(kind, msgspec.Struct) and kind.__module__ == module.__name__
    ]


@pytest.mark.parametrize("kind", structs(), ids=lambda kind: kind.__name__)
def test_a_value_is_frozen_all_the_way_down(kind: type[msgspec.Struct]) -> None:
    """A state that somebody holds can never change under them."""
    assert kind.__struct_config__.frozen
    for field, hint in typing.get_type_hints(kind, include_extras=True).items():
        name = f"{kind.__name__}.{field}"
        assert name in PLAIN_FIELDS or list(mutable_parts(hint)) == [], name


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_nothing_impure_is_within_reach(source: Path) -> None:
    """No clock, no randomness, no file, no network; and no builtin that reads the world."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    outside = {name.split(".")[0] for name in imports(tree) if not name.startswith("clients.expansion")}
    assert outside <= PURE_MODULES
    called = {
        one.func.id for one in ast.walk(tree) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)
    }
    assert called & IMPURE_CALLS == set()


def test_both_languages_have_the_same_modules() -> None:
    """Who reads one implementation finds a rule in the other under the same name."""
    python = {path.stem for path in SOURCES}
    scripts = {path.stem for path in SCRIPTS.glob("*.js")}
    assert python - PYTHON_ONLY == scripts - SCRIPTS_ONLY
