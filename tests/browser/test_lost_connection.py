"""What a reader sees while the service is away (E-15)."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.service import Event, Service
from tests.browser.transcript_page import TranscriptPage, turn_end, turn_with_tool


def test_a_lost_connection_says_so_and_resumes(page: Page, tmp_path: Path) -> None:
    """It never looks like the end of a turn; afterwards the page goes on with the same elements."""
    service = Service(tmp_path)
    service.start()
    try:
        transcript = TranscriptPage(page, service, "s1")
        transcript.append(*turn_with_tool())
        transcript.open()
        transcript.mark_seats()
        service.stop()
        expect(page.locator(".banner")).to_contain_text("Connection lost")
        expect(page.locator(".turn-status")).to_contain_text("Was still running when the connection was lost")
        expect(transcript.row("tool:call-1")).to_be_visible()
        expect(transcript.control()).to_be_hidden()
        service.start()
        expect(page.locator(".banner")).to_be_hidden(timeout=25_000)
        expect(page.locator(".turn-status")).to_contain_text("Working")
        transcript.append(turn_end())
        expect(transcript.control()).to_be_visible()
        assert transcript.unmarked_seats() == ["tail:1"]
    finally:
        service.stop()


def test_a_service_that_was_killed_is_taken_up_again(page: Page, tmp_path: Path) -> None:
    """`kill -9` in the middle of a turn: what was accepted is there, nothing comes twice, no element is made anew."""
    service = Service(tmp_path)
    service.start()
    try:
        transcript = TranscriptPage(page, service, "s1")
        streamed: Event = {"type": "assistant/chunk", "turn": 1, "step": 3, "index": 0, "kind": "text"}
        transcript.append(*turn_with_tool(), {**streamed, "text": "Before. "})
        transcript.open()
        expect(transcript.row("step:1:3")).to_contain_text("Before.")
        transcript.mark_seats()
        service.kill()
        expect(page.locator(".banner")).to_contain_text("Connection lost")
        expect(transcript.row("step:1:3")).to_contain_text("Before.")
        service.start()
        expect(page.locator(".banner")).to_be_hidden(timeout=40_000)
        transcript.append({**streamed, "text": "After."})
        expect(transcript.row("step:1:3")).to_contain_text("Before. After.")
        transcript.append(turn_end())
        expect(transcript.control()).to_have_attribute("aria-expanded", "false")
        assert transcript.unmarked_seats() == ["tail:1"]
    finally:
        service.stop()
