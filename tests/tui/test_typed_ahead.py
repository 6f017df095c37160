"""Keys that came in one read mean what they mean one after the other: no letter is a command of what was before."""

import asyncio
from pathlib import Path
from typing import ClassVar

import pytest
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.events import Key, Paste
from textual.widget import Widget
from textual.widgets import Input

from clients.tui.help import HelpScreen
from clients.tui.keyboard import Keyboard
from clients.tui.keys_in_turn import KeysInTurn
from clients.tui.sessions_page import SessionsPage
from clients.tui.transcript_page import TranscriptPage
from tests.api.socket_stack import serving_sockets
from tests.api.test_http_interactions import Receiver, receiver
from tests.tui.driving import Terminal, terminal
from tests.tui.test_answering import START, answers, ask, forwarding, is_open
from tests.tui.test_app import turn, url_of
from tests.waiting import wait_until

__all__ = ["receiver"]

ENTER, BACKSPACE, ESCAPE, DOWN, TAB, PHASE = "\r", "\x7f", "\x1b", "\x1b[B", "\t", "\x0f"
HOME, RIGHT = "\x1b[H", "\x1b[C"


def pasted(text: str) -> str:
    """As a terminal sends what is pasted."""
    return f"\x1b[200~{text}\x1b[201~"


def box(screen: Terminal) -> Input:
    """The line for what to look for."""
    return screen.page.query_one("#search", Input)


def top(screen: Terminal) -> type[object]:
    """What kind of page is shown."""
    return type(screen.app.screen)


@pytest.mark.parametrize(
    "typed",
    ["/question", f"/qx{BACKSPACE}uestion", f"/{pasted('question')}", f"/que{pasted('st')}ion"],
    ids=["letters", "backspace", "pasted", "both"],
)
async def test_what_is_looked_for_is_never_taken_for_commands(tmp_path: Path, typed: str) -> None:
    """`q` would leave, `t` change the colours, `n` go on; all of it is in the box, in its order."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s", *turn(1))
        async with terminal(url_of(service), "s") as screen:
            await screen.shows("answer 1")
            await screen.type_ahead(typed)
            assert (box(screen).value, box(screen).has_class("shown")) == ("question", True)
            assert screen.app.colours == "dark"
            assert screen.page.searching.query == "question"


@pytest.mark.parametrize("lines", ["quick\nbrown\nfox\n", "quick\r\nbrown\r\n\r\nfox", "\nquick\rbrown fox"])
async def test_several_lines_that_are_pasted_are_one(tmp_path: Path, receiver: Receiver, lines: str) -> None:
    """With a space for each break, in the search and in an answer, at the cursor and in place of what is chosen."""
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", START, ask("i2", "question", "Which quick brown fox?", turn=1))
        async with terminal(service.url, "s", size=(80, 40)) as screen:
            await screen.shows("(a)")
            await screen.type_ahead(f"/{pasted(lines)}")
            assert box(screen).value == "quick brown fox"
            assert screen.page.searching.told(screen.page.words) == "1 of 1"
            await screen.type_ahead(f"{ENTER}/{pasted(lines)}{ENTER}")
            assert box(screen).value == "quick brown fox"
            screen.app.copy_to_clipboard(lines)
            await screen.type_ahead(f"aa !{HOME}{RIGHT}{pasted(lines)}-\x16{ENTER}")
            await screen.shows("Sent.")
            assert answers(receiver) == [("answered", {"text": "aquick brown fox-quick brown fox !"})]


async def test_after_enter_letters_are_commands_again(tmp_path: Path) -> None:
    """A whole search in one read: to the second match, its box closed, and on into another search."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s", *(event for one in (1, 2, 3) for event in turn(one)))
        async with terminal(url_of(service), "s", size=(80, 60)) as screen:
            await screen.shows("answer 3")
            await screen.type_ahead(f"/answer{ENTER}nt")
            await screen.shows("2 of 3")
            assert (box(screen).value, box(screen).has_class("shown")) == ("answer", False)
            assert screen.app.colours == "light"
            await screen.type_ahead(f"/question 2{ENTER}/thought{ENTER}n")
            await screen.shows("2 of 3")
            assert screen.page.searching.query == "thought"
            await screen.type_ahead(f"/a{ESCAPE}")
            assert (screen.page.searching.query, box(screen).has_class("shown")) == ("", False)


async def test_a_session_that_is_opened_gets_the_keys_behind_enter(tmp_path: Path) -> None:
    """From the list into a session, in it and back, in one read; `q` ends nothing that is shown after it."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("one", *turn(1))
        await service.stack.post("two", *turn(2))
        async with terminal(url_of(service), None) as screen:
            await screen.shows("2 sessions")
            await screen.type_ahead(f"{DOWN}{ENTER}{PHASE}q")
            assert top(screen) is SessionsPage
            await screen.type_ahead(f"{ENTER}/question")
            assert (screen.page.session.name, box(screen).value) == ("one", "question")
            await screen.shows("output 1")
            await screen.type_ahead(f"{ENTER}{ESCAPE}")
            await screen.type_ahead(f"qk{ENTER}?q")
            assert top(screen) is TranscriptPage
            assert screen.page.session.name == "two"
            await screen.type_ahead("qq")
        assert screen.app.return_code == 0


async def test_the_page_of_keys_has_keys_of_its_own(tmp_path: Path) -> None:
    """`q` closes it and no more, also in one read with `?`; what follows is the transcript's again."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s", *turn(1))
        async with terminal(url_of(service), "s", size=(80, 12)) as screen:
            await screen.shows("answer 1")
            await screen.type_ahead("?jj")
            assert top(screen) is HelpScreen
            body = screen.app.screen.query_one(VerticalScroll)
            await wait_until(lambda: body.scroll_offset.y == 2, "it is two rows down")
            await screen.type_ahead("??q/quite")
            assert top(screen) is TranscriptPage
            assert box(screen).value == "quite"


async def test_an_answer_is_chosen_in_one_read(tmp_path: Path, receiver: Receiver) -> None:
    """The panel's number and its Enter; `q` in it closes it alone."""
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", START, ask())
        async with terminal(service.url, "s") as screen:
            await screen.shows("(a)")
            await screen.type_ahead("aqa")
            assert is_open(screen)
            await screen.type_ahead(f"{ESCAPE}")
            await screen.type_ahead(f"a2{ENTER}")
            await screen.shows("Sent.")
            assert answers(receiver) == [("deny", None)]


@pytest.mark.parametrize("behind", [ENTER, f"2{ENTER}", TAB + ENTER], ids=["enter", "number", "tab"])
async def test_an_answer_that_was_turned_away_from_is_not_given(
    tmp_path: Path, receiver: Receiver, behind: str
) -> None:
    """Esc and Enter in one read: what closes the panel comes first, though it looks like Alt and Enter."""
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", START, ask())
        async with terminal(service.url, "s") as screen:
            await screen.shows("(a)")
            await screen.type_ahead(f"a{ESCAPE}{behind}")
            assert not is_open(screen)
            await screen.type_ahead(f"a{ESCAPE}/question")
            assert (is_open(screen), box(screen).value) == (False, "question")
            assert answers(receiver) == []


@pytest.mark.parametrize(
    ("reads", "keys"),
    [
        (["\x1bq"], ["escape", "q"]),
        (["\x1b\x1b"], ["escape", "escape"]),
        (["\x1b\r\x1b[A"], ["escape", "enter", "up"]),
        (["/a\x1bG\x1bOP\x1b1"], ["slash", "a", "escape", "G", "f1", "escape", "1"]),
        (["\x1b\x7f\x1bb\x1bf"], ["ctrl+w", "ctrl+left", "ctrl+right"]),
        (["\x1b[200~a\x1bq\x1b[201~\x1bq"], ["a␛q", "escape", "q"]),
        (["x\x1b[200~a", "\x1bq", "b\x1b[20", "0\x1b[20", "1~", "\x1bq"], ["x", "a␛qb␛[200", "escape", "q"]),
        (["\x1b[200~a", "\x1b", "[201~\x1b\x1b[200~b\x1b[201~"], ["a", "escape", "b"]),
    ],
)
def test_escape_is_a_key_whatever_comes_behind_it(reads: list[str], keys: list[str]) -> None:
    """But for the moves by words of a line of text; what is pasted is text, in however many reads it comes."""
    parser = Keyboard()
    events = [event for read in (*reads, "") for event in parser.feed(read)]
    assert [event.text if isinstance(event, Paste) else getattr(event, "key", "") for event in events] == keys


async def test_what_is_asked_is_read_on_in_one_read(tmp_path: Path, receiver: Receiver) -> None:
    """PgDn behind `a` moves what is asked, which is longer than its place, and not the transcript."""
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", START, ask(title="\n".join(f"line {at}" for at in range(40))))
        async with terminal(service.url, "s") as screen:
            await screen.shows("(a)")
            await screen.type_ahead("a\x1b[6~\x1b[6~")
            words = screen.page.query_one("#answer-words", VerticalScroll)
            await wait_until(
                lambda: words.scroll_offset.y == 2 * (words.size.height - 1) > 0, "it is two pages on"
            )
            assert screen.page.transcript.follows


async def test_an_answer_in_words_is_typed_in_one_read(tmp_path: Path, receiver: Receiver) -> None:
    """Tab leads from options to a line for words, and every letter behind it is there."""
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", START, ask(turn=1), ask("i2", "question", "Which?", turn=1))
        async with terminal(service.url, "s", size=(80, 40)) as screen:
            await screen.shows("2 waiting for you")
            await screen.type_ahead(f"a{TAB}{TAB}2{TAB}quick {pasted('1j')} am{ENTER}")
            await screen.shows("Sent.")
            assert answers(receiver) == [("answered", {"text": "quick 1j am"})]


class Stuck(Widget, can_focus=True):
    """Lets go of no key before the end of the test."""

    def __init__(self) -> None:
        super().__init__()
        self.freed = asyncio.Event()

    async def on_key(self) -> None:
        """Keep it."""
        await self.freed.wait()


class Impatient(KeysInTurn):
    """An application with something that is stuck, and a command that needs nothing of it."""

    PATIENCE_S = 60.0
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "mark", priority=True)]
    marked = 0

    def compose(self) -> ComposeResult:
        """Build it."""
        yield Stuck()

    def action_mark(self) -> None:
        """Ctrl+C, as it were."""
        self.marked += 1


async def test_what_never_lets_go_of_a_key_does_not_take_the_keyboard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The next keys wait for it for a while, and then for it no more."""
    app = Impatient()
    async with app.run_test():
        await wait_until(lambda: app.focused is not None, "it has the focus")
        app.post_message(Key("x", "x"))
        await wait_until(lambda: app.has_keys, "a key is on its way")
        app.post_message(Key("ctrl+c", None))
        taken = asyncio.Event()
        app.call_later(taken.set)
        await taken.wait()
        assert app.marked == 0
        monkeypatch.setattr(Impatient, "PATIENCE_S", 0.0)
        app.post_message(Key("ctrl+c", None))
        await wait_until(lambda: app.marked == 1, "the first is acted on")
        app.query_one(Stuck).freed.set()
        await wait_until(lambda: app.marked == 2, "and the second, once it let go")
        await wait_until(lambda: not app.has_keys, "nothing waits")
