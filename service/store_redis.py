"""Stage 5, commit: the store on Redis or Valkey. What a projector needs; `reader_redis` has the API's side.

The rules that keep every event exactly once (R-3):

1. A commit is one script over keys of one slot. It checks token, checkpoint, tombstones, every key's type and
   every log's head, and refuses as a whole; only then it writes, the checkpoint last. Neither scripts nor
   MULTI roll back: a WRONGTYPE in mid-batch left MULTI with the checkpoint moved (a loss) and Lua with half a
   batch.
2. The checkpoint moves only inside a commit, and every commit moves it. So the checkpoint alone tells what
   became of a commit whose reply was lost: at its `new_id` under our token, it happened; anywhere else, it
   did not.
3. Ownership is a number that grows. Whoever holds a smaller one commits nothing, however long it was asleep.
4. A log entry's id is `last seq + 1`-`count`, so that the engine itself refuses a second entry for one seq.
5. Feed ids count without a hole, so that a reader sees by the id alone that it missed something.
6. Time and randomness come from the caller; scripts know neither. Nothing here is ever tried twice.
7. A saved state and its turns are written by one commit and read by one MULTI: never a head of one save with
   turns of another. The log is read after it; being append-only, it can only be longer.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Final

import msgspec
from redis.asyncio import Redis
from redis.exceptions import ResponseError

from service.connection_redis import Script, address_of, ask, connect, is_response_error, our_errors, ping
from service.errors import DeploymentMismatch, StoreRefused
from service.keys import DEPLOYMENT_KEY, INGEST_GROUP, KeySpace, PartitionKeys, SessionId
from service.log_codec import pack_batch, pack_feed
from service.log_redis import read_log, seal
from service.record_codec import PackedRecords, pack_record, unpack_record
from service.stored import (
    START,
    Checkpoint,
    Commit,
    CommitOutcome,
    CommitStatus,
    EntryId,
    LogPage,
    SavedState,
    Sealable,
    SessionCommit,
    StoredSession,
    Summary,
)

FORMAT: Final = "1"
# About 10,000 commits back: an API process that was away longer reloads what it holds.
FEED_LENGTH: Final = 10_000
# Two machines' clocks may differ by as much.
_CLOCK_AHEAD_MS: Final = 60_000
# Two connections suffice for one loop per partition; a few more so that partitions do not wait for each
# other.
_CONNECTIONS = 16

_encode_summary = msgspec.json.Encoder().encode
decode_summary = msgspec.json.Decoder(Summary).decode
_COMMIT = Script("commit.lua")
_OUTCOMES: dict[bytes, CommitStatus] = {
    b"committed": "committed",
    b"moved": "moved",
    b"fenced": "fenced",
    b"stale_checkpoint": "stale_checkpoint",
    b"bad_key": "bad_key",
    b"gone": "gone",
}


class RedisStore:
    """`ports.Store` on one Redis or Valkey server."""

    def __init__(self, url: str, keys: KeySpace) -> None:
        self._keys = keys
        self._where = address_of(url)
        self._client: Redis = connect(url, connections=_CONNECTIONS)

    async def start(self, now_ms: int) -> None:
        """Check that the engine answers and holds this deployment, or make it; raises StartError or
        StoreUnavailable.
        """
        await ping(self._client, self._where)
        wanted = {"partitions": str(self._keys.partition_count), "format": FORMAT}
        with our_errors(self._where):
            for name, value in (*wanted.items(), ("created_at_ms", str(now_ms))):
                await ask(self._client, "HSETNX", DEPLOYMENT_KEY, name, value)
            stored = await ask(self._client, "HMGET", DEPLOYMENT_KEY, *wanted)
        for (name, value), found in zip(wanted.items(), stored, strict=True):
            if found.decode() != value:
                raise DeploymentMismatch(name, found.decode(), value)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def take_ownership(self, partition: int) -> Checkpoint:
        keys = self._keys.partitions[partition]
        with our_errors(self._where):
            try:
                await ask(self._client, "XGROUP", "CREATE", keys.ingest, INGEST_GROUP, "0", "MKSTREAM")
            except ResponseError as error:
                if not is_response_error(error, "BUSYGROUP"):
                    raise StoreRefused(self._where, f"{keys.ingest}: {error}") from error
            await ask(self._client, "HINCRBY", keys.checkpoint, "token", 1)
        return await self.read_checkpoint(partition)

    async def read_checkpoint(self, partition: int) -> Checkpoint:
        key = self._keys.partitions[partition].checkpoint
        with our_errors(self._where):
            found = await ask(self._client, "HMGET", key, "id", "count", "token", "lost_count")
        entry_id, count, token, lost_count = found
        return Checkpoint(
            entry_id=EntryId(entry_id.decode()) if entry_id else START,
            consumed_count=int(count or 0),
            token=int(token or 0),
            lost_count=-1 if lost_count is None else int(lost_count),
        )

    async def record_loss(self, partition: int, consumed_count: int) -> None:
        with our_errors(self._where):
            key = self._keys.partitions[partition].checkpoint
            await ask(self._client, "HSET", key, "lost_count", consumed_count)

    async def load(self, partition: int, sessions: Sequence[SessionId]) -> tuple[StoredSession, ...]:
        if not sessions:
            return ()
        keys = self._keys.partitions[partition]
        with our_errors(self._where):
            summaries, gone = await self._facts(keys, sessions)
            known = [one for one, summary in zip(sessions, summaries, strict=True) if summary is not None]
            states = dict(zip(known, await self._states(keys, known), strict=True))
        return tuple(
            StoredSession(
                session=session,
                gone=is_gone is not None,
                summary=decode_summary(summary) if summary else None,
                state=states.get(session),
            )
            for session, summary, is_gone in zip(sessions, summaries, gone, strict=True)
        )

    async def _facts(self, keys: PartitionKeys, sessions: Sequence[SessionId]) -> tuple[list[Any], list[Any]]:
        async with self._client.pipeline(transaction=True) as pipe:
            pipe.execute_command("HMGET", keys.sessions, *sessions)
            pipe.execute_command("HMGET", keys.tombstones, *sessions)
            summaries, gone = await pipe.execute()
        return summaries, gone

    async def _states(self, keys: PartitionKeys, sessions: Sequence[SessionId]) -> list[SavedState | None]:
        if not sessions:
            return []
        async with self._client.pipeline(transaction=True) as pipe:
            for session in sessions:
                pipe.hgetall(keys.state(session))
                pipe.hgetall(keys.turns(session))
            replies = await pipe.execute()
        return [saved_state(state, turns) for state, turns in zip(replies[::2], replies[1::2], strict=True)]

    async def read_log(self, session: SessionId, after_seq: int, limit: int) -> LogPage:
        with our_errors(self._where):
            return await read_log(self._client, self._keys.of_session(session), session, after_seq, limit)

    async def commit(self, commit: Commit) -> CommitOutcome:
        keys, args = _commit_call(self._keys.partitions[commit.partition], commit)
        with our_errors(self._where):
            status, detail = await _COMMIT.run(self._client, keys, args)
        return CommitOutcome(status=_OUTCOMES[status], detail=detail.decode())

    async def stale_sessions(
        self, partition: int, before_ms: int, now_ms: int, limit: int
    ) -> tuple[Summary, ...]:
        keys = self._keys.partitions[partition]
        with our_errors(self._where):
            waiting = await _waiting(self._client, keys.open_turns, before_ms, now_ms, limit)
            if not waiting:
                return ()
            found = await ask(self._client, "HMGET", keys.sessions, *(name for name, _ in waiting))
        return tuple(decode_summary(summary) for summary in found if summary)

    async def sealable_sessions(
        self, partition: int, before_ms: int, now_ms: int, limit: int
    ) -> tuple[Sealable, ...]:
        key = self._keys.partitions[partition].sealable
        with our_errors(self._where):
            waiting = await _waiting(self._client, key, before_ms, now_ms, limit)
        return tuple(Sealable(session=SessionId(name), due_ms=score) for name, score in waiting)

    async def seal(self, due: Sealable) -> bool:
        with our_errors(self._where):
            return await seal(self._client, self._keys.of_session(due.session), due, self._where)


async def _waiting(client: Redis, key: str, before_ms: int, now_ms: int, limit: int) -> list[tuple[str, int]]:
    """Sessions of a sorted set with times at or before `before_ms`, and those ahead of `now_ms`: a clock that was
    set back since must not make them wait until it has caught up.
    """
    ahead_ms = now_ms + _CLOCK_AHEAD_MS
    async with client.pipeline(transaction=False) as pipe:
        pipe.execute_command("ZRANGEBYSCORE", key, "-inf", before_ms, "WITHSCORES", "LIMIT", 0, limit)
        pipe.execute_command("ZRANGEBYSCORE", key, f"({ahead_ms}", "+inf", "WITHSCORES", "LIMIT", 0, limit)
        flat = list(chain(*await pipe.execute()))
    if flat and isinstance(flat[0], tuple):  # the client pairs them
        return [(name.decode(), int(score)) for name, score in flat]
    return [(name.decode(), int(score)) for name, score in zip(flat[::2], flat[1::2], strict=True)]


def saved_state(state: Mapping[bytes, bytes], turns: Mapping[bytes, bytes]) -> SavedState | None:
    """The two hashes of a save as a value; None when there is no save."""
    if not state:
        return None
    head = unpack_record(state[b"head"])
    records = PackedRecords({key.decode(): turn for key, turn in turns.items()})
    return SavedState(
        next_seq=int(state[b"seq"]),
        version=int(state[b"version"]),
        projection=int(state[b"projection"]),
        size_bytes=int(state[b"bytes"]),
        head=head,
        turns=records,
        held_bytes=len(head) + records.unpacked_bytes(),
    )


def _commit_call(keys: PartitionKeys, commit: Commit) -> tuple[list[str], list[str | bytes | int]]:
    names = [
        keys.checkpoint,
        keys.ingest,
        keys.sessions,
        keys.recent,
        keys.open_turns,
        keys.feed,
        keys.quarantine,
        keys.tombstones,
        keys.sealable,
    ]
    args: list[str | bytes | int] = [
        commit.token,
        commit.expected_id,
        commit.new_id,
        commit.consumed_count,
        commit.at_ms,
        commit.trim_before or "",
        pack_feed(commit.sessions),
        FEED_LENGTH,
        commit.dropped_count,
        len(commit.sessions),
        len(commit.quarantined),
    ]
    for one in commit.sessions:
        _add_session(names, args, keys, one)
    for entry in commit.quarantined:
        args += (entry.session, entry.seq, entry.entry_id, entry.reason, entry.raw)
    return names, args


def _add_session(
    names: list[str], args: list[str | bytes | int], keys: PartitionKeys, one: SessionCommit
) -> None:
    summary = one.summary
    session = summary.session
    names.append(keys.log(session))
    state: tuple[str | bytes | int, ...] = ()
    turns: tuple[str | bytes | int, ...] = ()
    if one.save is not None:
        names += (keys.state(session), keys.turns(session))
        state = _state_words(one.save)
        turns = tuple(chain.from_iterable((tag, pack_record(turn)) for tag, turn in one.save.turns.items()))
    specs: tuple[str | bytes | int, ...] = tuple(chain.from_iterable(one.specs.items()))
    if specs:
        names.append(keys.specs(session))
    count = len(one.events)
    args += (
        session,
        one.expected_next_seq,
        f"{one.expected_next_seq + count}-{count}" if count else "",
        pack_batch(one.entry_ids, one.events) if count else b"",
        summary.version,
        _encode_summary(summary),
        int(one.stale_timer),
        int(one.sealable),
        len(state),
        len(turns),
        len(specs),
        *state,
        *turns,
        *specs,
    )


def _state_words(save: SavedState) -> tuple[str | bytes | int, ...]:
    return (
        "seq",
        save.next_seq,
        "version",
        save.version,
        "bytes",
        save.size_bytes,
        "projection",
        save.projection,
        "head",
        pack_record(save.head),
    )
