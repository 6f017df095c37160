"""Publish stage, encoding: what many subscribers get is encoded once, as complete WebSocket frames (W-3).

1. Every shared message begins with `type`, `sub` and, for a session, `view_rev`. All that follows is the same
   for everybody, so it is encoded once a codec: the *tail*. The *head* is one subscriber's own.
2. A frame is WebSocket header, head and tail (RFC 6455, 5.2: one fragment, not masked, not compressed), ready
   to be written to the transport. Subscribers with an equal head, as those who run the same client program
   have, get the very same bytes.
3. A great tail is never copied: its frame is two pieces, and the second one is shared whatever the head.
4. MessagePack is made from the JSON, because rows hold raw JSON: once a message, never once a socket.
"""

from functools import lru_cache
from typing import Final

import msgspec

from api.messages import Codec, ServerMessage, Sessions, Shared

# Who the shared form is addressed to; it never leaves this module.
NOBODY: Final = ""
NO_REV: Final = 0

#: From here on a tail is not copied into a frame. Copying 64 KiB costs about as much as one call to write.
_GREAT_BYTES: Final = 64 * 1024
#: Frames kept of one message. Clients count their subscriptions from one, so few heads cover nearly all.
_KEPT_FRAMES: Final = 16
_TEXT, _BINARY = b"\x81", b"\x82"
#: What a WebSocket header says instead of a length that does not fit: 2 bytes follow, or 8.
_TWO_BYTES, _EIGHT_BYTES = 126, 127

_json = msgspec.json.Encoder()
_packed = msgspec.msgpack.Encoder()

#: One complete WebSocket frame, in one piece or in several.
Frame = tuple[bytes, ...]
_Address = tuple[str, int, Codec]


class SharedFrame:
    """A message for many sockets; encoded when it is made, and in MessagePack when first asked for."""

    __slots__ = ("_fields", "_frames", "_tails", "_with_rev", "tag")

    def __init__(self, message: Shared | Sessions) -> None:
        """Encode a message to `NOBODY`; with `NO_REV`, where it has a `view_rev`."""
        kind = type(message)
        self.tag = str(kind.__struct_config__.tag)
        self._fields = len(kind.__struct_encode_fields__) + 1
        self._with_rev = not isinstance(message, Sessions)
        encoded = _json.encode(message)
        self._tails: dict[Codec, bytes] = {"json": encoded[len(self._head(NOBODY, NO_REV, "json")) :]}
        self._frames: dict[_Address, Frame] = {}

    @property
    def size_bytes(self) -> int:
        """What is the same for everybody, in JSON."""
        return len(self._tails["json"])

    def to(self, sub: str, view_rev: int, codec: Codec) -> Frame:
        """Return the frame for one subscription."""
        address = (sub, view_rev, codec)
        frame = self._frames.get(address)
        if frame is None:
            frame = self._made(address)
            if len(self._frames) >= _KEPT_FRAMES:
                self._frames.clear()
            self._frames[address] = frame
        return frame

    def _made(self, address: _Address) -> Frame:
        codec = address[2]
        tail = self._tails.get(codec)
        if tail is None:
            tail = self._tails[codec] = self._repacked_tail()
        head = self._head(*address)
        start = _header(codec, len(head) + len(tail)) + head
        return (start + tail,) if len(tail) < _GREAT_BYTES else (start, tail)

    def _head(self, sub: str, view_rev: int, codec: Codec) -> bytes:
        rev = view_rev if self._with_rev else None
        return _head_of(self.tag, sub, rev) if codec == "json" else self._packed_head(sub, rev)

    def _packed_head(self, sub: str, view_rev: int | None) -> bytes:
        named = {"type": self.tag, "sub": sub} | ({} if view_rev is None else {"view_rev": view_rev})
        # A map begins with its number of fields, in one byte up to 15.
        return bytes((0x80 | self._fields,)) + _packed.encode(named)[1:]

    def _repacked_tail(self) -> bytes:
        whole = self._head(NOBODY, NO_REV, "json") + self._tails["json"]
        return _repacked(whole)[len(self._head(NOBODY, NO_REV, "msgpack")) :]


def frame_of(message: ServerMessage, codec: Codec) -> Frame:
    """Return the frame of a message that is one socket's own."""
    payload = _json.encode(message)
    if codec == "msgpack":
        payload = _repacked(payload)
    return (_header(codec, len(payload)) + payload,)


def payload_of(frame: Frame) -> bytes:
    """Return what a frame carries, for a server that makes the frames itself."""
    first = frame[0]
    length = first[1]
    start = 4 if length == _TWO_BYTES else 10 if length == _EIGHT_BYTES else 2
    return b"".join((first[start:], *frame[1:]))


def bytes_of(frame: Frame) -> int:
    """Return how many bytes a frame has on the wire."""
    return sum(map(len, frame))


@lru_cache(maxsize=4096)
def _head_of(tag: str, sub: str, view_rev: int | None) -> bytes:
    rev = b"" if view_rev is None else b',"view_rev":%d' % view_rev
    return b'{"type":"%b","sub":%b%b' % (tag.encode(), _json.encode(sub), rev)


def _header(codec: Codec, length: int) -> bytes:
    opcode = _TEXT if codec == "json" else _BINARY
    if length < _TWO_BYTES:
        return opcode + bytes((length,))
    if length < 1 << 16:
        return opcode + bytes((_TWO_BYTES,)) + length.to_bytes(2, "big")
    return opcode + bytes((_EIGHT_BYTES,)) + length.to_bytes(8, "big")


def _repacked(text: bytes) -> bytes:
    return _packed.encode(msgspec.json.decode(text))
