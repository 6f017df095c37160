"""`projections` is pure and its values are frozen: read from its source and its types, not from promises."""

import ast
import importlib
import inspect
import pkgutil
import types
import typing
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import projections

# Each is a pure computation over its arguments. What is missing here has a clock, a file, a socket, a source of
# randomness, a log or a thread behind it.
PURE_MODULES = {
    "binascii",
    "bisect",
    "collections",
    "collections.abc",
    "enum",
    "functools",
    "hashlib",
    "itertools",
    "json",
    "math",
    "msgspec",
    "operator",
    "re",
    "typing",
    "unicodedata",
    "zlib",
}
IMPURE_CALLS = {
    "breakpoint",
    "compile",
    "eval",
    "exec",
    "hash",
    "id",
    "input",
    "open",
    "print",
    "vars",
    "__import__",
}

# The fold's own growing state: it never leaves the package, and what leaves is made from it as a frozen value.
BUILDERS = "projections.building"
# Notes from one stage to the next about what is in the fold *now*. They point into it and are read before the
# next event; no one outside keeps or sends one.
POINTERS = {"RowChange", "Touched", "Changes", "TurnOps", "Window"}
# A field's value of some presentation, which as a value of that field's type is checked where it stands.
OPEN_FIELDS = {"PresentationOp.set", "Edit.set", "Splice.insert"}
FROZEN_LEAVES = (
    bool,
    bytes,
    float,
    int,
    str,
    types.NoneType,
    msgspec.Raw,  # bytes as they came
    msgspec.UnsetType,
)

SOURCES = sorted(Path(projections.__path__[0]).glob("**/*.py"))
MODULES = [
    importlib.import_module(found.name)
    for found in pkgutil.walk_packages(projections.__path__, "projections.")
]


def public_structs() -> list[type[msgspec.Struct]]:
    """Every struct that a module of the package defines for others."""
    return [
        kind
        for module in MODULES
        if module.__name__ != BUILDERS
        for name, kind in vars(module).items()
        if inspect.isclass(kind)
        and issubclass(kind, msgspec.Struct)
        and kind.__module__ == module.__name__
        and not name.startswith("_")
        and name not in POINTERS
    ]


def mutable_parts(kind: object) -> Iterator[str]:
    """What inside a field's type could change, or hide something that can; a struct answers for itself."""
    if isinstance(kind, typing.TypeVar):
        yield "a type variable"
    elif isinstance(kind, typing.NewType):
        yield from mutable_parts(kind.__supertype__)
    elif typing.get_origin(kind) is typing.Literal:
        return
    elif typing.get_origin(kind) is typing.Annotated:
        yield from mutable_parts(typing.get_args(kind)[0])
    elif typing.get_origin(kind) in (typing.Union, types.UnionType, tuple, frozenset):
        for part in typing.get_args(kind):
            if part is not ...:
                yield from mutable_parts(part)
    elif not (inspect.isclass(kind) and (issubclass(kind, (msgspec.Struct, *FROZEN_LEAVES)))):
        yield str(kind)


@pytest.mark.parametrize("kind", public_structs(), ids=lambda kind: kind.__name__)
def test_a_value_is_frozen_all_the_way_down(kind: type[msgspec.Struct]) -> None:
    """House style 2: frozen, and no dict, list or Any in any field; a struct inside has its own test."""
    assert kind.__struct_config__.frozen
    hints = typing.get_type_hints(kind, include_extras=True)
    for field in kind.__struct_fields__:
        name = f"{kind.__name__}.{field}"
        assert name in OPEN_FIELDS or list(mutable_parts(hints[field])) == [], name


@pytest.mark.parametrize("kind", public_structs(), ids=lambda kind: kind.__name__)
def test_a_value_is_made_by_name(kind: type[msgspec.Struct]) -> None:
    """A field that is added can never be taken for another."""
    parameters = inspect.signature(kind).parameters.values()
    assert {parameter.kind for parameter in parameters} <= {inspect.Parameter.KEYWORD_ONLY}


def test_builders_stay_inside_the_package() -> None:
    """No public struct holds one; what is exempt above can therefore not be reached from outside by a value."""
    builders = {one for one in vars(importlib.import_module(BUILDERS)).values() if inspect.isclass(one)}
    builders = {one for one in builders if one.__module__ == BUILDERS}
    assert builders
    held = {
        f"{kind.__name__}.{field}"
        for kind in public_structs()
        for field, hint in typing.get_type_hints(kind).items()
        if {hint, *typing.get_args(hint)} & builders
    }
    assert held == set()


def imports(tree: ast.Module) -> Iterator[str]:
    """The full names of the modules that a module imports, wherever the import stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "."


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_only_pure_modules_are_imported(source: Path) -> None:
    """No clock, no randomness, no file, no network, no log: there is nothing to reach them with."""
    found = set(imports(ast.parse(source.read_text(encoding="utf-8"))))
    assert {name for name in found if name.split(".")[0] != "projections"} <= PURE_MODULES


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_nothing_is_awaited_or_called_that_is_not_pure(source: Path) -> None:
    """No coroutine, and no builtin that reads the world or differs between two runs, as `hash` of a text does."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    waiting = (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await)
    assert [node.lineno for node in ast.walk(tree) if isinstance(node, waiting)] == []
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert called & IMPURE_CALLS == set()
