"""Edge stage: what the routes work with, handed in by the composition root, and the checks they share."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import msgspec
from litestar import Request

from api.auth import Access, Authenticator, Scope
from api.condition import LiveCounts
from api.door import DoorRules
from api.metrics import EdgeMetrics
from api.problems import ProblemError
from projections.position import Position
from projections.session import SessionFold
from service.answers import AnswerForwarder
from service.keys import SessionId, is_session_id
from service.ports import Clock, Reader, Source, Store
from service.preferences import PreferenceStore
from service.stored import Summary
from service.tickets import TicketStore

ACCESS_KEY: Final = "turnfold_access"
STOPPING: Final = "The service is stopping."
_SHOWN_CHARS: Final = 64
#: Folds of the past that run at once; each replays a log and holds one fold.
_TIME_TRAVELLERS: Final = 4
#: Exports that run at once; each holds one whole fold for as long as its client reads.
_EXPORTS: Final = 4


class Transcripts(Protocol):
    """The folded present of sessions, as the hub holds it."""

    async def look(self, session: SessionId, at_least: int = 0) -> tuple[SessionFold, Position]:
        """The fold at version `at_least` or later, if that was committed; use it before the next await."""
        ...

    def reading(
        self, session: SessionId, at_least: int = 0
    ) -> AbstractAsyncContextManager[tuple[SessionFold, Position]]:
        """The fold at version `at_least` or later, which stands still for the length of the block."""
        ...

    async def until(self, session: SessionId, version: int) -> None:
        """Wait until `version` is committed and folded; for ever, if it never is."""
        ...

    def counts(self) -> LiveCounts:
        """What is held in memory at this instant, sockets included."""
        ...


class EdgeLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What one request may cost; waits end after `wait_ms`; `lag_ms` is the most that counts as ready.

    Of a text over `inline_bytes` the head alone travels. A client that takes nothing of a file for `stall_ms` is
    given up.
    """

    max_event_bytes: int = 16 * 1024 * 1024
    max_request_bytes: int = 32 * 1024 * 1024
    inline_bytes: int = 16 * 1024
    wait_ms: int = 10_000
    lag_ms: int = 30_000
    stall_ms: int = 60_000


class Readiness:
    """Whether this process wants new work, and how much of the old is under way (R-14)."""

    def __init__(self) -> None:
        self.is_draining = False
        self.request_count = 0
        """HTTP requests that were let in and are not answered yet."""
        self._idle = asyncio.Event()
        self._idle.set()
        self._waits = set[asyncio.Timeout]()

    def drain(self) -> None:
        """Say no from now on."""
        self.is_draining = True
        for wait in self._waits:
            if not wait.expired():
                wait.reschedule(0)

    @asynccontextmanager
    async def waiting(self, within_ms: int) -> AsyncIterator[None]:
        """Bound a wait for what may never come, which must not hold up a stop.

        Raises:
            TimeoutError: the time is over.
            ProblemError: the process stops (`not_ready`); another one may have it.
        """
        try:
            async with asyncio.timeout(0 if self.is_draining else within_ms / 1000) as wait:
                self._waits.add(wait)
                try:
                    yield
                finally:
                    self._waits.discard(wait)
        except TimeoutError:
            if self.is_draining:
                headers = (("Retry-After", "1"), ("Connection", "close"))
                raise ProblemError("not_ready", STOPPING, headers=headers) from None
            raise

    @contextmanager
    def request(self) -> Iterator[None]:
        """Count a request for the length of the block."""
        self.request_count += 1
        self._idle.clear()
        try:
            yield
        finally:
            self.request_count -= 1
            if self.request_count == 0:
                self._idle.set()

    async def idle(self) -> None:
        """Wait until no request is under way."""
        await self._idle.wait()


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Everything behind the routes."""

    reader: Reader
    store: Store
    source: Source
    preferences: PreferenceStore
    tickets: TicketStore
    transcripts: Transcripts
    clock: Clock
    partition_count: int
    door: DoorRules
    authenticator: Authenticator
    metrics: EdgeMetrics
    answers: AnswerForwarder | None = None
    limits: EdgeLimits = field(default_factory=EdgeLimits)
    readiness: Readiness = field(default_factory=Readiness)
    time_travel: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_TIME_TRAVELLERS))
    exports: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_EXPORTS))


def parts_of(request: Request[Any, Any, Any]) -> Parts:
    """The parts that the application of this request was built with."""
    parts: Parts = request.app.state.parts
    return parts


def access_of(request: Request[Any, Any, Any]) -> Access:
    """What the caller of this request may do; the edge put it there."""
    access: Access = request.scope["state"][ACCESS_KEY]
    return access


def session_id(text: str) -> SessionId:
    """The text as a session id; raises the problem `invalid_session_id`."""
    if not is_session_id(text.encode(errors="replace")):
        shown = text[:_SHOWN_CHARS]
        raise ProblemError(
            "invalid_session_id", f"{shown!r} is not a session id.", where="path parameter session"
        )
    return SessionId(text)


def allowed_session(request: Request[Any, Any, Any], text: str, scope: Scope = "read") -> SessionId:
    """The session id of a path, where the caller has the scope on it; raises a problem otherwise."""
    session = session_id(text)
    demand(request, scope, session)
    return session


def demand(request: Request[Any, Any, Any], scope: Scope, session: SessionId | None = None) -> None:
    """Raise a problem unless the caller has the scope (on the session)."""
    refused = access_of(request).refusal(scope, session)
    if refused is not None:
        raise ProblemError(refused.code, refused.detail, where=refused.where)


async def known_summary(parts: Parts, session: SessionId) -> Summary:
    """The summary of a session that is there; raises `session_gone` or `session_unknown`."""
    summary = await parts.reader.summary(session)
    if summary is not None:
        return summary
    if await parts.reader.is_gone(session):
        raise ProblemError(
            "session_gone", f"The session {session!r} was deleted.", where="path parameter session"
        )
    raise ProblemError(
        "session_unknown", f"No event of a session {session!r} was seen.", where="path parameter session"
    )
