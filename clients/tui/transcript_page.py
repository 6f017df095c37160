"""The page of one session: its transcript, its keys, and the lines that say how it is (F-1)."""

from collections.abc import Iterable
from typing import ClassVar

import msgspec
from textual import on
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.widget import Widget
from textual.widgets import Input

from clients.tui.answering import Answering
from clients.tui.bars import Part
from clients.tui.document import Document
from clients.tui.harmless import one_line
from clients.tui.help import BACK, KEYS, QUIT, HelpScreen
from clients.tui.line_input import LineInput
from clients.tui.page import TICK_S, Page, link_part
from clients.tui.searching import Searching
from clients.tui.session import Session
from clients.tui.texts import complete, cut_texts
from clients.tui.view import TranscriptView
from clients.tui.words import duration_text
from clients.wire.address import Address, WireError
from clients.wire.answers import Waiting
from clients.wire.messages import Json
from clients.wire.service import reaching

_STOPPED = {"aborted", "interrupted", "failed", "blocked", "max_tokens"}
_KEYS = ("^O", "^R", "/", "[ ]", "G", "t", "?", "q")
_DOES = {
    "en": ("phase", "reasoning", "search", "turns", "end", "colours", "help"),
    "zh-CN": ("阶段", "思考", "搜索", "轮次", "末尾", "颜色", "帮助"),
}


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """The reader left the page, or it had nothing to show: `problem` says why. `view` is how it was looked at."""

    view: Json
    problem: str = ""


class TranscriptPage(Page[Left]):
    """A session in the terminal.

    Args:
        leads_back: whether leaving the page is no end of the program.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+o", "phase", "phase", priority=True),
        Binding("ctrl+r", "reasoning", "reasoning", priority=True),
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
        Binding("a", "answer", "answer"),
        Binding("m", "more", "rest of texts"),
        Binding("enter", "wake", "try now"),
        Binding("question_mark", "help", "help"),
        Binding("q", "leave", "leave"),
    ]

    def __init__(
        self, session: str, address: Address, view: Json, locale: str, theme: str, *, leads_back: bool
    ) -> None:
        super().__init__(locale)
        self.leads_back = leads_back
        self.searching = Searching()
        self.session = Session(
            session, address, view, locale, changed=self.changed, replaced=self._document_replaced
        )
        self.session.mark_head()
        self.transcript = TranscriptView(self.session.document, theme)
        self.answering = Answering(self, self.session)
        # Whether the transcript came; what was typed ahead waits for it, an answer until another key is pressed.
        self._has_begun = False
        self._answers_first = False
        # What had changed when the reader was last at the end.
        self._seen_count = 0

    def between(self) -> Iterable[Widget]:
        """Give the transcript, and the line for what to look for."""
        yield self.transcript
        yield LineInput(placeholder=self.words["search"], id="search", select_on_focus=True)

    def on_mount(self) -> None:
        """Begin to follow."""
        self.transcript.focus()
        self.set_interval(TICK_S, self._tick)
        self.run_worker(self._follow(), name="connection", exit_on_error=True)
        self.draw_bars()

    def paint(self, theme: str) -> None:
        """Draw in other colours."""
        self.transcript.set_theme(theme)

    async def _follow(self) -> None:
        await self.session.connection.run()
        if self.session.subscription.shown is None:
            # Nothing was ever shown: a screen with a reason alone is worth less than a line that stays.
            problem = self.session.link.problem or self.session.subscription.problem
            self.dismiss(Left(view=self.session.view, problem=one_line(problem)))

    def _tick(self) -> None:
        """Clocks go on, and what the service did not act on is asked for once more."""
        self.session.ask_again()
        self.draw_bars()

    def _document_replaced(self, document: Document) -> None:
        self.transcript.replace(document)

    def draw(self) -> None:
        """Draw what is new; a search that goes up goes on with it."""
        self.transcript.settle()
        self.answering.follow()
        if self.searching.goes_on and not self.session.subscription.loading_earlier:
            self._look_further()
        self.draw_bars()

    def _look_further(self) -> None:
        """Earlier turns came for a search that goes up: on with it, or for more of them."""
        if not self.searching.go_on(self.transcript) and not self.session.load_earlier():
            self.searching.goes_on = False

    @on(TranscriptView.Moved)
    def _moved(self) -> None:
        view = self.transcript
        if not self._has_begun:
            self._begin()
        if view.top_row < view.size.height and not view.follows:
            self.session.load_earlier()
        elif view.last_top == 0 and view.size.height:
            # The screen has room for more than the window holds.
            self.session.load_earlier()
        self.draw_bars()

    def _begin(self) -> None:
        """The first snapshot is drawn: do what was typed ahead of it."""
        if self.session.subscription.shown is None or not self.transcript.size.height:
            return
        self._has_begun = True
        self.searching.begin(self.transcript)
        for count in self.searching.steps:
            self.action_match(count)
        if self._answers_first:
            self.call_later(self._answer_first)

    async def _answer_first(self) -> None:
        if self._answers_first:
            await self.action_answer()

    # The lines above and below.

    def top_line(self) -> tuple[list[Part], list[Part]]:
        """Give the session, what its last turn does, and how the connection is."""
        subscription = self.session.subscription
        link = link_part(
            self.session.link,
            self.words,
            self.locale,
            is_live=subscription.state == "live",
            gone=subscription.code == "gone",
        )
        return [Part(self.session.name, "bold"), self._turn_part()], [link]

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

    def status_line(self) -> tuple[list[Part], list[Part]]:
        """Give how it is looked at, what waits, and where the reader is."""
        view, waits = self.session.view, self.session.waiting_count
        pending = "" if self.session.is_shown else " …"
        parts = [Part(f"{self.words['phase_' + view['phase']]}{pending}", "bold")]
        parts.append(Part(self.said, "bold"))
        if waits:
            key = "a" if self.session.connection.takes_answers else "w"
            parts.append(Part(f" {self.words['waits_count'].format(n=waits)} ({key}) ", "bold reverse"))
        # Nothing was looked in yet, and the line above says so.
        parts.append(Part(self.searching.told(self.words) if self._has_begun else "", "bold"))
        parts.append(Part(self.words["reasoning_on" if view["reasoning"] else "reasoning_off"]))
        return parts, [self._place_part()]

    def _place_part(self) -> Part:
        if self.transcript.follows:
            self._seen_count = self.session.change_count
            return Part("")
        has_news = self.session.change_count > self._seen_count
        return Part(self.words["news"], "bold") if has_news else Part(self.words["below"])

    def keys_named(self) -> list[tuple[str, str]]:
        """Give the keys that there is no need to ask for."""
        way_out = self.words["does_back"] if self.leads_back else self.words["does_quit"]
        keys = list(zip(_KEYS, (*_DOES[self.locale], way_out), strict=True))
        if self.session.waiting_count and self.session.connection.takes_answers:
            keys.insert(0, ("a", self.words["does_answer"]))
        return keys

    # Keys.

    def on_key(self, event: Key) -> None:
        """A letter that was typed for the panel is no command; any key takes a wish to answer back."""
        self._answers_first = False
        if self.focused is self.transcript and self.answering.catches(event):
            event.stop()

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

    async def action_answer(self) -> None:
        """Answer what waits: what is in sight first; while nothing is there yet, once it is."""
        self._answers_first = not self._has_begun
        if self._answers_first:
            return
        rows = [(seat.path, seat.row_held) for seat in self.transcript.seats_in_sight()]
        await self.answering.begin([Waiting(path, row.key) for path, row in rows if row is not None])

    def action_wake(self) -> None:
        """After a lost connection: now."""
        self.session.connection.wake()

    def action_help(self) -> None:
        """The page of keys."""
        self.app.push_screen(HelpScreen(self.locale, [*KEYS, *(BACK if self.leads_back else QUIT)]))

    def action_leave(self) -> None:
        """Enough of this session; it goes on."""
        self.dismiss(Left(view=self.session.view))

    def action_copy(self) -> bool:
        """Copy what was marked with the mouse; says so, since nobody sees a clipboard."""
        text = self.get_selected_text()
        if text:
            self.app.copy_to_clipboard(text)
            self.say(self.words["copied"].format(n=len(text)))
        return bool(text)

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
            self.say(one_line(str(error)))
            return
        self.say(self.words["loaded" if loaded else "nothing_more"])

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
        self.draw_bars()

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
        self.draw_bars()

    def action_match(self, count: int) -> None:
        """The next or previous match; above the first, earlier turns are loaded and looked through."""
        if self.searching.pattern is None:
            return
        if not self._has_begun:
            self.searching.steps.append(count)
            return
        found = self.searching.step(self.transcript, count)
        if not found and count < 0 and not self.session.subscription.history_complete:
            self.searching.goes_on = True
            self.session.load_earlier()
        self.draw_bars()

    def action_end_search(self) -> None:
        """No more marks; where there are none, back to where the reader came from."""
        if self.answering.is_open:
            self.answering.close()
            return
        is_searching = self.searching.pattern is not None or self.query_one("#search").has_class("shown")
        if self.leads_back and not is_searching:
            self.action_leave()
            return
        self.searching.look_for("")
        self.transcript.pattern = None
        self.transcript.place = None
        self.transcript.refresh()
        self._close_search()

    def _close_search(self) -> None:
        self.query_one("#search", Input).remove_class("shown")
        self.transcript.focus()
        self.draw_bars()
