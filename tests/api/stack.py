"""The whole service in one test: real engine, store, projector and application, without a network."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from api.app import build_app
from api.auth import Authenticator
from api.door import DoorRules
from api.live import open_live
from api.metrics_prometheus import meters
from api.parts import EdgeLimits, Parts
from service.answers import AnswerForwarder
from service.engine_valkey import EmbeddedEngine
from service.keys import KeySpace
from service.preferences_redis import RedisPreferences
from service.projector import Projector, Told
from service.reader_redis import RedisReader
from service.settings import Settings
from service.source_redis import RedisSource
from service.store_redis import RedisStore
from service.stored import Commit
from service.tickets_redis import RedisTickets

SECRET = "a secret of more than thirty-two bytes"


class WallClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        """Epoch milliseconds."""
        return time.time_ns() // 1_000_000


@dataclass
class Stack:
    """A running service and a client that speaks to it.

    Attributes:
        told: hear of every commit at once, as the live side of the projector's own process does. While nobody is
            there, the change feed alone tells, as between two processes.
    """

    client: httpx.AsyncClient
    parts: Parts
    app: Any
    url: str
    told: list[Told]

    async def post(self, session: str, *events: Mapping[str, Any], wait: bool = True) -> httpx.Response:
        """Append events; by default, until they are projected."""
        response = await self.client.post(
            f"/v1/sessions/{session}/events",
            content=json.dumps(events),  # in escapes: half of a surrogate pair has no UTF-8
            headers={"content-type": "application/json"},
            params={"wait": "projected"} if wait else {},
        )
        assert response.status_code in (200, 202), response.text
        return response


@asynccontextmanager
async def serving(
    directory: Path,
    *,
    secret: str | None = None,
    limits: EdgeLimits | None = None,
    door: DoorRules | None = None,
    projecting: bool = True,
    page: Path | None = None,
    answers: AnswerForwarder | None = None,
) -> AsyncIterator[Stack]:
    """Run the service over a directory for the length of the block."""
    keys = KeySpace(1)
    clock = WallClock()
    limits = limits or EdgeLimits()
    settings = Settings(inline_bytes=limits.inline_bytes)
    async with AsyncExitStack() as opened:
        url = (await opened.enter_async_context(EmbeddedEngine(directory))).url
        store, source, reader = RedisStore(url, keys), RedisSource(url, keys), RedisReader(url, keys)
        preferences, tickets = RedisPreferences(url), RedisTickets(url)
        for adapter in (store, source, reader, preferences, tickets):
            opened.push_async_callback(adapter.close)
        await store.start(clock.now_ms())
        await source.start()
        await reader.start()
        measured = meters("test")
        told: list[Told] = []

        def tell_all(commit: Commit) -> None:
            for tell in told:
                tell(commit)

        live = await opened.enter_async_context(
            open_live(reader, preferences, tickets, settings, metrics=measured.edge)
        )
        if projecting:
            projector = Projector(store, source, [0], clock, metrics=measured.projector, tell=tell_all)
            await opened.enter_async_context(_projecting(projector))
        parts = Parts(
            reader=reader,
            store=store,
            source=source,
            preferences=preferences,
            tickets=tickets,
            transcripts=live,
            clock=clock,
            partition_count=1,
            door=door or DoorRules(loopback_only=secret is None),
            authenticator=Authenticator(secret),
            metrics=measured.edge,
            answers=answers,
            limits=limits,
        )
        app: Any = build_app(parts, page=page)
        client = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost:8420")
        client = await opened.enter_async_context(client)
        yield Stack(client=client, parts=parts, app=app, url=url, told=told)


@asynccontextmanager
async def _projecting(projector: Projector) -> AsyncIterator[None]:
    running = asyncio.create_task(projector.run())
    try:
        yield
    finally:
        projector.stop()
        await running
