"""Answering what waits for the reader, below the transcript that goes on (`clients.md` E-16, ADR 0019).

1. It opens by the reader's key alone and shows one thing that waits; Tab leads to the next. It never goes on to another
   by itself: a key that was meant for one must not answer another.
2. It is no screen above another: the transcript makes room, and moves by every key that the panel has no use for.
3. Words that were typed and can be sent no more stay to be read, and letters behind them are no commands.
"""

from collections.abc import Iterable
from typing import ClassVar, Protocol

import msgspec
from rich.text import Text
from textual import on
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.events import Key
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option as Line

from clients.tui.bars import Part, keys_line, line
from clients.tui.content import json_text
from clients.tui.harmless import harmless, one_line
from clients.tui.line_input import LineInput
from clients.tui.words import Words, words_of
from clients.wire.answers import (
    Option,
    Waiting,
    details_of,
    is_yes_or_no,
    options_of,
)
from clients.wire.held import HeldRow
from clients.wire.messages import Json

# More than a screen holds is read in the transcript.
_SHOWN_CHARS = 8_000
LABEL_CHARS = 400
# As many options have a key of their own.
_NUMBERED = 9
# What the panel does with a key that is no letter.
OF_PANEL = ("enter", "escape", "tab", "shift+tab", "backspace")


class Answers(Protocol):
    """What the panel knows of the answers, and where it hands its own on: see `answering.py`."""

    def places(self) -> list[Waiting]:
        """Give what waits and was not answered yet."""

    def row(self, place: Waiting) -> HeldRow | None:
        """Give the row that waits; None where it is not held."""

    def turn(self, place: Waiting) -> int | None:
        """Give the session's turn that a place is in; None for one of no turn."""

    def send(self, place: Waiting, outcome: str, payload: Json = None) -> bool:
        """Send an answer in the background; False where one is on its way, or nothing waits there any more."""

    def close(self) -> None:
        """Back to the transcript."""


def asked_by(row: HeldRow) -> bytes:
    """Give what a row asks, as bytes: other bytes, another question."""
    return msgspec.json.encode([row.value.get(name) for name in ("id", "interaction", "title", "payload")])


class AnswerPanel(Vertical):
    """One thing that waits, with what can be answered.

    Attributes:
        asked: what is asked, as bytes; `turn` is the session's turn that asks, None for none.
        given: the words that are on their way, or were sent.
        is_over: nothing can be answered any more, and words of the reader are left.
    """

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

    def __init__(self, answering: Answers, place: Waiting, locale: str) -> None:
        super().__init__(id="answer")
        self.place = place
        self._answering = answering
        self._words: Words = words_of(locale)
        self._options: tuple[Option, ...] = ()
        self.asked = b""
        self.turn: int | None = None
        self.given = ""
        self.is_over = False
        self._kind = ""

    def compose(self) -> Iterable[Widget]:
        """Build the panel."""
        yield Static(id="answer-head", markup=False)
        with VerticalScroll(id="answer-words", can_focus=False):
            yield Static(id="answer-title", markup=False)
            yield Static(id="answer-details", markup=False)
        yield OptionList(id="answer-options", compact=True, markup=False)
        yield LineInput(id="answer-text", placeholder=self._words["answer_text"], compact=True)
        yield Static(id="answer-said", markup=False)
        with VerticalScroll(id="answer-unsent", can_focus=False):
            yield Static(id="answer-left", markup=False)
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
        if row is None or asked_by(row) == self.asked:
            self._draw_lines()
            return
        is_first, self.asked = not self.asked, asked_by(row)
        self.turn, self.given = self._answering.turn(self.place), ""
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
        self.query_one("#answer-unsent").display = False
        self.tell("")
        if is_first or self.has_focus_within:
            self.take_focus()
        self._draw_lines()

    @property
    def unsent(self) -> str:
        """What the reader typed that is in no answer."""
        return self.query_one(Input).value.removeprefix(self.given).strip()

    def refuse(self, problem: str) -> None:
        """What was given was not taken."""
        self.given = ""
        self.tell(problem)

    def end(self, why: str) -> None:
        """Say that it is over, with the words that were not sent in their place; letters do nothing here any more."""
        unsent = self._words["answer_failed"].format(reason=one_line(self.unsent))
        had_focus, self.is_over, self.can_focus = self.has_focus_within, True, True
        self.query_one("#answer-left", Static).update(Text(unsent))
        self.query_one("#answer-unsent").display = True
        self.tell(why)
        self._draw_lines()
        if had_focus:
            self.take_focus()
        self.query_one(Input).display = False

    def take_focus(self) -> None:
        """Have the keys."""
        if self.is_over:
            self.screen.set_focus(self)
            return
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
        if self.is_over and width:
            self.query_one("#answer-head", Static).update(line([Part(self._kind, "bold")], [], width))
            self.query_one("#answer-keys", Static).update(
                keys_line([("Esc", self._words["does_back"])], width)
            )
            return
        if row is None or not width:
            return
        kind = str(row.value.get("interaction"))
        at = places.index(self.place) + 1 if self.place in places else 1
        count = self._words["found"].format(at=at, n=len(places)) if len(places) > 1 else ""
        self._kind = one_line(self._words.get(kind, kind))
        head = line([Part(f"{self._kind} · {self._words['waiting']}", "bold")], [Part(count)], width)
        self.query_one("#answer-head", Static).update(head)
        keys = [("Enter", self._words["answer_send"])]
        if self._options:
            keys.insert(0, ("↑↓", self._words["answer_choose"]))
        if len(places) > 1:
            keys.append(("Tab", self._words["answer_next"]))
        keys.append(("Esc", self._words["does_back"]))
        self.query_one("#answer-keys", Static).update(keys_line(keys, width))

    # Keys.

    def on_key(self, event: Key) -> None:
        """After the end, letters are what is left of an answer; two keys close, and others are the transcript's."""
        if not self.is_over:
            return
        if event.key in ("enter", "escape"):
            self._answering.close()
        if event.is_printable or event.key in OF_PANEL:
            event.stop()

    def action_close(self) -> None:
        """Back to the transcript; it waits on."""
        self._answering.close()

    def action_next(self, count: int) -> None:
        """Show the next thing that waits."""
        places = self._answering.places()
        if self.is_over or not places or places == [self.place]:
            return
        at = places.index(self.place) if self.place in places else -1
        self.place, self.asked = places[(at + count) % len(places)], b""
        self.show()

    def action_words(self, count: int) -> None:
        """Read on in what is asked, or was not sent, or back; where all of it is seen, the key is the transcript's."""
        if self.size and not self._scroll.max_scroll_y:
            raise SkipAction
        # A key that was typed ahead of the layout waits for it.
        self.call_after_refresh(self._read_on, count)

    def _read_on(self, count: int) -> None:
        words = self._scroll
        rows = count * max(words.size.height - 1, 1)
        words.scroll_relative(y=rows, animate=False, immediate=True)

    @property
    def _scroll(self) -> VerticalScroll:
        return self.query_one("#answer-unsent" if self.is_over else "#answer-words", VerticalScroll)

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
        if event.value.strip() and self._send("answered", {"text": event.value}):
            self.given = event.value

    def _send(self, outcome: str, payload: Json = None) -> bool:
        if self.is_over or not self._answering.send(self.place, outcome, payload):
            return False
        self.tell(self._words["answer_sending"])
        return True


def _line_of(at: int, option: Option, *, is_chosen: bool = False) -> Text:
    number = f"{at + 1}" if at < _NUMBERED else " "
    text = Text(f"{'›' if is_chosen else ' '} {number} ").append(one_line(option.label[:LABEL_CHARS]))
    if option.note:
        text.append(f"  {one_line(option.note[:LABEL_CHARS])}", style="italic")
    return text
