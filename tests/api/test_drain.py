"""R-14 and W-5 on a real service: it stops in order, in bounded time, and loses nothing that it accepted."""

import asyncio
import json
import re
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.typing import Subprotocol

from tests.api.command import COMMAND, started
from tests.api.socket_stack import Replica, SocketPeer, canonical, connected
from tests.api.test_serve import environment, served
from tests.ports import lasting_port
from tests.waiting import wait_until

WITHIN_S = 50.0
#: What a stop takes that waits for nobody; a busy machine has many things to do.
SOON_S = 20.0
#: Longer than any test: what ends sooner ended for another reason.
LONG_MS = "60000"


def chunk(text: str) -> dict[str, object]:
    """A piece of streamed text of the first turn."""
    return {"type": "assistant/chunk", "turn": 1, "step": 1, "index": 0, "kind": "text", "text": text}


def port_of(client: httpx.AsyncClient) -> int:
    """Where a service answers."""
    assert client.base_url.port is not None
    return client.base_url.port


class ToldToLeave(Exception):
    """A socket that was let in got `drain` in the place of `welcome`: the service was told to stop just then."""


async def greeted(port: int, *, receive_buffer_bytes: int | None = None) -> SocketPeer:
    """A socket that was welcomed."""
    small = None if receive_buffer_bytes is None else connected(port, receive_buffer_bytes)
    connection = await connect(
        f"ws://127.0.0.1:{port}/v1/ws",
        subprotocols=[Subprotocol("turnfold.v1.json")],
        max_size=None,
        sock=small,
    )
    peer = SocketPeer(connection)
    await peer.send(type="hello")
    first = await peer.next()
    if first["type"] == "drain":
        await connection.close()
        raise ToldToLeave
    assert first["type"] == "welcome", first
    return peer


@asynccontextmanager
async def half_sent(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter, bytes]]:
    """An append whose second half (the third value) is still to be sent: it is under way until then."""
    body = json.dumps([{"type": "turn/start", "turn": 1}, chunk("last")]).encode()
    head = (
        "POST /v1/sessions/half/events?wait=projected HTTP/1.1\r\nHost: localhost\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(head.encode() + body[:10])
        await writer.drain()
        yield reader, writer, body[10:]
    finally:
        writer.close()


async def stopped(process: asyncio.subprocess.Process) -> float:
    """Wait for the end; returns how many seconds it took, and checks that it was a clean one."""
    began_s = asyncio.get_running_loop().time()
    assert await asyncio.wait_for(process.wait(), WITHIN_S) == 0
    return asyncio.get_running_loop().time() - began_s


async def is_draining(client: httpx.AsyncClient) -> bool:
    """Whether readiness is off because of a stop."""
    answer = await client.get("/readyz")
    return answer.status_code == 503 and "stopping" in answer.json()["detail"]


async def test_new_work_is_refused_while_what_is_under_way_finishes(tmp_path: Path) -> None:
    """503 and `Retry-After` for requests and handshakes; probes go on; an append in hand is projected."""
    async with served(environment(tmp_path, TURNFOLD_DRAIN_MS=LONG_MS)) as (client, process):
        port = port_of(client)
        async with half_sent(port) as (reader, writer, rest):
            process.send_signal(signal.SIGTERM)
            await wait_until(lambda: is_draining(client), "readiness is off")
            assert (await client.get("/livez")).status_code == 200
            refused = await client.post("/v1/sessions/s1/events", json={"type": "turn/start", "turn": 1})
            assert (refused.status_code, refused.json()["code"]) == (503, "not_ready")
            assert (refused.headers["retry-after"], refused.headers["connection"]) == ("1", "close")
            with pytest.raises(InvalidStatus) as handshake:
                await greeted(port)
            assert handshake.value.response.status_code == 503
            assert handshake.value.response.headers["retry-after"] == "1"
            writer.write(rest)
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), WITHIN_S)
            assert head.startswith(b"HTTP/1.1 200"), head
            assert b'"version":1' in await asyncio.wait_for(reader.read(), WITHIN_S)
        await stopped(process)


async def test_a_wait_for_what_may_never_come_ends_with_the_stop(tmp_path: Path) -> None:
    """It is refused as new work is: another process may have the version by then."""
    long = environment(tmp_path, TURNFOLD_DRAIN_MS=LONG_MS, TURNFOLD_WAIT_MS=LONG_MS)
    async with served(long) as (client, process):
        begun = {"type": "turn/start", "turn": 1}
        await client.post("/v1/sessions/s1/events", json=begun, params={"wait": "projected"})
        at_99 = {"view": "web", "min_version": "99"}
        waiting = asyncio.create_task(client.get("/v1/sessions/s1/transcript", params=at_99))
        # On a machine that takes longer to let it in, it is refused in the same words.
        await asyncio.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        answer = await asyncio.wait_for(waiting, WITHIN_S)
        assert (answer.status_code, answer.json()["code"]) == (503, "not_ready")
        assert (answer.headers["retry-after"], answer.headers["connection"]) == ("1", "close")
        assert await stopped(process) < SOON_S


async def test_a_request_that_never_ends_does_not_hold_the_stop(tmp_path: Path) -> None:
    """It is cut off when the time is over."""
    async with (
        served(environment(tmp_path, TURNFOLD_DRAIN_MS="1000")) as (client, process),
        half_sent(port_of(client)),
    ):
        process.send_signal(signal.SIGTERM)
        assert await stopped(process) < SOON_S


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
async def test_a_second_signal_stops_at_once(tmp_path: Path, second: signal.Signals) -> None:
    """Whoever asks twice does not want to wait."""
    async with (
        served(environment(tmp_path, TURNFOLD_DRAIN_MS=LONG_MS)) as (client, process),
        half_sent(port_of(client)),
    ):
        process.send_signal(signal.SIGTERM)
        await wait_until(lambda: is_draining(client), "readiness is off")
        process.send_signal(second)
        assert await stopped(process) < SOON_S


async def test_clients_are_told_when_to_come_back_spread_over_the_window(tmp_path: Path) -> None:
    """W-5: `drain` before the close, each with a time of its own, and the code that means coming back."""
    async with AsyncExitStack() as opened:
        environ = environment(tmp_path, TURNFOLD_DRAIN_WINDOW_MS="2000")
        client, process = await opened.enter_async_context(served(environ))
        peers = [await greeted(port_of(client)) for _ in range(20)]
        process.send_signal(signal.SIGTERM)
        times_ms = sorted([(await peer.next_of("drain"))["reconnect_after_ms"] for peer in peers])
        assert [await peer.closed_with() for peer in peers] == [4000] * 20
        await stopped(process)
    for number, time_ms in enumerate(times_ms):
        assert 100 * number <= time_ms <= 100 * (number + 1)


async def test_a_client_that_never_reads_does_not_hold_the_stop(tmp_path: Path) -> None:
    """It is cut off; what it did not read waits for its position."""
    environ = environment(tmp_path, TURNFOLD_DRAIN_MS=LONG_MS, TURNFOLD_DRAIN_WINDOW_MS="100")
    async with served(environ) as (client, process):
        notices: list[dict[str, object]] = [
            {"type": "notice", "turn": 1, "id": f"n{number}", "level": "info", "text": "x" * 20_000}
            for number in range(100)
        ]
        await client.post("/v1/sessions/s1/events", json=[{"type": "turn/start", "turn": 1}, *notices])
        peer = await greeted(port_of(client), receive_buffer_bytes=8 * 1024)
        peer.connection.transport.pause_reading()
        for number in range(5):
            await peer.subscribe(f"sub{number}", "s1")
        process.send_signal(signal.SIGTERM)
        assert await stopped(process) < SOON_S
        peer.connection.transport.abort()


class Producer:
    """Appends numbered events one after the other, over restarts, and notes which were accepted."""

    def __init__(self, port: int, session: str) -> None:
        self.port = port
        self.session = session
        self.accepted: list[str] = []
        self.refusals: set[str] = set()
        self._stopping = False

    async def run(self) -> None:
        """Append until `stop`; a refused or unanswered event is sent again with its id."""
        address = f"http://127.0.0.1:{self.port}"
        # A connection for each request, so that every kind of refusal is met.
        once = httpx.Limits(max_keepalive_connections=0)
        async with httpx.AsyncClient(base_url=address, limits=once, timeout=WITHIN_S) as client:
            await self._append(client)

    async def has(self, count: int) -> None:
        """Wait until so many events were accepted; every second one is projected by then."""
        await wait_until(lambda: len(self.accepted) >= count, f"{self.session} appends", within_s=WITHIN_S)

    async def _append(self, client: httpx.AsyncClient) -> None:
        number = 0
        first = {"type": "turn/start", "turn": 1, "event_id": f"{self.session}.start"}
        while not self._stopping:
            event = first if number == 0 else {**chunk(f"<{number}>"), "event_id": f"{self.session}.{number}"}
            if await self._send(client, event):
                self.accepted.append(str(event["event_id"]))
                number += 1

    def stop(self) -> None:
        """End after the event in hand."""
        self._stopping = True

    async def _send(self, client: httpx.AsyncClient, event: dict[str, object]) -> bool:
        wait = {"wait": "projected"} if len(self.accepted) % 2 else {}
        try:
            answer = await client.post(f"/v1/sessions/{self.session}/events", json=[event], params=wait)
        except httpx.TransportError as error:
            self.refusals.add(type(error).__name__)
            return False
        if not answer.is_success:
            self.refusals.add(answer.json()["code"])
        return answer.is_success


async def followed(port: int, session: str, replica: Replica, until: asyncio.Event) -> None:
    """Follow a session over restarts, by position; the replica checks that every delta follows."""
    while not until.is_set():
        try:
            peer = await greeted(port)
        except (OSError, InvalidHandshake, ConnectionClosed, ToldToLeave):
            await asyncio.sleep(0.02)
            continue
        position = {} if replica.version < 0 else {"position": replica.position}
        try:
            await peer.subscribe(replica.sub, session, **position)
            await _take(peer.connection, replica, until)
        except ConnectionClosed:
            continue


async def _take(connection: ClientConnection, replica: Replica, until: asyncio.Event) -> None:
    ending = asyncio.create_task(until.wait())
    receiving = asyncio.create_task(connection.recv())
    while not ending.done():
        await asyncio.wait({ending, receiving}, return_when=asyncio.FIRST_COMPLETED)
        if receiving.done():
            replica.take(json.loads(receiving.result()))
            receiving = asyncio.create_task(connection.recv())
    receiving.cancel()
    await connection.close()


@pytest.mark.slow
@pytest.mark.timeout(180)
async def test_a_stop_under_load_loses_and_repeats_nothing(tmp_path: Path) -> None:
    """Every accepted event is in the log once and in order; followers come back and resume by position."""
    port = lasting_port()
    environ = environment(tmp_path, TURNFOLD_DRAIN_WINDOW_MS="200", TURNFOLD_PORT=str(port))
    names = [f"s{number}" for number in range(4)]
    over = asyncio.Event()
    replicas = {name: Replica("a") for name in names}
    async with AsyncExitStack() as opened:
        client, process = await opened.enter_async_context(served(environ))
        producers = [Producer(port, name) for name in names]
        producing = [asyncio.create_task(one.run()) for one in producers]
        await asyncio.gather(*(one.has(2) for one in producers))
        following = [asyncio.create_task(followed(port, name, replicas[name], over)) for name in names]
        for _ in range(2):
            await asyncio.gather(*(one.has(len(one.accepted) + 10) for one in producers))
            process.send_signal(signal.SIGTERM)
            await stopped(process)
            client, process = await opened.enter_async_context(served(environ))
        for one in producers:
            one.stop()
        await asyncio.gather(*producing)
        for producer in producers:
            log = (await client.get(f"/v1/sessions/{producer.session}/events")).text.splitlines()
            ids = [json.loads(line)["event"]["event_id"] for line in log]
            assert ids == producer.accepted
            assert producer.refusals <= {"not_ready", "ConnectError", "ReadError", "RemoteProtocolError"}
            shown = (await client.get(f"/v1/sessions/{producer.session}/transcript")).json()
            replica = replicas[producer.session]
            await wait_until(
                lambda replica=replica, shown=shown: replica.position == shown["position"], "it caught up"
            )
            assert canonical(replica.held["turns"]) == canonical(shown["turns"])
            assert replica.snapshots == 1
        over.set()
        await asyncio.gather(*following)


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_tail_comes_back_after_a_stop_and_repeats_nothing(tmp_path: Path) -> None:
    """`turnfold tail` waits as long as it was told, and prints on where it was."""
    seen, said = tmp_path / "out", tmp_path / "said"
    port = str(lasting_port())
    environ = environment(tmp_path / "data", TURNFOLD_DRAIN_WINDOW_MS="300", TURNFOLD_PORT=port)
    async with AsyncExitStack() as opened:
        client, process = await opened.enter_async_context(served(environ))
        url = str(client.base_url)
        await client.post("/v1/sessions/s/events", json=[{"type": "turn/start", "turn": 1}, chunk("<1>")])
        seen.touch()
        said.touch()
        with said.open("w") as stderr:
            command = started(*COMMAND, "tail", "s", "--url", url, stdout=seen, stderr=stderr.fileno())
            await opened.enter_async_context(command)
        await wait_until(lambda: "<1>" in seen.read_text(), "the beginning is printed", within_s=WITHIN_S)
        for number in (2, 3):
            await client.post("/v1/sessions/s/events", json=[chunk(f"<{number}>")])
            process.send_signal(signal.SIGTERM)
            await stopped(process)
            client, process = await opened.enter_async_context(served(environ))
        await client.post("/v1/sessions/s/events", json=[chunk("<4>")])
        await wait_until(lambda: "<4>" in seen.read_text(), "the end is printed", within_s=WITHIN_S)
    printed = seen.read_text()
    assert re.findall(r"<\d>", printed) == ["<1>", "<2>", "<3>", "<4>"]
    assert "connection lost" in said.read_text()
