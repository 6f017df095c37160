"""Wire stage 5, the connection: one socket for one session or for the list of them, opened again after every loss.

1. A lost socket is opened again after the time that `drain` named, else after a back-off with full jitter. A final
   close code (4500 to 4999, W-5) ends that, and so does a handshake that a person has to do something about.
2. A socket that went silent is found out by pings: no answer in time, and it counts as lost.
3. It says nothing about turns: a lost connection is no end of anything (E-15).
4. Frames are taken from the socket as fast as they come, and handed over one by one; who draws decides how often.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Generic, Literal, Protocol, TypeVar

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.typing import Subprotocol

from clients.wire.address import Address, WireError
from clients.wire.backoff import BackOff
from clients.wire.messages import (
    SUBPROTOCOL,
    Drain,
    Error,
    Frame,
    Json,
    NotOursError,
    OfSubscription,
    Welcome,
    decode_frame,
    encode,
)
from clients.wire.service import problem_of
from clients.wire.subscription import Send, State

PING_EVERY_S, PONG_WITHIN_S = 15.0, 10.0
# A proxy can hold a handshake open for minutes.
WELCOME_WITHIN_S = 15.0
_FIRST_FINAL, _LAST_FINAL = 4500, 4999
# Whatever else a handshake is answered by may be over in a moment: a service that starts, say.
_FINAL_STATUS = frozenset({400, 401, 403, 404, 410, 426})


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """How the connection is.

    Attributes:
        name: `waiting` until `until_s` (of the monotonic clock) after a loss; `ended` for good.
        problem: why, in words, for the last two; empty where nobody said.
    """

    name: Literal["connecting", "open", "waiting", "ended"]
    until_s: float = 0.0
    problem: str = ""


_News = TypeVar("_News")
_Given_co = TypeVar("_Given_co", covariant=True)


class Followed(Protocol[_Given_co]):
    """What a connection follows: `Subscription`, or `SessionList`."""

    state: State
    problem: str

    def subscribe(self) -> Json:
        """Give the message that starts it, or resumes it."""

    def unanswered(self) -> None:
        """Note that the service did not act on what was asked last."""

    def receive(self, frame: OfSubscription) -> Iterator[_Given_co | Send]:
        """Take a frame; gives what it changes and what to send."""


CONNECTING, OPEN = Link(name="connecting"), Link(name="open")


def may_reconnect(code: int) -> bool:
    """True where a client comes back by itself after this close code (W-5)."""
    return not _FIRST_FINAL <= code <= _LAST_FINAL


class Connection(Generic[_News]):
    """Follows one session, or the list of them, for as long as `run` goes on.

    Args:
        told: is told, in order, what a frame changed; it must not wait.
        linked: is told how the connection is, whenever that changes.

    Attributes:
        service_ahead_ms: how far the service's clock is ahead of this machine's, as of the last welcome.
        takes_answers: whether that deployment forwards answers to what waits.
    """

    def __init__(
        self,
        address: Address,
        subscription: Followed[_News],
        *,
        told: Callable[[_News], None],
        linked: Callable[[Link], None],
        back_off: BackOff | None = None,
    ) -> None:
        self._address = address
        self._subscription = subscription
        self._told = told
        self._linked = linked
        self._back_off = back_off or BackOff()
        self._socket: ClientConnection | None = None
        self._outgoing: set[asyncio.Task[None]] = set()
        self._waking = asyncio.Event()
        self.service_ahead_ms = 0.0
        self.takes_answers = False

    async def run(self) -> None:
        """Follow until the session or the connection ended for good, or until it is cancelled."""
        while True:
            self._linked(CONNECTING)
            try:
                problem = await self._follow()
            except WireError as error:
                self._linked(Link(name="ended", problem=str(error)))
                return
            if self._subscription.state == "ended":
                self._linked(Link(name="ended", problem=self._subscription.problem))
                return
            await self._wait(problem)

    def send(self, message: Json | None) -> bool:
        """Send a message in the background; False where there is none, or no open socket (it resumes by itself)."""
        if message is None or self._socket is None:
            return False
        task = asyncio.create_task(self._send(self._socket, message))
        self._outgoing.add(task)
        task.add_done_callback(self._outgoing.discard)
        return True

    def wake(self) -> None:
        """End a wait: the reader asks for the service now."""
        self._waking.set()

    async def _wait(self, problem: str) -> None:
        wait_s = self._back_off.next_s()
        self._linked(Link(name="waiting", until_s=time.monotonic() + wait_s, problem=problem))
        self._waking.clear()
        try:
            async with asyncio.timeout(wait_s):
                await self._waking.wait()
        except TimeoutError:
            pass

    async def _follow(self) -> str:
        """Open the socket and read it to its end; gives why it ended, in words."""
        try:
            socket = await self._open()
        except InvalidStatus as refused:
            status = refused.response.status_code
            words = problem_of(status, bytes(refused.response.body or b""))
            if status in _FINAL_STATUS:
                raise WireError(f"the service at {self._address.url} refused the socket: {words}") from None
            return words
        except (OSError, InvalidHandshake, TimeoutError) as error:
            return str(error) or type(error).__name__
        try:
            async with socket:
                await self._read(socket)
        except ConnectionClosed as closed:
            return _why(closed)
        except TimeoutError:
            return "no answer in time"
        except NotOursError as error:
            raise WireError(f"{self._address.url}: {error}") from None
        finally:
            self._socket = None
        return ""

    async def _open(self) -> ClientConnection:
        return await connect(
            self._address.socket_url,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            compression=None,
            max_size=None,  # a single row can be great: an answer that streamed is never cut
            open_timeout=WELCOME_WITHIN_S,
            ping_interval=PING_EVERY_S,
            ping_timeout=PONG_WITHIN_S,
            close_timeout=1,
        )

    async def _read(self, socket: ClientConnection) -> None:
        token = self._address.token
        await self._send(socket, {"type": "hello"} | ({"token": token} if token else {}))
        async with asyncio.timeout(WELCOME_WITHIN_S) as silence:
            async for raw in socket:
                frame = decode_frame(raw)
                silence.reschedule(None)
                if frame is not None:
                    await self._take(socket, frame)
                if self._subscription.state in ("away", "ended"):
                    return

    async def _take(self, socket: ClientConnection, frame: Frame) -> None:
        match frame:
            case Welcome():
                self._socket = socket
                self.service_ahead_ms = frame.server_time_ms - time.time() * 1000
                self.takes_answers = frame.limits.max_answer_bytes > 0
                self._back_off.reset()
                self._linked(OPEN)
                await self._send(socket, self._subscription.subscribe())
            case Drain():
                self._back_off.name(frame.reconnect_after_ms / 1000)
            case Error(sub=None):
                # Of the whole socket, or of a message that was not acted on; a close that follows says what to do.
                self._subscription.unanswered()
            case _:
                for told in self._subscription.receive(frame):
                    if isinstance(told, Send):
                        await self._send(socket, told.message)
                    else:
                        self._told(told)

    async def _send(self, socket: ClientConnection, message: Json) -> None:
        try:
            await socket.send(encode(message))
        except ConnectionClosed:
            return  # the reader of the socket is told, too, and it knows why


def _why(closed: ConnectionClosed) -> str:
    """Say why a socket closed.

    Raises:
        WireError: for good.
    """
    if closed.rcvd is None:
        return ""
    words = closed.rcvd.reason or f"code {closed.rcvd.code}"
    if not may_reconnect(closed.rcvd.code):
        raise WireError(f"the service closed the connection for good: {words} ({closed.rcvd.code})")
    return words
