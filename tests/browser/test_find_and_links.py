"""Search with reveal, links to a turn or a row, keys: E-10, E-13, E-17."""

from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.service import Event
from tests.browser.soon import soon
from tests.browser.transcript_page import TranscriptPage, text, turn_end, turn_with_tool


def turns(*numbers: int) -> list[Event]:
    """Finished turns."""
    return [event for number in numbers for event in (*turn_with_tool(number), turn_end(number))]


def great_session(transcript: TranscriptPage, count: int = 450) -> None:
    """More turns than a page opens with; a needle in the second one alone."""
    answers: list[list[Event]] = [
        [
            {"type": "turn/start", "turn": number},
            {"type": "user/message", "id": f"u{number}", "content": text(f"question {number}")},
            {"type": "tool/call", "turn": number, "step": 1, "call_id": f"c{number}", "name": "ls", "input": {}},
            {"type": "tool/result", "call_id": f"c{number}", "status": "ok", "output": "pin" if number == 2 else "hay"},
            {"type": "assistant/message", "turn": number, "step": 2, "blocks": text(f"answer {number}")},
            turn_end(number),
        ]
        for number in range(1, count + 1)
    ]  # fmt: skip
    transcript.append(*(event for turn in answers for event in turn))


def in_sight(page: Page, row: Locator) -> bool:
    """Whether a row is within what the transcript's frame shows."""
    frame, box = page.locator(".scroll").bounding_box(), row.bounding_box()
    assert frame is not None
    assert box is not None
    return frame["y"] <= box["y"] + box["height"] and box["y"] <= frame["y"] + frame["height"]


def test_a_hit_in_a_folded_process_is_opened_and_the_next_follows(transcript: TranscriptPage) -> None:
    """`/` opens the search, Enter leads from hit to hit, Escape closes it and gives the focus back."""
    transcript.append(*turns(1, 2, 3))
    transcript.open()
    page = transcript.page
    transcript.control(3).focus()
    page.keyboard.press("/")
    search = page.get_by_role("searchbox", name="Search this session")
    expect(search).to_be_focused()
    search.fill("needle")
    expect(page.locator(".find-status")).to_have_text("0 of 3")
    expect(transcript.row("tool:call-1")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(transcript.row("tool:call-1")).to_be_visible()
    expect(transcript.control(1)).to_have_attribute("aria-expanded", "true")
    expect(transcript.control(2)).to_have_attribute("aria-expanded", "false")
    expect(page.locator(".find-status")).to_have_text("1 of 3")
    page.keyboard.press("Enter")
    expect(transcript.row("tool:call-2")).to_be_visible()
    page.keyboard.press("Shift+Enter")
    expect(page.locator(".find-status")).to_have_text("1 of 3")
    expect(search).to_be_focused()
    page.keyboard.press("Escape")
    expect(search).to_be_hidden()
    expect(transcript.control(3)).to_be_focused()


def test_a_revealed_process_that_is_closed_by_hand_stays_closed(transcript: TranscriptPage) -> None:
    """The same request opens nothing again, whatever is drawn; a new one does (E-10)."""
    transcript.append(*turns(1), {"type": "turn/start", "turn": 2})
    transcript.page.goto(f"{transcript.service.address}/#{transcript.session}/row/tool:call-1")
    expect(transcript.row("tool:call-1")).to_be_focused()
    transcript.control(1).click()
    expect(transcript.row("tool:call-1")).to_be_hidden()
    transcript.append(*turn_with_tool(2)[1:], turn_end(2))
    expect(transcript.control(2)).to_be_visible()
    expect(transcript.row("tool:call-1")).to_be_hidden()
    transcript.page.evaluate("(hash) => { location.hash = hash }", f"{transcript.session}/turn/2")
    expect(transcript.page.get_by_role("region", name="Turn 2")).to_be_focused()
    transcript.page.evaluate("(hash) => { location.hash = hash }", f"{transcript.session}/row/tool:call-1")
    expect(transcript.row("tool:call-1")).to_be_visible()


def test_a_link_loads_what_is_older_until_its_place_is_there(transcript: TranscriptPage) -> None:
    """A row far before what the page opens with; the page does not fall back to the tail."""
    great_session(transcript)
    transcript.page.goto(f"{transcript.service.address}/#{transcript.session}/row/tool:c2")
    row = transcript.row("tool:c2")
    expect(row).to_be_focused(timeout=30_000)
    assert in_sight(transcript.page, row)
    transcript.append(*turns(451))
    expect(transcript.page.locator(".latest")).to_be_visible()
    transcript.page.wait_for_timeout(300)
    assert in_sight(transcript.page, row)


def test_a_hit_far_back_is_loaded_and_shown(transcript: TranscriptPage) -> None:
    """The search knows the whole session, the page only its end."""
    great_session(transcript)
    transcript.open()
    assert transcript.row("tool:c2").count() == 0
    transcript.page.keyboard.press("/")
    transcript.page.keyboard.type("pin")
    transcript.page.locator(".hit", has_text="Turn 2 · Output").click()
    row = transcript.row("tool:c2")
    expect(row).to_be_visible(timeout=30_000)
    assert in_sight(transcript.page, row)


def test_a_link_into_a_delegate_opens_all_around_it(transcript: TranscriptPage) -> None:
    """The turn's process, the delegate's own disclosure, and the process inside."""
    call = {"type": "tool/call", "turn": 1, "step": 1, "call_id": "d1", "name": "subagent", "input": {}}
    inside = [{**event, "parent_call_id": "d1"} for event in turns(1)]
    done = {"type": "tool/result", "call_id": "d1", "status": "ok", "output": "done"}
    answer = {"type": "assistant/message", "turn": 1, "step": 2, "blocks": text("Delegated.")}
    transcript.append(*turn_with_tool()[:2], call, *inside, done, answer, turn_end())
    transcript.open()
    expect(transcript.row("tool:d1")).to_be_hidden()
    transcript.page.get_by_role("button", name="Search this session").click()
    transcript.page.get_by_role("searchbox").fill("needle")
    transcript.page.get_by_role("button", name="in a delegate").click()
    inner = transcript.row("tool:d1").locator('[data-key="tool:call-1"]')
    expect(inner).to_be_visible()
    transcript.page.goto(f"{transcript.service.address}/#other")
    transcript.page.goto(f"{transcript.service.address}/#{transcript.session}/call/d1/row/step:1:2")
    expect(transcript.row("tool:d1").locator('[data-key="step:1:2"]')).to_be_focused()


def test_a_link_to_nothing_says_so_and_loads_no_history(transcript: TranscriptPage) -> None:
    """A row that never was, a turn beyond the end."""
    great_session(transcript)
    for place in ("row/tool:none", "turn/9999", "call/none/row/x"):
        transcript.page.goto("about:blank")
        transcript.page.goto(f"{transcript.service.address}/#{transcript.session}/{place}")
        expect(transcript.page.locator(".place-notice")).to_contain_text("not part of this session any more")
        expect(transcript.page.locator(".earlier")).to_be_visible()


def test_loading_earlier_turns_keeps_the_readers_place(transcript: TranscriptPage) -> None:
    """What was on screen stays where it was while fifty turns come in above it (E-13)."""
    great_session(transcript)
    transcript.open()
    page = transcript.page
    page.locator(".scroll").evaluate("(one) => { one.scrollTop = 0 }")
    first = page.locator(".turn").first
    number = first.get_attribute("data-turn")
    held = page.locator(f'.turn[data-turn="{number}"]')
    before = held.bounding_box()
    page.locator(".earlier").click()
    expect(page.locator(".turn").first).not_to_have_attribute("data-turn", str(number))
    page.wait_for_timeout(300)
    after = held.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["y"] - after["y"]) <= 2


def test_alt_and_arrows_move_between_turns(transcript: TranscriptPage) -> None:
    """From the first in sight on; each is named, and takes the focus (E-17)."""
    transcript.append(*turns(*range(1, 8)))
    transcript.open()
    page = transcript.page
    page.locator(".scroll").evaluate("(one) => { one.scrollTop = 0 }")
    for expected in ("Turn 1", "Turn 2", "Turn 3"):
        page.keyboard.press("Alt+ArrowDown")
        expect(page.get_by_role("region", name=expected, exact=True)).to_be_focused()
    page.keyboard.press("Alt+ArrowUp")
    expect(page.get_by_role("region", name="Turn 2", exact=True)).to_be_focused()
    page.keyboard.press("Tab")
    expect(transcript.control(2)).to_be_focused()
    page.keyboard.press("Space")
    expect(transcript.control(2)).to_have_attribute("aria-expanded", "true")


def test_the_keys_are_listed_and_typing_is_left_alone(transcript: TranscriptPage) -> None:
    """`?` shows and hides the list; in a field it is a question mark."""
    transcript.append(*turns(1))
    transcript.open()
    page = transcript.page
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_hidden()
    page.keyboard.press("/")
    page.keyboard.type("what?/")
    expect(page.get_by_role("searchbox")).to_have_value("what?/")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_hidden()
    expect(page.locator(".find-status")).to_have_text("Nothing found")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for _ in range(3):
        page.keyboard.press("Enter")
    page.wait_for_timeout(500)
    assert asked == []
    expect(page.locator(".find-status")).to_have_text("Nothing found")


def away(route: Route) -> None:
    """Answer as a proxy does whose service is away."""
    problem = {"type": "about:blank", "title": "Bad Gateway", "status": 502, "detail": "the service is away"}
    route.fulfill(status=502, content_type="application/problem+json", json=problem)


class Held:
    """Requests of a page that stay on their way until they are let go."""

    def __init__(self, page: Page, pattern: str) -> None:
        self._page = page
        self._pattern = pattern
        self._routes: list[Route] = []
        page.route(pattern, self._hold)

    def _hold(self, route: Route) -> None:
        self._routes.append(route)

    def one_waits(self) -> None:
        """Wait until one is on its way."""
        soon(self._page, lambda: bool(self._routes), f"{self._pattern} is asked")

    def let_go(self) -> None:
        """Send those on their way, and hold none from now on."""
        for route in self._routes:
            route.continue_()
        self._page.unroute(self._pattern, self._hold)


def test_enter_before_the_hits_are_there_leads_to_them_once_they_are(transcript: TranscriptPage) -> None:
    """Typed fast on a slow line: each press counts, in its order; a word typed after them does away with them."""
    transcript.append(*turns(1, 2, 3))
    transcript.open()
    page = transcript.page
    status = page.locator(".find-status")
    held = Held(page, "**/search?*")
    page.keyboard.press("/")
    page.keyboard.type("needle")
    held.one_waits()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    held.let_go()
    expect(status).to_have_text("2 of 3")
    expect(transcript.row("tool:call-2")).to_be_visible()
    held = Held(page, "**/search?*")
    page.get_by_role("searchbox").fill("needl")
    held.one_waits()
    page.keyboard.press("Enter")
    page.keyboard.type("e")
    held.let_go()
    expect(status).to_have_text("0 of 3")


def test_enter_at_the_last_hit_leads_to_the_next_page_of_hits(transcript: TranscriptPage) -> None:
    """While it is on its way already, too; and again after it could not be had."""
    great_session(transcript, 110)
    transcript.open()
    page = transcript.page
    status = page.locator(".find-status")
    page.keyboard.press("/")
    page.keyboard.type("question")
    expect(status).to_have_text("0 of 100 or more")
    page.keyboard.press("Shift+Enter")
    expect(status).to_have_text("100 of 100 or more")
    page.route("**/search?*", away)
    page.keyboard.press("Enter")
    expect(status).to_have_text("The search failed: the service is away")
    page.unroute("**/search?*")
    held = Held(page, "**/search?*")
    page.get_by_role("button", name="More hits").click()
    held.one_waits()
    page.get_by_role("searchbox").press("Enter")
    held.let_go()
    expect(status).to_have_text("101 of 110")


def test_new_words_are_asked_for_before_a_step_is_taken(transcript: TranscriptPage) -> None:
    """Enter right after a change of the words leads to a hit of the new ones, not of those that are still listed."""
    transcript.append(*turns(1, 2, 3))
    transcript.open()
    page = transcript.page
    page.keyboard.press("/")
    page.keyboard.type("needle")
    expect(page.locator(".find-status")).to_have_text("0 of 3")
    page.evaluate(
        """() => {
          const input = document.querySelector(".find-input");
          input.value = "many";
          input.dispatchEvent(new Event("input", { bubbles: true }));
          input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
        }"""
    )
    expect(page.locator(".hit[aria-current]")).to_contain_text("How many rows?")


def test_a_search_that_is_opened_again_asks_again(transcript: TranscriptPage) -> None:
    """The words are still there, selected; Enter asks for them, and no hit of before stands there meanwhile."""
    transcript.append(*turns(1, 2))
    transcript.open()
    page = transcript.page
    page.keyboard.press("/")
    page.keyboard.type("needle")
    expect(page.locator(".find-status")).to_have_text("0 of 2")
    page.keyboard.press("Escape")
    transcript.append(*turns(3))
    expect(transcript.control(3)).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_have_value("needle")
    expect(page.locator(".find-status")).to_have_text("")
    expect(page.locator(".hit")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator(".find-status")).to_have_text("1 of 3")


def test_a_link_that_cannot_be_looked_up_says_why(transcript: TranscriptPage) -> None:
    """The line is down: that is said, not that the place is gone; a link is looked up again once it is up."""
    transcript.append(*turns(1))
    transcript.open()
    page = transcript.page
    page.route("**/search?*", away)
    page.evaluate("(hash) => { location.hash = hash }", f"{transcript.session}/row/tool:none")
    expect(page.locator(".place-notice")).to_have_text(
        "What the link leads to could not be looked up: the service is away"
    )
    page.unroute("**/search?*")
    page.evaluate("(hash) => { location.hash = hash }", f"{transcript.session}/row/tool:nothing")
    expect(page.locator(".place-notice")).to_contain_text("not part of this session any more")


def test_the_words_are_marked_where_they_show(transcript: TranscriptPage) -> None:
    """By the browser's own highlight: the row's markup is the same before and after."""
    transcript.append(*turns(1))
    transcript.open()
    page = transcript.page
    answer = transcript.row("step:1:2").locator(".row")
    before = answer.inner_html()
    page.keyboard.press("/")
    page.keyboard.type("ROWS")
    page.keyboard.press("Enter")
    expect(page.locator(".hit[aria-current]")).to_be_visible()
    page.keyboard.press("Enter")
    marked = (
        "() => [...(CSS.highlights.get('turnfold-find') ?? [])].map((range) => String(range).toLowerCase())"
    )
    page.wait_for_function(f"({marked})().length > 0")
    assert set(page.evaluate(marked)) == {"rows"}
    assert answer.inner_html() == before
    page.keyboard.press("Escape")
    assert page.evaluate(marked) == []


def test_on_the_desktop_a_hit_opens_what_stands_above_it(transcript: TranscriptPage) -> None:
    """Its disclosure and its group, by the same search and the same links; not the row's own detail (C-16)."""
    transcript.prefer(presentation="desktop")
    transcript.append(*turns(1, 2))
    transcript.open()
    page = transcript.page
    expect(page.locator(".thread[data-view='desktop']")).to_be_visible()
    expect(transcript.row("tool:call-1")).to_be_hidden()
    page.keyboard.press("/")
    page.keyboard.type("needle")
    expect(page.locator(".find-status")).to_have_text("0 of 2")
    page.keyboard.press("Enter")
    expect(transcript.row("tool:call-1")).to_be_visible()
    expect(transcript.row("tool:call-2")).to_be_hidden()
    expect(transcript.row("tool:call-1").get_by_role("button", name="bash")).to_have_attribute(
        "aria-expanded", "false"
    )
    page.keyboard.press("Escape")
    page.evaluate("(hash) => { location.hash = hash }", f"{transcript.session}/row/step:2:1")
    part = page.locator('[data-key="step:2:1"] .block:focus')
    expect(part).to_be_visible()
    assert in_sight(page, part)
