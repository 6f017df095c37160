"""The settings of the page: kept by the service, shown in every window, and what a hidden child keeps (B-1, C-4)."""

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.service import Service
from tests.browser.soon import soon
from tests.browser.transcript_page import TranscriptPage, turn_end, turn_with_tool

# As many requests as a browser sends to one address at a time, none of which is answered: the next one waits.
_BUSY = """() => {
  const slow = 'v1/sessions/leaving/transcript?min_version=1000000';
  for (let at = 0; at < 6; at += 1) fetch(`${slow}&at=${at}`).catch(() => {});
}"""


def expect_kept(transcript: TranscriptPage, **values: object) -> None:
    """The service has them: what shows in the page shows there before."""
    held = transcript.service.preferences
    soon(transcript.page, lambda: values.items() <= held().items(), f"the service has {values}")


def settings(page: Page) -> Locator:
    """The panel, open."""
    panel = page.get_by_role("dialog", name="Settings")
    if not panel.is_visible():
        page.locator(".pane-head").get_by_role("button", name="Settings").click()
    return panel


def choose(page: Page, group: str, name: str) -> None:
    """Choose one of a few."""
    settings(page).get_by_role("group", name=group).get_by_role("radio", name=name, exact=True).check()


def test_a_choice_is_kept_by_the_service_and_outlives_a_reload(transcript: TranscriptPage) -> None:
    """The durable preference is the service's, and nothing of it lies in the browser (S001)."""
    transcript.append(*turn_with_tool(), turn_end())
    transcript.open()
    expect(transcript.row("tool:call-1")).to_be_hidden()
    choose(transcript.page, "Finished turns", "Full")
    expect(transcript.row("tool:call-1")).to_be_visible()
    expect(transcript.control()).to_be_hidden()
    expect_kept(transcript, transcript_view="normal")
    transcript.page.reload()
    expect(transcript.row("tool:call-1")).to_be_visible()
    assert transcript.page.evaluate("() => Object.keys(localStorage)") == []


def test_a_choice_outlives_a_page_that_goes_at_once(page: Page, tmp_path: Path) -> None:
    """Who leaves right after a choice has made it: a request that still waits to be sent outlives its page (B-1)."""
    own = Service(tmp_path)
    own.start()
    try:
        leaving = TranscriptPage(page, own, "leaving")
        leaving.append(*turn_with_tool(), turn_end())
        leaving.open()
        radio = settings(page).get_by_role("radio", name="Full", exact=True)
        busy = page.context.new_page()
        busy.goto(own.address)
        busy.evaluate(_BUSY)
        page.bring_to_front()
        radio.check()
        page.goto("about:blank")
        assert own.preferences()["transcript_view"] == "compact"
        busy.close()
        expect_kept(leaving, transcript_view="normal")
    finally:
        own.kill()  # it would let those finish that wait


def test_a_choice_in_one_window_shows_in_the_other(transcript: TranscriptPage) -> None:
    """At once, in the transcript and in the settings."""
    transcript.append(*turn_with_tool(), turn_end())
    transcript.open()
    other = TranscriptPage(transcript.page.context.new_page(), transcript.service, transcript.session)
    other.open()
    expect(other.control()).to_be_visible()
    choose(transcript.page, "Finished turns", "Full")
    expect(other.control()).to_be_hidden()
    expect(other.row("tool:call-1")).to_be_visible()
    full = settings(other.page).get_by_role("group", name="Finished turns").get_by_role("radio", name="Full")
    expect(full).to_be_checked()


def test_a_hidden_switch_keeps_its_value(transcript: TranscriptPage) -> None:
    """Each switch is an indented child; while its setting hides it, it writes nothing (S000)."""
    transcript.append(*turn_with_tool(), turn_end())
    transcript.open()
    panel = settings(transcript.page)
    thinking = panel.get_by_role("switch", name="Collapse finished thinking")
    groups = panel.get_by_role("switch", name="Collapse finished groups")
    parent = panel.get_by_role("switch", name="Show thinking")
    indent = "(one) => one.closest('.setting').getBoundingClientRect().left"
    assert thinking.evaluate(indent) == parent.evaluate(indent) + 12
    thinking.uncheck()
    groups.uncheck()
    parent.uncheck()
    expect(thinking).to_be_hidden()
    choose(transcript.page, "Process display", "Flat")
    expect(groups).to_be_hidden()
    choose(transcript.page, "Process display", "Commands first")
    parent.check()
    expect(thinking).not_to_be_checked()
    expect(groups).not_to_be_checked()
    kept = {"auto_collapse_thinking": False, "auto_collapse_settled_groups": False}
    expect_kept(transcript, show_thinking=True, transcript_display_mode="command-first", **kept)
    transcript.page.reload()
    settings(transcript.page)
    expect(thinking).not_to_be_checked()
    expect(groups).not_to_be_checked()
    expect_kept(transcript, **kept)


def test_another_language_is_spoken_at_once(transcript: TranscriptPage) -> None:
    """Words and labels, with what the reader opened left open (E-18, E-3)."""
    transcript.append(*turn_with_tool(), turn_end())
    transcript.open()
    transcript.control().click()
    language = settings(transcript.page).get_by_role("group", name="Language")
    language.get_by_role("radio", name="中文").click()
    expect(transcript.control()).to_have_text("1 次工具调用 · 1 条消息")
    expect(transcript.control()).to_have_attribute("aria-expanded", "true")
    panel = transcript.page.get_by_role("dialog", name="设置")
    expect(panel).to_be_visible()
    expect(panel.get_by_role("radio", name="中文")).to_be_focused()
    for name in ("平铺显示", "命令工具优先", "全折叠显示"):
        expect(panel.get_by_role("group", name="过程显示").get_by_role("radio", name=name)).to_be_visible()
    expect(transcript.page.locator("html")).to_have_attribute("lang", "zh-CN")
    expect_kept(transcript, language="zh-CN")
    transcript.page.reload()
    expect(transcript.page.locator("html")).to_have_attribute("lang", "zh-CN")
    expect(transcript.control()).to_have_text("1 次工具调用 · 1 条消息")


def test_what_cannot_be_saved_is_taken_back_and_says_so(transcript: TranscriptPage) -> None:
    """A choice that the service does not keep is not shown as if it were."""
    transcript.append(*turn_with_tool(), turn_end())
    transcript.open()
    transcript.page.route("**/v1/preferences", lambda route: route.fulfill(status=204))
    panel = settings(transcript.page)
    choose(transcript.page, "Finished turns", "Compact")
    panel.get_by_role("radio", name="Full", exact=True).click()
    expect(panel.get_by_role("alert")).to_contain_text("Could not be saved")
    expect(panel.get_by_role("radio", name="Compact")).to_be_checked()
    expect(transcript.control()).to_be_visible()
    transcript.page.unroute("**/v1/preferences")
    panel.get_by_role("radio", name="Full", exact=True).click()
    expect(panel.get_by_role("alert")).to_be_hidden()
    expect(transcript.control()).to_be_hidden()
