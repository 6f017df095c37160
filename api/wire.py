"""Publish stage: what a server offers for one WebSocket that was accepted; `wire_uvicorn` and `wire_asgi` do."""

from collections.abc import Callable
from typing import Any, Final, Protocol

from api.frames import Frame

#: A closing handshake that takes longer has no peer that reads; the connection is cut.
CLOSE_WITHIN_S: Final = 5.0


class Wire(Protocol):
    """The way to one peer and from it. It takes frames in order, each whole or not at all, and never waits."""

    is_writable: bool
    """Whether it takes a frame now; what is written anyway stays in memory until the peer reads."""

    on_writable: Callable[[], None]
    """Called whenever it takes frames again."""

    @property
    def buffered_bytes(self) -> int:
        """What it took and could not hand on yet; 0 where that cannot be seen."""
        ...

    def write(self, frame: Frame) -> None:
        """Take one frame; nothing happens once the wire is closed."""
        ...

    async def read(self) -> str | bytes | None:
        """Wait for the peer's next message; None once the socket is closed, by whichever side."""
        ...

    def close(self, code: int, reason: str) -> None:
        """Begin the closing handshake behind what was written; cut the connection after `CLOSE_WITHIN_S`."""
        ...

    def abort(self) -> None:
        """Cut the connection; what was not sent is lost."""
        ...


def nobody() -> None:
    """The `on_writable` of a wire that nobody writes to yet."""


def message_of(event: Any) -> str | bytes | None:
    """Return what an ASGI event says; None where it says that the socket is closed."""
    if event["type"] != "websocket.receive":
        return None
    text: str | None = event.get("text")
    data: bytes | None = event.get("bytes")
    return text if text is not None else data
