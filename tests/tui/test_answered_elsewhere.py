"""A question that is answered elsewhere while somebody types: no letter becomes a command, no word is lost or sent."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from clients.tui.answering import Answering
from tests.api.test_http_interactions import Receiver, receiver
from tests.clients.wire_service import Process
from tests.tui.driving import Terminal, terminal
from tests.tui.test_answering import CALL, START, answers, ask, forwarding, is_open
from tests.tui.test_app import turn
from tests.waiting import wait_until

__all__ = ["receiver"]

Event = dict[str, Any]
RESOLVED: Event = {"type": "interaction/resolve", "id": "i/1", "outcome": "by Ada"}
REWOUND: Event = {"type": "session/rewind", "before_turn": 1}
ENDED: Event = {"type": "turn/end", "turn": 1, "reason": "aborted"}
SURE = ask(kind="question", title="Sure?", turn=1)


def untouched(screen: Terminal) -> bool:
    """Whether no letter was a command: the same page, colours and phase, no search, and it runs."""
    page = screen.app.screen is screen.page and screen.app.is_running
    return page and screen.app.colours == "dark" and screen.page.searching.pattern is None


@pytest.mark.parametrize(
    "case",
    [
        ("en", (RESOLVED,), "Answered elsewhere: by Ada", "enter"),
        ("zh-CN", (RESOLVED,), "已在别处答复：by Ada", "escape"),
        ("en", (ENDED,), "It does not wait any more.", "escape"),
        ("en", (REWOUND,), "It does not wait any more.", "enter"),
        ("zh-CN", (REWOUND,), "已不再等待。", "enter"),
        ("en", (REWOUND, START, SURE), "Something else is asked now.", "escape"),
    ],
    ids=["answered", "answered-zh", "turn-ended", "rewound", "rewound-zh", "other-question"],
)
async def test_words_that_were_not_sent_stay_until_a_key_sends_them_away(
    tmp_path: Path, receiver: Receiver, case: tuple[str, tuple[Event, ...], str, str]
) -> None:
    """The panel stays with them and says why; letters, `q` among them, do nothing; nothing is ever sent."""
    locale, events, says, key = case
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", START, ask(kind="question", title="Which?"))
        async with terminal(service.url, "s", locale=locale) as screen:
            await screen.shows("(a)")
            await screen.press("a", *"quick")
            await service.append("s", *events)
            await screen.shows(says)
            await screen.press(*" brqtn/2?", "tab", "backspace")
            await screen.type_ahead("\x1b[200~pasted\x1b[201~q")
            assert is_open(screen)
            assert untouched(screen)
            assert screen.page.words["waiting"] not in screen.text().partition("╭")[2]
            assert any(row.rstrip("│ ").endswith("quick") for row in screen.rows()), screen.text()
            await screen.press(key)
            assert not is_open(screen)
            assert untouched(screen)
            await screen.press("t")
            assert screen.app.colours == "light"
            await screen.press("q")
        assert answers(receiver) == []


async def test_many_words_are_read_on_in(tmp_path: Path, receiver: Receiver) -> None:
    """All that was not sent is there, by PgDn, with the way out in sight."""
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", START, ask(kind="question", title="Which?"))
        async with terminal(service.url, "s") as screen:
            await screen.shows("(a)")
            await screen.type_ahead("a\x1b[200~first " + "word\n" * 200 + "last\x1b[201~")
            await service.append("s", RESOLVED)
            await screen.shows("Not sent: first word word")
            await screen.shows("Esc back")
            for _ in range(10):
                await screen.press("pagedown")
            await screen.shows("word last")
            assert "first" not in screen.text()


async def test_a_letter_that_came_just_too_late_is_no_command(
    tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing was typed the panel closes; for a moment, keys that were meant for it do nothing."""
    monkeypatch.setattr(Answering, "GRACE_S", 600.0)
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", START, ask())
        async with terminal(service.url, "s") as screen:
            await screen.shows("(a)")
            await screen.press("a")
            await service.append("s", RESOLVED)
            await wait_until(lambda: not is_open(screen), "the panel is closed")
            await screen.press(*"qt2", "enter", "escape")
            await screen.type_ahead("question")
            assert untouched(screen)
            await screen.press("ctrl+o")
            await screen.shows("expanded")
            monkeypatch.setattr(Answering, "GRACE_S", 0.0)
            await screen.press("t")
            assert screen.app.colours == "light"
            await screen.press("q")
        assert screen.app.return_code == 0


async def test_a_search_beside_the_panel_goes_on(tmp_path: Path, receiver: Receiver) -> None:
    """What closes a panel that the keys are not in takes them from nobody."""
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", *turn(1), {**START, "turn": 2}, ask())
        async with terminal(service.url, "s", size=(80, 40)) as screen:
            await screen.shows("(a)")
            await screen.press("a", "slash", *"que")
            await service.append("s", RESOLVED)
            await wait_until(lambda: not is_open(screen), "the panel is closed")
            await screen.press(*"stion")
            assert screen.page.searching.query == "question"
            assert screen.app.colours == "dark"


@asynccontextmanager
async def on_their_way(tmp_path: Path, receiver: Receiver) -> AsyncIterator[tuple[Process, Terminal]]:
    """A question, and an answer in words to it, which the host has and keeps waiting for its own."""
    receiver.stalls_s = 60
    async with forwarding(tmp_path, receiver, TURNFOLD_ANSWERS_TIMEOUT_MS="60000") as service:
        await service.append("s", START, ask(kind="question", title="Which?"))
        async with terminal(service.url, "s") as screen:
            await screen.shows("(a)")
            await screen.press("a", *"quick", "enter")
            await screen.shows("Sending …")
            yield service, screen


async def test_words_on_their_way_are_not_called_lost(tmp_path: Path, receiver: Receiver) -> None:
    """The agent goes on before the host says that it took them: they were sent, and the panel says nothing else."""
    async with on_their_way(tmp_path, receiver) as (service, screen):
        await service.append("s", {**RESOLVED, "outcome": "answered"})
        await screen.shows_not("waiting for you")
        assert "Sending …" in screen.text()
        receiver.goes_on.set()
        await screen.shows("Sent.")
        assert not is_open(screen)
        assert answers(receiver) == [("answered", {"text": "quick"})]


async def test_words_that_came_too_late_are_there_to_be_read(tmp_path: Path, receiver: Receiver) -> None:
    """The host refuses what was on its way while another answer came: words are shown as not sent, and no key is."""
    receiver.status = 503
    async with on_their_way(tmp_path, receiver) as (service, screen):
        await service.append("s", RESOLVED)
        await screen.shows_not("waiting for you")
        receiver.goes_on.set()
        await screen.shows("Answered elsewhere: by Ada")
        await screen.shows("Not sent: quick")
        await screen.press("q")
        assert is_open(screen)


@pytest.mark.parametrize("phase", ["collapsed", "hidden"])
async def test_another_phase_ends_no_answer(tmp_path: Path, receiver: Receiver, phase: str) -> None:
    """A half-typed answer to a delegate is still one after Ctrl+O, and is sent."""
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", START, CALL, ask("i2", "question", "Which?", parent_call_id="d1"))
        async with terminal(service.url, "s", phase=phase) as screen:
            await screen.shows("(a)")
            await screen.press("a", *"quick")
            for shown in ("expanded", "hidden", "collapsed") if phase == "collapsed" else ("collapsed",):
                await screen.press("ctrl+o")
                await screen.shows(shown)
                await wait_until(lambda: screen.page.session.is_shown, "it is the phase that was asked for")
            await screen.press(*" one", "enter")
            await screen.shows("Sent.")
            assert answers(receiver) == [("answered", {"text": "quick one"})]
