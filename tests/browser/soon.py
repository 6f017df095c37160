"""Waiting in browser tests for what Playwright's own expectations do not see: messages, sockets, a page's variables."""

import time
from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser.patience import PAGE_S

_POLL_MS = 50


def soon(page: Page, condition: Callable[[], bool], what: str, *, within_s: float = PAGE_S) -> None:
    """Returns once `condition()` is true; fails the test with `what` when that takes longer than `within_s`."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, f"waited {within_s:g} s in vain until {what}"
        page.wait_for_timeout(_POLL_MS)
