"""A service with a real server and real sockets, and a client that keeps what the protocol document says."""

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self, cast

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin, Subprotocol

from api.app import build_app
from api.listener import Server, listen
from api.live import Live, open_live
from api.messages import Codec, Limits
from api.parts import EdgeLimits
from projections.replica import apply_ops
from service.settings import Settings
from tests.api.stack import Stack, serving

ANSWER_WITHIN_S = 10.0
Message = dict[str, Any]


@dataclass
class SocketStack:
    """A running service; `live` is its live side, `stack` its HTTP side."""

    stack: Stack
    live: Live
    port: int

    @asynccontextmanager
    async def socket(
        self,
        *,
        hello: bool = True,
        token: str | None = None,
        subprotocol: str = "turnfold.v1.json",
        origin: str | None = None,
        headers: Mapping[str, str] | None = None,
        receive_buffer_bytes: int | None = None,
    ) -> AsyncIterator["SocketPeer"]:
        """An open socket; by default greeted, and with as much room in its kernel as that gives."""
        opening = connect(
            f"ws://127.0.0.1:{self.port}/v1/ws",
            subprotocols=[Subprotocol(subprotocol)] if subprotocol else None,
            origin=None if origin is None else Origin(origin),
            additional_headers=dict(headers or {}),
            max_size=None,
            sock=None if receive_buffer_bytes is None else connected(self.port, receive_buffer_bytes),
        )
        async with opening as connection:
            peer = SocketPeer(connection, "msgpack" if subprotocol.endswith("msgpack") else "json")
            if hello:
                await peer.send(type="hello", **({} if token is None else {"token": token}))
                assert (await peer.next())["type"] == "welcome"
            yield peer


class SocketPeer:
    """The client's end of one socket."""

    def __init__(self, connection: ClientConnection, codec: Codec = "json") -> None:
        self.connection = connection
        self.codec = codec

    async def send(self, **message: object) -> None:
        """Send one message."""
        packed = self.codec == "msgpack"
        await self.connection.send(
            msgspec.msgpack.encode(message) if packed else msgspec.json.encode(message).decode()
        )

    async def next(self) -> Message:
        """The next message of the service."""
        async with asyncio.timeout(ANSWER_WITHIN_S):
            received = await self.connection.recv()
        if isinstance(received, bytes):
            return cast(Message, msgspec.msgpack.decode(received))
        return cast(Message, msgspec.json.decode(received))

    async def next_of(self, *types: str, sub: str | None = None) -> Message:
        """The next message of one of these types (of one subscription); others are passed over."""
        while True:
            message = await self.next()
            if message["type"] in types and (sub is None or message.get("sub") == sub):
                return message

    async def subscribe(self, sub: str, session: str, **fields: object) -> None:
        """Ask for a session in the compact web view, unless `fields` say another."""
        message = {"view": {"kind": "web"}, **fields}
        await self.send(type="subscribe", sub=sub, session=session, **message)

    async def closed_with(self) -> int:
        """The code that the service closes the socket with, whatever else it sends before."""
        async with asyncio.timeout(ANSWER_WITHIN_S):
            while True:
                try:
                    await self.connection.recv()
                except ConnectionClosed:
                    break
        code = self.connection.close_code
        assert code is not None
        return code


@dataclass
class Replica:
    """What a client holds of one subscription; it checks that every delta follows from the last."""

    sub: str
    held: Message = field(default_factory=lambda: {"turns": [], "session_rows": []})
    epoch: str = ""
    version: int = -1
    history_complete: bool = False
    resets: list[str] = field(default_factory=list)
    snapshots: int = 0
    caught_up: bool = False
    _parts: list[Message] = field(default_factory=list)

    def take(self, message: Message) -> Self:
        """Apply one message of the service."""
        if message.get("sub") != self.sub:
            return self
        match message["type"]:
            case "snapshot":
                self._take_part(message)
            case "delta":
                assert (message["epoch"], message["from"]) == (self.epoch, self.version)
                apply_ops(self.held, message["ops"])
                self.version = message["to"]
            case "earlier":
                assert message["position"] == self.position
                joined = self._join(message)
                if joined is not None:
                    self.held["turns"][:0] = joined["turns"]
                    self.held["session_rows"][:0] = joined["session_rows"]
                    self.history_complete = message["history_complete"]
            case "reset":
                self.resets.append(message["reason"])
                self._parts = []
            case "caught_up":
                assert message["position"] == self.position
                self.caught_up = True
            case other:
                raise AssertionError(f"unexpected {other}: {message}")
        return self

    def _take_part(self, message: Message) -> None:
        joined = self._join(message)
        if joined is None:
            return
        self.snapshots += 1
        self.held = joined
        self.epoch, self.version = message["position"]["epoch"], message["position"]["version"]
        self.history_complete = message["history_complete"]

    def _join(self, message: Message) -> Message | None:
        """Keep a part; at the last, what all of them hold."""
        self._parts = [message] if message["part"] == 0 else [*self._parts, message]
        assert [part["part"] for part in self._parts] == list(range(len(self._parts)))
        if not message["last"]:
            return None
        turns: list[Message] = []
        for turn in (turn for part in self._parts for turn in part["turns"]):
            if turns and turns[-1]["turn"] == turn["turn"]:
                turns[-1] = {**turns[-1], "rows": [*turns[-1]["rows"], *turn["rows"]]}
            else:
                turns.append(turn)
        return {"turns": turns, "session_rows": [row for part in self._parts for row in part["session_rows"]]}

    @property
    def position(self) -> Message:
        """Where this client stands."""
        return {"epoch": self.epoch, "version": self.version}

    async def until(self, peer: SocketPeer, version: int) -> Self:
        """Read on until the client is at a version."""
        while self.version < version or (self.epoch == "" and version > 0):
            self.take(await peer.next())
        return self

    async def live(self, peer: SocketPeer) -> Self:
        """Read on until the subscription has a snapshot or is caught up."""
        seen = self.snapshots
        self.caught_up = False
        while self.snapshots == seen and not self.caught_up:
            self.take(await peer.next())
        return self


@asynccontextmanager
async def serving_sockets(
    directory: Path,
    *,
    secret: str | None = None,
    flush_ms: int = 33,
    drain_window_ms: int = 200,
    inline_bytes: int = 16 * 1024,
    limits: Limits | None = None,
    max_unsent_bytes: int = 1024 * 1024,
    slow_client_ms: int = 600_000,
    ready_frames: bool = True,
    projects_itself: bool = True,
) -> AsyncIterator[SocketStack]:
    """Run the service with a server on a free port for the length of the block.

    Without `ready_frames` the server is one that knows plain ASGI alone; without `projects_itself` the live side hears
    of commits by the change feed alone, as if the projector were in another process. A client that does not
    read is closed after `slow_client_ms`: by default longer than any test, for a slow machine must not close whom a
    test wants skipped.
    """
    async with AsyncExitStack() as opened:
        stack = await opened.enter_async_context(
            serving(directory, secret=secret, limits=EdgeLimits(inline_bytes=inline_bytes))
        )
        settings = Settings(
            port=0,
            jwt_secret=secret,
            flush_ms=flush_ms,
            drain_window_ms=drain_window_ms,
            inline_bytes=inline_bytes,
            max_unsent_bytes=max_unsent_bytes,
            slow_client_ms=slow_client_ms,
        )
        parts = stack.parts
        opening = open_live(
            parts.reader, parts.preferences, parts.tickets, settings, metrics=parts.metrics, limits=limits
        )
        live = await opened.enter_async_context(opening)
        if projects_itself:
            stack.told.append(live.committed)
        server = Server(build_app(replace(parts, transcripts=live), live.socket))
        if not ready_frames:
            server.config.ws = "websockets-sansio"
        listener = listen(settings)
        answering = asyncio.create_task(server.serve([listener]))
        try:
            await server.answers.wait()
            yield SocketStack(stack=stack, live=live, port=listener.getsockname()[1])
        finally:
            await live.drain(within_s=2)
            server.stop(within_s=2)
            await answering


def connected(port: int, receive_buffer_bytes: int) -> socket.socket:
    """A connection whose kernel takes little that its owner does not read."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer_bytes)
    connection.connect(("127.0.0.1", port))
    connection.setblocking(False)
    return connection


def canonical(value: object) -> bytes:
    """The value as JSON bytes with sorted keys: equal values are equal bytes."""
    return msgspec.json.encode(value, order="sorted")
