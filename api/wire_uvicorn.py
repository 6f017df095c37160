"""Edge stage: the way to a peer when the server is ours: complete frames, written to the transport (ADR 0014).

1. `ReadySocket` is uvicorn's own WebSocket protocol. It keeps the handshake, what comes in, ping and close, and
   adds a way out that makes no frame: the same bytes go to every transport.
2. Frames of one turn of the event loop go to the transport together, at its end: a system call costs ten times what
   a frame does. From `HIGH_WATER_BYTES` on they go at once.
3. Back-pressure is the transport's: above `HIGH_WATER_BYTES` it takes no frame until its buffer has drained.
   In the kernel no more than `KERNEL_BYTES` wait unsent, where it can be told so; the default grows to MiBs.
4. A peer that reads nothing lets no closing handshake through, and a transport that is closed waits for its
   buffer for ever. So every way to the end is bounded: after `CLOSE_WITHIN_S` the connection is cut.
"""

import asyncio
import socket
from asyncio.transports import BaseTransport
from collections.abc import Callable
from typing import Any, Final

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame as ReceivedFrame
from websockets.http11 import Request

from api.frames import Frame, bytes_of
from api.wire import CLOSE_WITHIN_S, message_of, nobody

#: The ASGI extension by which a scope offers its `ReadySocket`.
READY_EXTENSION: Final = "turnfold.ready_frames"
HIGH_WATER_BYTES: Final = 64 * 1024
KERNEL_BYTES: Final = 128 * 1024
#: Linux and macOS; elsewhere the kernel's own bound holds.
_NOTSENT_LOWAT: Final[int | None] = getattr(socket, "TCP_NOTSENT_LOWAT", None)


class ReadySocket(WebSocketsSansIOProtocol):
    """One WebSocket of the server, and the wire to its peer (`api.wire.Wire`)."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.is_writable = True
        self.on_writable: Callable[[], None] = nobody
        self._gathered: list[bytes] = []
        self._gathered_bytes = 0
        self._is_ending = False
        self._cut: asyncio.TimerHandle | None = None

    # The wire

    @property
    def buffered_bytes(self) -> int:
        """What was gathered, and what the transport holds."""
        return self._gathered_bytes + self.transport.get_write_buffer_size()

    def write(self, frame: Frame) -> None:
        """Write a complete frame, soon; nothing happens once the socket is closing."""
        if self._is_ending:
            return
        if not self._gathered:
            self.loop.call_soon(self._write_gathered)
        self._gathered += frame
        self._gathered_bytes += bytes_of(frame)
        if self._gathered_bytes >= HIGH_WATER_BYTES:
            self._write_gathered()

    def _write_gathered(self) -> None:
        gathered, self._gathered, self._gathered_bytes = self._gathered, [], 0
        if self._is_ending or not gathered:
            return
        if len(gathered) == 1:
            self.transport.write(gathered[0])
        else:
            self.transport.writelines(gathered)

    async def read(self) -> str | bytes | None:
        """Wait for the peer's next message; None once the socket is closed, by whichever side."""
        return message_of(await self.receive())

    def close(self, code: int, reason: str) -> None:
        """Begin the closing handshake, behind what was written."""
        if self._is_ending:
            return
        self._write_gathered()
        self._is_ending = True
        self.conn.send_close(code, reason)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
        self.close_timer = self.loop.call_later(CLOSE_WITHIN_S, self.transport.abort)

    def abort(self) -> None:
        """Cut the connection; what was not sent is lost."""
        self.transport.abort()

    # What the transport and uvicorn say

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)
        self.transport.set_write_buffer_limits(high=HIGH_WATER_BYTES)
        connection = transport.get_extra_info("socket")
        if _NOTSENT_LOWAT is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
            connection.setsockopt(socket.IPPROTO_TCP, _NOTSENT_LOWAT, KERNEL_BYTES)

    def connection_lost(self, exc: Exception | None) -> None:
        self._is_ending, self.is_writable = True, False
        if self._cut is not None:
            self._cut.cancel()
        super().connection_lost(exc)

    def eof_received(self) -> None:
        self._end_soon()  # the transport closes itself now, and no ping is sent any more

    def pause_writing(self) -> None:
        super().pause_writing()
        self.is_writable = False

    def resume_writing(self) -> None:
        super().resume_writing()
        self.is_writable = True
        self.on_writable()

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if self.handshake_initiated and not self.close_sent:
            extensions: Any = self.scope["extensions"]
            extensions[READY_EXTENSION] = self

    def handle_close(self, event: ReceivedFrame) -> None:
        self._end_soon()
        super().handle_close(event)

    def handle_parser_exception(self) -> None:
        self._end_soon()
        super().handle_parser_exception()

    def keepalive_timeout(self) -> None:
        self._end_soon()
        super().keepalive_timeout()

    def shutdown(self) -> None:
        self._end_soon()
        super().shutdown()

    async def run_asgi(self) -> None:
        await super().run_asgi()
        self._end_soon()

    def _end_soon(self) -> None:
        """Take nothing more, so that nothing comes behind a close, and bound how long the end takes (rule 4)."""
        self._write_gathered()
        self._is_ending = True
        if self._cut is None and not self.disconnected:
            self._cut = self.loop.call_later(CLOSE_WITHIN_S, self.transport.abort)
