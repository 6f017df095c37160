"""The service as a process, on every engine there is: events in over HTTP, a snapshot and deltas out of the socket."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from tests.api.socket_stack import Replica, SocketPeer
from tests.api.test_serve import environment, served

TURN: list[dict[str, Any]] = [
    {"type": "turn/start", "turn": 1},
    {"type": "user/message", "turn": 1, "id": "u", "content": [{"type": "text", "text": "How many?"}]},
    {"type": "tool/call", "turn": 1, "step": 1, "call_id": "c", "name": "bash", "input": {"command": "ls"}},
]
END: list[dict[str, Any]] = [
    {"type": "tool/result", "call_id": "c", "status": "ok", "output": "3"},
    {"type": "assistant/message", "turn": 1, "step": 2, "blocks": [{"type": "text", "text": "Three."}]},
    {"type": "turn/end", "turn": 1, "reason": "completed"},
]


@pytest.fixture
def environ(engine: str, engine_url: str, tmp_path: Path) -> dict[str, str]:
    """The environment of a service on the engine: the embedded one it starts itself, the others are there."""
    where = {} if engine == "embedded" else {"TURNFOLD_REDIS_URL": engine_url}
    return environment(tmp_path / "data", **where)


async def append(client: httpx.AsyncClient, events: list[dict[str, Any]]) -> int:
    """Append to the session `s1`; returns the version at which the events are visible."""
    answer = await client.post("/v1/sessions/s1/events", params={"wait": "projected"}, json=events)
    assert answer.status_code == 200, answer.text
    return int(answer.json()["position"]["version"])


async def test_a_session_is_shown_live_and_again_after_a_restart(environ: dict[str, str]) -> None:
    """The client that followed and the one that comes later hold the same."""
    async with served(environ) as (client, _):
        await append(client, TURN)
        address = f"ws://127.0.0.1:{client.base_url.port}/v1/ws"
        async with connect(address, subprotocols=[Subprotocol("turnfold.v1.json")]) as connection:
            peer = SocketPeer(connection)
            await peer.send(type="hello")
            await peer.subscribe("s", "s1")
            await peer.next_of("welcome")
            replica = await Replica("s").live(peer)
            assert replica.held["turns"][0]["outcome"] is None
            await replica.until(peer, await append(client, END))
        followed = replica.held["turns"]
    async with served(environ) as (client, _):
        transcript = (await client.get("/v1/sessions/s1/transcript")).json()
    assert transcript["turns"] == followed
    assert transcript["turns"][0]["outcome"] == "completed"
