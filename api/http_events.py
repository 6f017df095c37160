"""Edge stage: the log over HTTP: events in, and the raw log out again."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

import msgspec
from litestar import Request, Response, get, post
from litestar.params import QueryParameter
from litestar.response import Stream

from api.answers import answer
from api.door import media_type_of
from api.event_bodies import is_json, read_events
from api.openapi import NDJSON, SESSION, EventBodyOperation, given, problems
from api.parts import Parts, allowed_session, known_summary, parts_of
from api.problems import ProblemError, Refusal
from projections.decode import decode_event
from projections.events import Malformed
from projections.position import Position
from service.keys import SessionId, partition_of
from service.log_codec import entry_ids
from service.ports import Reader
from service.stored import Appended, EntryId, LogBatch, entry_order

Anyone = Request[Any, Any, Any]
#: Between two looks at the checkpoint: short against a commit, long against the look.
_FIRST_POLL_S = 0.002
_LONGEST_POLL_S = 0.05
#: Batches in memory at once while a log is streamed; a batch holds at most 8,000 events.
_BATCHES_PER_READ = 4


class Accepted(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of each event, in the order of the request; visible at `position`, once projected."""

    session: SessionId
    events: tuple[Appended, ...]
    position: Position | None = None


class LogLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the raw log: the `event` as it came, or, where that is no JSON, `raw` and the `reason`."""

    seq: int
    entry_id: str
    event: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    raw: str | None = None
    reason: str | None = None


_encode_line = msgspec.json.Encoder().encode


@post(
    "/v1/sessions/{session:str}/events",
    operation_id="appendEvents",
    summary="Append events",
    tags=["events"],
    status_code=202,
    operation_class=EventBodyOperation,
    responses={
        200: given(Accepted, "Accepted and projected (wait=projected)."),
        202: given(Accepted, "Accepted: durable as TURNFOLD_ACK says, not yet projected."),
        **problems(400, 401, 403, 410, 413, 415, 503, 504),
    },
)
async def append_events(
    request: Anyone,
    session: SESSION,
    wait: Annotated[
        Literal["projected"] | None,
        QueryParameter(name="wait", description="`projected`: answer when the events are visible."),
    ] = None,
) -> Response[bytes]:
    """Append one event, an array or NDJSON to a session; all of them or, on any fault, none.

    The bytes of each event are kept as they came. Events of an unknown type are accepted. Send again only
    events with an `event_id`: those that were seen are not appended twice.
    """
    parts = parts_of(request)
    known = allowed_session(request, session, "write")
    media_type = media_type_of(request.headers.get("content-type", ""))
    events = read_events(await request.body(), media_type, max_event_bytes=parts.limits.max_event_bytes)
    if isinstance(events, Refusal):
        raise ProblemError(events.code, events.detail, where=events.where)
    appended = await parts.source.append(known, [one.raw for one in events], [one.event_id for one in events])
    if wait is None:
        return answer(request, Accepted(session=known, events=appended), status=202, cache="no-store")
    position = await _projected(parts, known, appended)
    return answer(request, Accepted(session=known, events=appended, position=position), cache="no-store")


@get(
    "/v1/sessions/{session:str}/events",
    operation_id="readEvents",
    summary="The raw log",
    tags=["events"],
    responses={
        200: given(LogLine, "One LogLine a line.", NDJSON),
        **problems(400, 401, 403, 404, 410, 503),
    },
)
async def read_log(
    request: Anyone,
    session: SESSION,
    after: Annotated[
        int,
        QueryParameter(
            name="after", ge=-1, le=2**53, description="Only events with a greater seq; -1 for all."
        ),
    ] = -1,
) -> Stream:
    """Every event after a seq, as its bytes came, up to the log's end at the time of reading."""
    parts = parts_of(request)
    known = allowed_session(request, session)
    await known_summary(parts, known)
    return Stream(
        _log_lines(parts.reader, known, after), media_type=NDJSON, headers={"Cache-Control": "no-store"}
    )


async def _log_lines(reader: Reader, session: SessionId, after: int) -> AsyncIterator[bytes]:
    more = True
    while more:
        page = await reader.read_log(session, after, _BATCHES_PER_READ)
        more = page.more
        for batch in page.batches:
            yield b"".join(_lines_of(batch, after))
            after = batch.first_seq + len(batch.events) - 1


def _lines_of(batch: LogBatch, after: int) -> list[bytes]:
    return [
        _line(seq, entry_id, raw)
        for seq, (entry_id, raw) in enumerate(
            zip(entry_ids(batch), batch.events, strict=True), batch.first_seq
        )
        if seq > after
    ]


def _line(seq: int, entry_id: EntryId, raw: bytes) -> bytes:
    if is_json(raw):
        # A line break in valid JSON stands between tokens; as a blank it keeps the line one line.
        event = raw.replace(b"\n", b" ").replace(b"\r", b" ")
        return _encode_line(LogLine(seq=seq, entry_id=entry_id, event=msgspec.Raw(event))) + b"\n"
    found = decode_event(raw)
    reason = found.reason if isinstance(found, Malformed) else "the entry is not JSON"
    text = raw.decode(errors="replace")
    return json.dumps({"seq": seq, "entry_id": entry_id, "raw": text, "reason": reason}).encode() + b"\n"


async def _projected(parts: Parts, session: SessionId, appended: tuple[Appended, ...]) -> Position:
    """Wait until the partition's checkpoint has passed the events; raises `wait_timeout`."""
    newest = max(entry_order(one.entry_id) for one in appended)
    partition = partition_of(session, parts.partition_count)
    pause_s = _FIRST_POLL_S
    try:
        async with asyncio.timeout(parts.limits.wait_ms / 1000):
            while entry_order((await parts.store.read_checkpoint(partition)).entry_id) < newest:
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, _LONGEST_POLL_S)
    except TimeoutError:
        detail = f"The events were accepted but not projected within {parts.limits.wait_ms} ms."
        raise ProblemError("wait_timeout", detail, where="query parameter wait") from None
    summary = await known_summary(parts, session)
    return Position(epoch=summary.epoch, version=summary.version)
