"""`turnfold import` of a folder, and of a file that grows."""

import asyncio
import json
import signal
from asyncio.subprocess import PIPE
from pathlib import Path

from tests.api.command import COMMAND, ROOT, started, turnfold
from tests.api.test_serve import environment, served
from tests.service.importers.claude_log import Json, Log, call, raw, written
from tests.waiting import wait_until


def sessions(folder: Path) -> None:
    """A project: two sessions, one of them with a subagent in a file of its own, and a journal."""
    log = Log()
    log.human("Go")
    log.model(call("t1", "Task", prompt="Look"))
    log.result("t1", "found", toolUseResult={"agentId": "a1"})
    log.model("Found.")
    written(folder / "s1.jsonl", log.lines)
    child = Log()
    child.human("Look", isSidechain=True, agentId="a1")
    child.model("Here.", isSidechain=True, agentId="a1")
    written(folder / "s1" / "subagents" / "agent-a1.jsonl", child.lines)
    written(folder / "s1" / "subagents" / "workflows" / "w" / "journal.jsonl", [{"type": "started"}])
    written(folder / "s2.jsonl", [{**line, "sessionId": "s2"} for line in log.lines[:1]])


async def test_import_of_a_folder_brings_each_session_with_its_subagents(tmp_path: Path) -> None:
    """What is no session is named on stderr, and the rest is imported all the same."""
    folder = tmp_path / "project"
    sessions(folder)
    (folder / "notes.jsonl").write_text("plain words\n")
    async with served(environment(tmp_path / "data")) as (client, _):
        url = str(client.base_url)
        done = await asyncio.to_thread(turnfold, "import", folder, "--url", url)
        assert done.returncode == 0, done.stderr
        assert [line.split(": ")[1] for line in done.stdout.splitlines() if "events sent" in line] == [
            "session s1", "session s2",
        ]  # fmt: skip
        assert "journal.jsonl: left out: a workflow's journal" in done.stderr
        assert "notes.jsonl: left out: unknown session format" in done.stderr
        offline = json.loads(turnfold("show", "--json", folder / "s1.jsonl").stdout)

        async def is_projected() -> bool:
            answer = await client.get("/v1/sessions/s1/transcript", params={"view": "web"})
            return answer.status_code == 200 and answer.json()["turns"][-1]["status"] == "closed"

        await wait_until(is_projected, "the session is projected")
        live = (await client.get("/v1/sessions/s1/transcript", params={"view": "web"})).json()
        again = await asyncio.to_thread(turnfold, "import", folder, "--url", url)
    del live["position"], offline["position"]
    assert live == offline
    row = next(row for row in live["turns"][0]["rows"] if row["kind"] == "tool_call")
    assert row["delegate"]["turns"][0]["outcome"] == "completed"
    assert "of them known already" in again.stdout


def test_import_of_a_folder_without_sessions_is_one_clear_line(tmp_path: Path) -> None:
    """Nothing was imported, and the exit code says so."""
    done = turnfold("import", tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "holds no session file" in done.stderr


async def test_follow_sends_a_growing_file_until_interrupted(tmp_path: Path) -> None:
    """From an empty file on; the last turn stays open, and the end of the command is no failure of the import."""
    log = Log()
    log.human("Go")
    log.model("Going.")
    lines = [line + b"\n" for line in raw(log.lines)]
    file = tmp_path / "s1.jsonl"
    file.touch()
    async with served(environment(tmp_path / "data")) as (client, _):
        url = str(client.base_url)
        command = [*COMMAND, "import", "--follow", str(file), "--url", url]
        async with started(*command, stdout=PIPE, stderr=PIPE) as following:

            async def rows() -> list[Json]:
                answer = await client.get("/v1/sessions/s1/transcript", params={"view": "web"})
                found: list[Json] = answer.json()["turns"][-1]["rows"] if answer.status_code == 200 else []
                return found

            async def has_prompt() -> bool:
                return [row["kind"] for row in await rows()] == ["user"]

            async def has_text() -> bool:
                return any(row["kind"] == "assistant_step" for row in await rows())

            grown(file, lines[0] + lines[1][:10])
            await wait_until(has_prompt, "the prompt is there", within_s=20)
            grown(file, lines[1][10:])
            await wait_until(has_text, "the text is there", within_s=20)
            following.send_signal(signal.SIGINT)
            stdout, stderr = await asyncio.wait_for(following.communicate(), 20)
        answer = await client.get("/v1/sessions/s1/transcript", params={"view": "web"})
    assert answer.json()["turns"][-1]["status"] == "open"
    assert following.returncode == 130
    assert b"2 lines ->" in stdout
    assert stderr == b""


def grown(file: Path, more: bytes) -> None:
    """The agent writes on."""
    with file.open("ab") as written_on:
        written_on.write(more)


def test_follow_takes_one_file_at_its_own_pace() -> None:
    """Anything else is refused in one line."""
    for arguments in (["x", "y"], ["x", "--speed", "1x"], [str(ROOT)]):
        done = turnfold("import", "--follow", *arguments)
        assert done.returncode == 1
        assert "--follow takes one file" in done.stderr


def test_follow_of_a_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    """It may be a mistyped name; nobody waits for it."""
    done = turnfold("import", "--follow", tmp_path / "none.jsonl")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "No such file" in done.stderr


async def test_long_session_that_is_imported_again_comes_once(tmp_path: Path) -> None:
    """The service remembers its newest ids alone; the command reads those of a longer log."""
    notices = ({"type": "notice", "id": f"n{i}", "level": "info", "text": "x"} for i in range(10_400))
    file = written(tmp_path / "long.jsonl", notices)
    async with served(environment(tmp_path / "data")) as (client, _):
        url = str(client.base_url)
        for known in ("", ", 10400 of them known already"):
            done = await asyncio.to_thread(turnfold, "import", file, "--url", url)
            assert f"10400 events sent{known}\n" in done.stdout

            async def is_projected() -> bool:
                return bool((await client.get("/v1/sessions/long")).json().get("next_seq") == 10_400)

            await wait_until(is_projected, "every event is projected, once", within_s=20)
