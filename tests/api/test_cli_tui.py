"""`turnfold tui` into a pipe, as a process (F-4): plain text and the end, or one line that says why not."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.api.command import ROOT, SAMPLE, TURN, turnfold, written
from tests.api.test_serve import environment, served
from tests.waiting import wait_until

STEERED: list[dict[str, Any]] = [
    *TURN[:4],
    {
        "type": "user/steering",
        "turn": 1,
        "id": "s",
        "state": "delivered",
        "content": [{"type": "text", "text": "And \x1b[2Jfolders?"}],
    },
    {
        "type": "assistant/message",
        "turn": 1,
        "step": 2,
        "blocks": [{"type": "reasoning", "text": "Count."}, {"type": "text", "text": "Three, 三个\u202e."}],
    },
    {"type": "interaction/request", "turn": 1, "id": "p", "kind": "question", "title": "which?"},
]


def test_a_pipe_gets_the_transcript_of_the_chosen_phase(tmp_path: Path) -> None:
    """Every phase, reasoning and language; what waits for the reader stands in all of them; nothing steers."""

    async def printed() -> dict[str, list[str]]:
        async with served(environment(tmp_path / "data")) as (client, _):
            url = str(client.base_url)
            sent = await client.post("/v1/sessions/s/events", params={"wait": "projected"}, json=STEERED)
            assert sent.is_success, sent.text
            lines = {}
            for options in (
                "", "--phase expanded", "--phase hidden", "--phase hidden --no-reasoning", "--locale zh-CN"
            ):  # fmt: skip
                arguments = ["tui", "s", "--url", url, *options.split()]
                done = await asyncio.to_thread(turnfold, *arguments)
                assert (done.returncode, done.stderr) == (0, "")
                lines[options] = done.stdout.splitlines()
            return lines

    lines = asyncio.run(printed())
    human = ["You", "┃ How many?", "", "Assistant", "  ⚙ bash ✓  ls"]
    steered = ["", "You (while it ran)", "┃ And ␛[2Jfolders?", ""]
    body = ["  ~ Count.", "  Three, 三个\ufffd."]
    waits = ["▶ question: which? — waits for you", "● running · waits for you (1)"]
    assert lines[""] == [*human, *steered, "Assistant", *body, *waits]
    assert lines["--phase expanded"] == [*human, "    ← ls", "    → 3", *steered, "Assistant", *body, *waits]
    assert lines["--phase hidden"] == [*human[:2], *steered, "Assistant", *body, *waits]
    assert lines["--phase hidden --no-reasoning"] == [*human[:2], *steered, "Assistant", body[1], *waits]
    assert lines["--locale zh-CN"][0] == "你"
    assert lines["--locale zh-CN"][-1] == "● 运行中 · 等待你 (1)"


async def test_what_was_imported_is_printed_whole_page_by_page(tmp_path: Path) -> None:
    """A session of more turns than one answer holds, from its first to its last line."""
    events = []
    for turn in range(1, 1_201):
        text = [{"type": "text", "text": f"answer {turn}"}]
        events += [
            {"type": "turn/start", "turn": turn},
            {
                "type": "user/message",
                "turn": turn,
                "id": f"u{turn}",
                "content": [{"type": "text", "text": "?"}],
            },
            {"type": "assistant/message", "turn": turn, "step": 1, "blocks": text},
            {"type": "turn/end", "turn": turn, "reason": "completed"},
        ]
    file = written(tmp_path / "long.jsonl", events)
    async with served(environment(tmp_path / "data")) as (client, _):
        url = str(client.base_url)
        sent = await asyncio.to_thread(turnfold, "import", file, "--session", "s", "--url", url)
        assert sent.returncode == 0, sent.stderr

        async def is_projected() -> bool:
            return bool((await client.get("/v1/sessions/s")).json().get("next_seq") == len(events))

        await wait_until(is_projected, "every event is projected", within_s=30)
        first_page = (await client.get("/v1/sessions/s/transcript")).json()
        assert not first_page["history_complete"]
        done = await asyncio.to_thread(turnfold, "tui", "s", "--url", url)
        nobody = await asyncio.to_thread(turnfold, "tui", "nobody", "--url", url)
    assert [line for line in done.stdout.splitlines() if "answer" in line] == [
        f"  answer {turn}" for turn in range(1, 1_201)
    ]
    assert nobody.returncode == 1
    assert nobody.stderr == f"turnfold: there is no session 'nobody' at {url.rstrip('/')}\n"


async def test_great_texts_are_printed_whole_and_cards_only_where_they_are_open(tmp_path: Path) -> None:
    """What travels as its head is asked for: a file of a transcript lacks nothing; a delegate's texts too."""
    words = "\n".join(f"line {number}" for number in range(300))
    inner = {"turn": 1, "step": 1, "parent_call_id": "c"}
    events = [
        *TURN[:3],
        {"type": "assistant/message", "blocks": [{"type": "text", "text": f"{words}\ninner end"}], **inner},
        {"type": "tool/result", "call_id": "c", "status": "ok", "output": f"{words}\noutput end"},
        {**TURN[4], "blocks": [{"type": "text", "text": f"{words}\nanswer end"}]},
        TURN[5],
    ]
    async with served(environment(tmp_path / "data", TURNFOLD_INLINE_BYTES="1024")) as (client, _):
        url = str(client.base_url)
        sent = await client.post("/v1/sessions/s/events", params={"wait": "projected"}, json=events)
        assert sent.is_success, sent.text
        closed = (await asyncio.to_thread(turnfold, "tui", "s", "--url", url)).stdout
        opened = (await asyncio.to_thread(turnfold, "tui", "s", "--phase", "expanded", "--url", url)).stdout
    assert ("answer end" in closed, "output end" in closed, "in all" in closed) == (True, False, False)
    for end in ("answer end", "output end", "inner end"):
        assert end in opened
    assert "in all" not in opened
    assert opened.count("line 299") == 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["tui"], "Missing argument"),
        (["tui", "no good"], "is not a session id"),
        (["tui", "s", "--phase", "odd"], "'odd' is not one of"),
        (["tui", "s", "--url", "http://127.0.0.1:1"], "does not answer"),
        (["tui", "s", "--url", "nonsense"], "is not an address"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_an_error_is_one_clear_line_and_a_failing_exit_code(arguments: list[str], says: str) -> None:
    """No traceback, whatever was asked."""
    done = turnfold(*arguments)
    assert done.returncode != 0
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("turnfold: ")
    assert says in done.stderr


def test_no_other_command_loads_the_terminal() -> None:
    """`serve` starts as fast as without it: neither the framework nor the client is imported before `tui` runs."""
    program = (
        "import json, sys; import api.cli; "
        "print(json.dumps([name for name in sys.modules if name.split('.')[0] == 'textual' "
        "or name.startswith(('clients.tui', 'clients.wire'))]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == []


def test_show_and_a_pipe_agree_on_the_sample(tmp_path: Path) -> None:
    """The same file offline: `show --view tui` names the same headers, in the same order."""
    shown = turnfold("show", "--view", "tui", SAMPLE).stdout.splitlines()

    async def printed() -> list[str]:
        async with served(environment(tmp_path / "data")) as (client, _):
            url = str(client.base_url)
            await asyncio.to_thread(turnfold, "import", SAMPLE, "--session", "s", "--url", url)

            async def is_projected() -> bool:
                return bool((await client.get("/v1/sessions/s")).json().get("next_seq") == 279)

            await wait_until(is_projected, "every event is projected")
            return (await asyncio.to_thread(turnfold, "tui", "s", "--url", url)).stdout.splitlines()

    lines = asyncio.run(printed())
    for what in ("Assistant", "  ⏱ ", "— ", "  ↻ "):
        assert sum(line.startswith(what) for line in lines) == sum(line.startswith(what) for line in shown), (
            what
        )
