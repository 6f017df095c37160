"""A running service that can be killed and comes back where it was, and a client that follows a session of it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from clients.wire.address import address_of
from clients.wire.backoff import BackOff
from clients.wire.connection import Connection, Link
from clients.wire.subscription import Replaced, Subscription, Told
from tests.api.test_serve import address_of as announced
from tests.api.test_serve import environment, start
from tests.ports import lasting_port
from tests.waiting import wait_until

VIEW = {"kind": "tui", "phase": "collapsed", "reasoning": True}
Event = dict[str, Any]


def soon() -> float:
    """No jitter: a test waits for the first bound at most."""
    return 0.1


class Process:
    """A `serve` process on one directory and one port."""

    def __init__(self, directory: Path, **variables: str) -> None:
        self._environ = environment(directory, **{"TURNFOLD_PORT": str(lasting_port()), **variables})
        self._process: asyncio.subprocess.Process | None = None
        self.url = ""

    async def start(self) -> None:
        """Returns once it answers."""
        self._process = await start(self._environ)
        self.url = (await announced(self._process)).rstrip("/")

    async def kill(self) -> None:
        """As by power: the engine dies with it."""
        assert self._process is not None
        self._process.kill()
        await self._process.communicate()
        self._process = None

    async def stop(self) -> None:
        """As an operator does; sockets are told."""
        if self._process is not None:
            self._process.terminate()
            await asyncio.wait_for(self._process.communicate(), 30)
            self._process = None

    async def append(self, session: str, *events: Event) -> None:
        """Append events; returns once they are projected."""
        async with httpx.AsyncClient(base_url=self.url, timeout=20) as client:
            answer = await client.post(
                f"/v1/sessions/{session}/events", params={"wait": "projected"}, json=list(events)
            )
            assert answer.is_success, answer.text

    async def delete(self, session: str) -> httpx.Response:
        """Delete a session."""
        async with httpx.AsyncClient(base_url=self.url, timeout=20) as client:
            return await client.delete(f"/v1/sessions/{session}")


class Follower:
    """A client as the terminal has it, without the terminal; what it was told stands in lists."""

    def __init__(self, url: str, session: str, *, token: str | None = None) -> None:
        self.subscription = Subscription(session, VIEW)
        self.links: list[Link] = []
        self.told: list[Told] = []
        self.connection: Connection[Told] = Connection(
            address_of(url, token),
            self.subscription,
            told=self.told.append,
            linked=self.links.append,
            back_off=BackOff(soon),
        )

    @property
    def snapshots(self) -> int:
        """How often everything was replaced."""
        return sum(isinstance(one, Replaced) for one in self.told)

    def text(self) -> str:
        """Every text of every step that is held."""
        rows = [row.value for turn in self.subscription.held.turns for row in turn.rows]
        return "".join(
            str(block.get("text", ""))
            for row in rows
            if row["kind"] == "assistant_step"
            for block in row["blocks"]
        )

    async def reads(self, text: str) -> None:
        """Returns once exactly this is held."""
        await wait_until(lambda: self.text() == text, f"the client reads {text!r}", within_s=30)

    async def is_linked(self, name: str) -> None:
        """Returns once the connection is so."""
        await wait_until(lambda: bool(self.links) and self.links[-1].name == name, f"{name}", within_s=30)


@asynccontextmanager
async def following(url: str, session: str, *, token: str | None = None) -> AsyncIterator[Follower]:
    """A follower for the length of the block."""
    follower = Follower(url, session, token=token)
    running = asyncio.create_task(follower.connection.run())
    try:
        yield follower
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@asynccontextmanager
async def process(directory: Path, **variables: str) -> AsyncIterator[Process]:
    """A running service for the length of the block."""
    service = Process(directory, **variables)
    await service.start()
    try:
        yield service
    finally:
        await service.stop()
