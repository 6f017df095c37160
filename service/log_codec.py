"""How a batch lies in a session's log and in the change feed: MessagePack around the raw bytes of the events.

A log entry's id is ``<last seq + 1>-<count>``; its field `b` is ``[ids, events]``, where ids are
``[[ms, n], [ms - previous ms, n], ..]`` of the ingest entries and events are the bytes as they came.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Raw, Struct

from service.keys import SessionId
from service.stored import EntryId, FeedEntry, LogBatch, SessionCommit

FEED_BATCH = 0
FEED_GONE = 1


class PackedBatch(Struct, frozen=True, array_like=True):
    """The body of a log entry."""

    ids: Raw
    events: tuple[bytes, ...]


class _FeedPart(Struct, frozen=True, array_like=True):
    session: str
    epoch: str
    version: int
    first_seq: int
    count: int
    kind: int


_encode = msgspec.msgpack.Encoder().encode
_decode_packed = msgspec.msgpack.Decoder(PackedBatch).decode
decode_bodies = msgspec.msgpack.Decoder(tuple[PackedBatch, ...]).decode
_decode_ids = msgspec.msgpack.Decoder(tuple[tuple[int, int], ...]).decode
_decode_feed = msgspec.msgpack.Decoder(tuple[_FeedPart, ...]).decode


def pack_batch(entry_ids: Sequence[bytes], events: Sequence[bytes]) -> bytes:
    """The field `b` of a log entry."""
    pairs = []
    previous_ms = 0
    for entry_id in entry_ids:
        ms_text, _, number = entry_id.partition(b"-")
        ms = int(ms_text)
        pairs.append((ms - previous_ms, int(number)))
        previous_ms = ms
    return _encode((pairs, events))


def unpack_batch(log_id: bytes, version: bytes, packed: bytes) -> LogBatch:
    """A log entry as a value; the inverse of `pack_batch` and `log_entry_id`."""
    end, _, count = log_id.partition(b"-")
    return batch_of(int(version), int(end) - int(count), _decode_packed(packed))


def batch_of(version: int, first_seq: int, packed: PackedBatch) -> LogBatch:
    """A batch from its decoded body and its place in the log."""
    return LogBatch(version=version, first_seq=first_seq, packed_ids=bytes(packed.ids), events=packed.events)


def entry_ids(batch: LogBatch) -> tuple[EntryId, ...]:
    """The ingest ids of a batch's events, unpacked only where somebody asks for them."""
    ids = []
    ms = 0
    for delta_ms, number in _decode_ids(batch.packed_ids):
        ms += delta_ms
        ids.append(EntryId(f"{ms}-{number}"))
    return tuple(ids)


def pack_feed(sessions: Sequence[SessionCommit]) -> bytes:
    """The feed entry of a commit; empty when it added no event to any log."""
    parts = [
        (
            one.summary.session,
            one.summary.epoch,
            one.summary.version,
            one.expected_next_seq,
            len(one.events),
            FEED_BATCH,
        )
        for one in sessions
        if one.events
    ]
    return _encode(parts) if parts else b""


def unpack_feed(packed: bytes) -> tuple[FeedEntry, ...]:
    """The parts of one feed entry."""
    return tuple(
        FeedEntry(
            session=SessionId(part.session),
            epoch=part.epoch,
            version=part.version,
            first_seq=part.first_seq,
            count=part.count,
            gone=part.kind == FEED_GONE,
        )
        for part in _decode_feed(packed)
    )
