"""Stage 1, the source: appends to the ingest streams and reads them from a checkpoint (R-2, R-3a).

Reading takes nothing away and needs no pending list: the checkpoint moves inside the commit alone.
`TURNFOLD_ACK` is kept
per append: `memory` answers when the engine has the events, `fsync` when its disk has them, `replicas`
when a replica has them.
"""

from collections.abc import Sequence
from typing import Any, Final, Literal

import structlog
from redis.asyncio import Redis
from redis.exceptions import ResponseError

from service.connection_redis import (
    Script,
    address_of,
    ask,
    ask_raw,
    connect,
    is_response_error,
    our_errors,
    ping,
)
from service.errors import DurabilityMissing, KeyRefused, NotDurable, SessionGone
from service.keys import INGEST_GROUP, KeySpace, SessionId
from service.stored import Appended, Backlog, EntryId, IngestEntry, entry_order

Ack = Literal["memory", "fsync", "replicas"]
# How long a disk or a replica may take before the append is reported as not durable.
_CONFIRM_TIMEOUT_MS: Final = 5_000
_LONGEST_BLOCK_MS: Final = 10_000
_EVENT_ID_LIFETIME_S: Final = 3_600
_MOST_EVENT_IDS: Final = 20_000
_APPEND = Script("append.lua")
_log = structlog.get_logger(__name__)


class RedisSource:
    """`ports.Source` on one Redis or Valkey server; blocking reads have connections of their own."""

    def __init__(self, url: str, keys: KeySpace, ack: Ack = "memory") -> None:
        self._keys = keys
        self._where = address_of(url)
        self._ack: Ack = ack
        self._confirm: tuple[str | int, ...] = ()
        self._client: Redis = connect(url)
        self._reading: Redis = connect(
            url, blocking_ms=_LONGEST_BLOCK_MS, connections=keys.partition_count + 1
        )

    async def start(self) -> None:
        """Check that the engine answers and can give what `ack` promises; raises StartError or
        StoreUnavailable.
        """
        await ping(self._client, self._where)
        with our_errors(self._where):
            if self._ack == "fsync":
                self._confirm = await self._fsync_confirmation()
            elif self._ack == "replicas":
                self._confirm = await self._replica_confirmation()
        _log.info(
            "append_durability",
            ack=self._ack,
            confirmed_by=self._confirm[0] if self._confirm else "the reply",
        )

    async def close(self) -> None:
        """Close the connections; a read that blocks ends with StoreUnavailable."""
        await self._client.aclose()
        await self._reading.aclose()

    async def append(
        self, session: SessionId, events: Sequence[bytes], event_ids: Sequence[str | None]
    ) -> tuple[Appended, ...]:
        keys = self._keys.of_session(session)
        names = [keys.ingest, keys.event_ids(session), keys.tombstones]
        args: list[str | bytes | int] = [session, _EVENT_ID_LIFETIME_S, _MOST_EVENT_IDS]
        for event_id, event in zip(event_ids, events, strict=True):
            args += (event_id or "", event)
        with our_errors(self._where):
            reply = await self._run(names, args)
        match reply[0]:
            case b"gone":
                raise SessionGone(session)
            case b"bad_key":
                raise KeyRefused(self._where, reply[1].decode())
            case _:
                return tuple(
                    Appended(entry_id=EntryId(one[1:].decode()), duplicate=one[:1] == b"d")
                    for one in reply[1:]
                )

    async def _run(self, names: list[str], args: list[str | bytes | int]) -> list[bytes]:
        if not self._confirm:
            reply: list[bytes] = await _APPEND.run(self._client, names, args)
            return reply
        reply, confirmed = await _APPEND.run_then(self._client, names, args, self._confirm)
        # WAITAOF answers [local, replicas], WAIT a number.
        if (confirmed[0] if isinstance(confirmed, list) else confirmed) < 1:
            raise NotDurable(self._ack)
        return reply

    async def read(self, partition: int, after: EntryId, limit: int, block_ms: int) -> Sequence[IngestEntry]:
        block = ("BLOCK", block_ms) if block_ms else ()
        key = self._keys.partitions[partition].ingest
        with our_errors(self._where):
            # The parsed form costs half the rate of the read; the raw reply is laid out like the stream itself.
            reply = await ask_raw(self._reading, "XREAD", "COUNT", limit, *block, "STREAMS", key, after)
        if not reply:
            return ()
        return [
            (entry_id, fields[1], fields[3])
            if len(fields) == 4 and fields[0] == b"s" and fields[2] == b"e"
            else _from_other_fields(entry_id, fields)
            for entry_id, fields in reply[0][1]
        ]

    async def backlog(self, partition: int, after: EntryId) -> Backlog:
        waiting = await self.read(partition, after, 1, 0)
        oldest_at_ms = entry_order(EntryId(waiting[0][0].decode()))[0] if waiting else None
        return Backlog(event_count=await self._lag(partition), oldest_at_ms=oldest_at_ms)

    async def _lag(self, partition: int) -> int | None:
        """The lag of the group that every commit sets: the engine counts, and no entry is read for it."""
        key = self._keys.partitions[partition].ingest
        with our_errors(self._where):
            try:
                groups = await ask(self._client, "XINFO", "GROUPS", key)
            except ResponseError as error:
                if is_response_error(error, "no such key"):
                    return 0
                raise
        for flat in groups:
            facts = dict(zip(flat[::2], flat[1::2], strict=True))
            if facts[b"name"] == INGEST_GROUP.encode():
                lag: int | None = facts.get(b"lag")
                return lag
        return None

    async def _fsync_confirmation(self) -> tuple[str | int, ...]:
        persistence: dict[str, Any] = await self._client.info("persistence")
        if not persistence.get("aof_enabled"):
            raise DurabilityMissing("fsync", "the engine keeps no append-only file; set `appendonly yes`")
        try:
            policy = await ask(self._client, "CONFIG", "GET", "appendfsync")
        except ResponseError:
            policy = []  # hosted engines hide their configuration; WAITAOF asks for what matters
        if b"always" in policy:
            return ()
        try:
            await ask(self._client, "WAITAOF", 1, 0, 1)
        except ResponseError as error:
            why = f"appendfsync is not `always` and the engine has no WAITAOF ({error})"
            raise DurabilityMissing("fsync", why) from error
        return ("WAITAOF", 1, 0, _CONFIRM_TIMEOUT_MS)

    async def _replica_confirmation(self) -> tuple[str | int, ...]:
        replication: dict[str, Any] = await self._client.info("replication")
        if not replication.get("connected_slaves"):
            raise DurabilityMissing("replicas", "no replica is connected to the engine")
        return ("WAIT", 1, _CONFIRM_TIMEOUT_MS)


def _from_other_fields(entry_id: bytes, fields: Sequence[bytes]) -> IngestEntry:
    """An entry whose fields stand in another order, or among others; what is missing is None."""
    named = dict(zip(fields[::2], fields[1::2], strict=True))
    return entry_id, named.get(b"s"), named.get(b"e")
