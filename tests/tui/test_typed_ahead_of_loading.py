"""What is typed while a session is still on its way means what it means once the session is there."""

import asyncio
from pathlib import Path

import pytest

from clients.wire.connection import Connection
from clients.wire.messages import Frame, Snapshot
from tests.api.socket_stack import serving_sockets
from tests.api.test_http_interactions import Receiver, receiver
from tests.tui.driving import Terminal, terminal
from tests.tui.test_answering import START, answers, ask, forwarding, is_open
from tests.tui.test_app import turn, url_of
from tests.tui.test_typed_ahead import ENTER, ESCAPE, box

__all__ = ["receiver"]

QUESTION = ask("i2", "question", "Which?", turn=1)


@pytest.fixture
def arrives(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """The session's first snapshot reaches the client when this is set, as over a slow line."""
    event, take = asyncio.Event(), Connection._take

    async def slowly(self: Connection[object], socket: object, frame: Frame) -> None:
        if isinstance(frame, Snapshot):
            await event.wait()
        await take(self, socket, frame)  # type: ignore[arg-type]

    monkeypatch.setattr(Connection, "_take", slowly)
    return event


def stands(screen: Terminal) -> str:
    """How the search stands, in words."""
    return screen.page.searching.told(screen.page.words)


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("/question", "3 of 3"),
        (f"/question 2{ENTER}", "1 of 1"),
        (f"/question{ENTER}NN", "1 of 3"),
        (f"/question{ENTER}NNn", "2 of 3"),
        (f"/nowhere{ENTER}", "not found"),
    ],
    ids=["typing", "entered", "previous", "next", "nowhere"],
)
async def test_a_search_looks_again_when_the_session_is_there(
    tmp_path: Path, arrives: asyncio.Event, typed: str, says: str
) -> None:
    """It is led to the nearest match and counted as if it were typed then; until then nothing is said of it."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s", *(event for one in (1, 2, 3) for event in turn(one)))
        async with terminal(url_of(service), "s", size=(80, 12)) as screen:
            await screen.type_ahead(typed)
            await screen.shows("loading …")
            assert "not found" not in screen.text()
            arrives.set()
            await screen.shows(says)
            if says == "not found":
                assert screen.page.transcript.place is None
                return
            place = screen.page.transcript.place
            assert place is not None
            found = place.piece.lines[place.line]
            assert found == {"3 of 3": "question 3", "1 of 3": "question 1"}.get(says, "question 2")
            await screen.shows(found)


async def test_a_search_that_was_ended_is_not_taken_up(tmp_path: Path, arrives: asyncio.Event) -> None:
    """Esc before the session is there, and another search behind it: the last alone counts."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s", *(event for one in (1, 2, 3) for event in turn(one)))
        async with terminal(url_of(service), "s", size=(80, 60)) as screen:
            await screen.type_ahead(f"/question{ENTER}N{ESCAPE}/answer{ENTER}")
            arrives.set()
            await screen.shows("answer 1")
            await screen.shows("1 of 3")
            await screen.type_ahead(ESCAPE)
            assert stands(screen) == ""
            assert box(screen).has_class("shown") is False


async def test_an_answer_waits_for_what_is_asked(
    tmp_path: Path, receiver: Receiver, arrives: asyncio.Event
) -> None:
    """`a` opens the panel once there is something in it; nobody is told that nothing waits."""
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", START, QUESTION)
        async with terminal(service.url, "s") as screen:
            await screen.type_ahead("a")
            await screen.shows("loading …")
            assert "Nothing waits" not in screen.text()
            assert not is_open(screen)
            arrives.set()
            await screen.shows("Your answer")
            await screen.type_ahead(f"quick{ENTER}")
            await screen.shows("Sent.")
            assert answers(receiver) == [("answered", {"text": "quick"})]


@pytest.mark.parametrize("typed", ["aj", f"a{ESCAPE}", "a/que"])
async def test_another_key_takes_the_wish_to_answer_back(
    tmp_path: Path, receiver: Receiver, arrives: asyncio.Event, typed: str
) -> None:
    """What was pressed since was not meant for a panel, which would be in its way."""
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", START, QUESTION)
        async with terminal(service.url, "s") as screen:
            await screen.type_ahead(typed)
            arrives.set()
            await screen.shows("Which?")
            await screen.pilot.pause(0.3)
            assert not is_open(screen)
            assert box(screen).value == typed.partition("/")[2]
