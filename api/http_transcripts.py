"""Edge stage: folded transcripts over HTTP: a window, one turn, its spec, now or as of an earlier event."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

import msgspec
from litestar import Request, Response, get
from litestar.params import PathParameter, QueryParameter

from api.answers import IMMUTABLE, REVALIDATE, answer, not_modified, weak_etag
from api.hub_loading import load_at
from api.openapi import SESSION, given, problems
from api.parts import Parts, access_of, allowed_session, known_summary, parts_of
from api.problems import ProblemError
from api.unhurried import unhurried
from api.view_parameters import ASKED_VIEW, ViewOfRequest, view_facts
from projections.building import TurnBuilder
from projections.position import Position
from projections.session import SessionFold
from projections.spec import TurnProcessSpec
from projections.transcript import Transcript, TurnValue, snapshot_slices, turn_value, window_of
from service.keys import SessionId
from service.stored import Summary

Anyone = Request[Any, Any, Any]
TurnNumber = Annotated[int, PathParameter(ge=0, le=2**53, description="The turn's number.")]
At = Annotated[
    int | None, QueryParameter(name="at", ge=0, le=2**53, description="As of this seq, that event included.")
]
Epoch = Annotated[
    str | None,
    QueryParameter(
        name="epoch", max_length=64, description="With `at`: this history alone, and cacheable for good."
    ),
]


class OneTurn(TurnValue, frozen=True, kw_only=True):
    """A turn with where it was read: `position` is null for the past, which has a seq and no version."""

    session: SessionId
    epoch: str
    position: Position | None
    as_of_seq: int


class OneSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The process spec of a turn, null where the turn has none."""

    session: SessionId
    epoch: str
    position: Position | None
    as_of_seq: int
    turn: int
    spec: TurnProcessSpec | None


class _Seen(msgspec.Struct, frozen=True, kw_only=True):
    fold: SessionFold
    epoch: str
    position: Position | None
    is_lasting: bool

    @property
    def as_of_seq(self) -> int:
        return self.fold.next_seq - 1


@get(
    "/v1/sessions/{session:str}/transcript",
    operation_id="getTranscript",
    summary="A window of the folded transcript",
    tags=["transcripts"],
    dependencies=ASKED_VIEW,
    responses={
        200: given(Transcript, "Whole turns, oldest first."),
        304: given(None, "The client holds this very answer."),
        **problems(400, 401, 403, 404, 410, 503, 504),
    },
)
async def get_transcript(
    request: Anyone,
    *,
    session: SESSION,
    asked: ViewOfRequest,
    limit: Annotated[
        int | None, QueryParameter(name="limit", ge=1, le=2000, description="At most so many turns.")
    ] = None,
    before: Annotated[
        str | None, QueryParameter(name="before", max_length=64, description="The turns before this cursor.")
    ] = None,
    min_version: Annotated[
        int,
        QueryParameter(
            name="min_version", ge=0, le=2**53, description="Wait until this version is there (R-11)."
        ),
    ] = 0,
) -> Response[bytes]:
    """The newest turns, or those before a cursor: rows, specs and the asked presentation at one position.

    Without `limit` the whole session comes if it has up to 2,000 rows, else as many whole turns as fit.
    """
    parts = parts_of(request)
    known = allowed_session(request, session)
    summary = await known_summary(parts, known)
    if min_version:
        await _waited(parts, known, min_version)
    async with parts.transcripts.reading(known, max(min_version, summary.version)) as (fold, position):
        facts = (known, position.epoch, str(position.version), *view_facts(asked), str(limit), str(before))
        etag = weak_etag(request, access_of(request), *facts)
        held = not_modified(request, etag)
        if held is not None:
            return held
        window = window_of(fold, limit, before)
        shown = await unhurried(snapshot_slices(fold, known, position, asked, window))
    return answer(request, shown, etag=etag)


@get(
    "/v1/sessions/{session:str}/turns/{turn:int}",
    operation_id="getTurn",
    summary="One turn, now or as of an earlier event",
    tags=["transcripts"],
    dependencies=ASKED_VIEW,
    responses={
        200: given(OneTurn, "The turn."),
        304: given(None, "The client holds this very answer."),
        **problems(400, 401, 403, 404, 409, 410, 503),
    },
)
async def get_turn(
    request: Anyone,
    *,
    session: SESSION,
    turn: TurnNumber,
    asked: ViewOfRequest,
    at: At = None,
    epoch: Epoch = None,
) -> Response[bytes]:
    """One turn with its rows; `at` shows it as it stood when that event had just been folded."""
    known = allowed_session(request, session)
    async with _seen(parts_of(request), known, at, epoch) as seen:
        value = await unhurried(turn_value(seen.fold.main, _turn_of(seen.fold, turn), asked))
    one = OneTurn(
        **{name: getattr(value, name) for name in TurnValue.__struct_fields__},
        session=known, epoch=seen.epoch, position=seen.position, as_of_seq=seen.as_of_seq,
    )  # fmt: skip
    return _answer(request, one, seen, "turn", *view_facts(asked), str(turn))


@get(
    "/v1/sessions/{session:str}/turns/{turn:int}/spec",
    operation_id="getTurnSpec",
    summary="The process spec of a turn, now or as of an earlier event",
    tags=["transcripts"],
    responses={
        200: given(OneSpec, "The spec, or null."),
        304: given(None, "The client holds this very answer."),
        **problems(400, 401, 403, 404, 409, 410, 503),
    },
)
async def get_turn_spec(
    request: Anyone, session: SESSION, turn: TurnNumber, at: At = None, epoch: Epoch = None
) -> Response[bytes]:
    """The turn-process spec (B-2); `at` shows it as it stood when that event had just been folded."""
    known = allowed_session(request, session)
    async with _seen(parts_of(request), known, at, epoch) as seen:
        found = _turn_of(seen.fold, turn).spec
    spec = OneSpec(
        session=known,
        epoch=seen.epoch,
        position=seen.position,
        as_of_seq=seen.as_of_seq,
        turn=turn,
        spec=found,
    )
    return _answer(request, spec, seen, "spec", str(turn))


def _answer(request: Anyone, value: OneTurn | OneSpec, seen: _Seen, *facts: str) -> Response[bytes]:
    version = str(seen.as_of_seq) if seen.position is None else f"v{seen.position.version}"
    etag = weak_etag(request, access_of(request), value.session, seen.epoch, version, *facts)
    held = not_modified(request, etag)
    return held or answer(request, value, cache=IMMUTABLE if seen.is_lasting else REVALIDATE, etag=etag)


@asynccontextmanager
async def _seen(parts: Parts, session: SessionId, at: int | None, epoch: str | None) -> AsyncIterator[_Seen]:
    """The session now or as of an event; it stands still for the length of the block."""
    summary = await known_summary(parts, session)
    if epoch is not None and epoch != summary.epoch:
        detail = f"The session's epoch is {summary.epoch!r}."
        raise ProblemError("epoch_changed", detail, where="query parameter epoch")
    if at is not None:
        yield await _past(parts, session, summary, at, is_lasting=epoch is not None)
        return
    async with parts.transcripts.reading(session, summary.version) as (fold, position):
        yield _Seen(fold=fold, epoch=position.epoch, position=position, is_lasting=False)


async def _past(parts: Parts, session: SessionId, summary: Summary, at: int, *, is_lasting: bool) -> _Seen:
    if at >= summary.next_seq:
        detail = f"The session's last seq is {summary.next_seq - 1}."
        raise ProblemError("beyond_log", detail, where="query parameter at")
    async with parts.time_travel:
        fold = await load_at(parts.reader, session, at)
    fold.inline_bytes = parts.limits.inline_bytes
    after = await known_summary(parts, session)
    if after.epoch != summary.epoch:
        raise ProblemError(
            "epoch_changed", f"The session's epoch is {after.epoch!r} now.", where="query parameter at"
        )
    return _Seen(fold=fold, epoch=summary.epoch, position=None, is_lasting=is_lasting)


async def _waited(parts: Parts, session: SessionId, version: int) -> None:
    """Wait until a version is there (R-11); raises the problem `wait_timeout`, or `not_ready` during a stop."""
    try:
        async with parts.readiness.waiting(parts.limits.wait_ms):
            await parts.transcripts.until(session, version)
    except TimeoutError:
        detail = f"Version {version} was not committed within {parts.limits.wait_ms} ms."
        raise ProblemError("wait_timeout", detail, where="query parameter min_version") from None


def _turn_of(fold: SessionFold, number: int) -> TurnBuilder:
    """The newest turn of that number: a rewound one that was started again has taken its place."""
    for turn in reversed(fold.main.turns.values()):
        if turn.number == number:
            return turn
    raise ProblemError("turn_unknown", f"There is no turn {number}.", where="path parameter turn")
