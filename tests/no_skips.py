"""A pytest plugin: with TURNFOLD_REQUIRE_ALL=1, a test that cannot run has failed.

On a developer's machine a missing browser skips the tests that need one, and says so. In CI the same skip would
be a suite that nobody runs any more.
"""

import os
from collections.abc import Generator
from typing import TypeVar

import pytest

REQUIRE_ALL = "TURNFOLD_REQUIRE_ALL"

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def _failed(report: Report) -> Report:
    # An expected failure is reported as skipped too, and did run.
    if os.environ.get(REQUIRE_ALL) == "1" and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{REQUIRE_ALL}=1 allows no skip. {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A skipped test is a failed one."""
    return _failed((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A module that skips itself is one that cannot be collected."""
    return _failed((yield))
