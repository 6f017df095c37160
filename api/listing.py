"""Edge stage: a session's summary as clients see it, in lists and by itself; the socket sends the same."""

from collections.abc import Mapping

import msgspec

from projections.events import ParentRef
from projections.position import Position
from projections.session import TurnFacts
from service.keys import SessionId
from service.stored import Parked, Summary


class SessionEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One session: what a list shows of it, and its position. Absent is unknown.

    `waiting` counts what waits for the reader; `next_seq` is the seq that the next event will get;
    `updated_at_ms` is the service's clock at the last commit, `first_ts_ms` and `last_ts_ms` are the
    producer's; `anomalies` counts each kind of disorder met in the log.
    """

    session: SessionId
    position: Position
    next_seq: int
    created_at_ms: int
    updated_at_ms: int
    waiting: int
    turn_count: int
    row_count: int
    event_count: int
    quarantined: int
    duplicates: int
    turn: TurnFacts | None
    title: str | None = None
    agent: str | None = None
    model: str | None = None
    cwd: str | None = None
    parent: ParentRef | None = None
    first_ts_ms: int | None = None
    last_ts_ms: int | None = None
    anomalies: Mapping[str, int] = {}
    parked: Parked | None = None


class SessionPage(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions, newest first; pass `cursor` on for those after them, null is the end."""

    sessions: tuple[SessionEntry, ...]
    cursor: str | None


_COPIED = tuple(name for name in SessionEntry.__struct_fields__ if name in Summary.__struct_fields__)


def entry_of(summary: Summary) -> SessionEntry:
    """The summary as clients see it."""
    position = Position(epoch=summary.epoch, version=summary.version)
    return SessionEntry(position=position, **{name: getattr(summary, name) for name in _COPIED})
