"""Preferences beside the sessions, and never in a session's log: one hash a subject, and a stream of who changed.

The stream holds subjects alone, so that a change can wait there for a process whose connection was cut.
"""

from collections.abc import Mapping
from typing import Final, Self

from redis.asyncio import Redis

from projections.preferences import Preferences, normalised
from service.connection_redis import ANSWER_TIMEOUT_S, address_of, ask, connect, our_errors, ping, raw_reply
from service.keys import PREFERENCE_CHANGES_KEY, preferences_key

# Changes are rare; these are days of them in a deployment of any size.
_CHANGES_KEPT: Final = 1_000


class RedisPreferences:
    """`preferences.PreferenceStore` on one Redis or Valkey server."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._where = address_of(url)
        self._client: Redis = connect(url)

    async def start(self) -> None:
        """Raise StoreUnavailable within 5 s unless the engine answers."""
        await ping(self._client, self._where)

    async def close(self) -> None:
        """Close the connections; watches are closed by whoever opened them."""
        await self._client.aclose()

    async def read(self, subject: str) -> Preferences:
        with our_errors(self._where):
            return _of(await ask(self._client, "HGETALL", preferences_key(subject)))

    async def write(self, subject: str, changes: Mapping[str, bytes | None]) -> Preferences:
        key = preferences_key(subject)
        given = [word for name, value in changes.items() if value is not None for word in (name, value)]
        dropped = [name for name, value in changes.items() if value is None]
        with our_errors(self._where):
            async with self._client.pipeline(transaction=True) as pipe:
                if given:
                    pipe.execute_command("HSET", key, *given)
                if dropped:
                    pipe.execute_command("HDEL", key, *dropped)
                if changes:
                    pipe.execute_command(
                        "XADD", PREFERENCE_CHANGES_KEY, "MAXLEN", "~", _CHANGES_KEPT, "*", "s", subject
                    )
                pipe.execute_command("HGETALL", key)
                *_, stored = await pipe.execute()
        return _of(stored)

    async def watch(self) -> "RedisPreferenceWatch":
        return await RedisPreferenceWatch.open(self._url)


class RedisPreferenceWatch:
    """`preferences.PreferenceWatch`: reads the stream from where it ended when it was opened."""

    def __init__(self, client: Redis, where: str) -> None:
        self._client = client
        self._where = where
        self._after = b"0-0"

    @classmethod
    async def open(cls, url: str) -> Self:
        """A watch of every change after this call."""
        client: Redis = connect(url, blocking_ms=int(ANSWER_TIMEOUT_S * 1000), connections=1)
        client.set_response_callback("XREAD", raw_reply)
        watch = cls(client, address_of(url))
        try:
            with our_errors(watch._where):
                newest = await ask(client, "XREVRANGE", PREFERENCE_CHANGES_KEY, "+", "-", "COUNT", 1)
        except BaseException:
            await client.aclose()
            raise
        if newest:
            watch._after = newest[0][0]
        return watch

    async def close(self) -> None:
        await self._client.aclose()

    async def read(self, block_ms: int) -> frozenset[str]:
        with our_errors(self._where):
            reply = await ask(
                self._client,
                "XREAD",
                "COUNT",
                _CHANGES_KEPT,
                "BLOCK",
                block_ms,
                "STREAMS",
                PREFERENCE_CHANGES_KEY,
                self._after,
            )
        if not reply:
            return frozenset()
        entries = reply[0][1]
        self._after = entries[-1][0]
        return frozenset(fields[1].decode() for _, fields in entries)


def _of(stored: Mapping[bytes, bytes]) -> Preferences:
    return normalised({name.decode(errors="replace"): value for name, value in stored.items()})
