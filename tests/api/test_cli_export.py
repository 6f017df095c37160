"""`turnfold export` as its users run it."""

import asyncio
from pathlib import Path

from tests.api.command import TURN, turnfold
from tests.api.stack import serving
from tests.api.test_cli_status import on_a_port


async def test_a_session_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """The very bytes of the service, to the output or into a file; a refusal leaves what stood there."""
    saved = tmp_path / "s1.html"
    async with serving(tmp_path / "data") as stack, on_a_port(stack) as url:
        await stack.post("s1", *TURN)
        asked = ("export", "s1", "--url", url, "--format", "html")
        there = (
            await stack.client.get("/v1/sessions/s1/export", params={"format": "html", "locale": "en"})
        ).text
        printed = await asyncio.to_thread(turnfold, *asked)
        written = await asyncio.to_thread(turnfold, *asked, "--output", saved)
        assert (printed.returncode, printed.stdout) == (0, there)
        assert (written.returncode, written.stdout, saved.read_text()) == (0, "", there)
        refused = await asyncio.to_thread(turnfold, "export", "none", "--url", url, "--output", saved)
        nowhere = await asyncio.to_thread(turnfold, *asked, "--output", tmp_path / "no" / "such")
    assert (refused.returncode, saved.read_text()) == (1, there)
    assert "No event of a session 'none' was seen" in refused.stderr
    assert (nowhere.returncode, len(nowhere.stderr.splitlines())) == (1, 1)
    left = await asyncio.to_thread(lambda: sorted(path.name for path in tmp_path.iterdir()))
    assert left == ["data", "s1.html"]


def test_no_service_is_one_line() -> None:
    """Nobody listens there."""
    done = turnfold("export", "s1", "--url", "http://127.0.0.1:9")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
