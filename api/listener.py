"""Edge stage: the port and the server on it, with the signals left to `serve`."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from typing import Final

import uvicorn
from litestar.types import ASGIApp

from api.wire_uvicorn import ReadySocket
from service.settings import Settings

#: W-7, and room for the frame around it.
_MAX_MESSAGE_BYTES: Final = 64 * 1024
_BACKLOG: Final = 2048


class PortTakenError(Exception):
    """The address cannot be had; reaction: do not start."""

    def __init__(self, host: str, port: int, why: str) -> None:
        remedy = "Choose another port with TURNFOLD_PORT or --port."
        super().__init__(f"Cannot listen on {host}:{port} ({why}). {remedy}")
        self.host = host
        self.port = port


class Server(uvicorn.Server):
    """uvicorn without its signal handlers: they close every socket before anything can drain (R-14)."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                ws=ReadySocket,
                # Frames are encoded once for all subscribers; compressing each copy costs more than it saves.
                ws_per_message_deflate=False,
                ws_max_size=2 * _MAX_MESSAGE_BYTES,
                access_log=False,
                server_header=False,
                # Forwarded headers are read by the door, from trusted proxies alone.
                proxy_headers=False,
                log_config=None,
                lifespan="off",
            )
        )
        self.answers = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer, and say so."""
        await super().startup(sockets)
        self.answers.set()

    def stop(self, *, within_s: float) -> None:
        """Close the port and what is idle, let open requests finish, and cut them off after `within_s`."""
        self.config.timeout_graceful_shutdown = ceil(within_s)
        self.force_exit = within_s <= 0
        self.should_exit = True


def listen(settings: Settings) -> socket.socket:
    """The bound and listening socket; raises PortTakenError."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host, settings.port))
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise PortTakenError(settings.host, settings.port, error.strerror or str(error)) from error
    return listener


def address_of(listener: socket.socket, settings: Settings) -> str:
    """The page's address for people."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    base = f"{settings.base_path}/" if settings.base_path else ""
    return f"http://{host}:{listener.getsockname()[1]}{base}"
