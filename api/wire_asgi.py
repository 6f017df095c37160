"""Edge stage: the way to a peer through any ASGI server, which makes the frames itself.

The service runs without its own server as well, only slower: each frame is taken apart, sent by a task of its
own, and encoded and framed again by the server. One frame at a time is under way; the server keeps back the
next one while the peer does not read.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from litestar.types import Receive, Send

from api.frames import Frame, payload_of
from api.messages import Codec
from api.wire import CLOSE_WITHIN_S, message_of, nobody


class AsgiSocket:
    """One ASGI WebSocket that was accepted, as a wire (`api.wire.Wire`)."""

    def __init__(self, receive: Receive, send: Send, codec: Codec) -> None:
        self.is_writable = True
        self.on_writable: Callable[[], None] = nobody
        self._receive = receive
        self._send = send
        self._codec = codec
        self._sending: asyncio.Task[None] | None = None
        self._closing: dict[str, Any] | None = None
        self._is_over = False
        self._aborted: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def buffered_bytes(self) -> int:
        """Nothing that could be seen: the server has the buffer."""
        return 0

    def write(self, frame: Frame) -> None:
        """Send one frame; for as long as that takes, no further one can be written."""
        if self._is_over:
            return
        payload = payload_of(frame)
        is_text = self._codec == "json"
        self._begin(
            {
                "type": "websocket.send",
                "text": payload.decode() if is_text else None,
                "bytes": None if is_text else payload,
            }
        )

    async def read(self) -> str | bytes | None:
        """Wait for the peer's next message; None once the socket is closed, by whichever side."""
        receiving = asyncio.ensure_future(self._receive())
        try:
            await asyncio.wait((receiving, self._aborted), return_when=asyncio.FIRST_COMPLETED)
            if not receiving.done():
                return None
            event: Any = receiving.result()
        finally:
            receiving.cancel()
        message = message_of(event)
        if message is None:
            self._is_over, self.is_writable = True, False
        return message

    def close(self, code: int, reason: str) -> None:
        """Begin the closing handshake, behind what was written."""
        if self._is_over:
            return
        self._is_over = True
        closing = {"type": "websocket.close", "code": code, "reason": reason}
        if self._sending is None:
            self._begin(closing)
        else:
            self._closing = closing
        asyncio.get_running_loop().call_later(CLOSE_WITHIN_S, self.abort)

    def abort(self) -> None:
        """End the application's part; the server closes the connection when it can."""
        self._is_over, self.is_writable = True, False
        if self._sending is not None:
            self._sending.cancel()
        if not self._aborted.done():
            self._aborted.set_result(None)

    def _begin(self, message: dict[str, Any]) -> None:
        self.is_writable = False
        self._sending = asyncio.get_running_loop().create_task(self._sent(message))

    async def _sent(self, message: Any) -> None:
        try:
            await self._send(message)
            if self._closing is not None:
                message, self._closing = self._closing, None
                await self._send(message)
        except OSError:
            return  # the peer is gone; whoever reads is told the same
        self._sending = None
        if not self._is_over:
            self.is_writable = True
            self.on_writable()
