"""What a test says about the page, in the reader's words."""

from playwright.sync_api import Locator, Page, expect

from tests.browser.service import Event, Service

# The transcript as markup, without what differs between two pages by nature: element ids and running seconds.
_MARKUP = """() => {
  const copy = document.querySelector('.pane-body .thread').cloneNode(true);
  for (const clock of copy.querySelectorAll('.elapsed')) clock.remove();
  for (const one of copy.querySelectorAll('[id], [aria-controls]')) {
    one.removeAttribute('id');
    one.removeAttribute('aria-controls');
  }
  return copy.innerHTML;
}"""


class TranscriptPage:
    """One page on one session."""

    def __init__(self, page: Page, service: Service, session: str) -> None:
        self.page = page
        self.service = service
        self.session = session

    def append(self, *events: Event) -> None:
        """Let the session go on."""
        self.service.append(self.session, *events)

    def open(self) -> None:
        """Go to the session's page and wait for its transcript."""
        self.page.goto(f"{self.service.address}/#{self.session}")
        expect(self.page.locator(".pane-body .turn").first).to_be_visible()

    def row(self, key: str) -> Locator:
        """The seat of a row of the session's own transcript."""
        return self.page.locator(
            f'.pane-body > .scroll > .column > .thread > .turn > .shelf > [data-key="{key}"]'
        )

    def control(self, turn: int = 1) -> Locator:
        """The button that opens and closes a turn's process."""
        return self.row(f"process:{turn}").get_by_role("button")

    def prefer(self, **changes: object) -> None:
        """Change what is preferred, as another window would."""
        self.service.prefer(**changes)

    def markup(self) -> str:
        """The transcript as it is drawn."""
        return str(self.page.evaluate(_MARKUP))

    def mark_seats(self) -> None:
        """Put a mark on every seat's element, to find out later whether it is still the same one."""
        self.page.evaluate("() => document.querySelectorAll('.seat').forEach((seat) => (seat.marked = true))")

    def unmarked_seats(self) -> list[str]:
        """The keys of seats whose element was made after `mark_seats`."""
        found: list[str] = self.page.evaluate(
            "() => [...document.querySelectorAll('.seat')].filter((seat) => !seat.marked)"
            ".map((seat) => seat.dataset.key)"
        )
        return found


def text(value: str) -> list[Event]:
    """Content of one text block."""
    return [{"type": "text", "text": value}]


def turn_with_tool(turn: int = 1) -> list[Event]:
    """An open turn: a question, thinking, a call with its result, and an answer that has streamed."""
    call = f"call-{turn}"
    return [
        {"type": "turn/start", "turn": turn},
        {"type": "user/message", "id": f"u{turn}", "content": text("How many rows?")},
        {
            "type": "assistant/message",
            "turn": turn,
            "step": 1,
            "blocks": [
                {"type": "reasoning", "text": "I will count them."},
                *text("Counting."),
                {"type": "tool_call", "call_id": call, "name": "bash", "input": {"command": "wc -l"}},
            ],
        },
        {
            "type": "tool/call",
            "turn": turn,
            "step": 1,
            "call_id": call,
            "name": "bash",
            "input": {"command": "wc -l"},
        },
        {"type": "tool/result", "call_id": call, "status": "ok", "output": "42 needle"},
        {
            "type": "assistant/message",
            "turn": turn,
            "step": 2,
            "blocks": [{"type": "reasoning", "text": "Forty-two it is."}, *text("There are **42** rows.")],
        },
    ]


def turn_end(turn: int = 1, reason: str = "completed") -> Event:
    """The end of a turn."""
    return {"type": "turn/end", "turn": turn, "reason": reason}
