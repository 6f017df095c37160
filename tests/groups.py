"""A pytest plugin: which tests run in one worker, one after the other, where pytest-xdist shares them out.

1. A module's tests stay together: its fixtures (a browser, a service) are made once.
2. Whatever needs Docker stays together, over all modules: one private engine, each image made once. Two engines at once
   would give one address to two containers.
3. A module that runs on every engine is shared out by engine; they have nothing in common.

A test's name says its group, and the scheduler is told so here. `--dist loadgroup` and its marks are not used: with
pytest 9.2 they came to nothing, without a word (pytest-xdist issue 1386).
"""

from typing import Any

import pytest

DOCKER = "docker"
#: What these modules hold needs Docker; elsewhere, what is run on the engine in a container.
_DOCKER_MODULES = ("deploy/test_compose", "deploy/test_image")
_DOCKER_FIXTURES = {"docker_engine", "container_url"}
_CONTAINER = "container"
_ENGINES = (_CONTAINER, "embedded", "redis-server")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Share tests out by group."""
    from xdist.scheduler import LoadScopeScheduling  # noqa: PLC0415 - not where tests run in one process

    class ByGroup(LoadScopeScheduling):  # type: ignore[misc]  # it publishes no types
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    return ByGroup(config, log)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Refuse a test that would start an engine of its own beside the group's."""
    needs_docker = _DOCKER_FIXTURES.intersection(getattr(item, "fixturenames", ()))
    if needs_docker and group_of(item.nodeid) != DOCKER:
        raise pytest.UsageError(f"{item.nodeid} needs Docker: name its module in tests/groups.py")


def group_of(nodeid: str) -> str:
    """The name of a test's group, of its name: ``tests/api/test_x.py::test_y[embedded-1]``."""
    path, _, name = nodeid.partition("::")
    module = path.removesuffix(".py").removeprefix("tests/")
    parameters = name.partition("[")[2]
    engine = next((one for one in _ENGINES if parameters.startswith((f"{one}-", f"{one}]"))), "")
    if engine == _CONTAINER or module in _DOCKER_MODULES:
        return DOCKER
    return f"{module}-{engine}" if engine else module
