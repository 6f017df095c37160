"""How every adapter talks to the engine: clients that never retry by themselves, and errors of our own.

1. No automatic retry. redis-py's default of ten wrote one `XADD` twice over a server pause
   (`measurements.md`).
2. Every call ends: connecting within 5 s, an answer within 10 s beyond what the call itself may block.
3. What may have happened and what did not are different errors: StoreUnavailable is *unknown*, StoreRefused
   is *no*.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from importlib.resources import files
from typing import Any, Final, Protocol
from urllib.parse import unquote, urlsplit

from hiredis import pack_command
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import (
    BusyLoadingError,
    MasterDownError,
    NoScriptError,
    ReadOnlyError,
    RedisError,
    ResponseError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from service.errors import StoreRefused, StoreUnavailable

Words = tuple[str | bytes | int, ...]

CONNECT_TIMEOUT_S: Final = 5.0
ANSWER_TIMEOUT_S: Final = 10.0
# Appends wait for the disk or a replica on their connection; this many may do so at once.
POOL_CONNECTIONS: Final = 64
_UNAVAILABLE = (
    RedisConnectionError,
    RedisTimeoutError,
    BusyLoadingError,
    ReadOnlyError,
    MasterDownError,
    TryAgainError,
    TimeoutError,
    OSError,
)


class Asking(Protocol):
    """What takes single commands: a client, or one that gathers them (`gathered_redis`)."""

    async def execute_command(self, *words: str | bytes | int) -> Any:
        """The parsed answer."""
        ...


def address_of(url: str) -> str:
    """The address without user and password, for messages and logs."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return f"unix://{unquote(parts.path)}"
    return f"{parts.scheme}://{parts.hostname}:{parts.port or 6379}{parts.path}"


def connect(url: str, *, blocking_ms: int = 0, connections: int = POOL_CONNECTIONS) -> Redis:
    """A client for `unix://`, `redis://` or `rediss://`; answers are bytes; `blocking_ms` is the longest
    BLOCK.
    """
    pool: BlockingConnectionPool = BlockingConnectionPool.from_url(
        url,
        max_connections=connections,
        timeout=ANSWER_TIMEOUT_S,
        protocol=2,  # the raw replies that the hot paths read are laid out for it
        retry=Retry(NoBackoff(), 0),
        socket_connect_timeout=CONNECT_TIMEOUT_S,
        socket_timeout=ANSWER_TIMEOUT_S + blocking_ms / 1000,
        health_check_interval=0,
    )
    client: Redis = Redis(connection_pool=pool)
    client.auto_close_connection_pool = True
    return client


@contextmanager
def our_errors(where: str) -> Iterator[None]:
    """Turn the client's errors into ours; `where` is the address."""
    try:
        yield
    except _UNAVAILABLE as error:
        raise StoreUnavailable(where, str(error) or type(error).__name__) from error
    except RedisError as error:
        raise StoreRefused(where, str(error)) from error


async def ask(client: Redis | Asking, *words: str | bytes | int) -> Any:
    """Send one command; the client's own method carries no types."""
    return await client.execute_command(*words)


async def ask_raw(client: Redis, *words: str | bytes | int) -> Any:
    """Send one command, and give the reply as it came: for commands of very many words, and those asked very often.

    The client's own method packs words in Python, a fifth of a commit, and costs a reader of a lively stream as much
    again for retries that it is told not to make.
    """
    async with borrowed(client) as connection:
        await connection.send_packed_command(packed(words))
        return await connection.read_response()


def packed(words: Words) -> bytes:
    """One command as it goes over the connection."""
    command: bytes = pack_command(words)  # type: ignore[arg-type]  # hiredis' stub says a tuple of one word, and it takes any number
    return command


@asynccontextmanager
async def borrowed(client: Redis) -> AsyncIterator[AbstractConnection]:
    """One of a client's connections for the length of the block; raises what connecting raises."""
    pool = client.connection_pool
    connection = await pool.get_connection()  # type: ignore[no-untyped-call]  # redis-py's decorator hides its types
    try:
        yield connection
    finally:
        await pool.release(connection)


def raw_reply(response: Any, **_: Any) -> Any:
    """A response callback that leaves the reply as it is."""
    return response


async def ping(client: Redis, where: str) -> None:
    """Raise StoreUnavailable within 5 s unless the engine answers."""
    with our_errors(where):
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            await ask(client, "PING")


class Script:
    """A Lua script beside this module, run by digest, and by its text on an engine that does not know it."""

    __slots__ = ("_digest", "_text")

    def __init__(self, name: str) -> None:
        self._text = (files("service") / name).read_text(encoding="utf-8")
        self._digest = hashlib.sha1(self._text.encode(), usedforsecurity=False).hexdigest()

    async def run(self, client: Redis, keys: Sequence[str], args: Sequence[str | bytes | int]) -> Any:
        """The script's raw reply. Only NOSCRIPT is tried again: that answer says that nothing ran."""
        try:
            return await ask_raw(client, "EVALSHA", self._digest, len(keys), *keys, *args)
        except NoScriptError:
            return await ask_raw(client, "EVAL", self._text, len(keys), *keys, *args)

    async def run_then(
        self, client: Redis, keys: Sequence[str], args: Sequence[str | bytes | int], then: Sequence[str | int]
    ) -> tuple[Any, Any]:
        """Run, and send `then` on the same connection right behind it: WAIT and WAITAOF look at *its* last
        write.
        """
        replies = await self._pipelined(client, ("EVALSHA", self._digest, len(keys), *keys, *args), then)
        if isinstance(replies[0], NoScriptError):
            replies = await self._pipelined(client, ("EVAL", self._text, len(keys), *keys, *args), then)
        for reply in replies:
            if isinstance(reply, Exception):
                raise reply
        return replies[0], replies[1]

    @staticmethod
    async def _pipelined(
        client: Redis, first: Sequence[str | bytes | int], then: Sequence[str | int]
    ) -> list[Any]:
        async with client.pipeline(transaction=False) as pipe:
            pipe.execute_command(*first)
            pipe.execute_command(*then)
            replies: list[Any] = await pipe.execute(raise_on_error=False)
        return replies


def is_response_error(error: Exception, prefix: str) -> bool:
    """Whether the engine answered with this error code (the client strips some, so the text decides)."""
    return isinstance(error, ResponseError) and str(error).startswith(prefix)
