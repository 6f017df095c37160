"""Edge stage: the end of the service, in order and in bounded time (R-14).

1. Readiness goes off: probes say no, and new requests and sockets are refused with 503 and `Retry-After`.
2. Requests that are under way finish while the projector still runs, so that appends which wait for their
   events get their answer. They have half of the time.
3. The projector commits the batch that it has in hand. What was accepted and not projected stays in the ingest
   stream, for whoever projects next.
4. Sockets are told when to come back, closed in batches, and cut where nobody reads (W-5).
5. The server closes the port and what is left, in the time that is left.

Whoever called closes the store's adapters after that, and the embedded engine last. uvicorn itself would close
every socket first, before anything of this could run; so it never sees a signal.
"""

import asyncio
import time
from typing import Any, Final

import msgspec
import structlog

from api.listener import Server
from api.live import Live
from api.parts import Readiness
from service.projector import Projector

_log = structlog.get_logger(__name__)
#: What requests may use of the time; the rest is for the sockets and the server.
_REQUESTS_SHARE: Final = 0.5


class Running(msgspec.Struct, frozen=True, kw_only=True):
    """What works until the stop, and the time that the stop may take."""

    projector: Projector
    server: Server
    live: Live
    readiness: Readiness
    drain_ms: int


async def stop(
    running: Running,
    projecting: "asyncio.Task[None]",
    answering: "asyncio.Task[None]",
    again: asyncio.Event,
) -> None:
    """Stop in order; at once when `again` is set, which loses no accepted event either.

    Args:
        running: what is to be stopped.
        projecting: the task of its projector.
        answering: the task of its server.
        again: set when somebody does not want to wait.

    Raises what the projector raised.
    """
    running.readiness.drain()
    orderly = asyncio.create_task(_in_order(running, projecting, answering))
    signalled = asyncio.create_task(again.wait())
    await asyncio.wait({orderly, signalled}, return_when=asyncio.FIRST_COMPLETED)
    signalled.cancel()
    if not orderly.done():
        _log.warning("stopping_at_once")
        await _cancelled(orderly)
        await _cancelled(projecting)
        running.live.abort()
        running.server.stop(within_s=0)
        await answering
    if not orderly.cancelled():
        orderly.result()


async def _in_order(
    running: Running, projecting: "asyncio.Task[None]", answering: "asyncio.Task[None]"
) -> None:
    _log.info("stopping")
    ends_at_s = time.monotonic() + running.drain_ms / 1000
    try:
        async with asyncio.timeout(_left_s(ends_at_s) * _REQUESTS_SHARE):
            await running.readiness.idle()
    except TimeoutError:
        _log.warning("requests_still_open", count=running.readiness.request_count)
    running.projector.stop()
    await asyncio.wait({projecting}, timeout=_left_s(ends_at_s))
    if not projecting.done():
        _log.warning("projector_cut_off")  # the store does not answer; its checkpoint says where to go on
        await _cancelled(projecting)
    await running.live.drain(within_s=_left_s(ends_at_s))
    running.server.stop(within_s=_left_s(ends_at_s))
    await answering
    _log.info("stopped")
    if not projecting.cancelled():
        projecting.result()


async def _cancelled(task: "asyncio.Task[Any]") -> None:
    task.cancel()
    await asyncio.wait({task})


def _left_s(ends_at_s: float) -> float:
    return max(0.0, ends_at_s - time.monotonic())
