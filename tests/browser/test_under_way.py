"""What a reader asked for or typed while something else was under way: nothing of it is lost (E-10, E-16)."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.api.test_http_interactions import Receiver, receiver
from tests.browser.soon import soon
from tests.browser.test_find_and_links import great_session, turns
from tests.browser.test_interactions import asked, forwarding
from tests.browser.transcript_page import TranscriptPage, turn_end, turn_with_tool

__all__ = ["forwarding", "receiver"]


class Line:
    """The page's WebSocket, which can be held up, and cut."""

    def __init__(self, page: Page) -> None:
        self.held: list[Callable[[], None]] | None = None
        self._is_down = False
        self._open: list[WebSocketRoute] = []
        page.route_web_socket("**/v1/ws*", self._begin)

    def _begin(self, ours: WebSocketRoute) -> None:
        if self._is_down:
            ours.close(code=1011)
            return
        theirs = ours.connect_to_server()
        theirs.on_message(lambda message: self._pass(lambda: ours.send(message)))
        self._open.append(ours)

    def _pass(self, send: Callable[[], None]) -> None:
        if self.held is None:
            send()
        else:
            self.held.append(send)

    def hold(self) -> None:
        """Keep back what the service says from now on."""
        self.held = []

    def let_go(self) -> None:
        """Pass on what was kept back."""
        held, self.held = self.held or [], None
        for send in held:
            send()

    def cut(self) -> None:
        """Close it, and let no other be opened."""
        self._is_down = True
        for ours in self._open:
            ours.close(code=1011)

    def mend(self) -> None:
        """Let the page connect again."""
        self._is_down = False


def lead(transcript: TranscriptPage, place: str) -> None:
    """Follow a link to a place of the session."""
    transcript.page.evaluate("(hash) => { location.hash = hash }", f"{transcript.session}/{place}")


@pytest.fixture
def chinese(transcript: TranscriptPage) -> Iterator[TranscriptPage]:
    """A reader who chose another language than the browser's."""
    transcript.prefer(language="zh-CN")
    yield transcript
    transcript.prefer(language="auto")


def test_a_link_leads_there_though_the_words_are_written_anew(chinese: TranscriptPage) -> None:
    """The language that the reader stored is known only once the page is open."""
    chinese.append(*turns(1, 2))
    chinese.page.goto(f"{chinese.service.address}/#{chinese.session}/row/tool:call-1")
    expect(chinese.row("tool:call-1")).to_be_focused()
    expect(chinese.page.locator("html")).to_have_attribute("lang", "zh-CN")


def test_a_place_that_is_still_on_its_way_is_waited_for(transcript: TranscriptPage) -> None:
    """The service has it already, the page has not: it is not called gone."""
    line = Line(transcript.page)
    transcript.append(*turns(1))
    transcript.open()
    line.hold()
    transcript.append(*turn_with_tool(2), turn_end(2))
    soon(transcript.page, lambda: bool(line.held), "the new turn is on its way")
    with transcript.page.expect_response("**/search?key=*") as answer:
        lead(transcript, "row/tool:call-2")
    assert [hit["key"] for hit in answer.value.json()["hits"]] == ["tool:call-2"]
    notice = transcript.page.locator(".place-notice")
    expect(notice).to_have_text("Loading the place that the link leads to…")
    line.let_go()
    expect(transcript.row("tool:call-2")).to_be_focused()
    expect(notice).to_be_hidden()


def test_a_link_followed_without_a_connection_leads_there_once_it_is_back(transcript: TranscriptPage) -> None:
    """What could not be asked for is asked for then."""
    line = Line(transcript.page)
    great_session(transcript)
    transcript.open()
    line.cut()
    expect(transcript.page.locator("html")).not_to_have_attribute("data-link", "open")
    lead(transcript, "row/tool:c2")
    expect(transcript.page.locator(".place-notice")).to_have_text("Loading the place that the link leads to…")
    line.mend()
    expect(transcript.row("tool:c2")).to_be_focused(timeout=40_000)


def test_a_half_typed_answer_outlives_another_session_and_another_language(
    forwarding: TranscriptPage, receiver: Receiver
) -> None:
    """It is gone once it was sent, and with the question."""
    page = forwarding.page
    forwarding.append(*asked(kind="question", title="Which?"))
    forwarding.service.append("other", *turns(1))
    forwarding.open()
    field = forwarding.row("interaction:i/1").locator("textarea")
    field.fill("the blue")
    page.get_by_role("link", name="other").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("other")
    expect(page.locator(".pane-body .turn")).to_have_count(1)
    expect(field).to_have_count(0)
    page.go_back()
    expect(field).to_have_value("the blue")
    forwarding.prefer(language="zh-CN")
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    expect(field).to_have_value("the blue")
    field.press("End")
    field.press_sequentially(" one")
    page.get_by_role("button", name="发送").click()
    soon(page, lambda: b"the blue one" in b"".join(body for *_, body in receiver.got), "it is sent")
    forwarding.prefer(language="auto")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(field).to_have_value("")


def test_words_that_were_not_sent_stay_when_somebody_else_answers(forwarding: TranscriptPage) -> None:
    """With the focus, so that what is typed on is no shortcut of the page."""
    forwarding.append(*asked(kind="question", title="Which?"))
    forwarding.open()
    row = forwarding.row("interaction:i/1")
    row.locator("textarea").fill("the blue one, since")
    forwarding.append({"type": "interaction/resolve", "id": "i/1", "outcome": "answered"})
    left = row.get_by_text("You had typed, and not sent: the blue one, since")
    expect(left).to_be_focused()
    expect(row.locator("textarea")).to_be_hidden()
    forwarding.page.keyboard.type("/ red")
    expect(forwarding.page.get_by_role("searchbox")).to_be_hidden()
