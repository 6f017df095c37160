"""How a saved head or turn lies in its hash: zstd where that is shorter, else the JSON as it is.

The first bytes tell which: JSON of a record begins with ``[``, a zstd frame with its magic number.
"""

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
