"""A pytest plugin: which tests run in one worker, one after the other, where pytest-xdist shares them out.

1. A module's tests stay together: its fixtures (a browser, a service) are made once.
2. Whatever needs Docker stays together, over all modules: one private engine, each image made once.
3. A module that runs on every engine is shared out by engine; they have nothing in common.
"""

from collections.abc import Sequence

import pytest

DOCKER = "docker"
#: A test with one of these asks for Docker, by name or by the engine that it is run on.
_DOCKER_FIXTURES = {"docker_engine", "container_url"}
_CONTAINER = "container"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Give each test its group, which `--dist loadgroup` heeds."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group(group_of(item)))


def group_of(item: pytest.Item) -> str:
    """The name of a test's group."""
    engine = getattr(item, "callspec", None) and item.callspec.params.get("engine")  # type: ignore[attr-defined]  # a Function's
    if engine == _CONTAINER or _DOCKER_FIXTURES.intersection(getattr(item, "fixturenames", ())):
        return DOCKER
    module = f"{item.path.parent.name}/{item.path.stem}"
    return f"{module}-{engine}" if engine else module
