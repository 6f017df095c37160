"""A page that has tickets and no token: what it cannot fetch it says, and with a `fetch` of its own it has all."""

import base64
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.host_page import open_host
from tests.browser.patience import HTTP_S
from tests.browser.service import Service
from tests.browser.test_great_texts import PIXEL
from tests.browser.test_library_document import example
from tests.browser.test_tokens import SECRET, append, token
from tests.browser.transcript_page import text, turn_end

_ELEMENT = """() => {
  const transcript = document.createElement('turnfold-transcript');
  transcript.session = 'alone-1';
  transcript.ticket = () => window.giveTicket();
  MORE
  document.body.append(transcript);
}"""


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with authentication, and a session with a great text and a picture."""
    running = Service(tmp_path_factory.mktemp("service"), TURNFOLD_JWT_SECRET=SECRET)
    running.start()
    picture = {"type": "image", "mime": "image/png", "data": base64.b64encode(PIXEL).decode()}
    question = {"type": "user/message", "id": "u1", "content": [*text("word " * 5_000 + "needle"), picture]}
    append(running, "alone-1", {"type": "turn/start", "turn": 1}, question, turn_end())
    yield running
    running.stop()


@pytest.fixture
def shown(browser: Browser, guarded: Service) -> Iterator[Page]:
    """A page whose own site hands out tickets, and asks the service for it below `/turnfold/`."""
    bearer = {"authorization": f"Bearer {token()}"}

    def ticket() -> str:
        answer = httpx.post(f"{guarded.address}/v1/tickets", json={}, headers=bearer, timeout=HTTP_S)
        return str(answer.json()["ticket"])

    def through(route: Route) -> None:
        answer = httpx.get(route.request.url.replace("/turnfold/", "/"), headers=bearer, timeout=HTTP_S)
        kind = answer.headers["content-type"]
        route.fulfill(status=answer.status_code, body=answer.content, content_type=kind)

    with browser.new_context() as context:
        page = context.new_page()
        page.expose_function("giveTicket", ticket)
        page.route("**/turnfold/**", through)
        open_host(page, guarded, "")
        yield page


def test_what_needs_a_token_says_so(shown: Page) -> None:
    """In the place of a picture, beside a great text, and in the search; the session itself is followed."""
    shown.evaluate(_ELEMENT.replace("MORE", ""))
    row = shown.locator('[data-key="user:u1"]')
    expect(row).to_contain_text("Not loaded: this page has no access to it")
    expect(row.locator("img")).to_have_count(0)
    row.get_by_role("button", name="Show all").click()
    expect(row.locator(".shortened")).to_contain_text("Not loaded: this page has no access to it")
    shown.evaluate("() => document.querySelector('turnfold-transcript').find()")
    shown.get_by_role("searchbox").fill("needle")
    expect(shown.locator(".find-status")).to_have_text("The search failed: this page has no access to it")


def test_a_pages_own_fetch_brings_all_of_it(shown: Page) -> None:
    """As documented, through its site, which holds the token: picture, search, and the text that has the words."""
    shown.evaluate(_ELEMENT.replace("MORE", example("js", 1)))
    row = shown.locator('[data-key="user:u1"]')
    expect(row.locator("img")).to_have_js_property("naturalWidth", 1)
    assert str(row.locator("img").get_attribute("src")).startswith("blob:")
    shown.evaluate("() => document.querySelector('turnfold-transcript').find()")
    shown.get_by_role("searchbox").fill("needle")
    expect(shown.locator(".find-status")).to_have_text("0 of 1")
    shown.keyboard.press("Enter")
    expect(row).to_contain_text("needle")
    assert "eyJ" not in shown.content(), "no token is in the page"
