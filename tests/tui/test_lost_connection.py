"""A connection that is lost says so, never looks like the end of a turn, and comes back where it was (E-15)."""

from pathlib import Path

from clients.wire.backoff import BackOff
from tests.api.socket_stack import serving_sockets
from tests.api.stack import SECRET
from tests.clients.wire_service import process
from tests.tui.driving import terminal
from tests.tui.test_app import chunk, turn, url_of
from tests.waiting import wait_until

START = {"type": "turn/start", "turn": 1}


async def test_a_killed_service_is_seen_waited_for_and_resumed(tmp_path: Path) -> None:
    """`kill -9` in mid-turn: the turn still runs as far as anyone knows; then the rest comes, once."""
    async with process(tmp_path / "data") as service:
        await service.append("s", START, chunk("before "))
        async with terminal(service.url, "s") as screen:
            screen.page.session.connection._back_off = BackOff(lambda: 0.2)
            await screen.shows("before")
            await service.kill()
            await screen.shows("connection lost · trying again in", within_s=30)
            assert "● running?" in screen.rows()[0]
            assert screen.body()[-1] == "● running · as of the lost connection"
            assert "completed" not in screen.text()
            await screen.press("ctrl+o")
            assert "expanded …" in screen.rows()[-2]
            await service.start()
            await service.append("s", chunk("after"))
            await screen.shows("before after", within_s=30)
            await screen.shows_not("expanded …")
            assert screen.body()[-1] == "● running"
            assert "lost" not in screen.text()


async def test_a_deleted_session_says_so_and_stays_readable(tmp_path: Path) -> None:
    """What was read is not taken from the screen."""
    async with process(tmp_path / "data") as service:
        await service.append("s", *turn(1))
        async with terminal(service.url, "s") as screen:
            await screen.shows("answer 1")
            assert (await service.delete("s")).is_success
            await screen.shows("this session was deleted")
            assert "  answer 1" in screen.body()


async def test_a_token_that_is_refused_ends_it_with_the_reason(tmp_path: Path) -> None:
    """Nothing was shown: a line that stays is worth more than an empty screen."""
    async with serving_sockets(tmp_path, secret=SECRET) as service:
        async with terminal(url_of(service), "s", token="nonsense") as screen:
            await wait_until(lambda: screen.app.return_code is not None, "it has ended", within_s=30)
        assert screen.app.return_code == 1
