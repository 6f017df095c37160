"""Edge stage: the whole service in one process (`turnfold serve`; R-13, R-14).

Start: bind the port, then engine, adapters, projector, hub and server; the address is announced when requests
are answered. What cannot be had ends the start with one line.

Stop, on SIGTERM or SIGINT: as `stopping` says, then the adapters, and the engine last. A second signal stops at
once.
"""

import asyncio
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any, Final

import msgspec
import uvloop

from api.app import build_app
from api.auth import Authenticator
from api.door import DoorRules
from api.http_interactions import MAX_ANSWER_BYTES
from api.listener import PortTakenError, Server, address_of, listen
from api.live import Live, open_live
from api.messages import Limits
from api.metrics import EdgeMetrics
from api.metrics_prometheus import meters
from api.parts import EdgeLimits, Parts
from api.samples import load_samples
from api.stopping import Running, stop
from api.version import service_version
from projections.actions import add_aliases
from projections.languages import add_languages
from service.answers import AnswerForwarder
from service.collector import relax_collector
from service.engine_valkey import EmbeddedEngine, EngineError
from service.errors import LeaseLost, ServiceError
from service.keys import KeySpace
from service.metrics import ProjectorMetrics
from service.preferences_redis import RedisPreferences
from service.projector import Projector, ProjectorLimits, Told
from service.reader_redis import RedisReader
from service.settings import Settings
from service.signing import secret_bytes
from service.source_redis import RedisSource
from service.store_redis import RedisStore
from service.telemetry import start_logging
from service.tickets_redis import RedisTickets
from service.vocabulary import VocabularyError, read_vocabulary

#: R-13: an unreachable server is a clear error within 5 s at start.
_REACH_S: Final = 4.5
_STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class ServeError(Exception):
    """The service cannot start, or cannot go on; the message is for whoever started it."""


class WallClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        """Epoch milliseconds."""
        return time.time_ns() // 1_000_000


class Adapters(msgspec.Struct, frozen=True, kw_only=True):
    """The store's ports on one engine."""

    store: RedisStore
    source: RedisSource
    reader: RedisReader
    preferences: RedisPreferences
    tickets: RedisTickets


def serve(settings: Settings, *, with_samples: bool = False, announce: Callable[[str], None] = print) -> int:
    """Serve until a signal comes; returns the exit code: 0 after a clean stop, 1 after one line on stderr.

    Args:
        settings: the deployment's.
        with_samples: append the sample sessions if the store holds no session at all.
        announce: told once that requests are answered, and where.
    """
    start_logging(settings.log_level, settings.log_format)
    relax_collector()
    try:
        _learn(settings)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(run(settings, with_samples=with_samples, announce=announce))
    except EngineError as error:
        sys.stderr.write(f"turnfold: {error}\n")  # whole: the end of the engine's log stands in it
        return 1
    except (ServeError, PortTakenError, ServiceError, VocabularyError) as error:
        sys.stderr.write(f"turnfold: {str(error).partition(chr(10))[0]}\n")
        return 1
    return 0


def _learn(settings: Settings) -> None:
    """Take the deployment's words in, before anything is labelled."""
    if settings.vocabulary_dir is None:
        return
    vocabulary = read_vocabulary(settings.vocabulary_dir)
    add_languages(vocabulary.languages)
    add_aliases(dict(vocabulary.aliases))


async def run(settings: Settings, *, with_samples: bool, announce: Callable[[str], None]) -> None:
    """Serve in the running loop until a signal comes; raises what stands in the way of a start."""
    began = time.monotonic()
    async with AsyncExitStack() as opened:
        listener = listen(settings)
        opened.callback(listener.close)
        stopping = _signalled(opened)
        engine, url = await _engine(settings, opened)
        clock = WallClock()
        adapters = await _adapters(url, settings, clock, opened)
        measured = meters(service_version())
        forwarder = _answers(settings, opened)
        limits = Limits() if forwarder is None else Limits(max_answer_bytes=MAX_ANSWER_BYTES)
        opening = open_live(
            adapters.reader,
            adapters.preferences,
            adapters.tickets,
            settings,
            metrics=measured.edge,
            limits=limits,
        )
        live = await opened.enter_async_context(opening)
        if with_samples:
            await load_samples(adapters.source, adapters.reader)
        parts = replace(_parts(settings, adapters, live, clock, measured.edge), answers=forwarder)
        running = Running(
            projector=_projector(settings, adapters, clock, measured.projector, live.committed),
            server=Server(build_app(parts, live.socket)),
            live=live,
            readiness=parts.readiness,
            drain_ms=settings.drain_ms,
        )

        def answers() -> None:
            measured.edge.started(time.monotonic() - began)
            announce(f"Turnfold is ready at {address_of(listener, settings)}")

        await _work(running, engine, listener, stopping, answers)


async def _work(
    running: Running,
    engine: EmbeddedEngine | None,
    listener: socket.socket,
    stopping: asyncio.Event,
    announce: Callable[[], None],
) -> None:
    """Run everything until a signal, then stop; raises ServeError or EngineError when something ended by itself."""
    projecting = asyncio.create_task(running.projector.run(), name="projector")
    answering = asyncio.create_task(running.server.serve([listener]), name="server")
    signalled = asyncio.create_task(stopping.wait(), name="signal")
    ended = asyncio.create_task(_ended(engine), name="engine")
    started = asyncio.create_task(running.server.answers.wait(), name="started")
    everything: set[asyncio.Task[Any]] = {projecting, answering, signalled, ended}
    try:
        await asyncio.wait({*everything, started}, return_when=asyncio.FIRST_COMPLETED)
        if started.done():
            announce()
        await asyncio.wait(everything, return_when=asyncio.FIRST_COMPLETED)
        _raise_if_broken(projecting, ended)
        stopping.clear()
        await stop(running, projecting, answering, again=stopping)
    finally:
        for task in (*everything, started):
            task.cancel()
        await asyncio.gather(*everything, started, return_exceptions=True)


def _raise_if_broken(projecting: "asyncio.Task[None]", ended: "asyncio.Task[Exception]") -> None:
    if ended.done():
        raise ended.result()
    if not projecting.done():
        return
    error = projecting.exception()
    if isinstance(error, LeaseLost):
        raise ServeError(f"{error}; this process stops, so that one alone projects") from error
    raise ServeError(f"The projector ended: {error or 'without being asked to'}") from error


async def _ended(engine: EmbeddedEngine | None) -> Exception:
    if engine is not None:
        return await engine.ended()
    # A server of the deployment's own may come and go: that is waited for where it is asked, and ends nothing here.
    never: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()
    return await never


async def _engine(settings: Settings, opened: AsyncExitStack) -> tuple[EmbeddedEngine | None, str]:
    if settings.redis_url is not None:
        return None, settings.redis_url
    engine = await opened.enter_async_context(EmbeddedEngine(settings.data_dir))
    return engine, engine.url


async def _adapters(url: str, settings: Settings, clock: WallClock, opened: AsyncExitStack) -> Adapters:
    keys = KeySpace(settings.partitions)
    adapters = Adapters(
        store=RedisStore(url, keys),
        # The embedded engine writes through to the disk before it answers, so it can promise it.
        source=RedisSource(url, keys, "fsync" if settings.redis_url is None else settings.ack),
        reader=RedisReader(url, keys),
        preferences=RedisPreferences(url),
        tickets=RedisTickets(url),
    )
    beside = (adapters.preferences, adapters.tickets)
    for one in (adapters.store, adapters.source, adapters.reader, *beside):
        opened.push_async_callback(one.close)
    try:
        async with asyncio.timeout(_REACH_S):
            await adapters.store.start(clock.now_ms())
            await adapters.source.start()
            await adapters.reader.start()
            for one in beside:
                await one.start()
    except TimeoutError:
        raise ServeError(
            f"The Redis server did not answer within {_REACH_S:g} s; see TURNFOLD_REDIS_URL."
        ) from None
    return adapters


def _answers(settings: Settings, opened: AsyncExitStack) -> AnswerForwarder | None:
    """Where answers of readers go, if the deployment says so."""
    key = None if settings.answers_secret is None else secret_bytes(settings.answers_secret)
    if settings.answers_url is None or key is None:
        return None
    from service.answers_http import HttpAnswers  # noqa: PLC0415 - httpx is 48 ms of every start; test_cli_start.py holds it out of those that forward nothing

    answers = HttpAnswers(settings.answers_url, key, settings.answers_timeout_ms)
    opened.push_async_callback(answers.close)
    return answers


def _projector(
    settings: Settings, adapters: Adapters, clock: WallClock, metrics: ProjectorMetrics, tell: Told
) -> Projector:
    limits = ProjectorLimits(stale_turn_ms=settings.stale_turn_s * 1000)
    partitions = range(settings.partitions)
    return Projector(
        adapters.store, adapters.source, partitions, clock, limits=limits, metrics=metrics, tell=tell
    )


def _parts(
    settings: Settings, adapters: Adapters, live: Live, clock: WallClock, metrics: EdgeMetrics
) -> Parts:
    return Parts(
        reader=adapters.reader,
        store=adapters.store,
        source=adapters.source,
        preferences=adapters.preferences,
        tickets=adapters.tickets,
        transcripts=live,
        clock=clock,
        partition_count=settings.partitions,
        door=DoorRules(
            loopback_only=settings.jwt_secret is None,
            allowed_origins=settings.allowed_origins,
            trusted_proxies=settings.trusted_proxies,
            base_path=settings.base_path,
        ),
        authenticator=Authenticator(settings.jwt_secret),
        metrics=metrics,
        limits=EdgeLimits(
            max_event_bytes=settings.max_event_bytes,
            max_request_bytes=settings.max_request_bytes,
            inline_bytes=settings.inline_bytes,
            wait_ms=settings.wait_ms,
            lag_ms=settings.ready_lag_ms,
        ),
    )


def _signalled(opened: AsyncExitStack) -> asyncio.Event:
    """An event that each stop signal sets; the handlers go with the stack."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for one in _STOP_SIGNALS:
        loop.add_signal_handler(one, stopping.set)
        opened.callback(loop.remove_signal_handler, one)
    return stopping
