"""The command `turnfold` as its users run it: a process, its output, and its exit code."""

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api.test_serve import environment, served, start
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "service" / "samples" / "flaky-test.jsonl"
TURN: list[dict[str, Any]] = [
    {"type": "turn/start", "turn": 1},
    {"type": "user/message", "turn": 1, "id": "u", "content": [{"type": "text", "text": "How many?"}]},
    {"type": "tool/call", "turn": 1, "step": 1, "call_id": "c", "name": "bash", "input": {"command": "ls"}},
    {"type": "tool/result", "call_id": "c", "status": "ok", "output": "3"},
    {"type": "assistant/message", "turn": 1, "step": 2, "blocks": [{"type": "text", "text": "Three."}]},
    {"type": "turn/end", "turn": 1, "reason": "completed"},
]


def turnfold(*arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    environ = {**os.environ, "NO_COLOR": "1", **variables}
    command = [sys.executable, "-c", "from api.cli import main; main()", *map(str, arguments)]
    return subprocess.run(
        command,
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def written(path: Path, events: list[dict[str, Any]]) -> Path:
    """A native session file."""
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return path


def test_show_folds_a_closed_turn_behind_its_label_and_keeps_the_answer(tmp_path: Path) -> None:
    """The text view shows what the page shows."""
    done = turnfold("show", written(tmp_path / "s.jsonl", TURN))
    assert done.returncode == 0
    assert done.stdout.splitlines() == ["You: How many?", "▸ 1 tool call", "Three.", "— completed", ""]


def test_show_expand_shows_the_members_too(tmp_path: Path) -> None:
    """In their places, the label above them."""
    lines = turnfold("show", "--expand", written(tmp_path / "s.jsonl", TURN)).stdout.splitlines()
    assert lines[1:4] == ["▾ 1 tool call", "  ⚙ bash ls", "    → 3"]


def test_show_speaks_chinese(tmp_path: Path) -> None:
    """Labels and words alike."""
    done = turnfold("show", "--locale", "zh-CN", written(tmp_path / "s.jsonl", TURN))
    assert "▸ 1 次工具调用" in done.stdout
    assert "— 已完成" in done.stdout


def test_show_json_is_one_document_a_line(tmp_path: Path) -> None:
    """The transcript of the wire, whole, one line for each file."""
    one, two = written(tmp_path / "one.jsonl", TURN), written(tmp_path / "two.jsonl", TURN[:2])
    documents = [json.loads(line) for line in turnfold("show", "--json", one, two).stdout.splitlines()]
    assert [document["session"] for document in documents] == ["one", "two"]
    assert documents[0]["history_complete"] is True
    assert documents[0]["position"] == {"epoch": "", "version": 0}
    assert documents[0]["turns"][0]["presentation"]["members"] == ["tool:c"]


def test_show_ends_the_last_turn_of_a_finished_file_and_leaves_that_of_an_open_one(tmp_path: Path) -> None:
    """Rule 9: completed with an answer, interrupted without; `--open` says that the file still grows."""
    answered, cut = written(tmp_path / "a.jsonl", TURN[:5]), written(tmp_path / "b.jsonl", TURN[:3])
    outcomes = [
        json.loads(line)["turns"][0]["outcome"]
        for line in turnfold("show", "--json", answered, cut).stdout.splitlines()
    ]
    assert outcomes == ["completed", "interrupted"]
    still_open = turnfold("show", "--open", answered)
    assert "● running" in still_open.stdout


def test_show_makes_terminal_escapes_harmless(tmp_path: Path) -> None:
    """What could steer a terminal is shown as a sign."""
    events = [*TURN[:4], {**TURN[4], "blocks": [{"type": "text", "text": "a\x1b[2Jb\u202ec"}]}, TURN[5]]
    shown = turnfold("show", written(tmp_path / "s.jsonl", events)).stdout
    assert "a␛[2Jb�c" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nope"], "No such command 'nope'"),
        (["show"], "Missing argument"),
        (["show", "/does/not/exist"], "No such file or directory"),
        (["show", "--view", "tui", "x"], "--view tui is not offered yet"),
        (["show", "--mode", "odd", "x"], "'odd' is not one of"),
        (["show", ROOT / "LICENSE"], "unknown session format"),
        (["import", "--session", "no good", SAMPLE], "is not a session id"),
        (["import", "--url", "http://127.0.0.1:1", SAMPLE], "does not answer"),
        (["tail", "--url", "http://127.0.0.1:1", "s"], "does not answer"),
        (["tail", "--url", "nonsense", "s"], "is not an address"),
        (["serve", "--port", "abc"], "TURNFOLD_PORT='abc'"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_an_error_is_one_clear_line_and_a_failing_exit_code(arguments: list[str | Path], says: str) -> None:
    """No traceback, whatever was asked."""
    done = turnfold(*arguments)
    assert done.returncode != 0
    lines = [line for line in done.stderr.splitlines() if "waiting for the service" not in line]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("turnfold: ")
    assert says in lines[0]


def test_a_reader_who_has_had_enough_is_no_error() -> None:
    """`turnfold show … | head -1`."""
    command = f'{sys.executable} -c "from api.cli import main; main()" show {SAMPLE} {SAMPLE} | head -1'
    done = subprocess.run(
        ["/bin/bash", "-o", "pipefail", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


async def test_import_then_the_live_transcript_equals_show(tmp_path: Path) -> None:
    """Live equals offline; a second import changes nothing and says so."""
    async with served(environment(tmp_path / "data")) as (client, _):
        url = str(client.base_url)
        first = turnfold("import", SAMPLE, "--session", "s", "--url", url)
        assert first.returncode == 0, first.stderr
        again = turnfold("import", SAMPLE, "--session", "s", "--url", url)
        assert "279 of them known already" in again.stdout
        offline = json.loads(turnfold("show", "--json", SAMPLE).stdout)

        async def is_projected() -> bool:
            return bool((await client.get("/v1/sessions/s")).json().get("next_seq") == 279)

        await wait_until(is_projected, "every event is projected")
        live = (await client.get("/v1/sessions/s/transcript", params={"view": "web"})).json()
    for name in ("session", "position"):
        del live[name], offline[name]
    assert live == offline


async def test_import_goes_on_after_the_service_was_killed(tmp_path: Path) -> None:
    """kill -9 in the middle, engine included: the import waits, nothing is lost and nothing comes twice."""
    environ = environment(tmp_path / "data")
    async with served(environ) as (client, process):
        port = str(client.base_url.port)
        command = [
            sys.executable,
            "-c",
            "from api.cli import main; main()",
            "import",
            str(SAMPLE),
            "--speed",
            "1x",
        ]
        importing = await asyncio.create_subprocess_exec(
            *command,
            "--session",
            "s",
            "--url",
            str(client.base_url),
            cwd=ROOT,
            stdout=asyncio.subprocess.DEVNULL,
        )

        async def has_begun() -> bool:
            return bool((await client.get("/v1/sessions/s")).json().get("next_seq", 0) > 20)

        await wait_until(has_begun, "some events are projected")
        process.kill()
        await process.wait()
        again = await start({**environ, "TURNFOLD_PORT": port})
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:

        async def is_whole() -> bool:
            try:
                return bool((await client.get("/v1/sessions/s")).json().get("next_seq") == 279)
            except httpx.TransportError:
                return False

        await wait_until(is_whole, "the import has gone on to its end", within_s=60)
        log = [
            json.loads(line)["event"]
            for line in (await client.get("/v1/sessions/s/events")).text.splitlines()
        ]
    assert await asyncio.wait_for(importing.wait(), 20) == 0
    again.terminate()
    await again.communicate()
    assert [event.get("type") for event in log] == [
        json.loads(line)["type"] for line in SAMPLE.read_text().splitlines()
    ]


async def test_tail_follows_a_session_and_ends_when_it_is_deleted(tmp_path: Path) -> None:
    """Rows as they come, the label at the turn's end, one clear line at the session's."""
    async with served(environment(tmp_path / "data")) as (client, _):
        url = str(client.base_url)
        command = [sys.executable, "-u", "-c", "from api.cli import main; main()", "tail", "s", "--url", url]
        seen = tmp_path / "out"
        with seen.open("w") as output:
            tailing = await asyncio.create_subprocess_exec(
                *command, cwd=ROOT, stdout=output, stderr=asyncio.subprocess.PIPE
            )
        await client.post("/v1/sessions/s/events", json=TURN)
        await wait_until(lambda: "— completed" in seen.read_text(), "the turn was printed", within_s=20)
        await client.delete("/v1/sessions/s")
        _, stderr = await asyncio.wait_for(tailing.communicate(), 20)
    assert tailing.returncode == 1
    assert stderr.decode() == "turnfold: session 's' was deleted\n"
    assert "Three." in seen.read_text()
    assert "▸ 1 tool call" in seen.read_text()


def test_a_help_page_comes_quickly() -> None:
    """A command that takes seconds to say how it is used is not used."""
    turnfold("--help")
    began = time.monotonic()
    assert turnfold("--help").returncode == 0
    assert time.monotonic() - began < 5
