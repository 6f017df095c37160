"""The words that a search found are before the reader: E-8 to E-10, C-16."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.service import Event
from tests.browser.transcript_page import TranscriptPage, text, turn_end, turn_with_tool

# The middle of the first mark lies within the window and is painted there: nothing covers, cuts or folds it.
_MARK_SHOWS = """() => {
  const [mark] = CSS.highlights.get('turnfold-find') ?? [];
  if (!mark) return null;
  const box = mark.getBoundingClientRect();
  const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  const inner = mark.startContainer.parentElement;
  return hit !== null && (hit === inner || inner.contains(hit) || hit.contains(inner)) && hit.closest('.seat') !== null;
}"""
LONG = "\n".join(f"line {number} of what it printed" for number in range(400))


def find(page: Page, words: str) -> None:
    """Search for words and go to the first hit."""
    page.keyboard.press("/")
    page.get_by_role("searchbox").fill(words)
    expect(page.locator(".hit").first).to_be_visible()
    page.keyboard.press("Enter")


def expect_words_in_sight(page: Page) -> None:
    """The first mark is painted where a reader sees it."""
    page.wait_for_function(_MARK_SHOWS)


def one_call(output: object, **given: object) -> list[Event]:
    """A finished turn with one call."""
    called: Event = {
        "type": "tool/call", "turn": 1, "step": 1, "call_id": "c1", "name": "bash",
        "input": given or {"command": "make"},
    }  # fmt: skip
    result: Event = {"type": "tool/result", "call_id": "c1", "status": "ok", "output": output}
    answer: Event = {"type": "assistant/message", "turn": 1, "step": 2, "blocks": text("Done.")}
    return [*turn_with_tool()[:2], called, result, answer, turn_end()]


@pytest.mark.parametrize(
    ("output", "words"),
    [("42 needle", "needle"), (f"{LONG}\n{'wide ' * 200}needle", "needle"), (LONG, '"line 377 of"')],
    ids=["short", "far to the right", "far below"],
)
def test_a_closed_detail_opens_at_the_words(transcript: TranscriptPage, output: str, words: str) -> None:
    """The reader sees what was found, however far down the output or the line it stands."""
    transcript.append(*one_call(output))
    transcript.open()
    find(transcript.page, words)
    detail = transcript.row("tool:c1").get_by_role("button", name="bash")
    expect(detail).to_have_attribute("aria-expanded", "true")
    expect_words_in_sight(transcript.page)
    expect(transcript.page.get_by_role("searchbox")).to_be_focused()


def test_what_a_search_opened_and_the_reader_closed_stays_closed(transcript: TranscriptPage) -> None:
    """As if the reader had opened it: drawn again it stays as it is, and the next visit opens it anew (E-10)."""
    transcript.append(*one_call("42 needle"))
    transcript.open()
    find(transcript.page, "needle")
    detail = transcript.row("tool:c1").get_by_role("button", name="bash")
    expect(detail).to_have_attribute("aria-expanded", "true")
    detail.click()
    transcript.append({"type": "turn/start", "turn": 2}, *turn_with_tool(2)[1:], turn_end(2))
    expect(transcript.control(2)).to_be_visible()
    expect(detail).to_have_attribute("aria-expanded", "false")
    transcript.page.get_by_role("searchbox").focus()
    transcript.page.keyboard.press("Enter")
    expect(detail).to_have_attribute("aria-expanded", "true")


def test_words_on_the_rows_own_line_open_nothing(transcript: TranscriptPage) -> None:
    """What shows already needs no detail; what the line cuts off does."""
    transcript.append(*one_call("out", command=f"make needle {'word ' * 100}thread"))
    transcript.open()
    page = transcript.page
    find(page, "needle")
    detail = transcript.row("tool:c1").get_by_role("button", name="bash")
    expect(detail).to_be_visible()
    page.keyboard.press("Escape")
    find(page, "thread")
    expect(detail).to_have_attribute("aria-expanded", "true")
    expect_words_in_sight(page)


def test_collapsed_thinking_opens(transcript: TranscriptPage) -> None:
    """Earlier thinking in the process, and that of the answer's own step, which the closed process hides (B-8)."""
    thought = "I will count them.\n\n" + "Perhaps twice. " * 60 + "\n\nA needle, so to say.\n\nEnough."
    blocks = [{"type": "reasoning", "text": thought}, *text("There are 42.")]
    answer: Event = {"type": "assistant/message", "turn": 1, "step": 2, "blocks": blocks}
    transcript.append(*turn_with_tool()[:5], answer, turn_end())
    transcript.open()
    for words, step in (('"count them."', 1), ('"so to say"', 2)):
        find(transcript.page, words)
        thinking = transcript.row(f"step:1:{step}").locator(".thinking > button")
        expect(thinking).to_have_attribute("aria-expanded", "true")
        expect_words_in_sight(transcript.page)
        transcript.page.keyboard.press("Escape")


@pytest.mark.parametrize("lines", [4_000, 100_000], ids=["in its own form", "in pieces"])
def test_the_rest_of_a_great_text_is_fetched_for_its_words(transcript: TranscriptPage, lines: int) -> None:
    """What travelled as its head, and stays readable at any size."""
    great = "\n".join(f"line {number}" for number in range(lines)) + "\nthe needle\nend"
    transcript.append(*one_call(great))
    transcript.open()
    find(transcript.page, "needle")
    tool = transcript.row("tool:c1")
    expect(tool.get_by_role("button", name="Show all")).to_have_count(0)
    expect_words_in_sight(transcript.page)


def test_words_of_a_long_question_are_fetched_without_any_detail(transcript: TranscriptPage) -> None:
    """A message has nothing to open; its rest is fetched all the same, on the desktop too."""
    question: Event = {"type": "user/message", "id": "u9", "content": text("word " * 5_000 + "needle")}
    transcript.prefer(presentation="desktop")
    transcript.append({"type": "turn/start", "turn": 1}, question, turn_end())
    transcript.open()
    find(transcript.page, "needle")
    expect(transcript.row("user:u9")).to_contain_text("needle")
    expect_words_in_sight(transcript.page)


@pytest.mark.parametrize("view", ["web", "desktop"])
def test_words_inside_a_delegate_are_shown(transcript: TranscriptPage, view: str) -> None:
    """Its row's detail, below all that the reveal opens around it."""
    call: Event = {
        "type": "tool/call",
        "turn": 1,
        "step": 1,
        "call_id": "d1",
        "name": "subagent",
        "input": {},
    }
    inside = [{**event, "parent_call_id": "d1"} for event in (*turn_with_tool(), turn_end())]
    done: Event = {"type": "tool/result", "call_id": "d1", "status": "ok", "output": "done"}
    answer: Event = {"type": "assistant/message", "turn": 1, "step": 2, "blocks": text("Delegated.")}
    transcript.prefer(presentation=view)
    transcript.append(*turn_with_tool()[:2], call, *inside, done, answer, turn_end())
    transcript.open()
    page = transcript.page
    find(page, "needle")
    inner = transcript.row("tool:d1").locator('[data-key="tool:call-1"]')
    expect(inner).to_be_visible()
    if view == "desktop":
        expect(page.get_by_role("button", name="Open the detail")).to_be_visible()
        page.keyboard.press("Control+Enter")
    expect(inner.get_by_role("button", name="bash")).to_have_attribute("aria-expanded", "true")
    expect_words_in_sight(page)


def test_on_the_desktop_the_detail_opens_when_it_is_asked_for(transcript: TranscriptPage) -> None:
    """The row is shown, its detail left closed; then it is the reader's, and stays open when its turn is over."""
    transcript.prefer(presentation="desktop")
    events = one_call("42 needle")
    transcript.append(*events[:-1])
    transcript.open()
    page = transcript.page
    find(page, "needle")
    detail = transcript.row("tool:c1").get_by_role("button", name="bash")
    offer = page.get_by_role("button", name="Open the detail")
    expect(offer).to_be_visible()
    expect(detail).to_have_attribute("aria-expanded", "false")
    offer.click()
    expect(detail).to_have_attribute("aria-expanded", "true")
    expect(offer).to_have_count(0)
    expect(page.get_by_role("searchbox")).to_be_focused()
    expect_words_in_sight(page)
    transcript.append(events[-1])
    expect(page.locator(".level-entry > button")).to_contain_text("Completed")
    expect(detail).to_be_visible()
    expect(detail).to_have_attribute("aria-expanded", "true")
