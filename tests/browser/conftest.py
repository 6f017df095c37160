"""Chromium and a service for the browser tests; without Chromium they are skipped, in CI they fail."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from tests.browser.chromium import STILL, path_of_chromium
from tests.browser.patience import PAGE_S, TEST_S
from tests.browser.service import Service
from tests.browser.transcript_page import TranscriptPage

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
HERE = Path(__file__).parent
_numbers = count(1)


expect.set_options(timeout=PAGE_S * 1000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """These tests have their own patience, where a module has not another."""
    for item in items:
        if HERE in item.path.parents and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(TEST_S))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for a module: while Playwright is open it keeps an event loop running, which no async test bears."""
    if path_of_chromium() is None:
        if os.environ.get("TURNFOLD_REQUIRE_ALL") == "1":
            pytest.fail("no Chromium on PATH")
        pytest.skip("no Chromium on PATH")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=STILL, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service for a module; each test has a session of its own."""
    running = Service(tmp_path_factory.mktemp("service"))
    running.start()
    yield running
    running.stop()


@contextmanager
def quiet_context(browser: Browser, **options: Any) -> Iterator[BrowserContext]:
    """A fresh context; a word of complaint on the console of any of its pages fails the test."""
    complaints: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(message.text)

    context = browser.new_context(
        **{"viewport": {"width": 1100, "height": 800}, "locale": "en-US", **options}
    )
    context.set_default_timeout(PAGE_S * 1000)
    context.on("console", note)
    context.on("weberror", lambda problem: complaints.append(str(problem.error)))
    yield context
    context.close()
    # What Chromium says of a service that is away, or that refuses: some tests arrange that.
    arranged = ("WebSocket connection to", "status of 400 (Bad Request)", "status of 502 (Bad Gateway)")
    assert [text for text in complaints if not any(one in text for one in arranged)] == []


@pytest.fixture
def by_default(service: Service) -> Service:
    """The service, with nothing preferred: that is everybody's where nobody has a name, however the last test ended."""
    service.prefer(**dict.fromkeys(service.preferences()))
    return service


@pytest.fixture
def page(browser: Browser, by_default: Service) -> Iterator[Page]:
    """A page of a context of its own, whose console stays silent."""
    with quiet_context(browser) as context:
        yield context.new_page()
    assert by_default.address


@pytest.fixture
def transcript(page: Page, by_default: Service) -> TranscriptPage:
    """The page, with a session that no other test uses."""
    return TranscriptPage(page, by_default, f"browser-{next(_numbers)}")
