"""Copies, links to copy, and the menu that saves the session as a file."""

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.patience import HTTP_S
from tests.browser.soon import soon
from tests.browser.transcript_page import TranscriptPage, text, turn_end, turn_with_tool

SAID_MS = 1_600  # as long does a button say what it did


@pytest.fixture(autouse=True)
def _may_use_the_clipboard(page: Page, transcript: TranscriptPage) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=transcript.service.address)


def copied(page: Page) -> str:
    """What is in the clipboard."""
    return str(page.evaluate("() => navigator.clipboard.readText()"))


def expect_copied(page: Page, words: str) -> None:
    """They come into the clipboard. That the button says so goes by the clock, which the test of that holds."""
    soon(page, lambda: copied(page) == words, "the words are in the clipboard")


def test_an_answer_is_copied_as_its_markdown(transcript: TranscriptPage) -> None:
    """The text that the model wrote, without its thoughts."""
    transcript.append(*turn_with_tool(), turn_end())
    transcript.open()
    answer = transcript.row("step:1:2")
    answer.hover()
    answer.get_by_role("button", name="Copy the text").click()
    expect_copied(transcript.page, "There are **42** rows.")


def test_a_button_says_for_a_while_that_it_copied(transcript: TranscriptPage) -> None:
    """Pressed again while it does, it says so for as long again, and then what it does."""
    transcript.append(*turn_with_tool(), turn_end())
    transcript.page.clock.install()
    transcript.open()
    page = transcript.page
    answer = transcript.row("step:1:2")
    answer.hover()
    copies, said = (answer.get_by_role("button", name=name) for name in ("Copy the text", "Copied"))
    page.clock.pause_at(page.evaluate("() => Date.now()") / 1000 + 30)
    copies.click()
    expect(said).to_be_visible()
    page.clock.run_for(SAID_MS - 100)
    page.evaluate("() => navigator.clipboard.writeText('')")
    said.click()
    expect_copied(page, "There are **42** rows.")
    page.clock.run_for(SAID_MS - 100)
    expect(said).to_be_visible()
    page.clock.run_for(100)
    expect(copies).to_be_visible()


def test_an_output_is_copied_whole(transcript: TranscriptPage) -> None:
    """What travelled as its head is fetched; what nobody can see is copied as the sign that shows."""
    output = "".join(f"line {number}\n" for number in range(5_000)) + "\x1b[31mend\u202e"
    result = {"type": "tool/result", "call_id": "call-1", "status": "ok", "output": output}
    transcript.append(*turn_with_tool()[:4], result)
    transcript.open()
    tool = transcript.row("tool:call-1")
    tool.hover()
    tool.get_by_role("button", name="Copy the output").click()
    expect_copied(transcript.page, output.replace("\x1b", "\u241b").replace("\u202e", "\u27e8RLO\u27e9"))


def test_code_is_copied_by_itself(transcript: TranscriptPage) -> None:
    """The button of a block of code copies that block."""
    blocks = text("Try\n\n```sh\nmake all\nmake test\n```\n\nand this.")
    transcript.append(
        *turn_with_tool()[:2], {"type": "assistant/message", "turn": 1, "step": 1, "blocks": blocks}
    )
    transcript.open()
    code = transcript.row("step:1:1").locator("figure.code")
    code.hover()
    code.get_by_role("button", name="Copy the code").click()
    expect_copied(transcript.page, "make all\nmake test\n")


def test_the_link_of_a_row_and_of_a_turn_lead_back_to_it(transcript: TranscriptPage) -> None:
    """Copied, opened in another window, focused there; the keyboard reaches the buttons."""
    transcript.append(*turn_with_tool(), turn_end())
    transcript.open()
    page = transcript.page
    transcript.control().click()
    transcript.row("tool:call-1").get_by_role("button", name="bash").focus()
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect_copied(page, f"{transcript.service.address}/#{transcript.session}/row/tool%3Acall-1")
    second = page.context.new_page()
    second.goto(copied(page))
    expect(second.locator('[data-key="tool:call-1"]')).to_be_focused()
    transcript.row("tail:1").hover()
    transcript.row("tail:1").get_by_role("button", name="Copy a link to here").click()
    expect_copied(page, f"{transcript.service.address}/#{transcript.session}/turn/1")
    second.goto("about:blank")
    second.goto(copied(page))
    expect(second.get_by_role("region", name="Turn 1")).to_be_focused()
    second.close()


@pytest.mark.parametrize(
    ("item", "ending"),
    [("Markdown", "md"), ("HTML, with pictures and folds", "html"), ("JSON lines, for programs", "jsonl")],
)
def test_the_menu_saves_the_session_as_a_file(
    transcript: TranscriptPage, tmp_path: Path, item: str, ending: str
) -> None:
    """The service's own file, under its name."""
    transcript.append(*turn_with_tool(), turn_end())
    transcript.open()
    transcript.page.get_by_role("button", name="Export").click()
    with transcript.page.expect_download() as downloading:
        transcript.page.get_by_role("button", name=item).click()
    saved = tmp_path / "saved"
    downloading.value.save_as(saved)
    assert downloading.value.suggested_filename == f"turnfold-{transcript.session}.{ending}"
    kind = {"md": "markdown"}.get(ending, ending)
    url = f"{transcript.service.address}/v1/sessions/{transcript.session}/export"
    asked = httpx.get(url, params={"format": kind, "locale": "en"}, timeout=HTTP_S).raise_for_status()
    assert saved.read_text() == asked.text
    expect(transcript.page.get_by_role("dialog", name="Export")).to_be_hidden()
