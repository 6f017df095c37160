"""How a saved head or turn lies in its hash: zstd where that is shorter, else the JSON as it is.

The first bytes tell which: JSON of a record begins with ``[``, a zstd frame with its magic number.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import zstandard

_MAGIC: Final = zstandard.FRAME_HEADER
# Of 200 bytes little can be saved, and every save and cold start would pay for it.
_SMALL_BYTES: Final = 256
_LEVEL: Final = 3


def pack_record(record: bytes) -> bytes:
    """A record as it is stored."""
    if len(record) < _SMALL_BYTES:
        return record
    packed = zstandard.ZstdCompressor(level=_LEVEL).compress(record)
    return packed if len(packed) < len(record) else record


def unpack_record(stored: bytes) -> bytes:
    """The record that `pack_record` took; damaged bytes come back as they are, for their reader to refuse."""
    if not stored.startswith(_MAGIC):
        return stored
    try:
        return zstandard.ZstdDecompressor().decompress(stored)
    except zstandard.ZstdError:
        return stored


class PackedRecords(Mapping[str, bytes]):
    """Records by name as they are stored, each unpacked when it is asked for: a session has any number of turns."""

    __slots__ = ("_stored",)

    def __init__(self, stored: Mapping[str, bytes]) -> None:
        self._stored = stored

    def __getitem__(self, name: str) -> bytes:
        return unpack_record(self._stored[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._stored)

    def __len__(self) -> int:
        return len(self._stored)

    def __repr__(self) -> str:
        return f"PackedRecords({len(self._stored)} of {self.unpacked_bytes()} bytes)"

    def unpacked_bytes(self) -> int:
        """How great all records are together, without unpacking any."""
        return sum(map(_unpacked_bytes, self._stored.values()))


def _unpacked_bytes(stored: bytes) -> int:
    if not stored.startswith(_MAGIC):
        return len(stored)
    try:
        return max(zstandard.frame_content_size(stored), 0)
    except zstandard.ZstdError:
        return len(stored)
