"""Stage 4, fold: one session in a projector's memory, between its cold start and its eviction.

1. What is here can be dropped at any instant: state and log hold all of it up to the last commit.
2. A batch changes it before the commit; so after a refused commit every touched session is dropped, never
   repaired.
3. Duplicates are counted here and kept in the summary, not in the fold: they are not in the log, so a replay
   could not count them, and the folded state must equal a replay byte for byte.
4. A fold that raises (a bug) parks the session at that event: its later events get their seq and reach the
   log, its state stands still. The next cold start folds again from the log, and so goes on by itself once
   the bug is fixed.
"""

import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

import structlog
from msgspec import Struct

from projections.decode import decode_event
from projections.events import Event, Malformed
from projections.session import REMEMBERED_IDS, SessionFold
from service.keys import SessionId
from service.session_saves import SavePolicy
from service.stored import (
    EntryId,
    LogBatch,
    Parked,
    Quarantined,
    SavedState,
    SessionCommit,
    Summary,
)

_log = structlog.get_logger(__name__)
# Of an empty fold with its dictionaries, by measurement; the rest is taken to grow with the events' bytes.
_BASE_BYTES = 4_096
# A log is due for sealing when a turn closes behind this much, and within a turn at the greater mark: below
# the first a segment's overhead eats what compression saves, and the second bounds what lies unpacked.
SEAL_CLOSED_BYTES = 4 * 1024
SEAL_OPEN_BYTES = 256 * 1024


class Pending(Struct):
    """What one batch adds to one session, growing while the batch is folded."""

    first_seq: int
    entry_ids: list[bytes]
    events: list[bytes]
    quarantined: list[Quarantined]


class LiveSession:
    """A session's fold and what its next commit needs besides."""

    __slots__ = (
        "_last",
        "_parked_ids",
        "created_at_ms",
        "duplicates",
        "epoch",
        "fold",
        "next_seq",
        "parked",
        "quarantined_count",
        "saves",
        "session",
        "size_bytes",
        "unsealed_bytes",
        "version",
    )

    def __init__(self, session: SessionId, epoch: str, created_at_ms: int, save_first_bytes: int) -> None:
        self.session = session
        self.epoch = epoch
        self.created_at_ms = created_at_ms
        self.fold = SessionFold()
        self.saves = SavePolicy(save_first_bytes)
        self.next_seq = 0
        self.version = 0
        self.quarantined_count = 0
        self.duplicates = 0
        self.size_bytes = _BASE_BYTES
        self.unsealed_bytes = 0
        self.parked: Parked | None = None
        self._parked_ids: dict[str, None] = {}
        self._last: Summary | None = None

    def restoring(self, state: SavedState) -> Iterator[SessionFold]:
        """Start from a save, turn by turn; raises SavedStateError and changes nothing when it is of no use."""
        fold = self.fold
        for growing in self.saves.restoring(state):
            fold = growing
            yield fold
        self.fold = fold
        self.next_seq = state.next_seq
        self.version = state.version
        self.size_bytes += 2 * state.held_bytes

    def remember(self, summary: Summary) -> None:
        """Take over from the stored summary what the log does not tell."""
        self.created_at_ms = summary.created_at_ms
        self.quarantined_count = summary.quarantined
        self.duplicates = summary.duplicates
        self.unsealed_bytes = (
            SEAL_CLOSED_BYTES  # nobody knows; so the next turn that closes seals what there is
        )
        self._last = summary

    def replay(self, batch: LogBatch) -> None:
        """Fold a batch of the log, but for what the fold already covers."""
        for raw in batch.events[self.next_seq - batch.first_seq :]:
            self._apply(decode_event(raw))
            self.size_bytes += len(raw)
            self.saves.grow(len(raw))
        self.version = batch.version

    def settle(self) -> None:
        """The replay is over: what it changed is of older commits, and still to be saved."""
        self.saves.note(self.fold.take_turns(), self.next_seq)

    def open_batch(self) -> Pending:
        """What the next batch adds, still empty."""
        return Pending(first_seq=self.next_seq, entry_ids=[], events=[], quarantined=[])

    def take(self, entries: Sequence[tuple[bytes, bytes]], into: Pending) -> None:
        """Give each new entry (id, raw event) its seq and fold it; drop those whose event id is known."""
        size_bytes = 0
        knows = self.knows
        for entry_id, raw in entries:
            event = decode_event(raw)
            if isinstance(event, Malformed):
                into.quarantined.append(
                    Quarantined(
                        session=self.session,
                        seq=self.next_seq,
                        entry_id=EntryId(entry_id.decode()),
                        reason=event.reason,
                        raw=raw,
                    )
                )
            elif event.event_id is not None and knows(event.event_id):
                self.duplicates += 1
                continue
            self._apply(event)
            into.entry_ids.append(entry_id)
            into.events.append(raw)
            size_bytes += len(raw)
        self.size_bytes += size_bytes
        self.unsealed_bytes += size_bytes
        self.saves.grow(size_bytes)

    def knows(self, event_id: str) -> bool:
        """Whether an event with this id has a seq already."""
        return self.fold.knows(event_id) or event_id in self._parked_ids

    def close_batch(self, pending: Pending, at_ms: int, consumed_count: int) -> SessionCommit:
        """The session's part of the commit, which is made at `at_ms` with so many entries consumed."""
        if pending.events:
            self.version += 1
        self.quarantined_count += len(pending.quarantined)
        touched = self.fold.take_turns()
        updated_at_ms = at_ms if pending.events or self._last is None else self._last.updated_at_ms
        summary = self._summary(updated_at_ms, consumed_count)
        specs = {} if self.parked else self.saves.note(touched, pending.first_seq)
        save = None
        if self.parked is None and pending.events and self.saves.is_due:
            save = self.saves.save(self.fold, self.version)
        self._last = summary
        return SessionCommit(
            expected_next_seq=pending.first_seq,
            summary=summary,
            stale_timer=self.parked is None and _is_idle_turn(summary),
            sealable=bool(pending.events) and self._becomes_sealable(summary),
            entry_ids=tuple(pending.entry_ids),
            events=tuple(pending.events),
            specs=specs,
            save=save,
        )

    def _becomes_sealable(self, summary: Summary) -> bool:
        is_open = summary.turn is not None and summary.turn.status == "open"
        if self.unsealed_bytes < (SEAL_OPEN_BYTES if is_open else SEAL_CLOSED_BYTES):
            return False
        self.unsealed_bytes = 0
        return True

    def _apply(self, event: Event | Malformed) -> None:
        seq = self.next_seq
        self.next_seq = seq + 1
        if self.parked is not None:
            self._remember_id(event)
            return
        try:
            self.fold.apply(seq, event)
        except Exception as error:  # noqa: BLE001 - R-9: a bug in the fold stops one session alone
            self.parked = Parked(seq=seq, error=_name_of(error))
            self._remember_id(event)
            _log.error("session_parked", session=self.session, seq=seq, error=self.parked.error)

    def _remember_id(self, event: Event | Malformed) -> None:
        if isinstance(event, Malformed) or event.event_id is None:
            return
        self._parked_ids[event.event_id] = None
        if len(self._parked_ids) > REMEMBERED_IDS:
            del self._parked_ids[next(iter(self._parked_ids))]

    def _summary(self, at_ms: int, consumed_count: int) -> Summary:
        facts = self.fold.facts()
        return Summary(
            session=self.session,
            epoch=self.epoch,
            version=self.version,
            next_seq=self.next_seq,
            created_at_ms=self.created_at_ms,
            updated_at_ms=at_ms,
            title=facts.title,
            agent=facts.agent,
            model=facts.model,
            cwd=facts.cwd,
            parent=facts.parent,
            turn=facts.turn,
            waiting=facts.waiting,
            turn_count=facts.turn_count,
            row_count=facts.row_count,
            event_count=self.next_seq,
            anomalies=dict(facts.anomalies),
            quarantined=self.quarantined_count,
            duplicates=self.duplicates,
            parked=self.parked,
            first_ts_ms=facts.first_ts_ms,
            last_ts_ms=facts.last_ts_ms,
            consumed_count=consumed_count,
        )


def _is_idle_turn(summary: Summary) -> bool:
    return summary.turn is not None and summary.turn.status == "open" and summary.waiting == 0


def _name_of(error: Exception) -> str:
    """Kind and place; not its text, which may hold a part of a message (R-15)."""
    *_, frame = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__} in {Path(frame.filename).name}:{frame.lineno}"
