"""A reader with more than a mouse: the browser's own find, the keyboard, two windows, a place far from the tail."""

from playwright.sync_api import Page, expect

from tests.browser.service import Event
from tests.browser.transcript_page import TranscriptPage, text, turn_end, turn_with_tool

TOP = "(one) => one.getBoundingClientRect().top"
LINES = "\n\n".join(f"Line {number} of the answer." for number in range(120))


def search(transcript: TranscriptPage, words: str) -> None:
    """Let the browser look for words: a text fragment in the address is found by its own search, as Ctrl+F is."""
    address = f"{transcript.service.address}/#{transcript.session}:~:text={words.replace(' ', '%20')}"
    transcript.page.goto(address)


def in_sight(page: Page, words: str) -> bool:
    """Whether some element with these words lies within the window."""
    script = """(words) => [...document.querySelectorAll('.seat *')].some((one) => {
      const box = one.getBoundingClientRect();
      return one.textContent === words && box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;
    })"""
    return bool(page.evaluate(script, words))


def test_the_browsers_own_find_opens_the_group_and_shows_the_words(transcript: TranscriptPage) -> None:
    """E-2: words in a closed process are found; `beforematch` opens the group that holds them, and no other."""
    transcript.append(*turn_with_tool(), turn_end(), *turn_with_tool(2), turn_end(2))
    transcript.open()
    expect(transcript.control(2)).to_have_attribute("aria-expanded", "false")
    before = transcript.row("step:1:1").locator("p", has_text="Counting.")
    assert before.evaluate("(one) => one.checkVisibility({ contentVisibilityAuto: true })") is False
    search(transcript, "Counting.")
    expect(transcript.control(1)).to_have_attribute("aria-expanded", "true")
    expect(transcript.control(2)).to_have_attribute("aria-expanded", "false")
    transcript.page.wait_for_function("() => document.activeElement !== null")
    assert in_sight(transcript.page, "Counting.")


def test_words_that_show_already_open_nothing(transcript: TranscriptPage) -> None:
    """The answer is found where it stands."""
    transcript.append(*turn_with_tool(), turn_end())
    transcript.open()
    expect(transcript.control()).to_have_attribute("aria-expanded", "false")
    search(transcript, "There are")
    transcript.page.wait_for_timeout(500)  # nothing is to happen, so there is nothing to wait for
    expect(transcript.control()).to_have_attribute("aria-expanded", "false")


def test_a_close_by_hand_moves_the_focus_to_the_control(transcript: TranscriptPage) -> None:
    """E-4: before its members are hidden; nothing that is focused is ever out of sight."""
    transcript.append(*turn_with_tool(), turn_end())
    transcript.open()
    transcript.control().click()
    detail = transcript.row("tool:call-1").get_by_role("button")
    detail.focus()
    transcript.control().evaluate(
        "(one) => one.click()"
    )  # as a voice or a script does it, which moves no focus
    expect(transcript.control()).to_have_attribute("aria-expanded", "false")
    expect(transcript.control()).to_be_focused()
    transcript.control().press("Space")
    expect(transcript.control()).to_have_attribute("aria-expanded", "true")
    expect(transcript.control()).to_be_focused()


def test_two_windows_follow_one_session_and_open_for_themselves(transcript: TranscriptPage) -> None:
    """What is in the log shows in both at once; what a reader opened is of one window alone (E-3, E-15)."""
    transcript.append(*turn_with_tool())
    transcript.open()
    other = TranscriptPage(transcript.page.context.new_page(), transcript.service, transcript.session)
    other.open()
    for one in (transcript, other):
        one.mark_seats()
    transcript.append(turn_end())
    for one in (transcript, other):
        expect(one.control()).to_have_attribute("aria-expanded", "false")
    other.control().click()
    expect(other.row("tool:call-1")).to_be_visible()
    transcript.append(*turn_with_tool(2))
    for one in (transcript, other):
        expect(one.row("tool:call-2")).to_be_visible()
    expect(transcript.control()).to_have_attribute("aria-expanded", "false")
    expect(other.control()).to_have_attribute("aria-expanded", "true")
    assert {key for key in other.unmarked_seats() if key.endswith(":1") and not key.startswith("step:2")} == {
        "tail:1"
    }


def test_a_fold_away_from_the_tail_keeps_the_readers_place(transcript: TranscriptPage) -> None:
    """S001: a turn that ends folds at once wherever the reader is; what is being read does not move (E-13)."""
    chunk: Event = {
        "type": "assistant/chunk",
        "turn": 1,
        "step": 2,
        "index": 0,
        "kind": "text",
        "text": LINES,
    }
    transcript.append(*turn_with_tool()[:-1], chunk)
    transcript.open()
    page = transcript.page
    line = transcript.row("step:1:2").locator("p", has_text="Line 60 of")
    line.evaluate("(one) => one.scrollIntoView({ block: 'center' })")
    expect(page.get_by_role("button", name="Jump to latest")).to_be_visible()
    expect(transcript.row("tool:call-1")).to_be_visible()
    tall = transcript.row("tool:call-1").evaluate("(one) => one.getBoundingClientRect().height")
    before = line.evaluate(TOP)
    settled = {"type": "assistant/message", "turn": 1, "step": 2, "blocks": text(LINES)}
    transcript.append(settled, turn_end())
    expect(transcript.control()).to_have_attribute("aria-expanded", "false")
    expect(transcript.row("tool:call-1")).to_have_attribute("hidden", "until-found")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert tall > 10
    assert abs(line.evaluate(TOP) - before) <= 2
