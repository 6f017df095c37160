"""How sealed batches lie in a segment: zstd around the batches as they lay in the log, byte for byte.

A segment's id is ``<last seq + 1>-<count of events>``, as a log entry's. Its fields: `v`, the version of its last
batch; `n`, MessagePack of the number of events in each batch (versions grow by one a batch, so this tells where
each version ends without unpacking anything); `b`, zstd of a MessagePack array of the batches' own bodies.

Streamed chunks are not packed beyond that, though R-5 allows it: they are so alike that zstd brings an event of 106
bytes to 11 in segments of 18 kB and above, and to 24 in one of 1 kB (level 3; nine levels up it is 9), and what a
replay yields stays the bytes that came.
"""

from collections.abc import Sequence

import msgspec
import zstandard
from msgspec import Raw, Struct

from service.log_codec import batch_of, decode_bodies
from service.stored import LogBatch, VersionEnd

# Higher levels save a tenth and take twice to four times as long.
_LEVEL = 3


class LogEntry(Struct, frozen=True):
    """An entry of a session's stream as it lies there; `end` is its last seq + 1."""

    entry_id: bytes
    end: int
    count: int
    version: int
    body: bytes


class Segment(Struct, frozen=True, kw_only=True):
    """What replaces a run of entries, `first_id` to `last_id`."""

    first_id: bytes
    last_id: bytes
    segment_id: str
    version: int
    counts: bytes
    body: bytes


_encode = msgspec.msgpack.Encoder().encode
_decode_counts = msgspec.msgpack.Decoder(tuple[int, ...]).decode


def log_entry(entry_id: bytes, version: bytes, body: bytes) -> LogEntry:
    """An entry from its id and fields."""
    end, _, count = entry_id.partition(b"-")
    return LogEntry(entry_id, int(end), int(count), int(version), body)


def pack_segment(entries: Sequence[LogEntry]) -> Segment:
    """One segment of entries that follow each other; their versions grow by one."""
    first, last = entries[0], entries[-1]
    return Segment(
        first_id=first.entry_id,
        last_id=last.entry_id,
        segment_id=f"{last.end}-{last.end - first.end + first.count}",
        version=last.version,
        counts=_encode([entry.count for entry in entries]),
        body=zstandard.ZstdCompressor(level=_LEVEL).compress(_encode([Raw(entry.body) for entry in entries])),
    )


def unpack_segment(segment_id: bytes, version: bytes, body: bytes) -> tuple[LogBatch, ...]:
    """The batches of a segment as they were committed."""
    end, _, count = segment_id.partition(b"-")
    bodies = decode_bodies(zstandard.ZstdDecompressor().decompress(body))
    first_seq = int(end) - int(count)
    first_version = int(version) - len(bodies) + 1
    batches = []
    for number, one in enumerate(bodies, first_version):
        batches.append(batch_of(number, first_seq, one))
        first_seq += len(one.events)
    return tuple(batches)


def unpack_ends(segment_id: bytes, version: bytes, counts: bytes) -> list[VersionEnd]:
    """Where each version of a segment ends, newest first."""
    last_seq = int(segment_id.partition(b"-")[0]) - 1
    ends = []
    for number, count in zip(range(int(version), 0, -1), reversed(_decode_counts(counts)), strict=False):
        ends.append(VersionEnd(version=number, last_seq=last_seq))
        last_seq -= count
    return ends
