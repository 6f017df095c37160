"""W-4 over real sockets: a slow client is bounded, skipped or closed, and never slows another."""

import asyncio
import fcntl
import struct
import sys
import termios
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from websockets.client import ClientProtocol
from websockets.protocol import CLOSED, OPEN
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from api.protocol import State
from api.turnstile import AT_ONCE, MOST_WAITING
from api.wire_uvicorn import HIGH_WATER_BYTES, KERNEL_BYTES
from tests.api.socket_stack import Replica, SocketPeer, SocketStack, canonical, connected, serving_sockets
from tests.waiting import wait_until

UNSENT_BYTES = 256 * 1024
#: So that what a peer does not read stays on the service's side.
SMALL_BYTES = 8 * 1024
ROW_BYTES = 20_000


def opened(text: str = "x") -> list[dict[str, object]]:
    """A turn that streams."""
    chunk = {"type": "assistant/chunk", "turn": 1, "step": 1, "index": 0, "kind": "text", "text": text}
    return [{"type": "turn/start", "turn": 1}, chunk]


def notice(number: int, size: int = ROW_BYTES) -> dict[str, object]:
    """A row of the turn, with a text of so many characters."""
    return {"type": "notice", "turn": 1, "id": f"n{number}", "level": "info", "text": "y" * size}


async def following(peer: SocketPeer, session: str, sub: str = "a") -> Replica:
    """A replica that has its first snapshot."""
    await peer.subscribe(sub, session)
    return await Replica(sub).live(peer)


async def shown(service: SocketStack, session: str) -> bytes:
    """The turns of the transcript over HTTP."""
    answer = await service.stack.client.get(f"/v1/sessions/{session}/transcript")
    return canonical(answer.json()["turns"])


@dataclass
class Unsent:
    """What the service holds for one socket that its peer did not read."""

    deltas: int
    waiting: int
    transport: int
    kernel: int


def unsent_of_the_first_socket(service: SocketStack) -> Unsent:
    """Outbox, transport and kernel, in bytes."""
    client = next(iter(service.live._sockets._clients))
    wire = client._wire
    connection = wire.transport.get_extra_info("socket")  # type: ignore[attr-defined]  # `Wire` promises no transport, and those of both servers have one
    answer = fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, struct.pack("i", 0))
    return Unsent(
        client._outbox.unsent_delta_bytes,
        client._outbox.waiting_bytes,
        wire.buffered_bytes,
        struct.unpack("i", answer)[0],
    )


async def test_memory_for_a_client_that_stops_reading_is_bounded(tmp_path: Path) -> None:
    """The outbox by the setting, the transport by its high water and one frame, the kernel by its bound."""
    async with (
        serving_sockets(tmp_path, flush_ms=1, max_unsent_bytes=UNSENT_BYTES) as service,
        service.socket(receive_buffer_bytes=SMALL_BYTES) as slow,
        service.socket() as fast,
    ):
        await service.stack.post("s1", *opened())
        idle, held = await following(slow, "s1"), await following(fast, "s1")
        slow.connection.transport.pause_reading()
        most = Unsent(0, 0, 0, 0)
        for number in range(150):
            await service.stack.post("s1", notice(number))
            await held.until(fast, number + 2)
            now = unsent_of_the_first_socket(service)
            most = Unsent(*(max(getattr(most, name), getattr(now, name)) for name in vars(now)))
        assert UNSENT_BYTES // 2 < most.deltas <= UNSENT_BYTES
        assert most.waiting <= UNSENT_BYTES
        assert most.transport <= HIGH_WATER_BYTES + ROW_BYTES + 1000
        if sys.platform == "linux":
            assert 0 < most.kernel <= 2 * KERNEL_BYTES
        slow.connection.transport.resume_reading()
        await idle.until(slow, 151)
        assert idle.resets == ["slow"]
        assert canonical(idle.held["turns"]) == canonical(held.held["turns"]) == await shown(service, "s1")


async def test_a_slow_client_with_many_subscriptions_keeps_the_small_ones(tmp_path: Path) -> None:
    """The bound is one for the socket; what fills it is skipped, and the others lose nothing."""
    async with (
        serving_sockets(tmp_path, flush_ms=1, max_unsent_bytes=UNSENT_BYTES) as service,
        service.socket(receive_buffer_bytes=SMALL_BYTES) as slow,
    ):
        names = [f"s{number}" for number in range(8)]
        for name in names:
            await service.stack.post(name, *opened())
        held = {name: await following(slow, name, sub=name) for name in names}
        slow.connection.transport.pause_reading()
        for number in range(60):
            await service.stack.post("s0", notice(number))
            if number % 20 == 0:
                for name in names[1:]:
                    await service.stack.post(name, notice(number, 100))
            assert unsent_of_the_first_socket(service).deltas <= UNSENT_BYTES
        slow.connection.transport.resume_reading()
        wanted = {name: 61 if name == "s0" else 4 for name in names}
        while any(held[name].version < wanted[name] for name in names):
            message = await slow.next()
            held[message["sub"]].take(message)
        assert {name: replica.resets for name, replica in held.items() if replica.resets} == {"s0": ["slow"]}
        for name in names:
            assert canonical(held[name].held["turns"]) == await shown(service, name)


async def test_a_client_that_asks_on_and_reads_nothing_is_not_worked_for(tmp_path: Path) -> None:
    """Its answers wait until it reads; each of its subscriptions has one snapshot under way at most."""
    async with (
        serving_sockets(tmp_path, max_unsent_bytes=UNSENT_BYTES) as service,
        service.socket(receive_buffer_bytes=SMALL_BYTES) as slow,
    ):
        await service.stack.post("s1", *opened(), *(notice(number) for number in range(20)))
        whole = len(await shown(service, "s1"))
        await following(slow, "s1")
        slow.connection.transport.pause_reading()
        for number in range(100):
            await slow.subscribe(f"sub{number}", "s1")
            mode = ("normal", "compact")[number % 2]
            await slow.send(type="set_view", sub="a", view={"kind": "web", "mode": mode})
        await wait_until(lambda: unsent_of_the_first_socket(service).waiting > UNSENT_BYTES, "answers wait")
        for _ in range(50):
            assert unsent_of_the_first_socket(service).waiting <= UNSENT_BYTES + AT_ONCE * (whole + 10_000)
            await service.stack.client.get("/livez")
        slow.connection.transport.resume_reading()
        answered: set[str] = set()
        while len(answered) < 100:
            message = await slow.next_of("snapshot")
            answered |= {message["sub"]} - {"a"}


async def test_a_client_that_asks_on_for_ever_is_closed(tmp_path: Path) -> None:
    """Requests that wait cost memory as well; it gets the answers in hand, and then the code."""
    async with (
        serving_sockets(tmp_path, max_unsent_bytes=UNSENT_BYTES) as service,
        service.socket(receive_buffer_bytes=SMALL_BYTES) as slow,
    ):
        await service.stack.post("s1", *opened(), *(notice(number) for number in range(40)))
        await following(slow, "s1")
        slow.connection.transport.pause_reading()
        for number in range(MOST_WAITING + 50):
            mode = ("normal", "compact")[number % 2]
            await slow.send(type="set_view", sub="a", view={"kind": "web", "mode": mode})
        client = next(iter(service.live._sockets._clients))
        await wait_until(lambda: client._connection.state is State.CLOSED, "the service had enough")
        slow.connection.transport.resume_reading()
        assert await slow.closed_with() == 4003


@pytest.mark.parametrize("ready", [True, False], ids=["ready frames", "plain ASGI"])
async def test_a_client_that_never_reads_is_closed_and_forgotten(tmp_path: Path, ready: bool) -> None:
    """When not even a frame gets through in time; the closing handshake is not waited for either."""
    async with (
        serving_sockets(
            tmp_path, flush_ms=1, max_unsent_bytes=UNSENT_BYTES, slow_client_ms=500, ready_frames=ready
        ) as service,
        service.socket(receive_buffer_bytes=SMALL_BYTES) as slow,
    ):
        await service.stack.post("s1", *opened())
        await following(slow, "s1")
        slow.connection.transport.pause_reading()
        # More than any kernel holds for a peer: streamed text is never cut, and the server's own buffer is small.
        for _ in range(80):
            await service.stack.post("s1", opened("y" * 100_000)[1])
        await wait_until(lambda: service.live.socket_count == 0, "the socket is forgotten", within_s=20)
        slow.connection.transport.abort()


async def test_a_client_slower_than_the_session_is_told_so(tmp_path: Path) -> None:
    """It reads, yet never gets a whole snapshot before the next skip: closed with the slow code."""
    async with serving_sockets(
        tmp_path, flush_ms=1, max_unsent_bytes=UNSENT_BYTES, slow_client_ms=1500
    ) as service:
        await service.stack.post("s1", *opened(), *(notice(number) for number in range(100)))
        slow = await SlowReader.open(service.port)
        slow.say(type="hello")
        slow.say(type="subscribe", sub="a", session="s1", view={"kind": "web"})
        await wait_until(lambda: service.live.socket_count == 1, "the socket is open")
        client = next(iter(service.live._sockets._clients))
        number = 100
        while client._connection.state is not State.CLOSED:
            await service.stack.post("s1", notice(number))
            await slow.read(ROW_BYTES // 10)
            number += 1
        assert await slow.closed_with() == 4002


class SlowReader:
    """A client that reads so many bytes as it is told to, and no more."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
        self._reader = reader
        self._writer = writer
        uri = parse_uri(f"ws://127.0.0.1:{port}/v1/ws")
        self._protocol = ClientProtocol(uri, subprotocols=[Subprotocol("turnfold.v1.json")], max_size=None)

    @classmethod
    async def open(cls, port: int) -> "SlowReader":
        """Connect and shake hands."""
        reader, writer = await asyncio.open_connection(sock=connected(port, SMALL_BYTES), limit=1024)
        slow = cls(reader, writer, port)
        slow._protocol.send_request(slow._protocol.connect())
        slow._flush()
        while slow._protocol.state is not OPEN:
            await slow.read(1024)
        return slow

    def say(self, **message: object) -> None:
        """Send one message."""
        self._protocol.send_text(msgspec.json.encode(message))
        self._flush()

    async def read(self, size: int) -> None:
        """Read at most so many bytes."""
        read = await self._reader.read(size)
        if read:
            self._protocol.receive_data(read)
            self._protocol.events_received()
        else:
            self._protocol.receive_eof()
        self._flush()

    async def closed_with(self) -> int | None:
        """Read on to the end; the code of the service's close frame, None without one."""
        while self._protocol.state is not CLOSED:
            await self.read(65536)
        self._writer.close()
        return self._protocol.close_code

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._writer.write(data)
