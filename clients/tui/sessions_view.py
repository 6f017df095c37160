"""The sessions on the screen, one row each: the rows in sight, and no others.

The reader is at a session, not at a row number: whatever comes above, the same session stays chosen, in the same row of
the screen.
"""

from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from clients.tui.harmless import one_line
from clients.tui.palette import styles_of
from clients.tui.words import Words, age_text, words_of
from clients.tui.wrap import cut
from clients.wire.messages import Json
from clients.wire.session_list import Doing, changed_at_ms, doing_of, waiting_count

WHEEL_ROWS: Final = 3
# From this width on, what a session does stands beside its sign.
_WIDE: Final = 64
_STATE_CELLS: Final = 20
_TITLE_CHARS: Final = 400
# What a session does -> its sign, its style, its word.
_LOOKS: Final[dict[Doing, tuple[str, str, str]]] = {
    "waiting": ("▶", "warning", "waits_count"),
    "running": ("●", "life", "running"),
    "completed": ("✓", "context", "completed"),
    "failed": ("✗", "error", "failed"),
    "stopped": ("■", "context", "aborted"),
    "empty": ("·", "context", "nothing_yet"),
}


class SessionsView(Widget, can_focus=True):
    """The list, as much of it as the screen has rows.

    Attributes:
        chosen: the session that the reader is at; None where there is none.
        ahead_ms: how far the service's clock is ahead of this machine's.
    """

    class Moved(Message):
        """The reader is at another session, or the list became another."""

    class Opened(Message):
        """The reader wants to see a session."""

    def __init__(self, locale: str, theme: str) -> None:
        super().__init__(id="sessions")
        self.chosen: str | None = None
        self.now_ms = 0.0
        self._locale = locale
        self._words: Words = words_of(locale)
        self._styles = styles_of(theme)
        self._entries: tuple[Json, ...] = ()
        self._top = 0

    @property
    def place(self) -> int:
        """The number of the chosen session, from 0."""
        return next((at for at, one in enumerate(self._entries) if one["session"] == self.chosen), 0)

    @property
    def rows_below(self) -> int:
        """How many sessions are held below the last row of the screen."""
        return max(len(self._entries) - self._top - self.size.height, 0)

    def set_theme(self, theme: str) -> None:
        """Draw in other colours."""
        self._styles = styles_of(theme)
        self.refresh()

    def show(self, entries: tuple[Json, ...], now_ms: float) -> None:
        """Show other sessions, newest first, with the chosen one in the row where it is."""
        before = self.place
        row = before - self._top
        self._entries, self.now_ms = entries, now_ms
        if not any(one["session"] == self.chosen for one in entries):
            self.chosen = entries[min(before, len(entries) - 1)]["session"] if entries else None
        self._top = self.place - row
        self._settle()

    def go(self, count: int) -> None:
        """Go down by so many sessions, or up."""
        if self._entries:
            place = max(min(self.place + count, len(self._entries) - 1), 0)
            self.chosen = self._entries[place]["session"]
            self._settle()

    def pages(self, count: int) -> None:
        """Go down by so many screens, or up."""
        self.go(count * max(self.size.height - 1, 1))

    def ends(self, *, last: bool) -> None:
        """Go to the oldest session that is held, or to the newest."""
        self.go(len(self._entries) if last else -len(self._entries))

    def _settle(self) -> None:
        """Keep the chosen one in sight, and the screen full."""
        rows, place = max(self.size.height, 1), self.place
        self._top = min(max(self._top, place - rows + 1), place)
        self._top = max(min(self._top, len(self._entries) - rows), 0)
        self.refresh()
        self.post_message(self.Moved())

    def render_line(self, y: int) -> Strip:
        """Draw one row of the screen."""
        width, at = self.size.width, self._top + y
        if at < len(self._entries):
            strip = Strip(self._segments(self._entries[at], width))
            return strip.adjust_cell_length(width).apply_style(self.rich_style)
        if y == 0 and not self._entries:
            said = Segment(f"  {self._words['no_sessions']}", self._styles["context"])
            return Strip([said]).adjust_cell_length(width).apply_style(self.rich_style)
        return Strip.blank(width, self.rich_style)

    def _segments(self, entry: Json, width: int) -> list[Segment]:
        sign, style, word = _LOOKS[doing_of(entry)]
        state = self._words[word].format(n=waiting_count(entry)) if width >= _WIDE else ""
        changed = changed_at_ms(entry)
        age = age_text(self.now_ms - changed, self._locale) if changed else ""
        is_chosen = entry["session"] == self.chosen
        left = f"{'›' if is_chosen else ' '} {sign} " + (_padded(state, _STATE_CELLS) if state else "")
        title = entry.get("title")
        name = one_line(str(title)[:_TITLE_CHARS]) if isinstance(title, str) else ""
        room = max(width - cell_len(left) - cell_len(age) - 3, 0)
        shown = _padded(name or one_line(str(entry["session"])), room)
        over = Style(bold=True, reverse=True) if is_chosen else Style.null()
        return [
            Segment(left, self._styles[style] + over),
            Segment(shown, self._styles["text"] + over),
            Segment(f"  {age} ", self._styles["context"] + over),
        ]

    def on_resize(self) -> None:
        """Keep the chosen one in sight."""
        self._settle()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Three rows, as everywhere."""
        event.stop()
        self.go(WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Three rows, as everywhere."""
        event.stop()
        self.go(-WHEEL_ROWS)

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked; what is chosen already is opened."""
        at = self._top + event.y
        if at < len(self._entries):
            if at == self.place:
                self.post_message(self.Opened())
            else:
                self.go(at - self.place)


def _padded(text: str, cells: int) -> str:
    shown = cut(text, cells)
    return shown + " " * (cells - cell_len(shown))
