"""The command `turnfold` as its users run it: a process, its output, and its exit code."""

import asyncio
import json
import os
import resource
import shlex
import signal
import subprocess
import sys
import threading
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.api.test_serve import environment, served
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "service" / "samples" / "flaky-test.jsonl"
COMMAND = [sys.executable, "-u", "-c", "from api.cli import main; main()"]
NOTICE = {"type": "notice", "id": "n", "level": "info", "text": "It begins."}
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
    command = [*COMMAND, *map(str, arguments)]
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


@asynccontextmanager
async def started(
    *command: str, stdout: Path | int, stderr: int | None = None
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A command that goes on; it and its children end with the block, whatever became of the test."""
    output = os.open(stdout, os.O_WRONLY) if isinstance(stdout, Path) else stdout
    process = await asyncio.create_subprocess_exec(
        *command, cwd=ROOT, start_new_session=True, stdout=output, stderr=stderr
    )
    if isinstance(stdout, Path):
        os.close(output)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def shell_words(*arguments: str | Path) -> str:
    """The command for a shell, wherever the checkout lies."""
    return shlex.join([*COMMAND, *map(str, arguments)])


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


def test_show_takes_a_view_and_its_preferences(tmp_path: Path) -> None:
    """As text, and as the wire's JSON that names every preference."""
    path = written(tmp_path / "s.jsonl", TURN)
    shown = turnfold("show", "--view", "desktop", path).stdout.splitlines()
    assert shown == ["You: How many?", "▸ Completed · 1 tool call", "Three.", ""]
    options = ["--mode", "flat", "--no-thinking", "--no-collapse-groups", "--no-collapse-thinking"]
    document = json.loads(turnfold("show", "--json", "--view", "desktop", *options, path).stdout)
    assert document["view"] == {
        "kind": "desktop", "mode": "flat", "thinking": False, "collapse_groups": False,
        "collapse_thinking": False, "locale": "en",
    }  # fmt: skip
    assert document["turns"][0]["presentation"]["entries"][0]["id"] == "user:u"
    document = json.loads(
        turnfold("show", "--json", "--view", "tui", "--phase", "hidden", "--no-reasoning", path).stdout
    )
    assert document["view"] == {"kind": "tui", "phase": "hidden", "reasoning": False}


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
        (["show", "--view", "tui", "--mode", "flat", "x"], "--view tui has no mode flat; use --phase"),
        (["show", "--view", "desktop", "--mode", "normal", "x"], "has no mode normal; use fully-folded"),
        (["show", "--no-thinking", "x"], "--thinking belongs to --view desktop, not to --view web"),
        (["show", "--view", "desktop", "--phase", "hidden", "x"], "--phase belongs to --view tui"),
        (["show", "--mode", "odd", "x"], "'odd' is not one of"),
        (["show", ROOT / "LICENSE"], "unknown session format"),
        (["import", "--session", "no good", SAMPLE], "is not a session id"),
        (["import", "--url", "http://127.0.0.1:1", SAMPLE], "does not answer"),
        (["status", "--url", "http://127.0.0.1:1"], "does not answer"),
        (["status", "--url", "nonsense"], "does not answer"),
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
    command = f"{shell_words('show', SAMPLE, SAMPLE)} | head -1"
    done = subprocess.run(
        ["/bin/bash", "-o", "pipefail", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("output", [">&-", ">/dev/full"])
def test_an_output_that_cannot_be_written_is_no_traceback(output: str) -> None:
    """Closed: nobody wants it. Full: one line."""
    command = f"{shell_words('show', SAMPLE)} {output}"
    done = subprocess.run(
        ["/bin/bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    full = (1, "turnfold: cannot go on: No space left on device\n")
    assert (done.returncode, done.stderr) == ((0, "") if output == ">&-" else full)


def test_an_output_of_another_encoding_gets_signs_instead(tmp_path: Path) -> None:
    """A label's sign is not in ASCII; the text goes on."""
    done = turnfold("show", written(tmp_path / "s.jsonl", TURN), PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "\\u25b8 1 tool call" in done.stdout


def test_the_account_of_a_file_makes_terminal_escapes_harmless(tmp_path: Path) -> None:
    """It quotes lines that could not be read."""
    file = tmp_path / "s.jsonl"
    file.write_text('{"type":"turn/start","turn":1}\n\x1b[31mrubbish\n')
    done = turnfold("show", file)
    assert "␛[31mrubbish" in done.stderr
    assert "\x1b" not in done.stderr


def test_the_account_of_a_file_can_be_printed_whatever_its_types_are_called(tmp_path: Path) -> None:
    """Half of a surrogate pair in a name is a sign, as any other thing that cannot be shown."""
    file = tmp_path / "s.jsonl"
    file.write_text('{"type":"turn/start","turn":1}\n{"type":"odd/\\ud83d"}\nrubbish\n')
    assert "odd/\ufffd" in turnfold("show", file).stderr


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (200, b"<html>", "is no Turnfold service"),
        (200, b"[]", "is no Turnfold service"),
        (200, b'{"events": [1]}', "is no Turnfold service"),
        (301, b"moved", "HTTP 301"),
        (403, b"[]", "HTTP 403"),
        (403, b'{"detail": "a\\u001b[2Jb"}', "a␛[2Jb"),
    ],
)
@pytest.mark.parametrize("command", [["import", SAMPLE], ["status"]], ids=["import", "status"])
def test_speaking_to_something_else_is_one_clear_line(
    command: list[str | Path], status: int, body: bytes, says: str
) -> None:
    """Whatever answers at the address."""

    class Stranger(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.do_POST()

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Stranger) as stranger:
        threading.Thread(target=stranger.serve_forever, daemon=True).start()
        done = turnfold(*command, "--url", f"http://127.0.0.1:{stranger.server_port}")
        stranger.shutdown()
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert says in done.stderr


async def test_import_splits_a_batch_that_is_too_great_for_one_request(tmp_path: Path) -> None:
    """The service's own limit decides; a single event beyond it is refused in the service's words."""
    environ = environment(
        tmp_path / "data", TURNFOLD_MAX_REQUEST_BYTES="8192", TURNFOLD_MAX_EVENT_BYTES="8192"
    )
    async with served(environ) as (client, _):
        url = str(client.base_url)
        done = await asyncio.to_thread(turnfold, "import", SAMPLE, "--session", "s", "--url", url)
        assert done.returncode == 0, done.stderr
        assert "279 events sent" in done.stdout
        great = {**TURN[1], "content": [{"type": "text", "text": "x" * 20_000}]}
        file = written(tmp_path / "great.jsonl", [TURN[0], great])
        refused = await asyncio.to_thread(turnfold, "import", file, "--url", url)
    assert refused.returncode == 1
    assert "TURNFOLD_MAX_REQUEST_BYTES" in refused.stderr


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
    async with AsyncExitStack() as opened:
        client, process = await opened.enter_async_context(served(environ))
        port = client.base_url.port
        command = [*COMMAND, "import", str(SAMPLE), "--speed", "1x", "--session", "s"]
        importing = await opened.enter_async_context(
            started(*command, "--url", str(client.base_url), stdout=DEVNULL)
        )

        async def has_begun() -> bool:
            return bool((await client.get("/v1/sessions/s")).json().get("next_seq", 0) > 20)

        await wait_until(has_begun, "some events are projected")
        process.kill()
        await process.wait()
        again = await opened.enter_async_context(served({**environ, "TURNFOLD_PORT": str(port)}))

        async def is_whole() -> bool:
            return bool((await again[0].get("/v1/sessions/s")).json().get("next_seq") == 279)

        await wait_until(is_whole, "the import has gone on to its end", within_s=60)
        answer = await again[0].get("/v1/sessions/s/events")
        assert await asyncio.wait_for(importing.wait(), 20) == 0
    log = [json.loads(line)["event"] for line in answer.text.splitlines()]
    assert [event.get("type") for event in log] == [
        json.loads(line)["type"] for line in SAMPLE.read_text().splitlines()
    ]


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


def test_a_help_page_comes_quickly() -> None:
    """A command that takes seconds to say how it is used is not used."""
    turnfold("--help")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert turnfold("--help").returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Computing time: what else the machine does is not the command's fault.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 3
