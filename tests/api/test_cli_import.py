"""`turnfold import` of files, on a service that runs."""

import asyncio
import json
from asyncio.subprocess import DEVNULL
from contextlib import AsyncExitStack
from pathlib import Path

from tests.api.command import COMMAND, SAMPLE, TURN, started, turnfold, written
from tests.api.test_serve import environment, served
from tests.ports import lasting_port
from tests.waiting import wait_until


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


def in_haste(sample: Path, file: Path) -> Path:
    """A sample's events in a quarter of their time, so that an import at 1x takes seconds and has a middle."""
    events = [json.loads(line) for line in sample.read_text().splitlines()]
    began = events[0]["ts_ms"]
    return written(file, [{**one, "ts_ms": began + (one["ts_ms"] - began) // 4} for one in events])


async def test_import_goes_on_after_the_service_was_killed(tmp_path: Path) -> None:
    """kill -9 in the middle, engine included: the import waits, nothing is lost and nothing comes twice."""
    environ = environment(tmp_path / "data", TURNFOLD_PORT=str(lasting_port()))
    file = in_haste(SAMPLE, tmp_path / "sample.jsonl")
    async with AsyncExitStack() as opened:
        client, process = await opened.enter_async_context(served(environ))
        command = [*COMMAND, "import", str(file), "--speed", "1x", "--session", "s"]
        importing = await opened.enter_async_context(
            started(*command, "--url", str(client.base_url), stdout=DEVNULL)
        )

        async def has_begun() -> bool:
            return bool((await client.get("/v1/sessions/s")).json().get("next_seq", 0) > 20)

        await wait_until(has_begun, "some events are projected")
        assert importing.returncode is None
        process.kill()
        await process.wait()
        again = await opened.enter_async_context(served(environ))

        async def is_whole() -> bool:
            return bool((await again[0].get("/v1/sessions/s")).json().get("next_seq") == 279)

        await wait_until(is_whole, "the import has gone on to its end", within_s=60)
        answer = await again[0].get("/v1/sessions/s/events")
        assert await asyncio.wait_for(importing.wait(), 20) == 0
    log = [json.loads(line)["event"] for line in answer.text.splitlines()]
    assert [event.get("type") for event in log] == [
        json.loads(line)["type"] for line in SAMPLE.read_text().splitlines()
    ]
