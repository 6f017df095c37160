"""Stage 6, reading: what API processes ask of Redis, beside the commits of `store_redis`."""

import base64
import binascii
from typing import Final

from redis.asyncio import Redis

from service.connection_redis import Script, address_of, ask, connect, our_errors, ping
from service.errors import CursorRefused, KeyRefused
from service.feed_redis import RedisFeed
from service.gathered_redis import Gathered
from service.keys import KeySpace, PartitionKeys, SessionId
from service.log_redis import read_log, read_versions
from service.ports import Feed
from service.store_redis import FEED_LENGTH, decode_summary, saved_state
from service.stored import (
    EntryId,
    Inventory,
    LogPage,
    Quarantined,
    QuarantinePage,
    SavedState,
    Summary,
    SummaryPage,
    VersionEnd,
)

_DELETE = Script("delete.lua")
# One commit gives all its sessions one time, up to some thousands; a page of ties costs about 0.2 ms.
_TIES_PER_CALL: Final = 500
_QUARANTINE_PER_CALL: Final = 500
_Place = tuple[int, bytes]


class RedisReader:
    """`ports.Reader` on one Redis or Valkey server."""

    def __init__(self, url: str, keys: KeySpace) -> None:
        self._url = url
        self._keys = keys
        self._where = address_of(url)
        self._client: Redis = connect(url)
        # One commit moves many sessions, and each that is followed is read at once.
        self._gathered = Gathered(self._client)

    async def start(self) -> None:
        """Raise StoreUnavailable within 5 s unless the engine answers."""
        await ping(self._client, self._where)

    async def close(self) -> None:
        """Close the connections; feeds are closed by whoever opened them."""
        await self._client.aclose()

    async def summary(self, session: SessionId) -> Summary | None:
        with our_errors(self._where):
            found = await ask(self._client, "HGET", self._keys.of_session(session).sessions, session)
        return decode_summary(found) if found else None

    async def is_gone(self, session: SessionId) -> bool:
        keys = self._keys.of_session(session)
        with our_errors(self._where):
            return bool(await ask(self._client, "HEXISTS", keys.tombstones, session))

    async def summaries(self, cursor: str | None, limit: int) -> SummaryPage:
        below = _decode_place(cursor) if cursor else None
        places: list[_Place] = []
        with our_errors(self._where):
            for keys in self._keys.partitions:
                places += await self._newest(keys, below, limit + 1)
            places.sort(reverse=True)
            found = await self._summaries_of([name.decode() for _, name in places[:limit]])
        more = len(places) > limit
        return SummaryPage(summaries=found, cursor=_encode_place(places[limit - 1]) if more else None)

    async def _newest(self, keys: PartitionKeys, below: _Place | None, limit: int) -> list[_Place]:
        """Up to `limit` places of one partition below a place, in the order of the engine: time, then name,
        falling.
        """
        top = "+inf" if below is None else below[0]
        places: list[_Place] = []
        offset = 0
        while len(places) < limit:
            count = max(limit, _TIES_PER_CALL) if below else limit
            flat = await ask(
                self._client,
                "ZREVRANGEBYSCORE",
                keys.recent,
                top,
                "-inf",
                "WITHSCORES",
                "LIMIT",
                offset,
                count,
            )
            page = [(int(score), name) for name, score in zip(flat[::2], flat[1::2], strict=True)]
            places += [place for place in page if below is None or place < below]
            if len(page) < count:
                break
            offset += count
        return places[:limit]

    async def _summaries_of(self, sessions: list[str]) -> tuple[Summary, ...]:
        by_key: dict[str, list[str]] = {}
        for session in sessions:
            by_key.setdefault(self._keys.of_session(session).sessions, []).append(session)
        found: dict[str, bytes | None] = {}
        for key, names in by_key.items():
            found.update(zip(names, await ask(self._client, "HMGET", key, *names), strict=True))
        return tuple(decode_summary(raw) for session in sessions if (raw := found[session]) is not None)

    async def load_state(self, session: SessionId) -> SavedState | None:
        keys = self._keys.of_session(session)
        with our_errors(self._where):
            async with self._client.pipeline(transaction=True) as pipe:
                pipe.hgetall(keys.state(session))
                pipe.hgetall(keys.turns(session))
                state, turns = await pipe.execute()
        return saved_state(state, turns)

    async def read_log(self, session: SessionId, after_seq: int, limit: int) -> LogPage:
        with our_errors(self._where):
            return await read_log(self._gathered, self._keys.of_session(session), session, after_seq, limit)

    async def log_versions(
        self, session: SessionId, after_version: int, limit: int
    ) -> tuple[VersionEnd, ...]:
        keys = self._keys.of_session(session)
        with our_errors(self._where):
            return await read_versions(self._client, keys, session, after_version, limit)

    async def open_feed(self) -> Feed:
        return await RedisFeed.open(self._url, self._keys)

    async def quarantine(self, session: SessionId | None, cursor: str | None, limit: int) -> QuarantinePage:
        partitions = self._keys.partitions if session is None else (self._keys.of_session(session),)
        first, after = _decode_quarantine_cursor(cursor, len(partitions))
        found: list[tuple[int, Quarantined, str]] = []
        with our_errors(self._where):
            for index in range(first, len(partitions)):
                at = after if index == first else "-"
                found += [
                    (index, entry, entry_id)
                    for entry, entry_id in await self._quarantined(
                        partitions[index], session, at, limit + 1 - len(found)
                    )
                ]
                if len(found) > limit:
                    break
        page = found[:limit]
        more = len(found) > limit
        return QuarantinePage(
            entries=tuple(entry for _, entry, _ in page),
            cursor=f"{page[-1][0]}.{page[-1][2]}" if more else None,
        )

    async def _quarantined(
        self, keys: PartitionKeys, session: SessionId | None, start: str, limit: int
    ) -> list[tuple[Quarantined, str]]:
        found: list[tuple[Quarantined, str]] = []
        while len(found) < limit:
            entries = await ask(
                self._client, "XRANGE", keys.quarantine, start, "+", "COUNT", _QUARANTINE_PER_CALL
            )
            for entry_id, fields in entries:
                if session is None or fields[b"session"].decode() == session:
                    found.append((_quarantined(fields), entry_id.decode()))
            if len(entries) < _QUARANTINE_PER_CALL:
                break
            start = f"({entries[-1][0].decode()}"
        return found[:limit]

    async def inventory(self) -> Inventory:
        with our_errors(self._where):
            facts = await self._client.info("server")
            async with self._client.pipeline(transaction=False) as pipe:
                for keys in self._keys.partitions:
                    pipe.zcard(keys.recent)
                    pipe.xlen(keys.quarantine)
                counts = await pipe.execute()
        name = facts.get("server_name", "redis")
        return Inventory(
            engine=f"{name} {facts.get(f'{name}_version', facts['redis_version'])}",
            address=self._where,
            session_count=sum(counts[::2]),
            quarantined_count=sum(counts[1::2]),
        )

    async def delete(self, session: SessionId, at_ms: int) -> bool:
        keys = self._keys.of_session(session)
        names = [
            keys.checkpoint,
            keys.sessions,
            keys.recent,
            keys.open_turns,
            keys.feed,
            keys.quarantine,
            keys.tombstones,
            keys.sealable,
            keys.log(session),
            keys.segments(session),
            keys.state(session),
            keys.turns(session),
            keys.specs(session),
            keys.event_ids(session),
        ]
        with our_errors(self._where):
            status, detail = await _DELETE.run(self._client, names, [session, at_ms, FEED_LENGTH])
        if status == b"bad_key":
            raise KeyRefused(self._where, detail.decode())
        return bool(status == b"deleted")


def _quarantined(fields: dict[bytes, bytes]) -> Quarantined:
    return Quarantined(
        session=SessionId(fields[b"session"].decode()),
        seq=int(fields[b"seq"]),
        entry_id=EntryId(fields[b"entry_id"].decode()),
        reason=fields[b"reason"].decode(),
        raw=fields[b"raw"],
    )


def _encode_place(place: _Place) -> str:
    return base64.urlsafe_b64encode(b"%d %s" % place).decode().rstrip("=")


def _decode_place(cursor: str) -> _Place:
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        score, _, name = text.partition(b" ")
        return int(score), name
    except (ValueError, binascii.Error) as error:
        raise CursorRefused(cursor) from error


def _decode_quarantine_cursor(cursor: str | None, partition_count: int) -> tuple[int, str]:
    if cursor is None:
        return 0, "-"
    index, _, entry_id = cursor.partition(".")
    ms, _, number = entry_id.partition("-")
    if not (index.isdecimal() and ms.isdecimal() and number.isdecimal() and int(index) < partition_count):
        raise CursorRefused(cursor)
    return int(index), f"({entry_id}"
