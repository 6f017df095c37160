"""Answering what waits for the reader, below the transcript that goes on (`clients.md` E-16, ADR 0019).

1. It opens by the reader's key alone and shows one thing that waits; Tab leads to the next. It never goes on to another
   by itself: a key that was meant for one must not answer another.
2. An answer is sent in the background; whoever closes the panel first reads in the line below what became of it.
3. What was sent is not offered again, until its producer asks something else.
4. What is answered elsewhere meanwhile closes the panel.
5. It is no screen above another: the transcript makes room, and moves by every key that the panel has no use for.
"""

from collections.abc import Iterable
from typing import Any, ClassVar

import msgspec
from rich.text import Text
from textual import on
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option as Line

from clients.tui.bars import Part, keys_line, line
from clients.tui.content import json_text
from clients.tui.harmless import harmless, one_line
from clients.tui.page import Page
from clients.tui.session import Session
from clients.tui.words import Words, words_of
from clients.wire.address import RefusedError, WireError
from clients.wire.answers import (
    Option,
    Waiting,
    details_of,
    is_yes_or_no,
    options_of,
    row_at,
    waiting_in,
)
from clients.wire.held import HeldRow
from clients.wire.messages import Json
from clients.wire.service import reaching

# More than a screen holds is read in the transcript.
_SHOWN_CHARS = 8_000
_LABEL_CHARS = 400
# As many options have a key of their own.
_NUMBERED = 9
# The service's name for a refusal -> our words for it; for any other the service's own.
_REFUSALS = {
    "answers_not_configured": "answer_elsewhere",
    "interaction_over": "answer_over",
    "interaction_unknown": "answer_over",
}


class Answering:
    """What the reader of a page answers, and what became of it."""

    def __init__(self, page: Page[Any], session: Session) -> None:
        self._page = page
        self._session = session
        self._words = page.words
        self._shown: AnswerPanel | None = None
        # What was asked when it was answered.
        self._sent: dict[Waiting, bytes] = {}
        self._sending: set[Waiting] = set()

    async def begin(self, in_sight: list[Waiting]) -> None:
        """Open the panel on what waits, first of all on what the reader sees; it is open when this returns."""
        if self._shown is not None:
            self._shown.take_focus()
            return
        all_waiting = list(waiting_in(self._held))
        places = self.places()
        if not all_waiting:
            self._page.say(self._words["nothing_waits"])
        elif not self._session.connection.takes_answers:
            self._page.say(self._words["answer_elsewhere"])
        elif not places:
            self._page.say(self._words["answer_sent"])
        else:
            place = next((one for one in places if one in in_sight), places[0])
            self._shown = AnswerPanel(self, place, self._page.locale)
            await self._page.mount(self._shown, before="#status")

    @property
    def is_open(self) -> bool:
        """Whether the panel is shown."""
        return self._shown is not None

    def places(self) -> list[Waiting]:
        """Give what waits and was not answered yet."""
        return [place for place in waiting_in(self._held) if not self._is_sent(place)]

    def row(self, place: Waiting) -> HeldRow | None:
        """Give the row that waits; None where it is not held."""
        return row_at(self._held, place)

    def follow(self) -> None:
        """Something changed: close what does not wait any more, and show what is asked now."""
        shown = self._shown
        row = None if shown is None else self.row(shown.place)
        if shown is None or row is None or not shown.is_mounted:
            return
        if row.value.get("status") == "pending":
            shown.show()
            return
        state = str(row.value.get("outcome") or row.value.get("status") or "")
        kind, title = str(row.value.get("interaction")), str(row.value.get("title") or "")
        self.close()
        said = f"{self._words.get(kind, kind)}: {title} — {self._words.get(state, state)}"
        self._page.say(one_line(said[:_LABEL_CHARS]))

    def is_sending(self, place: Waiting) -> bool:
        """Say whether an answer is on its way."""
        return place in self._sending

    def send(self, place: Waiting, outcome: str, payload: Json = None) -> None:
        """Send an answer in the background; one at a time for each."""
        row = self.row(place)
        if row is None or place in self._sending:
            return
        self._sending.add(place)
        asked, ident = asked_by(row), str(row.value.get("id"))
        self._page.run_worker(
            self._deliver(place, asked, ident, outcome, payload), name="answer", exit_on_error=True
        )

    async def _deliver(self, place: Waiting, asked: bytes, ident: str, outcome: str, payload: Json) -> None:
        problem = ""
        try:
            async with reaching(self._session.address) as service:
                await service.answer(self._session.name, place.path, ident, outcome, payload)
        except WireError as error:
            problem = self._words["answer_failed"].format(reason=self._reason(error))
        finally:
            self._sending.discard(place)
        if not problem:
            self._sent[place] = asked
        shown = self._shown
        if shown is None or shown.place != place:
            self._page.say(problem or self._words["answer_sent"])
        elif problem:
            shown.tell(problem)
        else:
            self.close()
            self._page.say(self._words["answer_sent"])

    @property
    def _held(self) -> Any:
        return self._session.subscription.held

    def _is_sent(self, place: Waiting) -> bool:
        row = self.row(place)
        return row is not None and self._sent.get(place) == asked_by(row)

    def _reason(self, error: WireError) -> str:
        if not isinstance(error, RefusedError):
            return one_line(str(error))
        own = _REFUSALS.get(error.code)
        return one_line(error.reason) if own is None else self._words[own]

    def close(self) -> None:
        """Back to the transcript."""
        if self._shown is not None:
            self._shown.remove()
            self._shown = None
            self._page.query_one("#transcript").focus()


def asked_by(row: HeldRow) -> bytes:
    """Give what a row asks, as bytes: other bytes, another question."""
    return msgspec.json.encode([row.value.get(name) for name in ("id", "interaction", "title", "payload")])


class AnswerPanel(Vertical):
    """One thing that waits, with what can be answered."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", show=False),
        Binding("q", "close", show=False),
        Binding("tab", "next(1)", show=False, priority=True),
        Binding("shift+tab", "next(-1)", show=False, priority=True),
        Binding("pageup", "words(-1)", show=False, priority=True),
        Binding("pagedown", "words(1)", show=False, priority=True),
        Binding("j", "option(1)", show=False),
        Binding("k", "option(-1)", show=False),
        *(Binding(str(number), f"pick({number})", show=False) for number in range(1, _NUMBERED + 1)),
    ]

    def __init__(self, answering: Answering, place: Waiting, locale: str) -> None:
        super().__init__(id="answer")
        self.place = place
        self._answering = answering
        self._words: Words = words_of(locale)
        self._options: tuple[Option, ...] = ()
        self._asked = b""

    def compose(self) -> Iterable[Widget]:
        """Build the panel."""
        yield Static(id="answer-head", markup=False)
        with VerticalScroll(id="answer-words", can_focus=False):
            yield Static(id="answer-title", markup=False)
            yield Static(id="answer-details", markup=False)
        yield OptionList(id="answer-options", compact=True, markup=False)
        yield Input(id="answer-text", placeholder=self._words["answer_text"], compact=True)
        yield Static(id="answer-said", markup=False)
        yield Static(id="answer-keys", markup=False)

    def on_mount(self) -> None:
        """Show what waits."""
        self.show()

    def on_resize(self) -> None:
        """Lay the lines out anew."""
        self._draw_lines()

    def show(self) -> None:
        """Show what is asked at this place; what was typed or chosen stays while it is the same."""
        row = self._answering.row(self.place)
        if row is None or asked_by(row) == self._asked:
            self._draw_lines()
            return
        is_first, self._asked = not self._asked, asked_by(row)
        self._options = self._options_of(row.value)
        self.query_one("#answer-title", Static).update(
            Text(harmless(str(row.value.get("title") or ""))[:_SHOWN_CHARS], style="bold")
        )
        details = harmless(json_text(details_of(row.value.get("payload")))).strip()
        self.query_one("#answer-details", Static).update(Text(details[:_SHOWN_CHARS]))
        self.query_one("#answer-details").display = bool(details)
        self.query_one("#answer-words", VerticalScroll).scroll_home(animate=False)
        options, field = self.query_one(OptionList), self.query_one(Input)
        options.clear_options()
        options.add_options([Line(_line_of(at, one)) for at, one in enumerate(self._options)])
        options.display, field.display = bool(self._options), not self._options
        # Something else is asked than what the reader is about to confirm: nothing is chosen by itself.
        options.highlighted = 0 if is_first and self._options else None
        field.value = ""
        self.tell("")
        self.take_focus()
        self._draw_lines()

    def take_focus(self) -> None:
        """Have the keys."""
        (self.query_one(OptionList) if self._options else self.query_one(Input)).focus()

    def tell(self, said: str) -> None:
        """Say how the answer is."""
        line_said = self.query_one("#answer-said", Static)
        line_said.update(Text(said, style="bold"))
        line_said.display = bool(said)

    def _options_of(self, row: Json) -> tuple[Option, ...]:
        options = options_of(row.get("payload"))
        if options or not is_yes_or_no(row.get("interaction")):
            return options
        return Option("allow", self._words["answer_allow"]), Option("deny", self._words["answer_deny"])

    def _draw_lines(self) -> None:
        row, places = self._answering.row(self.place), self._answering.places()
        width = self.content_size.width
        if row is None or not width:
            return
        kind = str(row.value.get("interaction"))
        at = places.index(self.place) + 1 if self.place in places else 1
        count = self._words["found"].format(at=at, n=len(places)) if len(places) > 1 else ""
        name = one_line(self._words.get(kind, kind))
        head = line([Part(f"{name} · {self._words['waiting']}", "bold")], [Part(count)], width)
        self.query_one("#answer-head", Static).update(head)
        keys = [("Enter", self._words["answer_send"])]
        if self._options:
            keys.insert(0, ("↑↓", self._words["answer_choose"]))
        if len(places) > 1:
            keys.append(("Tab", self._words["answer_next"]))
        keys.append(("Esc", self._words["does_back"]))
        self.query_one("#answer-keys", Static).update(keys_line(keys, width))

    # Keys.

    def action_close(self) -> None:
        """Back to the transcript; it waits on."""
        self._answering.close()

    def action_next(self, count: int) -> None:
        """Show the next thing that waits."""
        places = self._answering.places()
        if not places or places == [self.place]:
            return
        at = places.index(self.place) if self.place in places else -1
        self.place, self._asked = places[(at + count) % len(places)], b""
        self.show()

    def action_words(self, count: int) -> None:
        """Read on in what is asked, or back; where all of it is seen, the key is the transcript's."""
        if self.size and not self.query_one("#answer-words").max_scroll_y:
            raise SkipAction
        # A key that was typed ahead of the layout waits for it.
        self.call_after_refresh(self._read_on, count)

    def _read_on(self, count: int) -> None:
        words = self.query_one("#answer-words", VerticalScroll)
        rows = count * max(words.size.height - 1, 1)
        words.scroll_relative(y=rows, animate=False, immediate=True)

    def action_option(self, count: int) -> None:
        """The next or previous option."""
        options = self.query_one(OptionList)
        if count > 0:
            options.action_cursor_down()
        else:
            options.action_cursor_up()

    def action_pick(self, number: int) -> None:
        """Choose an option by its number; Enter sends it."""
        if number <= len(self._options):
            self.query_one(OptionList).highlighted = number - 1

    @on(OptionList.OptionHighlighted, "#answer-options")
    def _led_to(self, event: OptionList.OptionHighlighted) -> None:
        """Mark the option by a sign too: without colours, a weight alone is easily overlooked."""
        for at, option in enumerate(self._options):
            prompt = _line_of(at, option, is_chosen=at == event.option_index)
            event.option_list.replace_option_prompt_at_index(at, prompt)

    @on(OptionList.OptionSelected, "#answer-options")
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self._send(self._options[event.option_index].outcome)

    @on(Input.Submitted, "#answer-text")
    def _typed(self, event: Input.Submitted) -> None:
        if event.value.strip():
            self._send("answered", {"text": event.value})

    def _send(self, outcome: str, payload: Json = None) -> None:
        if not self._answering.is_sending(self.place):
            self.tell(self._words["answer_sending"])
            self._answering.send(self.place, outcome, payload)


def _line_of(at: int, option: Option, *, is_chosen: bool = False) -> Text:
    number = f"{at + 1}" if at < _NUMBERED else " "
    text = Text(f"{'›' if is_chosen else ' '} {number} ").append(one_line(option.label[:_LABEL_CHARS]))
    if option.note:
        text.append(f"  {one_line(option.note[:_LABEL_CHARS])}", style="italic")
    return text
