"""Both ways to a peer: complete frames on our own server, and plain ASGI on any other."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.frames import CloseCode as ProtocolCode

from api import wire_uvicorn
from api.frames import bytes_of, frame_of
from api.messages import Pong
from api.wire_asgi import AsgiSocket
from api.wire_uvicorn import ReadySocket
from tests.api.socket_stack import Replica, SocketStack, canonical, serving_sockets
from tests.waiting import wait_until

TURN = [{"type": "turn/start", "turn": 1}]
BOTH = pytest.mark.parametrize("ready", [True, False], ids=["ready frames", "plain ASGI"])


def notice(number: int, size: int) -> dict[str, object]:
    """A row with a text of so many characters."""
    return {"type": "notice", "turn": 1, "id": f"n{number}", "level": "info", "text": "x" * size}


@asynccontextmanager
async def running(directory: Path, *, ready: bool) -> AsyncIterator[SocketStack]:
    """A service on one of the two servers; shows that it is the one that is meant."""
    async with serving_sockets(directory, ready_frames=ready) as service:
        yield service


@BOTH
@pytest.mark.parametrize("codec", ["json", "msgpack"])
async def test_frames_of_any_size_arrive_whole(tmp_path: Path, ready: bool, codec: str) -> None:
    """W-1 in both encodings, from a few bytes to some 100 KiB; the second follower shares the frames."""
    async with (
        running(tmp_path, ready=ready) as service,
        service.socket(subprotocol=f"turnfold.v1.{codec}") as one,
        service.socket(subprotocol=f"turnfold.v1.{codec}") as other,
    ):
        wires = [type(client._wire) for client in service.live._sockets._clients]
        assert wires == [ReadySocket if ready else AsgiSocket] * 2
        await service.stack.post("s1", *TURN)
        replicas = [Replica("a"), Replica("another name")]
        for peer, replica in zip((one, other), replicas, strict=True):
            await peer.subscribe(replica.sub, "s1")
            await replica.live(peer)
        for number, size in enumerate((1, 100, 200, 40_000, 70_000, 300_000)):
            await service.stack.post("s1", notice(number, size))
            for peer, replica in zip((one, other), replicas, strict=True):
                await replica.until(peer, number + 2)
        shown = (await service.stack.client.get("/v1/sessions/s1/transcript")).json()
        for replica in replicas:
            assert canonical(replica.held["turns"]) == canonical(shown["turns"])
            assert replica.snapshots == 1


@BOTH
async def test_a_close_comes_behind_what_was_sent(tmp_path: Path, ready: bool) -> None:
    """The peer reads everything up to the close code."""
    async with running(tmp_path, ready=ready) as service, service.socket() as peer:
        await service.stack.post("s1", *TURN, *(notice(number, 100_000) for number in range(5)))
        await peer.subscribe("a", "s1")
        held = await Replica("a").live(peer)
        await service.live.drain(within_s=2)
        assert await peer.closed_with() == 4000
        assert held.version == 1


@BOTH
async def test_a_peer_that_vanishes_is_forgotten(tmp_path: Path, ready: bool) -> None:
    """Without a closing handshake, as a machine that lost its network; frames for it go nowhere."""
    async with running(tmp_path, ready=ready) as service, service.socket() as peer:
        await service.stack.post("s1", *TURN)
        await peer.subscribe("a", "s1")
        await Replica("a").live(peer)
        peer.connection.transport.abort()
        for number in range(3):
            await service.stack.post("s1", notice(number, 10_000))
        await wait_until(lambda: service.live.socket_count == 0, "the socket is forgotten")


@BOTH
async def test_what_a_peer_says_comes_in_whole(tmp_path: Path, ready: bool) -> None:
    """In one frame or in fragments, with a ping in between."""
    async with running(tmp_path, ready=ready) as service, service.socket() as peer:
        await peer.connection.send(['{"type":', '"ping"}'])
        assert (await peer.next())["type"] == "pong"
        await (await peer.connection.ping())
        await peer.connection.send('{"type":"ping"}')
        assert (await peer.next())["type"] == "pong"


@BOTH
async def test_a_peer_that_breaks_the_protocol_is_closed(tmp_path: Path, ready: bool) -> None:
    """Text that is no UTF-8: 1007, as RFC 6455 says."""
    async with running(tmp_path, ready=ready) as service, service.socket() as peer:
        await peer.connection.send(b"\xff\xfe", text=True)
        assert await peer.closed_with() == ProtocolCode.INVALID_DATA
        await wait_until(lambda: service.live.socket_count == 0, "the socket is forgotten")


async def test_a_peer_that_says_no_more_and_reads_nothing_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A half-closed connection: its transport waits for its buffer, no ping is sent, and nothing waits to be late."""
    monkeypatch.setattr(wire_uvicorn, "CLOSE_WITHIN_S", 0.2)
    async with serving_sockets(tmp_path) as service, service.socket(receive_buffer_bytes=8 * 1024) as peer:
        (client,) = service.live._sockets._clients
        wire: Any = client._wire
        peer.connection.transport.pause_reading()
        while wire.is_writable:
            wire.write((b"\x81\x7e\x80\x00" + b" " * 0x8000,))
            await asyncio.sleep(0)
        assert wire.buffered_bytes
        peer.connection.transport.write_eof()
        await wait_until(lambda: service.live.socket_count == 0, "the socket is forgotten")


class Recorder:
    """Stands before a transport, and notes how often it is given something to write."""

    def __init__(self, transport: Any) -> None:
        self.transport = transport
        self.calls: list[bytes] = []

    def write(self, data: bytes) -> None:
        """One piece."""
        self.calls.append(data)
        self.transport.write(data)

    def writelines(self, pieces: list[bytes]) -> None:
        """Several pieces."""
        self.calls.append(b"".join(pieces))
        self.transport.writelines(pieces)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.transport, name)


async def test_frames_of_one_turn_of_the_loop_are_one_write(tmp_path: Path) -> None:
    """In order, and the last ones come before a close that is said in the same turn."""
    async with running(tmp_path, ready=True) as service, service.socket() as peer:
        (client,) = service.live._sockets._clients
        wire: Any = client._wire
        transport = wire.transport = Recorder(wire.transport)
        pongs = [frame_of(Pong(server_time_ms=1), "json") for _ in range(5)]
        for frame in pongs:
            wire.write(frame)
        assert not transport.calls
        assert wire.buffered_bytes == sum(map(bytes_of, pongs))
        await asyncio.sleep(0)
        assert transport.calls == [b"".join(b"".join(frame) for frame in pongs)]
        wire.write(pongs[0])
        wire.close(4000, "enough")
        for _ in range(6):
            assert (await peer.next())["type"] == "pong"
        assert await peer.closed_with() == 4000


async def test_great_frames_are_not_held(tmp_path: Path) -> None:
    """So that back-pressure is the transport's, however much one turn brings."""
    async with running(tmp_path, ready=True) as service, service.socket():
        (client,) = service.live._sockets._clients
        wire: Any = client._wire
        transport = wire.transport = Recorder(wire.transport)
        for _ in range(3):
            wire.write((b"\x81\x7e\x80\x00" + b" " * 0x8000,))
        assert len(transport.calls) == 1
        await asyncio.sleep(0)
        assert len(transport.calls) == 2


# A ping that is masked as a client's must be, and begins a fragment, as none may; a close frame with no code.
BROKEN_PING = b"\x09\x80\x00\x00\x00\x00"
CLOSE = b"\x88\x80\x00\x00\x00\x00"


@pytest.mark.parametrize(
    "end",
    [
        lambda wire: wire.close(4000, "enough"),
        lambda wire: wire.shutdown(),
        lambda wire: wire.keepalive_timeout(),
        lambda wire: wire.data_received(BROKEN_PING),
        lambda wire: wire.data_received(CLOSE),
    ],
    ids=["ours", "the server's", "no pong", "a broken frame", "the peer's"],
)
async def test_nothing_comes_behind_a_close(tmp_path: Path, end: Callable[[Any], None]) -> None:
    """RFC 6455, 5.5.1, whoever begins it; what was written before in the same turn of the loop comes before it."""
    async with running(tmp_path, ready=True) as service, service.socket():
        (client,) = service.live._sockets._clients
        wire: Any = client._wire
        transport = wire.transport = Recorder(wire.transport)
        pong = frame_of(Pong(server_time_ms=1), "json")
        wire.write(pong)
        end(wire)
        wire.write(pong)
        await asyncio.sleep(0)
        said = b"".join(transport.calls)
        assert said.startswith(b"".join(pong))
        close = said[bytes_of(pong) :]
        assert (close[0], close[1]) == (0x88, len(close) - 2)
