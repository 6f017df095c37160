"""Stage 6, the change feed: tells API processes what was committed, without a silent hole.

Feed ids count commits per partition. So the next id is known: another one means that the feed was trimmed
past this reader, and one that never comes, while the stored count is smaller, that the engine went back (a
restore, a wipe).
"""

from typing import Self

from redis.asyncio import Redis

from service.connection_redis import ANSWER_TIMEOUT_S, address_of, ask, ask_raw, connect, our_errors
from service.errors import FeedGap
from service.keys import KeySpace
from service.log_codec import unpack_feed
from service.stored import FeedEntry

# A reply of so many commits is a few hundred kB; what is left comes with the next call.
_COMMITS_PER_READ = 256
_Reply = list[tuple[bytes, list[tuple[bytes, list[bytes]]]]] | None


class RedisFeed:
    """`ports.Feed` over every partition of one server (XREAD of many streams: not for a cluster)."""

    def __init__(self, client: Redis, where: str, keys: KeySpace) -> None:
        self._client = client
        self._where = where
        self._keys = keys
        self._partition_of_key = {one.feed.encode(): index for index, one in enumerate(keys.partitions)}
        self._positions = [0] * keys.partition_count

    @classmethod
    async def open(cls, url: str, keys: KeySpace) -> Self:
        """A feed of every commit after this call."""
        client: Redis = connect(url, blocking_ms=int(ANSWER_TIMEOUT_S * 1000), connections=1)
        feed = cls(client, address_of(url), keys)
        try:
            with our_errors(feed._where):
                for partition in range(keys.partition_count):
                    feed._positions[partition] = await feed._end(partition)
        except BaseException:
            await client.aclose()
            raise
        return feed

    async def close(self) -> None:
        await self._client.aclose()

    async def read(self, block_ms: int) -> tuple[FeedEntry, ...]:
        streams = [one.feed for one in self._keys.partitions]
        block = ("BLOCK", block_ms) if block_ms else ()
        with our_errors(self._where):
            reply: _Reply = await ask_raw(
                self._client,
                "XREAD",
                "COUNT",
                _COMMITS_PER_READ,
                *block,
                "STREAMS",
                *streams,
                *(f"{at}-0" for at in self._positions),
            )
            if not reply:
                await self._look_back()
                return ()
            for key, entries in reply:
                partition = self._partition_of_key[key]
                if _number(entries[0][0]) != self._positions[partition] + 1:
                    self._positions[partition] = await self._end(partition)
                    raise FeedGap(partition)
        found: list[FeedEntry] = []
        for key, entries in reply:
            for _, fields in entries:
                found += unpack_feed(fields[1])
            self._positions[self._partition_of_key[key]] = _number(entries[-1][0])
        return tuple(found)

    async def _look_back(self) -> None:
        for partition, position in enumerate(self._positions):
            end = await self._end(partition)
            if end < position:
                self._positions[partition] = end
                raise FeedGap(partition)

    async def _end(self, partition: int) -> int:
        stored = await ask(self._client, "HGET", self._keys.partitions[partition].checkpoint, "feed")
        return int(stored or 0)


def _number(entry_id: bytes) -> int:
    return int(entry_id.partition(b"-")[0])
