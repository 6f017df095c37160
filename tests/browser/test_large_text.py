"""Readers who chose larger text: all type grows, and at 320 px and 200 % nothing is cut and nothing overlaps."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import quiet_context
from tests.browser.states import delegating, failed, opened, waiting
from tests.browser.transcript_page import TranscriptPage

LARGE = "html { font-size: 200%; }"
# Every element that has words of its own and shows, with the size of its type; the same element has the same place.
_SIZES = """() => [...document.querySelectorAll('body *')]
  .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''))
  .filter((one) => one.checkVisibility() && !one.closest('.sr-only, script, style'))
  .map((one) => ({ name: one.className || one.localName, px: parseFloat(getComputedStyle(one).fontSize) }))"""
# What is wider than its place, is cut though nothing says so, or lies over its neighbour.
_FAULTS = """() => {
  const faults = [];
  const name = (one) => one.dataset?.key ?? (one.className || one.localName);
  const all = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  for (const frame of [document.documentElement, document.querySelector('.scroll')]) {
    if (frame.scrollWidth <= frame.clientWidth) continue;
    const wide = all('.column :is(div, p, span)').filter((one) => one.getBoundingClientRect().right > innerWidth);
    faults.push(`${name(frame)} scrolls sideways: ${wide.map(name).slice(0, 5)}`);
  }
  for (const one of all('body *').filter((one) => !one.closest('.sr-only, .thinking'))) {
    const { overflowX, textOverflow } = getComputedStyle(one);
    if (overflowX !== 'hidden' || textOverflow === 'ellipsis' || one.clientWidth <= 1) continue;
    const isCut = one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1;
    if (isCut) faults.push(`${name(one)} is cut`);
  }
  const areOver = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const rows = ':is(.turn, .shelf) > :is(.seat, .level, .turn-status)';
  const neighbours = ['.pane-head > *', rows, '.work > *', '.level-button > *'];
  for (const parts of neighbours) {
    for (const one of all(parts)) {
      for (const other of all(parts)) {
        if (one === other || one.parentElement !== other.parentElement) continue;
        if (!areOver(one.getBoundingClientRect(), other.getBoundingClientRect())) continue;
        faults.push(`${name(one)} lies over ${name(other)}`);
      }
    }
  }
  for (const one of all('.pane-head button, .find-bar > *')) {
    const { left, right } = one.getBoundingClientRect();
    if (left < 0 || right > innerWidth) faults.push(`${name(one)} is out of sight`);
  }
  return faults;
}"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A narrow page without its policy, since the size of text is given by a style of ours."""
    with quiet_context(browser, bypass_csp=True, viewport={"width": 320, "height": 640}) as context:
        yield context.new_page()


def sizes(page: Page) -> list[dict[str, Any]]:
    """The size of all type that shows."""
    found: list[dict[str, Any]] = page.evaluate(_SIZES)
    return found


@pytest.mark.parametrize("view", ["web", "desktop"])
@pytest.mark.parametrize("state", [opened, failed, waiting, delegating])
def test_all_type_doubles_and_stays_readable(
    transcript: TranscriptPage, state: Callable[[TranscriptPage], None], view: str
) -> None:
    """Every element's own type, in the heading, in rows, in details and in what waits below."""
    page = transcript.page
    state(transcript)
    transcript.prefer(presentation=view)
    expect(page.locator(f".thread[data-view='{view}']").first).to_be_visible()
    before = sizes(page)
    assert page.evaluate(_FAULTS) == []
    page.add_style_tag(content=LARGE)
    after = sizes(page)
    assert [one["name"] for one in after] == [one["name"] for one in before]
    grown = {
        one["name"] for one, was in zip(after, before, strict=True) if abs(one["px"] - 2 * was["px"]) > 0.1
    }
    assert grown == set(), "type that does not follow the reader's size"
    assert page.evaluate(_FAULTS) == []


def test_settings_and_search_stay_readable(transcript: TranscriptPage) -> None:
    """The panel scrolls, the bar has all its buttons in sight."""
    opened(transcript)
    page = transcript.page
    page.add_style_tag(content=LARGE)
    page.keyboard.press("/")
    page.get_by_role("searchbox").fill("needle")
    expect(page.locator(".hit").first).to_be_visible()
    assert page.evaluate(_FAULTS) == []
    page.keyboard.press("Escape")
    page.locator(".pane-head").get_by_role("button", name="Settings").click()
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
    assert page.evaluate(_FAULTS) == []


def test_without_a_choice_the_owners_figures_hold(transcript: TranscriptPage) -> None:
    """15 px of text, in the default of every browser."""
    opened(transcript)
    answer = transcript.row("step:1:2").locator("p").last
    expect(answer).to_have_css("font-size", "15px")
    expect(transcript.row("tail:1").locator(".tail")).to_have_css("font-size", "12px")
    expect(transcript.row("tail:1").locator(".tail")).to_have_css("line-height", "16px")
