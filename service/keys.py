"""Stage 0, addressing: which partition a session belongs to and what each Redis key is called (R-1).

All keys of one partition share one hash tag, so that a commit touches one cluster slot. The algorithm is
public: a producer in any language computes ``crc32(session) mod P`` and writes to ``turnfold:{TAG}:in``.

Test vectors (P, session -> partition, tag, ingest key):

* 1, ``s1``  -> 0, ``p0``, ``turnfold:{p0}:in``
* 4, ``s1``  -> 2, ``p2``, ``turnfold:{p2}:in``
* 4, ``chat:42`` -> 1, ``p1a``, ``turnfold:{p1a}:in``
"""

import binascii
import re
import zlib
from functools import lru_cache
from itertools import count
from typing import Final, NewType

SessionId = NewType("SessionId", str)
"""1 to 256 characters of ``A-Z a-z 0-9 . _ : @ -``."""

DEPLOYMENT_KEY: Final = "turnfold:deployment"
PREFERENCE_CHANGES_KEY: Final = "turnfold:{preferences}:changes"
INGEST_GROUP: Final = "turnfold"
"""The consumer group that commits move along (R-2): for lag alone, nobody reads through it."""
CLUSTER_SLOT_COUNT: Final = 16384
MAX_PARTITION_COUNT: Final = 1024

_SESSION = re.compile(rb"[A-Za-z0-9._:@-]{1,256}")


def is_session_id(text: bytes) -> bool:
    """Say whether the bytes are a legal session id."""
    return _SESSION.fullmatch(text) is not None


def partition_of(session: str, partition_count: int) -> int:
    """The partition of a session: CRC-32 (zlib's) of its UTF-8 bytes, modulo the partition count."""
    return zlib.crc32(session.encode()) % partition_count


def cluster_slot(tag: str) -> int:
    """The Redis Cluster slot of a hash tag: CRC-16/XMODEM modulo 16384."""
    return binascii.crc_hqx(tag.encode(), 0) % CLUSTER_SLOT_COUNT


@lru_cache(maxsize=64)
def partition_tags(partition_count: int) -> tuple[str, ...]:
    """One hash tag per partition, spread evenly over the cluster's slots.

    Tag ``i`` is the first of ``p{i}``, ``p{i}a`` .. ``p{i}z``, ``p{i}aa`` .. whose slot lies in the i-th of P
    equal slices of the slots. Plain ``{0}`` .. ``{7}`` fell 4/2/2 on three primaries.
    """
    if not 1 <= partition_count <= MAX_PARTITION_COUNT:
        raise ValueError(f"partition count {partition_count} is not between 1 and {MAX_PARTITION_COUNT}")
    return tuple(_tag_in_slice(index, partition_count) for index in range(partition_count))


def _tag_in_slice(index: int, partition_count: int) -> str:
    for attempt in count():
        tag = f"p{index}{_letters(attempt)}"
        if cluster_slot(tag) * partition_count // CLUSTER_SLOT_COUNT == index:
            return tag
    raise AssertionError("count() does not end")


def _letters(number: int) -> str:
    """0 -> '', 1 -> 'a', 26 -> 'z', 27 -> 'aa': counting without a zero digit."""
    letters = ""
    while number:
        number, digit = divmod(number - 1, 26)
        letters = chr(ord("a") + digit) + letters
    return letters


def preferences_key(subject: str) -> str:
    """The preferences of a subject, a hash from field to JSON; in one slot with the stream of changes."""
    return f"turnfold:{{preferences}}:of:{subject}"


def ticket_key(digest: str) -> str:
    """What a ticket stands for, by the ticket's digest; expires."""
    return f"turnfold:ticket:{digest}"


class PartitionKeys:
    """The names of all keys of one partition."""

    __slots__ = (
        "checkpoint",
        "feed",
        "ingest",
        "open_turns",
        "prefix",
        "quarantine",
        "recent",
        "sealable",
        "sessions",
        "tombstones",
    )

    def __init__(self, tag: str) -> None:
        self.prefix: Final = f"turnfold:{{{tag}}}:"
        self.ingest: Final = self.prefix + "in"
        self.checkpoint: Final = self.prefix + "checkpoint"
        self.sessions: Final = self.prefix + "sessions"
        self.recent: Final = self.prefix + "recent"
        self.open_turns: Final = self.prefix + "open"
        self.sealable: Final = self.prefix + "sealable"
        self.feed: Final = self.prefix + "feed"
        self.quarantine: Final = self.prefix + "quarantine"
        self.tombstones: Final = self.prefix + "tombstones"

    def log(self, session: str) -> str:
        """The newest part of the session's durable log, a stream."""
        return f"{self.prefix}log:{session}"

    def segments(self, session: str) -> str:
        """The sealed part of the log, which comes before it: a stream of compressed segments."""
        return f"{self.prefix}segments:{session}"

    def state(self, session: str) -> str:
        """The session's last saved fold, a hash."""
        return f"{self.prefix}state:{session}"

    def turns(self, session: str) -> str:
        """The session's closed turns, a hash from turn key to record."""
        return f"{self.prefix}turns:{session}"

    def specs(self, session: str) -> str:
        """The session's turn-process specs, a hash from turn to JSON."""
        return f"{self.prefix}specs:{session}"

    def event_ids(self, session: str) -> str:
        """The session's recent event ids, for deduplication at the door; expires."""
        return f"{self.prefix}ids:{session}"


class KeySpace:
    """The key names of a whole deployment, by partition or by session."""

    __slots__ = ("partition_count", "partitions")

    def __init__(self, partition_count: int) -> None:
        self.partition_count: Final = partition_count
        self.partitions: Final = tuple(PartitionKeys(tag) for tag in partition_tags(partition_count))

    def of_session(self, session: str) -> PartitionKeys:
        """The keys of the partition that the session belongs to."""
        return self.partitions[partition_of(session, self.partition_count)]
