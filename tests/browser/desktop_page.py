"""What the desktop presentation's tests look at on the page: headers, blocks, the order of what shows."""

from playwright.sync_api import Locator, expect

from tests.browser.transcript_page import TranscriptPage

ENTRY, GROUP = "user:u1", "group:tool:a"
TEXT = {"type": "text", "text": "There are **42** rows."}
THOUGHT = {"type": "reasoning", "text": "I will *count* them."}
_ORDER = """() => [...document.querySelectorAll('.thread .level, .thread [data-part]')]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height > 0)
  .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
  .map((one) => one.dataset.level ?? one.dataset.key ?? 'block:' + one.textContent.trim().slice(0, 12))"""


def header(transcript: TranscriptPage, level: str) -> Locator:
    """The button of a level."""
    kind = "group" if level.startswith("group:") else "topology" if level.startswith("tasks:") else "entry"
    return transcript.page.locator(f'.level-{kind}[data-level="{level}"] > .level-button').first


def order(transcript: TranscriptPage) -> list[str]:
    """What shows, from top to bottom."""
    found: list[str] = transcript.page.evaluate(_ORDER)
    return found


def block(transcript: TranscriptPage, step: int, at: int) -> Locator:
    """A block of a step."""
    return transcript.row(f"step:1:{step}").locator(".block").nth(at)


def is_open(button: Locator, *, yes: bool) -> None:
    """What a header says."""
    expect(button).to_have_attribute("aria-expanded", "true" if yes else "false")
