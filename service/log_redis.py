"""Stage 5, the log: one session's events on Redis, sealed segments first, then a stream of the newest batches (R-5).

1. An entry moves from the stream to a segment and never back, by one script. So whoever reads the stream first and
   finds that it begins too late finds the rest in the segments, without any lock.
2. Only whole entries move, in order, and each segment takes the place of a run that begins the stream.
3. The stream keeps its last id when it is emptied; the commit checks its log's head by that.
"""

from collections.abc import Sequence
from typing import Any, Final

from redis.asyncio import Redis

from service.connection_redis import Asking, Script, ask
from service.errors import KeyRefused
from service.keys import PartitionKeys, SessionId
from service.log_codec import unpack_batch
from service.segment_codec import LogEntry, log_entry, pack_segment, unpack_ends, unpack_segment
from service.stored import LogPage, Sealable, VersionEnd

# A reader of a few events unpacks one segment: 128 KiB take 0.1 ms, and greater ones are packed no better.
SEGMENT_BYTES: Final = 128 * 1024
# A turn may have come in entries of one event or of thousands; the first read tells.
_FIRST_READ_COUNT: Final = 16
_MOST_READ_COUNT: Final = 4_096
_SEAL = Script("seal.lua")
_VERSIONS = Script("versions.lua")


async def read_log(
    client: Redis | Asking, keys: PartitionKeys, session: SessionId, after_seq: int, limit: int
) -> LogPage:
    """Batches that hold a seq above `after_seq`: those whose id begins at `after_seq` + 2 or later."""
    start = after_seq + 2
    entries = await ask(client, "XRANGE", keys.log(session), start, "+", "COUNT", limit)
    batches = tuple(unpack_batch(entry_id, fields[b"v"], fields[b"b"]) for entry_id, fields in entries)
    if batches and batches[0].first_seq <= after_seq + 1:
        return LogPage(batches=batches, more=len(batches) == limit)
    sealed = await ask(client, "XRANGE", keys.segments(session), start, "+", "COUNT", 1)
    if not sealed:
        return LogPage(batches=batches, more=len(batches) == limit)
    segment_id, fields = sealed[0]
    unpacked = unpack_segment(segment_id, fields[b"v"], fields[b"b"])
    wanted = (batch for batch in unpacked if batch.first_seq + len(batch.events) > after_seq + 1)
    return LogPage(batches=tuple(wanted), more=True)


async def read_versions(
    client: Redis, keys: PartitionKeys, session: SessionId, after_version: int, limit: int
) -> tuple[VersionEnd, ...]:
    """The newest versions above `after_version`, oldest first, at most `limit`."""
    names = [keys.log(session), keys.segments(session)]
    entries, segments = await _VERSIONS.run(client, names, [after_version, limit])
    ends = [
        VersionEnd(version=int(version), last_seq=int(entry_id.partition(b"-")[0]) - 1)
        for version, entry_id in entries
    ]
    for segment in segments:
        ends += unpack_ends(*segment)
    newest = [end for end in ends[:limit] if end.version > after_version]
    return tuple(reversed(newest))


async def seal(client: Redis, keys: PartitionKeys, due: Sealable, where: str) -> bool:
    """Seal the oldest `SEGMENT_BYTES` of a session's stream, or what there is; False when nothing more is due."""
    session = due.session
    entries, more = await _oldest(client, keys.log(session))
    if not entries:
        await ask(client, "ZREM", keys.sealable, session)
        return False
    segment = pack_segment(entries)
    status, detail = await _SEAL.run(
        client,
        [keys.log(session), keys.segments(session), keys.sealable],
        [
            session,
            segment.first_id,
            segment.last_id,
            entries[-1].end + 1,
            segment.segment_id,
            segment.version,
            segment.counts,
            segment.body,
            "" if more else due.due_ms,
        ],
    )
    if status == b"bad_key":
        raise KeyRefused(where, detail.decode())
    return more


async def _oldest(client: Redis, key: str) -> tuple[list[LogEntry], bool]:
    """Entries from the stream's beginning that fill a segment, and whether others follow."""
    taken: list[LogEntry] = []
    size_bytes = 0
    start, count = "-", _FIRST_READ_COUNT
    while True:
        found = await ask(client, "XRANGE", key, start, "+", "COUNT", count)
        for entry in _entries(found):
            if size_bytes >= SEGMENT_BYTES or (taken and entry.version != taken[-1].version + 1):
                return taken, True
            taken.append(entry)
            size_bytes += len(entry.body)
        if len(found) < count:
            return taken, False
        start = f"({found[-1][0].decode()}"
        left = max(SEGMENT_BYTES - size_bytes, 0)
        count = min(left * len(taken) // max(size_bytes, 1) + 1, _MOST_READ_COUNT)


def _entries(found: Sequence[Any]) -> list[LogEntry]:
    return [log_entry(entry_id, fields[b"v"], fields[b"b"]) for entry_id, fields in found]
