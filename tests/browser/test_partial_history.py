"""Sessions that do not come whole: nothing folds until the last page is in (E-5)."""

from playwright.sync_api import expect

from tests.browser.service import Event
from tests.browser.transcript_page import TranscriptPage, turn_end, turn_with_tool

TURN_COUNT, NOTICE_COUNT = 22, 100  # over the 2,000 rows that come unasked


def long_turn(turn: int) -> list[Event]:
    """A closed turn of many rows."""
    notices: list[Event] = [
        {"type": "notice", "id": f"n{turn}-{at}", "level": "info", "text": f"note {turn}.{at}"}
        for at in range(NOTICE_COUNT)
    ]
    return [{"type": "turn/start", "turn": turn}, *notices, turn_end(turn)]


def test_nothing_folds_until_the_whole_history_is_in(transcript: TranscriptPage) -> None:
    """With older turns to load there is no control; the last page brings it, and the reader's place stays."""
    for turn in range(1, TURN_COUNT + 1):
        transcript.append(*long_turn(turn))
    last = TURN_COUNT + 1
    transcript.append(*turn_with_tool(last), turn_end(last))
    transcript.open()
    earlier = transcript.page.get_by_role("button", name="Load earlier")
    expect(transcript.row(f"tool:call-{last}")).to_be_visible()
    expect(transcript.control(last)).to_be_hidden()
    transcript.page.locator(".scroll").evaluate("(one) => { one.scrollTop = 0 }")
    expect(earlier).to_be_visible()
    first = transcript.page.locator(".pane-body .seat").first
    top = first.evaluate("(seat) => { seat.watched = true; return seat.getBoundingClientRect().top }")
    earlier.click()
    expect(transcript.row("notice:n1-0")).to_be_attached()
    expect(earlier).to_be_hidden()
    expect(transcript.control(last)).to_have_attribute("aria-expanded", "false")
    expect(transcript.row(f"tool:call-{last}")).to_have_attribute("hidden", "until-found")
    moved = transcript.page.evaluate(
        "() => [...document.querySelectorAll('.seat')].find((one) => one.watched).getBoundingClientRect().top"
    )
    assert abs(moved - top) <= 2


def test_the_readers_option_folds_whole_turns_before_that(transcript: TranscriptPage) -> None:
    """`fold_partial` folds what is whole in the window; off until the reader asks, it outlives a reload (E-5)."""
    for turn in range(1, TURN_COUNT + 1):
        transcript.append(*long_turn(turn))
    last = TURN_COUNT + 1
    transcript.append(*turn_with_tool(last), turn_end(last))
    transcript.open()
    option = transcript.page.get_by_role("button", name="Fold loaded turns")
    expect(option).to_have_attribute("aria-pressed", "false")
    expect(transcript.control(last)).to_be_hidden()
    option.click()
    expect(option).to_have_attribute("aria-pressed", "true")
    expect(transcript.control(last)).to_have_attribute("aria-expanded", "false")
    transcript.page.reload()
    expect(transcript.control(last)).to_have_attribute("aria-expanded", "false")
    transcript.prefer(transcript_view="normal")
    expect(option).to_be_hidden()
    expect(transcript.row(f"tool:call-{last}")).to_be_visible()
    transcript.prefer(transcript_view="compact")
    option.click()
    expect(transcript.row(f"tool:call-{last}")).to_be_visible()
    expect(transcript.control(last)).to_be_hidden()
