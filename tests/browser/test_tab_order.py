"""Where Tab leads on the desktop, whose order of display is not always the log's (E-17, ADR 0022)."""

from playwright.sync_api import expect

from tests.browser.desktop_turns import calls, message, start
from tests.browser.states import ASKED
from tests.browser.transcript_page import TranscriptPage, text

_SEAT = """() => {
  const active = document.activeElement;
  return document.querySelector('.scroll').contains(active) ? (active.closest('.seat')?.dataset.key ?? 'header') : null;
}"""


def test_tab_follows_what_is_seen(transcript: TranscriptPage) -> None:
    """A request that waits stands below the answer that came after it, and is reached after it."""
    link = text("See [the list](https://example.invalid/list).")
    transcript.prefer(presentation="desktop")
    transcript.append(*start(), *calls("a1"), ASKED, *calls("a2"), message(2, *link))
    transcript.open()
    page = transcript.page
    expect(transcript.row("interaction:p1")).to_be_visible()
    expect(page.get_by_role("link", name="the list")).to_be_visible()
    page.locator(".scroll").focus()
    reached: list[str] = []
    while len(reached) < 40:
        page.keyboard.press("Tab")
        key = page.evaluate(_SEAT)
        if key is None:
            break
        reached.append(key)
    seats = list(dict.fromkeys(reached))
    assert seats[0] == "header"
    assert seats.index("step:1:2") < seats.index("interaction:p1") == len(seats) - 1


def test_the_document_keeps_the_order_of_the_log(transcript: TranscriptPage) -> None:
    """No seat was moved for it (E-1)."""
    transcript.prefer(presentation="desktop")
    transcript.append(*start(), ASKED, *calls("a2"), message(2, *text("Done.")))
    transcript.open()
    expect(transcript.row("interaction:p1")).to_be_visible()
    keys = transcript.page.locator(".turn > .shelf > .seat").evaluate_all(
        "(seats) => seats.map((one) => one.dataset.key)"
    )
    assert keys.index("interaction:p1") < keys.index("tool:a2") < keys.index("step:1:2")
