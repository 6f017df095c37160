"""The page where the service asks for a token."""

from collections.abc import Iterator
from pathlib import Path

import jwt
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.service import Event, Service
from tests.browser.transcript_page import text, turn_end, turn_with_tool

SECRET = "a secret of more than thirty-two bytes"


def token(**claims: object) -> str:
    """A signed token."""
    return jwt.encode(claims, SECRET, algorithm="HS256")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with authentication."""
    running = Service(tmp_path_factory.mktemp("service"), TURNFOLD_JWT_SECRET=SECRET)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def shown(browser: Browser, guarded: Service) -> Iterator[Page]:
    """A page of it."""
    assert guarded.address
    with browser.new_context() as context:
        yield context.new_page()


def append(service: Service, session: str, *events: Event) -> None:
    """As a producer with a token of its own."""
    service.append(session, *events, headers={"authorization": f"Bearer {token(scope='write')}"})


def sign_in(page: Page, secret: str) -> None:
    """Type a token where it is asked for."""
    page.get_by_label("Access token").fill(secret)
    page.get_by_role("button", name="Connect").click()


def test_a_token_is_asked_for_at_once_and_opens_the_page(shown: Page, guarded: Service) -> None:
    """A wrong one is asked for again; the right one shows the session, great texts included."""
    great = "line of a great text\n" * 2_000
    answer = {"type": "assistant/message", "turn": 2, "step": 1, "blocks": text(great)}
    append(
        guarded, "t1", *turn_with_tool(), turn_end(), {"type": "turn/start", "turn": 2}, answer, turn_end(2)
    )
    shown.goto(f"{guarded.address}/#t1")
    expect(shown.get_by_label("Access token")).to_be_visible()
    expect(shown.locator(".banner")).to_contain_text("needs an access token")
    sign_in(shown, "wrong")
    expect(shown.get_by_label("Access token")).to_be_visible()
    sign_in(shown, token())
    expect(shown.locator(".control").first).to_be_visible()
    expect(shown.get_by_label("Access token")).to_be_hidden()
    shown.get_by_role("button", name="Show all").first.click()
    expect(shown.get_by_role("button", name="Show all")).to_have_count(0)


def test_a_token_sees_its_own_sessions(shown: Page, guarded: Service) -> None:
    """W-6: the list has them alone, and another session says why it cannot be shown."""
    append(guarded, "mine-1", *turn_with_tool())
    append(guarded, "yours-1", *turn_with_tool())
    shown.goto(f"{guarded.address}/#yours-1")
    sign_in(shown, token(sessions=["mine-*"]))
    expect(shown.locator("[data-session=mine-1]")).to_be_visible()
    expect(shown.locator("[data-session=yours-1]")).to_have_count(0)
    expect(shown.locator(".pane-message")).to_contain_text("may not read this session")


def test_the_pages_tools_send_the_token(shown: Page, guarded: Service, tmp_path: Path) -> None:
    """A link waits for it, the search and the export carry it, and no address holds it."""
    append(guarded, "t3", *turn_with_tool(), turn_end())
    asked: list[str] = []
    shown.on("request", lambda request: asked.append(request.url))
    shown.goto(f"{guarded.address}/#t3/row/tool:call-1")
    secret = token()
    sign_in(shown, secret)
    expect(shown.locator('[data-key="tool:call-1"]')).to_be_focused()
    shown.keyboard.press("/")
    shown.keyboard.type("needle")
    expect(shown.locator(".hit")).to_have_count(1)
    shown.keyboard.press("Escape")
    shown.get_by_role("button", name="Export").click()
    with shown.expect_download() as downloading:
        shown.get_by_role("button", name="Markdown").click()
    downloading.value.save_as(tmp_path / "t3.md")
    assert downloading.value.suggested_filename == "turnfold-t3.md"
    assert "There are **42** rows." in (tmp_path / "t3.md").read_text()
    assert not [url for url in asked if secret in url]
