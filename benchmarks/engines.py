"""A fresh engine of the product's own kind, and ways to fill its ingest stream."""

import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol

from redis import Redis

from service.connection_redis import raw_reply
from service.engine_valkey import EmbeddedEngine
from service.keys import KeySpace
from service.reader_redis import RedisReader
from service.source_redis import RedisSource
from service.store_redis import RedisStore

_ENTRIES_PER_CALL = 2_000
# Where backlogs are kept between rounds, out of the way of what a round leaves behind.
_SHELF: Final = 1


class Deployment:
    """The adapters of one partition on one engine, and a raw client beside them, which blocks the event loop."""

    def __init__(self, url: str) -> None:
        self.keys = KeySpace(1)
        self.partition = self.keys.partitions[0]
        self.store = RedisStore(url, self.keys)
        self.source = RedisSource(url, self.keys)
        self.reader = RedisReader(url, self.keys)
        self.raw = Redis.from_url(url, protocol=2)
        # As the product reads its stream: the parsed form would halve the rate of whom we compare with.
        self.raw.set_response_callback("XREADGROUP", raw_reply)
        self._shelf = Redis.from_url(url, db=_SHELF)

    async def start(self) -> None:
        """Make the deployment."""
        await self.store.start(0)
        await self.source.start()
        await self.reader.start()

    async def empty(self) -> None:
        """Throw away all but what `shelve` put aside, and make the deployment again."""
        self.raw.flushdb()
        await self.store.start(0)

    def shelve(self, entries: Iterable[tuple[str, bytes]]) -> int:
        """Keep a backlog of (session, event) for `unshelve`; returns how many."""
        return fill(self._shelf, "backlog", entries)

    def unshelve(self, stream: str) -> None:
        """Put the whole backlog into a stream."""
        command(self._shelf, "COPY", "backlog", stream, "DB", 0)

    def keep_in_memory(self) -> None:
        """Let the engine write nothing to the disk, whose speed then takes no part in a ratio."""
        self.raw.config_set("appendonly", "no")

    async def close(self) -> None:
        """Give every connection back."""
        await self.store.close()
        await self.source.close()
        await self.reader.close()
        self.raw.close()
        self._shelf.close()


class _Asked(Protocol):
    """What of redis-py's client `command` needs; its own method carries no types."""

    def execute_command(self, *words: str | int) -> Any:
        """The parsed answer."""
        ...


def command(client: _Asked, *words: str | int) -> Any:
    """Send one command as it is written."""
    return client.execute_command(*words)


def fill(client: Redis, stream: str, entries: Iterable[tuple[str, bytes]]) -> int:
    """Append (session, event) to a stream as a producer would; returns how many."""
    waiting = iter(entries)
    total = 0
    while part := list(islice(waiting, _ENTRIES_PER_CALL)):
        with client.pipeline(transaction=False) as pipe:
            for session, event in part:
                pipe.xadd(stream, {"s": session, "e": event})
            pipe.execute()
        total += len(part)
    return total


@asynccontextmanager
async def deployed() -> AsyncIterator[Deployment]:
    """A deployment on an embedded engine of its own, as `turnfold serve` starts it, for the length of the block."""
    with tempfile.TemporaryDirectory(prefix="turnfold-bench-") as directory:
        async with EmbeddedEngine(Path(directory)) as engine:
            deployment = Deployment(engine.url)
            await deployment.start()
            try:
                yield deployment
            finally:
                await deployment.close()
