"""A service in a container, seen from outside: a published port, a token, and the container's own account."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

import httpx
import jwt
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from tests.api.socket_stack import Replica, SocketPeer
from tests.docker_engine import docker
from tests.waiting import wait_until

SECRET = "a secret of more than thirty-two bytes"
TOKEN = jwt.encode({"scope": "admin"}, SECRET, algorithm="HS256")
#: The promise of docs/deployment.md.
HEALTHY_WITHIN_S = 60.0
TURN: tuple[Mapping[str, object], ...] = (
    {"type": "turn/start", "turn": 1},
    {"type": "user/message", "turn": 1, "id": "u", "content": [{"type": "text", "text": "How many?"}]},
    {"type": "assistant/message", "turn": 1, "step": 1, "blocks": [{"type": "text", "text": "Three."}]},
    {"type": "turn/end", "turn": 1, "reason": "completed"},
)


def inspected(container: str) -> dict[str, Any]:
    """What the engine says of a container."""
    found: dict[str, Any] = json.loads(docker("inspect", container))[0]
    return found


async def healthy(container: str) -> None:
    """Returns once the container's own health check passes."""

    async def is_healthy() -> bool:
        state = (await asyncio.to_thread(inspected, container))["State"]
        assert state["Running"], docker("logs", container)
        return bool(state["Health"]["Status"] == "healthy")

    await wait_until(is_healthy, f"{container} is healthy", within_s=HEALTHY_WITHIN_S)


@contextmanager
def container(image: str, *options: str) -> Iterator[str]:
    """A container in the background for the length of the block; yields its name."""
    name = f"turnfold-test-{token_hex(4)}"
    try:
        docker("run", "--detach", "--name", name, *options, image)
        yield name
    finally:
        docker("rm", "--force", "--volumes", name)


@dataclass(frozen=True)
class Deployed:
    """The service behind a published port of loopback."""

    port: int

    @asynccontextmanager
    async def client(self) -> AsyncIterator[httpx.AsyncClient]:
        """A client that may do everything."""
        headers = {"authorization": f"Bearer {TOKEN}"}
        url = f"http://127.0.0.1:{self.port}"
        async with httpx.AsyncClient(base_url=url, headers=headers, timeout=50) as client:
            yield client

    @asynccontextmanager
    async def socket(self) -> AsyncIterator[SocketPeer]:
        """An open socket that has said who it is."""
        opening = connect(
            f"ws://127.0.0.1:{self.port}/v1/ws", subprotocols=[Subprotocol("turnfold.v1.json")], max_size=None
        )
        async with opening as connection:
            peer = SocketPeer(connection)
            await peer.send(type="hello", token=TOKEN)
            assert (await peer.next())["type"] == "welcome"
            yield peer

    async def is_ready(self) -> bool:
        """Whether it wants work. Docker's proxy takes connections before it reaches the container, and may drop one."""
        async with self.client() as client:
            try:
                return (await client.get("/readyz", timeout=5)).status_code == 200
            except httpx.TransportError:
                return False

    async def append(self, session: str, *events: Mapping[str, object]) -> None:
        """Append events, until they are projected."""
        async with self.client() as client:
            answer = await client.post(
                f"/v1/sessions/{session}/events", params={"wait": "projected"}, json=list(events)
            )
        assert answer.status_code == 200, answer.text

    async def texts_of(self, session: str) -> list[str]:
        """What the agent said in each turn, as a new subscriber's snapshot shows them."""
        async with self.socket() as peer:
            await peer.subscribe("s", session)
            snapshot = (await Replica("s").live(peer)).held
        rows = [row for turn in snapshot["turns"] for row in turn["rows"] if row["kind"] == "assistant_step"]
        return [block["text"] for row in rows for block in row["blocks"]]

    async def event_ids(self, session: str) -> list[str]:
        """The ids of the events in the session's log."""
        async with self.client() as client:
            answer = await client.get(f"/v1/sessions/{session}/events")
        assert answer.status_code == 200, answer.text
        return [json.loads(line)["event"]["event_id"] for line in answer.text.splitlines()]

    async def produce(self, session: str, accepted: list[str]) -> None:
        """Append one event after the other until the service refuses or is gone; notes what it accepted."""
        async with self.client() as client:
            while True:
                event = {"type": "notice", "id": token_hex(8), "level": "info", "text": "It goes on."}
                event["event_id"] = event["id"]
                try:
                    answer = await client.post(f"/v1/sessions/{session}/events", json=event)
                except httpx.TransportError:
                    return
                if answer.status_code != 202:
                    return
                accepted.append(event["id"])
