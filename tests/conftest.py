"""What holds for every test: in CI none may be skipped, and a property fails the same way twice.

The fixtures that every suite may use are the engines and what Docker has of them.
"""

import os
import signal

# Here and not later: imported from inside a deep call, as pytest's plugin would do, it meets an error of
# CPython 3.11 ("AST constructor recursion depth mismatch").
import hypothesis

from tests.docker_engine import docker_engine
from tests.docker_images import local_base, redis_image, service_image
from tests.engines import container_url, engine, engine_url
from tests.groups import pytest_itemcollected, pytest_xdist_make_scheduler
from tests.no_skips import REQUIRE_ALL, pytest_make_collect_report, pytest_runtest_makereport

__all__ = [
    "container_url",
    "docker_engine",
    "engine",
    "engine_url",
    "local_base",
    "pytest_itemcollected",
    "pytest_make_collect_report",
    "pytest_runtest_makereport",
    "pytest_xdist_make_scheduler",
    "redis_image",
    "service_image",
]

# A shell starts what runs in its background with SIGINT ignored, and every process started here would inherit that;
# those that tests interrupt are users' processes, which have it as a terminal gives it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadline: a slow machine is no wrong answer. In CI the examples depend on the commit alone, so that a
# failure is the commit's; a developer's runs go on exploring.
hypothesis.settings.register_profile("developer", deadline=None, print_blob=True)
hypothesis.settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get(REQUIRE_ALL) == "1" else "developer")
