"""Edge stage: an export on its way to the client: made beside the loop, sent as the client takes it, given up when it
does not.

1. The pieces are made in a thread, about `_CHUNK_BYTES` at a time, out of a fold that nobody else holds. So
   neither a great row nor a slow reader holds the loop, and no more than a chunk and one row is in memory beside
   the fold.
2. The next chunk is made when the one before it was taken. A client that takes nothing for `stall_s` is given
   up, so that it does not keep the place of another.
3. However it ends, `released` is called, once. An export that breaks off has no end line; each format has one.
"""

import asyncio
import base64
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from typing import Any, Final

import structlog
from litestar.response import Stream
from litestar.response.streaming import ASGIStreamingResponse
from litestar.types import Message, Receive, Scope, Send

from api.export_pieces import BlobText, Piece

_CHUNK_BYTES: Final = 128 * 1024

_log = structlog.get_logger(__name__)

LoadBlob = Callable[[str], Awaitable[bytes]]


class ExportStream(Stream):
    """The answer; `released` gives back what the export held, at its end; `stall_s`: see rule 2."""

    def __init__(
        self, content: AsyncGenerator[bytes, None], *, released: Callable[[], None], media_type: str,
        headers: dict[str, str], stall_s: float,
    ) -> None:  # fmt: skip
        super().__init__(content, media_type=media_type, headers=headers)
        self._pieces = content
        self._released = released
        self._stall_s = stall_s

    def to_asgi_response(self, *args: Any, **named: Any) -> ASGIStreamingResponse:
        """The answer as Litestar makes it, with the end that an export needs."""
        made = super().to_asgi_response(*args, **named)
        return _Patient(
            self._pieces, self._released, self._stall_s,
            headers=dict(made.headers.items()), status_code=made.status_code,
        )  # fmt: skip


class _Patient(ASGIStreamingResponse):
    """A streaming answer that waits for its client so long and no longer."""

    __slots__ = ("_pieces", "_released", "_stall_s")

    def __init__(
        self, pieces: AsyncGenerator[bytes, None], released: Callable[[], None], stall_s: float, **named: Any
    ) -> None:
        super().__init__(iterator=pieces, **named)
        self._pieces = pieces
        self._released = released
        self._stall_s = stall_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it all, or as much as the client takes."""

        async def patiently(message: Message) -> None:
            async with asyncio.timeout(self._stall_s):
                await send(message)

        try:
            await super().__call__(scope, receive, patiently)
        except* TimeoutError:
            _log.warning("export_stalled", path=scope["path"], stall_s=self._stall_s)
        finally:
            await self._pieces.aclose()
            self._released()


async def chunks(pieces: Iterator[Piece], load_blob: LoadBlob) -> AsyncGenerator[bytes, None]:
    """The pieces as bytes, made beside the loop."""
    while True:
        made, blob = await asyncio.to_thread(_next_chunk, pieces)
        if made:
            yield made
        if blob is not None:
            content = await load_blob(blob.digest)
            yield await asyncio.to_thread(base64.b64encode, content)
        elif len(made) < _CHUNK_BYTES:
            return


def _next_chunk(pieces: Iterator[Piece]) -> tuple[bytes, BlobText | None]:
    """Make at least `_CHUNK_BYTES`; less only before a blob and at the end."""
    made = bytearray()
    for piece in pieces:
        if isinstance(piece, BlobText):
            return bytes(made), piece
        made += piece
        if len(made) >= _CHUNK_BYTES:
            break
    return bytes(made), None
