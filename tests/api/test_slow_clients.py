"""W-4 over real sockets: a slow client is bounded, skipped or closed, and never slows another."""

import asyncio
import fcntl
import struct
import sys
import termios
from dataclasses import dataclass
from pathlib import Path

import pytest

from api.turnstile import AT_ONCE
from api.wire_uvicorn import HIGH_WATER_BYTES, KERNEL_BYTES
from tests.api.socket_stack import Replica, SocketPeer, SocketStack, canonical, serving_sockets
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
    connection = wire.transport.get_extra_info("socket")  # type: ignore[attr-defined]
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
        for number in range(200):
            await service.stack.post("s1", notice(number))
        await wait_until(lambda: service.live.socket_count == 0, "the socket is forgotten", within_s=20)
        slow.connection.transport.abort()


async def test_a_client_slower_than_the_session_is_told_so(tmp_path: Path) -> None:
    """It reads, yet never gets a whole snapshot before the next skip: closed with the slow code."""
    async with (
        serving_sockets(tmp_path, flush_ms=1, max_unsent_bytes=UNSENT_BYTES, slow_client_ms=1500) as service,
        service.socket(receive_buffer_bytes=SMALL_BYTES) as slow,
    ):
        await service.stack.post("s1", *opened(), *(notice(number) for number in range(100)))
        await following(slow, "s1")
        reading = asyncio.create_task(_read_slowly(slow))
        number = 100
        while not reading.done():
            await service.stack.post("s1", notice(number))
            number += 1
        assert await reading == 4002


async def _read_slowly(peer: SocketPeer) -> int:
    """Read a little, pause, and so on until the service closes; the pauses make the client what it is."""
    transport = peer.connection.transport
    closed = asyncio.create_task(peer.closed_with())
    while not closed.done():
        transport.resume_reading()
        await asyncio.sleep(0.001)
        transport.pause_reading()
        done, _ = await asyncio.wait({closed}, timeout=0.05)
        if done:
            break
    return await closed
