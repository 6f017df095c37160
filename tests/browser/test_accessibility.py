"""The page's main states by axe-core's rules: no violation, in light and dark, wide and narrow (E-17)."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import quiet_context
from tests.browser.node_tools import INSTALLS, MODULES, install_tools
from tests.browser.service import Service
from tests.browser.states import DIFF, STATES, call, folded, opened, waiting
from tests.browser.transcript_page import TranscriptPage, turn_end, turn_with_tool

pytestmark = INSTALLS

# What a rule found, in as few words as a developer needs; passes are not asked for.
_RUN = """async () => {
  const found = await axe.run(document, { resultTypes: ['violations'] });
  return found.violations.map((one) => [one.id, one.help, ...one.nodes.map((node) => node.html.slice(0, 200))]);
}"""


@pytest.fixture(scope="module")
def axe() -> str:
    """The source of axe-core, of the version in the lock."""
    install_tools()
    return Path(MODULES / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture
def page(browser: Browser, by_default: Service) -> Iterator[Page]:
    """A page without its policy, since axe-core tries styles on; the other tests keep the policy."""
    with quiet_context(browser, bypass_csp=True) as context:
        yield context.new_page()
    assert by_default.address


def violations(page: Page, axe: str) -> list[Any]:
    """What the rules find on the page as it stands."""
    page.evaluate(axe)
    found: list[Any] = page.evaluate(_RUN)
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_a_state_violates_no_rule(
    transcript: TranscriptPage, axe: str, state: Callable[[TranscriptPage], None], scheme: str
) -> None:
    """Names, roles, contrast, order of headings, landmarks, what can be focused."""
    transcript.page.emulate_media(
        color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce"
    )
    state(transcript)
    assert violations(transcript.page, axe) == []


@pytest.fixture
def on_desktop(transcript: TranscriptPage) -> TranscriptPage:
    """The same page in the other presentation."""
    transcript.prefer(presentation="desktop")
    return transcript


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("is_over", [False, True])
def test_the_desktop_presentation_violates_no_rule(
    on_desktop: TranscriptPage, axe: str, is_over: bool, scheme: str
) -> None:
    """Headers, groups, thinking and rows, while a turn runs and when it is over, everything open."""
    page = on_desktop.page
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    begin = turn_with_tool()
    ends = [*begin[5:], turn_end()] if is_over else [call("c9")[0]]
    on_desktop.append(
        *begin[:5], *call("c2", [DIFF]), *call("c3", "broke", status="error", exit_code=2), *ends
    )
    on_desktop.open()
    expect(page.locator(".level-entry")).to_be_visible()
    for kind in ("entry", "group"):
        header = page.locator(f".level-{kind} > .level-button")
        if header.get_attribute("aria-expanded") == "false":
            header.click()
    on_desktop.row("tool:c2").locator(".work").click()
    page.locator(".thinking .disclosure").first.click()
    expect(on_desktop.row("tool:c2").locator(".diff")).to_be_visible()
    assert violations(page, axe) == []


@pytest.mark.parametrize("state", [folded, opened, waiting], ids=lambda state: state.__name__)
def test_a_narrow_screen_violates_no_rule(
    transcript: TranscriptPage, axe: str, state: Callable[[TranscriptPage], None]
) -> None:
    """As on a phone; the list of sessions too."""
    transcript.page.set_viewport_size({"width": 360, "height": 640})
    state(transcript)
    assert violations(transcript.page, axe) == []
    transcript.page.get_by_role("link", name="All sessions").click()
    expect(transcript.page.locator(".sidebar")).to_be_visible()
    assert violations(transcript.page, axe) == []


def test_the_page_without_a_session_violates_no_rule(page: Page, service: Service, axe: str) -> None:
    """What a reader sees first."""
    service.append("a11y-first", *turn_with_tool(), turn_end())
    page.goto(service.address)
    expect(page.locator(".nav-link").first).to_be_visible()
    assert violations(page, axe) == []


def test_a_violation_is_found(page: Page, service: Service, axe: str) -> None:
    """The rules run: a picture without words and a button without a name are found."""
    page.goto(service.address)
    page.evaluate("() => document.querySelector('main').append(document.createElement('button'))")
    assert "button-name" in {one[0] for one in violations(page, axe)}
