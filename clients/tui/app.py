"""The application: one screen with a session, its keys, and the line that says how the connection is (F-1)."""

import os
import time
from typing import ClassVar

from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from clients.tui.bars import Bar, Part, keys_line, line
from clients.tui.document import Document
from clients.tui.harmless import one_line
from clients.tui.help import HelpScreen
from clients.tui.palette import THEMES, USUAL, framework_theme, textual_themes
from clients.tui.searching import Searching
from clients.tui.session import Session
from clients.tui.texts import complete, cut_texts
from clients.tui.view import TranscriptView
from clients.tui.words import duration_text, words_of
from clients.wire.address import Address, WireError
from clients.wire.messages import Json
from clients.wire.service import reaching

# As often as a terminal is worth drawing, however often something comes.
FRAME_S = 1 / 30
TICK_S = 1.0
_STOPPED = {"aborted", "interrupted", "failed", "blocked", "max_tokens"}


class TuiApp(App[int]):
    """A session in the terminal."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { layout: vertical; background: $background; color: $foreground; }
    #top, #status, #keys { height: 1; width: 1fr; background: $panel; color: $foreground; }
    #transcript { height: 1fr; background: $background; color: $foreground; }
    #search { height: 1; border: none; padding: 0; display: none; background: $surface; color: $foreground; }
    #search.shown { display: block; }
    HelpScreen { align: center middle; }
    #help-body { width: 66; max-width: 100%; height: auto; max-height: 100%; padding: 0 1; border: round $primary;
      background: $surface; color: $foreground; }
    #help-body Static { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+o", "phase", "phase", priority=True),
        Binding("ctrl+r", "reasoning", "reasoning", priority=True),
        Binding("ctrl+c", "copy_or_quit", "copy or quit", priority=True),
        Binding("ctrl+z", "suspend_process", "suspend"),
        Binding("y", "copy", "copy"),
        Binding("slash", "search", "search"),
        Binding("n", "match(1)", "next"),
        Binding("N", "match(-1)", "previous"),
        Binding("escape", "end_search", "end the search"),
        Binding("up,k", "rows(-1)", "up"),
        Binding("down,j", "rows(1)", "down"),
        Binding("pageup,b", "pages(-1)", "page up"),
        Binding("pagedown,space", "pages(1)", "page down"),
        Binding("home,g", "top", "top"),
        Binding("end,G", "bottom", "end"),
        Binding("left_square_bracket", "turn(-1)", "previous turn"),
        Binding("right_square_bracket", "turn(1)", "next turn"),
        Binding("w", "waiting", "what waits"),
        Binding("m", "more", "rest of texts"),
        Binding("t", "colours", "colours"),
        Binding("enter", "wake", "try now"),
        Binding("question_mark", "help", "help"),
        Binding("q", "quit", "quit"),
    ]

    def __init__(self, session: str, address: Address, view: Json, locale: str, theme: str) -> None:
        # Without colours a ground of ours would be one, and so would the greys that the framework makes of colours.
        has_colour = not os.environ.get("NO_COLOR")
        super().__init__(ansi_color=None if has_colour else True)
        for one in textual_themes():
            self.register_theme(one)
        self.colours = theme if has_colour else USUAL
        self.theme = framework_theme(self.colours)
        self.words = words_of(locale)
        self.said = ""
        self.searching = Searching()
        self.session = Session(
            session, address, view, locale, changed=self._changed, replaced=self._document_replaced
        )
        self.session.mark_head()
        self.transcript = TranscriptView(self.session.document, self.colours)
        self._is_stale = False
        # What had changed when the reader was last at the end.
        self._seen_count = 0

    def compose(self) -> ComposeResult:
        """Build the screen."""
        yield Bar("top")
        yield self.transcript
        yield Input(placeholder=self.words["search"], id="search", select_on_focus=True)
        yield Bar("status")
        yield Bar("keys")

    def on_mount(self) -> None:
        """Begin to follow."""
        self.transcript.focus()
        self.set_interval(TICK_S, self._tick)
        self.run_worker(self._follow(), name="connection", exit_on_error=True)
        self._draw_bars()

    async def _follow(self) -> None:
        await self.session.connection.run()
        if self.session.subscription.shown is None:
            # Nothing was ever shown: a screen with a reason alone is worth less than a line that stays.
            problem = self.session.link.problem or self.session.subscription.problem
            self.exit(return_code=1, message=f"turnfold: {one_line(problem)}")

    def _tick(self) -> None:
        """Clocks go on, and what the service did not act on is asked for once more."""
        self.session.ask_again()
        self._draw_bars()

    # What is new is drawn with the next frame, however much comes before it.

    def _changed(self) -> None:
        if not self._is_stale and self.is_running:
            self._is_stale = True
            self.set_timer(FRAME_S, self._draw)

    def _document_replaced(self, document: Document) -> None:
        self.transcript.replace(document)

    def _draw(self) -> None:
        self._is_stale = False
        self.transcript.settle()
        if self.searching.goes_on and not self.session.subscription.loading_earlier:
            self._look_further()
        self._draw_bars()

    def _look_further(self) -> None:
        """Earlier turns came for a search that goes up: on with it, or for more of them."""
        if not self.searching.go_on(self.transcript) and not self.session.load_earlier():
            self.searching.goes_on = False

    @on(TranscriptView.Moved)
    def _moved(self) -> None:
        view = self.transcript
        if view.top_row < view.size.height and not view.follows:
            self.session.load_earlier()
        elif view.last_top == 0 and view.size.height:
            # The screen has room for more than the window holds.
            self.session.load_earlier()
        self._draw_bars()

    # The lines above and below.

    def _draw_bars(self) -> None:
        width = self.size.width
        if not self.is_running or not self.screen_stack or not width:
            return
        try:
            top, status, keys = (self.query_one(f"#{name}", Bar) for name in ("top", "status", "keys"))
        except LookupError:
            return  # the help is above
        top.show(line([Part(self.session.name, "bold"), self._turn_part()], [self._link_part()], width))
        status.show(line(self._status_parts(), [self._place_part()], width))
        keys.show(keys_line(self._keys(), width))

    def _turn_part(self) -> Part:
        turn = self.session.last_turn
        if turn is None:
            return Part("")
        outcome = turn.facts.get("outcome")
        if turn.facts.get("status") != "open":
            style = "bold" if outcome in _STOPPED else ""
            return Part(self.words.get(str(outcome), one_line(str(outcome or ""))), style)
        if self.session.link.name != "open":
            return Part(f"● {self.words['running']}?")
        running_ms = self.session.running_ms()
        took = (
            ""
            if running_ms is None
            else f" {duration_text(running_ms // 1000 * 1000 or 1000, self.session.locale)}"
        )
        return Part(f"● {self.words['running']}{took}", "bold")

    def _link_part(self) -> Part:
        link = self.session.link
        if link.name == "open":
            return Part("" if self.session.subscription.state == "live" else self.words["loading"])
        if link.name == "connecting":
            return Part(self.words["connecting"])
        if link.name == "waiting":
            left_s = max(round(link.until_s - time.monotonic()), 1)
            again = self.words["again_in"].format(time=duration_text(left_s * 1000, self.session.locale))
            return Part(f" {self.words['lost']} · {again} ", "bold reverse")
        if self.session.subscription.code == "gone":
            return Part(f" {self.words['gone']} ", "bold reverse")
        return Part(f" {self.words['ended'].format(why=one_line(link.problem))} ", "bold reverse")

    def _status_parts(self) -> list[Part]:
        view, waits = self.session.view, self.session.waiting_count
        pending = "" if self.session.is_shown else " …"
        parts = [Part(f"{self.words['phase_' + view['phase']]}{pending}", "bold")]
        if waits:
            parts.append(Part(f" {self.words['waits_count'].format(n=waits)} (w) ", "bold reverse"))
        parts.append(Part(self.searching.told(self.words) or self.said, "bold"))
        parts.append(Part(self.words["reasoning_on" if view["reasoning"] else "reasoning_off"]))
        return parts

    def _place_part(self) -> Part:
        if self.transcript.follows:
            self._seen_count = self.session.change_count
            return Part("")
        has_news = self.session.change_count > self._seen_count
        return Part(self.words["news"], "bold") if has_news else Part(self.words["below"])

    def _keys(self) -> list[tuple[str, str]]:
        zh = self.session.locale != "en"
        names = ("阶段", "思考", "搜索", "轮次", "末尾", "颜色", "帮助", "退出") if zh else (
            "phase", "reasoning", "search", "turns", "end", "colours", "help", "quit",
        )  # fmt: skip
        return list(zip(("^O", "^R", "/", "[ ]", "G", "t", "?", "q"), names, strict=True))

    def _say(self, text: str) -> None:
        self.said = text
        self._draw_bars()

    # Keys.

    def action_phase(self) -> None:
        """Ctrl+O."""
        self.session.next_phase()

    def action_reasoning(self) -> None:
        """Ctrl+R."""
        self.session.toggle_reasoning()

    def action_rows(self, count: int) -> None:
        """Arrows."""
        self.transcript.scroll_rows(count)

    def action_pages(self, count: int) -> None:
        """A screen."""
        self.transcript.scroll_pages(count)

    def action_top(self) -> None:
        """The first row that is held."""
        self.transcript.go_to(0)

    def action_bottom(self) -> None:
        """The newest row, and whatever comes."""
        self.transcript.go_to(self.transcript.last_top)

    def action_turn(self, count: int) -> None:
        """The next or previous turn's first row to the top."""
        view = self.transcript
        tops = view.document.turn_tops(view.text_width)
        if count > 0:
            view.go_to(next((top for top in tops if top > view.top_row), view.last_top))
        else:
            view.go_to(next((top for top in reversed(tops) if top < view.top_row), 0))

    def action_waiting(self) -> None:
        """The next thing that waits for the reader, from the top on again after the last."""
        view = self.transcript
        pending = [
            seat for seat in view.document.seats() if any(one.role == "pending" for one in seat.pieces)
        ]
        if not pending:
            return
        at = self.searching.waits % len(pending)
        self.searching.waits = at + 1
        view.go_to_seat(pending[at])

    def action_colours(self) -> None:
        """The next of terminal, dark, light; none where the reader wants no colour at all."""
        if self.no_color:
            return
        self.colours = THEMES[(THEMES.index(self.colours) + 1) % len(THEMES)]
        self.theme = framework_theme(self.colours)
        self.transcript.set_theme(self.colours)

    def action_wake(self) -> None:
        """After a lost connection: now."""
        self.session.connection.wake()

    def action_help(self) -> None:
        """The page of keys."""
        self.push_screen(HelpScreen(self.session.locale), lambda _: self._draw_bars())

    def action_more(self) -> None:
        """Load the rest of what is cut off on the screen."""
        self.run_worker(self._load_texts(), name="texts", group="texts", exclusive=True)

    async def _load_texts(self) -> None:
        loaded, session = 0, self.session
        try:
            async with reaching(session.address) as service:
                for seat in self.transcript.seats_in_sight():
                    row = seat.row_held
                    for pointer in () if row is None else cut_texts(row):
                        assert row is not None
                        text = await service.text(session.name, seat.path, row.key, pointer)
                        complete(row, pointer, text)
                        loaded += 1
                    session.document.redraw(seat)
                    self.transcript.settle()
        except WireError as error:
            self._say(one_line(str(error)))
            return
        self._say(self.words["loaded" if loaded else "nothing_more"])

    # Searching.

    def action_search(self) -> None:
        """Type what to look for."""
        self.searching.origin = self.transcript.top_row
        box = self.query_one("#search", Input)
        box.add_class("shown")
        box.focus()

    @on(Input.Changed, "#search")
    def _typed(self, event: Input.Changed) -> None:
        self.searching.look_for(event.value)
        self.transcript.pattern = self.searching.pattern
        self.searching.to_nearest(self.transcript)
        self._draw_bars()

    @on(Input.Submitted, "#search")
    def _submitted(self) -> None:
        self._close_search()
        self.run_worker(self._count_elsewhere(), name="search", group="search", exclusive=True)

    async def _count_elsewhere(self) -> None:
        """Ask the service what is hidden here or not loaded yet."""
        session, query = self.session, self.searching.query
        if not query.strip():
            return
        try:
            async with reaching(session.address) as service:
                hits = await service.search(session.name, session.view, f'"{query}"')
        except WireError:
            return  # what is shown was searched all the same
        self.searching.note_hits(hits, query, session.view)
        self._draw_bars()

    def action_match(self, count: int) -> None:
        """The next or previous match; above the first, earlier turns are loaded and looked through."""
        if self.searching.pattern is None:
            return
        found = self.searching.step(self.transcript, count)
        if not found and count < 0 and not self.session.subscription.history_complete:
            self.searching.goes_on = True
            self.session.load_earlier()
        self._draw_bars()

    def action_end_search(self) -> None:
        """No more marks."""
        self.searching.look_for("")
        self.transcript.pattern = None
        self.transcript.place = None
        self.transcript.refresh()
        self.said = ""
        self._close_search()

    def _close_search(self) -> None:
        self.query_one("#search", Input).remove_class("shown")
        self.transcript.focus()
        self._draw_bars()

    def action_copy(self) -> bool:
        """Copy what was marked with the mouse; says so, since nobody sees a clipboard."""
        text = self.screen.get_selected_text()
        if text:
            self.copy_to_clipboard(text)
            self._say(self.words["copied"].format(n=len(text)))
        return bool(text)

    def action_copy_or_quit(self) -> None:
        """Ctrl+C: what it means elsewhere, where something is marked; else the end."""
        if not self.action_copy():
            self.exit(0)

    async def action_quit(self) -> None:
        """The end; the session goes on."""
        self.exit(0)
