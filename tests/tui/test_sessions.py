"""`turnfold tui` without a session: the list to choose from, on a running service."""

from pathlib import Path

import pytest

from clients.tui.sessions_page import SessionsPage
from clients.wire.backoff import BackOff
from tests.api.socket_stack import serving_sockets
from tests.clients.wire_service import process
from tests.tui.driving import Terminal, terminal
from tests.tui.test_app import turn, url_of
from tests.tui.test_hostile import BAD, FORBIDDEN
from tests.waiting import wait_until

ASK = {"type": "interaction/request", "turn": 2, "id": "p", "kind": "permission", "title": "push it?"}
START = {"type": "turn/start", "turn": 2}


def titled(title: str) -> dict[str, str]:
    """What a session is called."""
    return {"type": "session/meta", "title": title}


def page_of(screen: Terminal) -> SessionsPage:
    """The list, which is what shows."""
    assert isinstance(screen.app.screen, SessionsPage)
    return screen.app.screen


def sessions(screen: Terminal) -> list[str]:
    """The rows of the list."""
    return [row for row in screen.rows()[1:-2] if row]


def chosen(screen: Terminal) -> str:
    """The row that Enter opens."""
    return next(row for row in sessions(screen) if row.startswith("›"))


async def test_a_session_is_opened_and_left_for_the_list(tmp_path: Path) -> None:
    """Enter opens, `q` and Esc lead back, a search ends first; the phase is kept for the next session."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("one", titled("The first"), *turn(1))
        await service.stack.post("two", titled("The second"), *turn(2))
        async with terminal(url_of(service), None) as screen:
            await screen.shows("The first")
            assert ["The second" in sessions(screen)[0], "The first" in sessions(screen)[1]] == [True, True]
            assert "The second" in chosen(screen)
            await screen.press("down", "enter")
            await screen.shows("answer 1")
            assert "q back" in screen.rows()[-1]
            await screen.press("ctrl+o")
            await screen.shows("output 1")
            await screen.press("/", *"answer", "enter")
            await screen.press("escape")
            assert "answer 1" in screen.text()
            await screen.press("escape")
            await screen.shows("2 sessions")
            assert "The first" in chosen(screen)
            await screen.press("up", "enter")
            await screen.shows("output 2")
            await screen.press("q")
            await screen.shows("2 sessions")
            await screen.press("q")
        assert screen.app.return_code == 0


async def test_the_list_is_live_and_the_reader_stays_at_a_session(tmp_path: Path) -> None:
    """What runs, waits, ends or is deleted is seen at once; what comes above leaves the same one chosen."""
    async with process(tmp_path / "data") as service:
        await service.append("mine", titled("Mine"), *turn(1))
        async with terminal(service.url, None) as screen:
            await screen.shows("✓ completed")
            assert "Mine" in chosen(screen)
            await service.append("other", titled("Another"), START)
            await screen.shows("● running")
            assert "Another" in sessions(screen)[0]
            assert "Mine" in chosen(screen)
            await service.append("other", ASK)
            await screen.shows("▶ 1 waiting for you")
            await service.append("other", {"type": "turn/end", "turn": 2, "reason": "failed"})
            await screen.shows("✗ failed")
            await service.delete("mine")
            await screen.shows_not("Mine")
            assert "Another" in chosen(screen)


@pytest.mark.timeout(180)  # 230 sessions are made first
async def test_older_sessions_are_loaded_on_the_way_down(tmp_path: Path) -> None:
    """More than the socket tells at first; each is there once, in order."""
    async with serving_sockets(tmp_path) as service:
        for number in range(230):
            await service.stack.post(f"s{number:03d}", START)
        async with terminal(url_of(service), None) as screen:
            await screen.shows("200+ sessions")
            assert "s229" in chosen(screen)
            await screen.press("G")
            await screen.shows("230 sessions")
            await screen.press("G")
            await screen.shows("› ● running             s000")
            held = [one["session"] for one in page_of(screen).list.newest_first()]
            assert held == [f"s{number:03d}" for number in reversed(range(230))]
            await screen.press("g")
            await screen.shows("› ● running             s229")


@pytest.mark.timeout(180)  # a service that dies and comes back
async def test_a_lost_connection_is_said_and_the_list_comes_back(tmp_path: Path) -> None:
    """What was read stays, and what happened meanwhile is there afterwards."""
    async with process(tmp_path / "data") as service:
        await service.append("s", titled("Before"), START)
        async with terminal(service.url, None) as screen:
            await screen.shows("Before")
            page_of(screen).connection._back_off = BackOff(lambda: 0.2)
            await service.kill()
            await screen.shows("connection lost", within_s=30)
            assert "Before" in screen.text()
            await service.start()
            await service.append("s", titled("After"))
            await screen.shows("After", within_s=40)
            await screen.shows_not("connection lost")


async def test_an_empty_list_says_so_and_shows_what_comes(tmp_path: Path) -> None:
    """Nothing to open yet: Enter does nothing."""
    async with serving_sockets(tmp_path) as service, terminal(url_of(service), None) as screen:
        await screen.shows("No sessions yet.")
        await screen.press("enter", "down", "G", "pageup")
        await service.stack.post("s", titled("First of all"), START)
        await screen.shows("› ● running")
        assert "First of all" in chosen(screen)


async def test_titles_of_strangers_and_any_size_are_drawn(tmp_path: Path) -> None:
    """No escape, no turned order, no torn row; from one cell to 200."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("bad", titled(BAD * 40), START)
        await service.stack.post("wide", titled("表格导出🙂" * 30), START)
        async with terminal(url_of(service), None, locale="zh-CN") as screen:
            await screen.shows("表格导出")
            for size in ((40, 12), (200, 50), (5, 2), (1, 1), (80, 24)):
                await screen.resize(*size)
                assert screen.widths() <= {size[0]}
                for row in screen.rows():
                    assert FORBIDDEN.search(row) is None, repr(row)
            await wait_until(lambda: "运行中" in screen.text(), "it says what they do")
