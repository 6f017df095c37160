"""`serve` as a process: it starts, answers over a real port, stops in order, and fails with one line."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import jwt

from api.serve import _REACH_S

ROOT = Path(__file__).parents[2]
PROGRAM = (
    "import os, sys; from api.serve import serve; from service.settings import read_settings; "
    "sys.exit(serve(read_settings(os.environ), with_samples='--samples' in sys.argv, "
    "announce=lambda line: print(line, flush=True)))"
)
READY = "Turnfold is ready at "


def environment(directory: Path, **variables: str) -> dict[str, str]:
    """The environment of a service over a directory, on a free port."""
    return {**os.environ, "TURNFOLD_DATA_DIR": str(directory), "TURNFOLD_PORT": "0", **variables}


async def start(environ: dict[str, str], *arguments: str) -> asyncio.subprocess.Process:
    """A service process."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        PROGRAM,
        *arguments,
        cwd=ROOT,
        env=environ,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def address_of(process: asyncio.subprocess.Process) -> str:
    """The address that a service announces."""
    assert process.stdout is not None
    async with asyncio.timeout(50):
        while line := (await process.stdout.readline()).decode():
            if line.startswith(READY):
                return line.removeprefix(READY).strip()
    assert process.stderr is not None
    raise AssertionError((await process.stderr.read()).decode())


@asynccontextmanager
async def served(
    environ: dict[str, str], *arguments: str
) -> AsyncIterator[tuple[httpx.AsyncClient, asyncio.subprocess.Process]]:
    """A service that answers, and a client on its port; it is stopped at the end."""
    process = await start(environ, *arguments)
    try:
        async with httpx.AsyncClient(base_url=await address_of(process), timeout=50) as client:
            yield client, process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(process.communicate(), 20)


async def failure(environ: dict[str, str]) -> str:
    """The one line of a service that does not start."""
    process = await start(environ)
    _, stderr = await asyncio.wait_for(process.communicate(), 40)
    assert process.returncode == 1
    lines = [line for line in stderr.decode().splitlines() if line.startswith("turnfold: ")]
    assert len(lines) == 1
    assert "Traceback" not in stderr.decode()
    return lines[0]


async def test_service_keeps_what_it_accepted_over_a_restart(tmp_path: Path) -> None:
    """Append, stop by SIGTERM with exit code 0, start again: the session is there."""
    environ = environment(tmp_path)
    async with served(environ) as (client, process):
        response = await client.post(
            "/v1/sessions/s1/events", params={"wait": "projected"}, json={"type": "turn/start", "turn": 1}
        )
        assert response.status_code == 200
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 20) == 0
    async with served(environ) as (client, _):
        transcript = (await client.get("/v1/sessions/s1/transcript")).json()
        assert [turn["turn"] for turn in transcript["turns"]] == [1]


async def test_samples_are_loaded_into_an_empty_store_alone(tmp_path: Path) -> None:
    """Once; a second start with --samples adds nothing."""
    environ = environment(tmp_path)
    counts = []
    for _ in range(2):
        async with served(environ, "--samples") as (client, _):
            await client.post(
                "/v1/sessions/own/events",
                params={"wait": "projected"},
                json={"type": "turn/start", "turn": 1},
            )
            listed = (await client.get("/v1/sessions")).json()["sessions"]
            counts.append({one["session"]: one["event_count"] for one in listed if one["session"] != "own"})
    assert len(counts[0]) >= 3
    assert counts[0] == counts[1]


async def test_interrupt_stops_as_cleanly(tmp_path: Path) -> None:
    """Ctrl+C is a stop like any other."""
    async with served(environment(tmp_path)) as (_, process):
        process.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(process.wait(), 20) == 0


async def test_taken_port_is_one_line(tmp_path: Path) -> None:
    """It names the address and the variable to change."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = await failure(environment(tmp_path, TURNFOLD_PORT=str(port)))
    assert f"127.0.0.1:{port}" in line
    assert "TURNFOLD_PORT" in line


async def test_second_service_on_one_directory_is_one_line(tmp_path: Path) -> None:
    """R-13: the engine's lock tells."""
    environ = environment(tmp_path)
    async with served(environ):
        assert "in use" in await failure(environ)


async def test_unreachable_redis_is_one_line_within_five_seconds(tmp_path: Path) -> None:
    """R-13: the limit is the program's own; starting Python takes what it takes."""
    assert _REACH_S < 5
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    began = asyncio.get_running_loop().time()
    line = await failure(environment(tmp_path, TURNFOLD_REDIS_URL=f"redis://:hunter2@127.0.0.1:{port}"))
    assert asyncio.get_running_loop().time() - began < 30
    assert str(port) in line
    assert "hunter2" not in line


async def test_logs_hold_no_message_and_no_token(tmp_path: Path) -> None:
    """R-15: at the most talkative level, after good events, bad ones, refusals and failures."""
    secret = "the-secret-of-this-deployment-is-long"
    token = jwt.encode({"scope": "admin"}, secret, algorithm="HS256")
    body = "the-body-of-a-message"
    environ = environment(tmp_path, TURNFOLD_LOG_LEVEL="debug", TURNFOLD_JWT_SECRET=secret)
    async with served(environ) as (client, process):
        admin = {"authorization": f"Bearer {token}"}
        url = "/v1/sessions/s1/events"
        good = {"type": "notice", "id": body, "level": "info", "text": body}
        assert (await client.post(url, json=good, params={"wait": "projected"}, headers=admin)).is_success
        for bad in ({"type": "turn/start", "turn": body}, {"type": body, "text": body}, [body]):
            await client.post(url, json=bad, headers=admin)
        await client.post(url, content=body, headers=admin)
        await client.get(f"/v1/sessions?cursor={body}", headers=admin)
        await client.get("/v1/sessions", headers={"authorization": f"Bearer {token}{body}"})
        await client.get("/metrics", params={"token": token}, headers=admin)
        process.send_signal(signal.SIGTERM)
        _, stderr = await asyncio.wait_for(process.communicate(), 20)
    records = [json.loads(line) for line in stderr.decode().splitlines()]
    assert {"partition_taken", "stopping"} <= {one["event"] for one in records}
    for hidden in (body, token, secret):
        assert hidden not in stderr.decode()


async def test_raw_requests_over_a_real_port_pass_the_same_door(tmp_path: Path) -> None:
    """Hosts, broken heads and paths as bytes, through the real server."""
    async with served(environment(tmp_path)) as (client, _):
        port = client.base_url.port
        for head, status in (
            (b"GET /livez HTTP/1.1\r\nHost: evil.example\r\n", b"421"),
            (b"GET /livez HTTP/1.0\r\n", b"421"),
            (b"GET /v1/sessions/%FF%FE HTTP/1.1\r\nHost: localhost\r\n", b"400"),
            (b"GET /assets/../../pyproject.toml HTTP/1.1\r\nHost: localhost\r\n", b"404"),
            (b"GET /livez HTTP/1.1\r\nHost: localhost\r\n", b"200"),
            (b"GET /v1/ws HTTP/1.1\r\nHost: localhost\r\n", b"404"),
        ):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(head + b"Connection: close\r\n\r\n")
            answer = await asyncio.wait_for(reader.read(), 10)
            assert answer.split(b" ", 2)[1] == status, (head, answer)
            assert b"server: turnfold" in answer.lower()
            writer.close()
            await writer.wait_closed()
