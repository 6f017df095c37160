"""The application: its pages, the colours of all of them, and the way out (F-1)."""

import os
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.screen import Screen

from clients.tui.keys_in_turn import KeysInTurn
from clients.tui.page import Page
from clients.tui.palette import THEMES, USUAL, framework_theme, textual_themes
from clients.tui.sessions_page import SessionsPage
from clients.tui.transcript_page import Left, TranscriptPage
from clients.wire.address import Address
from clients.wire.messages import Json


class TuiApp(KeysInTurn):
    """Sessions in the terminal: one of them, or the list first."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { layout: vertical; background: $background; color: $foreground; }
    #top, #status, #keys { height: 1; width: 1fr; background: $panel; color: $foreground; }
    #transcript, #sessions { height: 1fr; background: $background; color: $foreground; }
    #search { height: 1; border: none; padding: 0; display: none; background: $surface; color: $foreground; }
    #search.shown { display: block; }
    HelpScreen { align: center middle; }
    #help-body { width: 66; max-width: 100%; height: auto; max-height: 100%; padding: 0 1; border: round $primary;
      background: $surface; color: $foreground; }
    #help-body Static { height: auto; }
    #answer { width: 1fr; height: auto; max-height: 70vh; padding: 0 1; border: round $primary;
      background: $surface; color: $foreground; }
    #answer Static { height: auto; background: $surface; color: $foreground; }
    #answer-unsent { height: auto; max-height: 20vh; background: $surface; }
    #answer-words { height: auto; max-height: 30vh; margin: 0 0 1 0; background: $surface; }
    #answer-options, #answer-options:focus { height: auto; max-height: 35vh; background: $surface;
      background-tint: transparent; color: $foreground; }
    #answer-options > .option-list--option-highlighted,
    #answer-options:focus > .option-list--option-highlighted { background: $surface; color: $primary;
      text-style: bold; }
    #answer-text, #answer-text:focus { background: $background; color: $foreground; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "copy_or_quit", "copy or quit", priority=True),
        Binding("ctrl+z", "suspend_process", "suspend"),
        Binding("t", "colours", "colours"),
        Binding("q", "quit", "quit"),
    ]

    def __init__(self, session: str | None, address: Address, view: Json, locale: str, theme: str) -> None:
        # Without colours a ground of ours would be one, and so would the greys that the framework makes of colours.
        has_colour = not os.environ.get("NO_COLOR")
        super().__init__(ansi_color=None if has_colour else True)
        for one in textual_themes():
            self.register_theme(one)
        self.colours = theme if has_colour else USUAL
        self.theme = framework_theme(self.colours)
        self._first = session
        self._sessions: SessionsPage | None = None
        self._address = address
        self._view = view
        self._locale = locale

    def on_mount(self) -> None:
        """Show the first page."""
        if self._first is not None:
            self._show(self._first)
            return
        self._sessions = SessionsPage(self._address, self._locale, self.colours)
        self.push_screen(self._sessions)

    @on(SessionsPage.Chosen)
    def _chosen(self, event: SessionsPage.Chosen) -> None:
        if self.screen is self._sessions:
            self._show(event.session)

    def _show(self, session: str) -> None:
        leads_back = self._sessions is not None
        page = TranscriptPage(
            session, self._address, self._view, self._locale, self.colours, leads_back=leads_back
        )
        self.push_screen(page, self._left)

    def _left(self, left: Left | None) -> None:
        """Back to the list, in the view that the reader chose; without one, the end."""
        assert left is not None
        self._view = left.view
        if self._sessions is not None:
            self._sessions.say(left.problem)
        elif left.problem:
            self.exit(return_code=1, message=f"turnfold: {left.problem}")
        else:
            self.exit(0)

    def action_colours(self) -> None:
        """The next of terminal, dark, light; none where the reader wants no colour at all."""
        if self.no_color:
            return
        self.colours = THEMES[(THEMES.index(self.colours) + 1) % len(THEMES)]
        self.theme = framework_theme(self.colours)
        for page in self.screen_stack:
            if isinstance(page, Page):
                page.paint(self.colours)

    def action_copy_or_quit(self) -> None:
        """Ctrl+C: what it means elsewhere, where something is marked; else the end."""
        page: Screen[object] = self.screen
        if not (isinstance(page, TranscriptPage) and page.action_copy()):
            self.exit(0)

    async def action_quit(self) -> None:
        """The end; what is followed goes on."""
        self.exit(0)
