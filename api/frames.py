"""Publish stage, encoding: what many subscribers get is encoded once and shared by them (W-3).

Every such message begins with `type`, `sub` and `view_rev`. All that follows is the same for every
subscriber of a view, so it is encoded once as the *tail*; the *head* is one subscriber's own, and the two
together are the frame.
"""

from functools import lru_cache

import msgspec

from api.messages import ServerMessage, Shared

# Who the shared form is addressed to; it never leaves this module.
NOBODY = ""
NO_REV = 0

_encoder = msgspec.json.Encoder()


def tail_of(message: Shared) -> str:
    """Return the frame of a message to `NOBODY`, without its head."""
    return _encoder.encode(message)[len(_empty_head(_tag_of(message))) :].decode()


@lru_cache(maxsize=4096)
def head_of(tag: str, sub: str, view_rev: int) -> str:
    """Return the beginning of a frame: up to and with `view_rev`."""
    return f'{{"type":"{tag}","sub":{_encoder.encode(sub).decode()},"view_rev":{view_rev}'


def whole(message: ServerMessage) -> str:
    """Return the frame of a message that is not shared."""
    return _encoder.encode(message).decode()


def size_bytes(text: str) -> int:
    """Return what a frame's text takes on the wire; most of it is ASCII, where nothing is encoded for it."""
    return len(text) if text.isascii() else len(text.encode())


@lru_cache(maxsize=16)
def _empty_head(tag: str) -> bytes:
    return head_of(tag, NOBODY, NO_REV).encode()


def _tag_of(message: Shared) -> str:
    return str(type(message).__struct_config__.tag)
