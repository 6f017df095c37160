"""`turnfold status` as its users run it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import jwt

from api.app import build_app
from api.listener import Server, listen
from api.parts import EdgeLimits
from service.keys import SessionId
from service.settings import Settings
from tests.api.command import turnfold
from tests.api.stack import SECRET, Stack, serving
from tests.waiting import wait_until

TURN = {"type": "turn/start", "turn": 1}


@asynccontextmanager
async def on_a_port(stack: Stack) -> AsyncIterator[str]:
    """The service's address while it answers on a free port."""
    settings = Settings(port=0)
    listener = listen(settings)
    server = Server(build_app(stack.parts))
    answering = asyncio.create_task(server.serve([listener]))
    try:
        await server.answers.wait()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.stop(within_s=2)
        await answering


async def status(url: str, *arguments: str) -> tuple[int, str, str]:
    """Exit code, output and complaints of the command."""
    done = await asyncio.to_thread(turnfold, "status", "--url", url, *arguments)
    return done.returncode, done.stdout, done.stderr


async def test_a_ready_service_is_described_and_the_exit_code_is_zero(tmp_path: Path) -> None:
    """Readiness, version, engine, sessions, quarantine, lag, in readable text."""
    async with serving(tmp_path) as stack, on_a_port(stack) as url:
        await stack.parts.source.append(SessionId("s1"), [b"no event"], [None])
        await stack.post("s1", TURN)
        code, output, _ = await status(url)
    first, *rest = output.splitlines()
    assert code == 0
    assert first.startswith("Turnfold ")
    assert first.endswith(f" at {url}: ready")
    facts = {line[:11].strip(): line[12:] for line in rest}
    assert facts["engine"].startswith(("valkey ", "redis "))
    assert facts["engine"].endswith("engine.sock")
    assert facts["sessions"] == "1"
    assert facts["quarantine"] == "1 entry"
    assert facts["clients"] == "0 sockets, 0 subscriptions"
    assert facts["partition 0"] == "up to date"


async def test_json_is_the_services_own_answer(tmp_path: Path) -> None:
    """One document, the same that `/v1/admin/status` gives."""
    async with serving(tmp_path) as stack, on_a_port(stack) as url:
        await stack.post("s1", TURN)
        code, output, _ = await status(url, "--json")
        found: dict[str, Any] = (await stack.client.get("/v1/admin/status")).json()
    assert code == 0
    assert json.loads(output) == found
    assert (found["ready"], found["trouble"], found["store"]["session_count"]) == (True, None, 1)


async def test_a_service_that_is_not_ready_says_why_and_fails(tmp_path: Path) -> None:
    """Nobody projects: the lag in events and seconds, and exit code 1."""
    limits = EdgeLimits(lag_ms=1)
    async with serving(tmp_path, projecting=False, limits=limits) as stack, on_a_port(stack) as url:
        await stack.parts.store.take_ownership(0)
        await stack.post("s1", TURN, TURN, wait=False)

        async def is_behind() -> bool:
            return (await stack.client.get("/readyz")).status_code == 503

        await wait_until(is_behind, "the events are older than is allowed")
        code, output, complaints = await status(url)
    assert code == 1
    assert "not ready: Partition 0 is " in output.splitlines()[0]
    assert "partition 0 2 events behind, " in output
    assert complaints == ""


async def test_status_needs_an_admin_token_where_tokens_are_needed(tmp_path: Path) -> None:
    """The refusal is one line with the service's own words."""
    async with serving(tmp_path, secret=SECRET) as stack, on_a_port(stack) as url:
        for scope, expected in (("read", 1), ("admin", 0)):
            token = jwt.encode({"scope": scope}, SECRET, algorithm="HS256")
            code, _, complaints = await status(url, "--token", token)
            assert code == expected
            if code:
                assert complaints.startswith(f"turnfold: the service at {url} refused: The call needs")
                assert complaints.count("\n") == 1
