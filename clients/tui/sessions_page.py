"""The page of all sessions, newest first, live: the reader chooses one (`turnfold tui` without a session)."""

import time
from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

from clients.tui.bars import Part
from clients.tui.harmless import one_line
from clients.tui.help import SESSIONS_KEYS, HelpScreen
from clients.tui.page import TICK_S, Page, link_part
from clients.tui.sessions_view import SessionsView
from clients.wire.address import Address, WireError
from clients.wire.connection import CONNECTING, Connection, Link
from clients.wire.service import reaching
from clients.wire.session_list import Listed, SessionList, waiting_count
from clients.wire.subscription import Send, StateChanged


class SessionsPage(Page[None]):
    """The sessions of a service."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "open"),
        Binding("up,k", "go(-1)", "up"),
        Binding("down,j", "go(1)", "down"),
        Binding("pageup,b", "pages(-1)", "page up"),
        Binding("pagedown,space", "pages(1)", "page down"),
        Binding("home,g", "newest", "newest"),
        Binding("end,G", "oldest", "oldest"),
        Binding("question_mark", "help", "help"),
    ]

    class Chosen(Message):
        """The reader wants to see a session."""

        def __init__(self, session: str) -> None:
            super().__init__()
            self.session = session

    def __init__(self, address: Address, locale: str, theme: str) -> None:
        super().__init__(locale)
        self.list = SessionList()
        self.link: Link = CONNECTING
        self.sessions = SessionsView(locale, theme)
        self._address = address
        self._is_loading = False
        self.connection: Connection[Listed | StateChanged | Send] = Connection(
            address, self.list, told=lambda _: self.changed(), linked=self._linked
        )

    def between(self) -> Iterable[Widget]:
        """Give the list."""
        yield self.sessions

    def on_mount(self) -> None:
        """Begin to follow."""
        self.sessions.focus()
        self.set_interval(TICK_S, self.draw)
        self.run_worker(self.connection.run(), name="connection", exit_on_error=True)
        self.draw_bars()

    def paint(self, theme: str) -> None:
        """Draw in other colours."""
        self.sessions.set_theme(theme)

    def draw(self) -> None:
        """Draw what is new; ages go on."""
        if self.list.state != "loading" or self.list.newest_first():
            now_ms = time.time() * 1000 + self.connection.service_ahead_ms
            self.sessions.show(self.list.newest_first(), now_ms)
        self.draw_bars()

    def _linked(self, link: Link) -> None:
        self.link = link
        self.changed()

    @on(SessionsView.Moved)
    def _moved(self) -> None:
        """Near the end of what is held, older sessions are loaded."""
        view = self.sessions
        is_near = view.rows_below < max(view.size.height, 1)
        may_ask = self.link.name == "open" and self.list.state == "live" and not self._is_loading
        if is_near and may_ask and not self.list.is_complete:
            self._is_loading = True
            self.run_worker(self._load(), name="older", group="older")
        self.draw_bars()

    async def _load(self) -> None:
        try:
            asked = self.list.sub
            async with reaching(self._address) as service:
                page = await service.sessions(self.list.cursor)
            if asked == self.list.sub:
                self.list.add(page.sessions, page.cursor)
        except WireError as error:
            self.say(one_line(str(error)))
            return  # asked again with the next tick
        finally:
            self._is_loading = False
        self.changed()

    # The lines above and below.

    def top_line(self) -> tuple[list[Part], list[Part]]:
        """Give how many sessions there are, and how the connection is."""
        count = len(self.list.newest_first())
        more = "" if self.list.is_complete else "+"
        name = self.words["session_one"] if (count, more) == (1, "") else self.words["sessions"]
        said = name.format(n=f"{count}{more}") if self.list.state != "loading" else ""
        link = link_part(self.link, self.words, self.locale, is_live=self.list.state == "live")
        return [Part("Turnfold", "bold"), Part(said)], [link]

    def status_line(self) -> tuple[list[Part], list[Part]]:
        """Give what waits in all of them, and what the reader was told."""
        waits = sum(waiting_count(entry) for entry in self.list.newest_first())
        waiting = (
            Part(f" {self.words['waits_count'].format(n=waits)} ", "bold reverse") if waits else Part("")
        )
        below = Part(self.words["below"]) if self.sessions.rows_below else Part("")
        return [Part(self.said, "bold"), waiting], [below]

    def keys_named(self) -> list[tuple[str, str]]:
        """Give the keys that there is no need to ask for."""
        words = self.words
        return [
            ("Enter", words["does_open"]), ("↑ ↓", words["answer_choose"]), ("G", words["does_oldest"]),
            ("t", words["does_colours"]), ("?", words["does_help"]), ("q", words["does_quit"]),
        ]  # fmt: skip

    # Keys.

    @on(SessionsView.Opened)
    def action_open(self) -> None:
        """Show the chosen session; after a lost connection, try now."""
        if self.link.name == "waiting":
            self.connection.wake()
        if self.sessions.chosen is not None:
            self.post_message(self.Chosen(self.sessions.chosen))

    def action_go(self, count: int) -> None:
        """Arrows."""
        self.sessions.go(count)

    def action_pages(self, count: int) -> None:
        """A screen."""
        self.sessions.pages(count)

    def action_newest(self) -> None:
        """The newest session."""
        self.sessions.ends(last=False)

    def action_oldest(self) -> None:
        """The oldest session that is held."""
        self.sessions.ends(last=True)

    def action_help(self) -> None:
        """The page of keys."""
        self.app.push_screen(HelpScreen(self.locale, SESSIONS_KEYS))
