"""`turnfold tail` on a service that runs."""

import asyncio
import json
import shlex
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

from tests.api.command import COMMAND, SAMPLE, TURN, started, turnfold
from tests.api.test_serve import environment, served
from tests.waiting import wait_until

NOTICE = {"type": "notice", "id": "n", "level": "info", "text": "It begins."}


async def test_tail_follows_a_session_and_ends_when_it_is_deleted(tmp_path: Path) -> None:
    """Rows as they come, the label at the turn's end, one clear line at the session's."""
    seen = tmp_path / "out"
    async with served(environment(tmp_path / "data")) as (client, _):
        command = [*COMMAND, "tail", "s", "--url", str(client.base_url)]
        seen.touch()
        async with started(*command, stdout=seen, stderr=PIPE) as tailing:
            await client.post("/v1/sessions/s/events", json=TURN)
            await wait_until(lambda: "— completed" in seen.read_text(), "the turn was printed", within_s=20)
            await client.delete("/v1/sessions/s")
            _, stderr = await asyncio.wait_for(tailing.communicate(), 20)
    assert tailing.returncode == 1
    assert stderr.decode() == "turnfold: session 's' was deleted\n"
    assert "Three." in seen.read_text()
    assert "▸ 1 tool call" in seen.read_text()


async def test_tail_of_a_whole_import_has_every_text_in_order(tmp_path: Path) -> None:
    """Whatever a frame brings together: rows come in their places, and no streamed text is lost or doubled."""
    seen = tmp_path / "out"
    offline = json.loads(turnfold("show", "--json", SAMPLE).stdout)
    async with served(environment(tmp_path / "data")) as (client, _):
        url = str(client.base_url)
        await client.post("/v1/sessions/s/events", json=[NOTICE])
        seen.touch()
        async with started(*COMMAND, "tail", "s", "--url", url, stdout=seen):
            await wait_until(lambda: "It begins." in seen.read_text(), "the follower is there", within_s=20)
            done = await asyncio.to_thread(turnfold, "import", SAMPLE, "--session", "s", "--url", url)
            assert done.returncode == 0, done.stderr
            ends = len(offline["turns"])
            await wait_until(lambda: seen.read_text().count("\n— ") == ends, "every turn ended", within_s=20)
    printed, at = seen.read_text(), 0
    for text in settled_texts(offline):
        assert printed.count(text) == 1
        at = printed.index(text, at)


async def test_tail_prints_what_streamed_once_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    """Settling makes a head of streamed reasoning, which was printed whole; a great text that came at once is short."""
    seen = tmp_path / "out"
    thought = {"type": "reasoning", "text": "I think " * 3_000 + "!end!"}
    answer = {"type": "text", "text": "An answer " * 3_000 + "!never printed!"}
    in_step = {"turn": 1, "step": 1}
    streamed = {
        "type": "assistant/chunk",
        "index": 0,
        "kind": "reasoning",
        "text": thought["text"],
        **in_step,
    }
    async with served(environment(tmp_path / "data")) as (client, _):
        seen.touch()
        async with started(*COMMAND, "tail", "s", "--url", str(client.base_url), stdout=seen):
            await client.post("/v1/sessions/s/events", json=[{"type": "turn/start", "turn": 1}, streamed])
            await wait_until(lambda: "!end!" in seen.read_text(), "the thought was printed", within_s=20)
            settled = {"type": "assistant/message", "blocks": [thought], **in_step}
            great = {"type": "assistant/message", "turn": 1, "step": 2, "blocks": [answer]}
            await client.post("/v1/sessions/s/events", json=[settled, great, TURN[-1]])
            await wait_until(lambda: "— completed" in seen.read_text(), "the turn was printed", within_s=20)
    printed = seen.read_text()
    assert (printed.count("!end!"), printed.count("I think")) == (1, 3_000)
    assert printed.count("[… 30,015 bytes in all]") == 1
    assert "!never printed!" not in printed


async def test_tail_into_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    """It is not taken for a lost connection."""
    async with served(environment(tmp_path / "data")) as (client, _):
        await client.post("/v1/sessions/s/events", json=TURN)
        command = f"{shlex.join(COMMAND)} tail s --url {client.base_url} | head -1"
        async with started("/bin/bash", "-c", command, stdout=PIPE, stderr=PIPE) as tailing:
            assert tailing.stdout is not None
            assert await asyncio.wait_for(tailing.stdout.readline(), 20) == b"You: How many?\n"
            await client.post("/v1/sessions/s/events", json=[NOTICE])
            _, stderr = await asyncio.wait_for(tailing.communicate(), 20)
    assert stderr == b""


def settled_texts(transcript: dict[str, Any]) -> list[str]:
    """What the assistant said, in order."""
    rows = [row for turn in transcript["turns"] for row in turn["rows"] if row["kind"] == "assistant_step"]
    texts = [block["text"].strip() for row in rows for block in row["blocks"] if block["type"] == "text"]
    return [text for text in texts if text]
