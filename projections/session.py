"""Stage 3, the session: the fold's front door, which takes one event after the other and never raises.

1. `apply` is total: every event type has a case (`assert_never`), and whatever does not fit is counted by name.
2. An event goes to the transcript of the delegate that its `parent_call_id` names, else to the session's own (A-8).
   Of several calls with one id it is the session's own, else the one that came last.
3. A replacement is a copy for the model alone and changes nothing here.
4. The last 10,000 event ids are remembered, so that a second copy is dropped before it gets a `seq`.
"""

from msgspec import Struct

from projections import events as ev
from projections import fold_steps as steps
from projections.building import TurnBuilder
from projections.changes import Changes, Touched, forget_changes, log_order, taken_changes
from projections.dispatch import fold_event
from projections.events import Event, Malformed, ParentRef
from projections.fold import Fold
from projections.heads import head_of, size_bytes

# `events.md`: at least a session's last 10,000 keys are remembered.
REMEMBERED_IDS = 10_000
# Delegates of delegates: far beyond what agents do, and few enough for anybody's stack, a JSON parser's too.
MOST_DEPTH = 32
# A title or path in the list of sessions: far more than any line shows. The list travels whole, to everybody.
FACT_BYTES = 1_024


class TurnFacts(Struct, frozen=True, kw_only=True):
    """The newest turn in a session's summary."""

    turn: int
    status: str
    outcome: str | None


class SessionFacts(Struct, frozen=True, kw_only=True):
    """What a list of sessions shows of one; counts are of the present projection, `event_count` of the log.

    A title, path or name of more than `FACT_BYTES` is its head and an ellipsis.
    """

    title: str | None
    cwd: str | None
    agent: str | None
    model: str | None
    parent: ParentRef | None
    turn: TurnFacts | None
    waiting: int
    turn_count: int
    row_count: int
    event_count: int
    anomalies: tuple[tuple[str, int], ...]
    first_ts_ms: int | None
    last_ts_ms: int | None

    @property
    def is_open(self) -> bool:
        """Whether the newest turn runs."""
        return self.turn is not None and self.turn.status == "open"


class SessionFold:
    """One session's folded state; a deterministic function of its log.

    Attributes:
        next_seq: the `seq` that the next accepted entry gets.
        anomalies: how often each kind of disorder was met.
        main: the session's own transcript; those of delegates hang below it.
        blobs: where the content of each image and file came in, by SHA-256: the `seq` of the first event with it.
        inline_bytes: of a greater text the head alone travels (`wire.md`, *Size*); `None`: every text whole. It is
            the holder's, changes no fold and is not saved: set it before the first row is made.
    """

    def __init__(self) -> None:
        self.next_seq = 0
        self.inline_bytes: int | None = None
        self.drained_seq = -1
        self.anomalies: dict[str, int] = {}
        self.dirty: list[tuple[Fold, TurnBuilder]] = []
        self.drops: list[tuple[Fold, int]] = []
        self.main = Fold(self, ())
        # Calls inside delegates: the transcripts that hold one, in the order in which it came to them.
        self.nested: dict[str, dict[Fold, None]] = {}
        self.orphans: dict[str, Fold] = {}  # delegates whose call nobody has seen yet
        self.ids: dict[str, None] = {}
        self.blobs: dict[str, int] = {}
        self.title: str | None = None
        self.cwd: str | None = None
        self.agent: str | None = None
        self.model: str | None = None
        self.parent: ParentRef | None = None
        self.first_ts_ms: int | None = None
        self.last_ts_ms: int | None = None

    # Ids

    def knows(self, event_id: str) -> bool:
        """Say whether an event with this id was applied (of the last 10,000)."""
        return event_id in self.ids

    def count(self, anomaly: str, times: int = 1) -> None:
        """Count an anomaly."""
        if times:
            self.anomalies[anomaly] = self.anomalies.get(anomaly, 0) + times

    # Events

    def apply(self, seq: int, event: Event | Malformed) -> None:
        """Fold one entry of the log; never raises.

        Args:
            seq: the entry's place in the session's log, one above the last.
            event: what `decode_event` gave.
        """
        self.next_seq = seq + 1
        if isinstance(event, Malformed):
            self.count("malformed")
            return
        if event.event_id is not None:
            self._remember(event.event_id)
        if event.surface == "replace":
            return
        if event.ts_ms is not None:
            self.last_ts_ms = int(event.ts_ms)
            if self.first_ts_ms is None:
                self.first_ts_ms = self.last_ts_ms
        fold = self.main if event.parent_call_id is None else self._delegate(event.parent_call_id, seq)
        if type(event) is ev.AssistantChunk:
            number = event.turn
            turn = fold.open
            if turn is None or (number != turn.number and isinstance(number, int | None)):
                turn = fold.turn_for(number, seq, steps.whole_ms(event.ts_ms))
            steps.fold_chunk(fold, turn, seq, event)
        else:
            fold_event(fold, seq, event)

    def _remember(self, event_id: str) -> None:
        self.ids[event_id] = None
        if len(self.ids) > REMEMBERED_IDS:
            del self.ids[next(iter(self.ids))]

    # Delegates

    def fold_at(self, path: tuple[str, ...]) -> Fold | None:
        """Find the transcript that a path of calls leads to."""
        fold: Fold | None = self.main
        for call_id in path:
            fold = fold.delegates.get(call_id) if fold is not None else None
        return fold

    def _delegate(self, call_id: str, seq: int) -> Fold:
        below = self.main.delegates.get(call_id) or self.orphans.get(call_id)
        if below is not None:
            return below
        above = self._holder(call_id)
        below = above.delegates.get(call_id)
        if below is not None:
            return below
        found = above.find(f"tool:{call_id}")
        if found is None or len(above.path) >= MOST_DEPTH:
            self.count("delegate_before_call" if found is None else "delegate_too_deep")
            below = self.orphans[call_id] = Fold(self, (call_id,))
        else:
            below = Fold(self, (*above.path, call_id))
            below.parent = (above, found[0])
            above.delegates[call_id] = below
            _grow(above, 1)
            above.touch(*found, seq)
        return below

    def _holder(self, call_id: str) -> Fold:
        """Find the transcript that holds a call, also in a delegate whose own call has not come yet.

        The session's own call goes first. So no call hangs there while its delegate still waits for one, and a path
        leads to one transcript only.
        """
        holders = self.nested.get(call_id)
        if holders is None or self.main.find(f"tool:{call_id}") is not None:
            return self.main
        return next(reversed(holders))

    def adopt(self, fold: Fold, turn: TurnBuilder, call_id: str, seq: int) -> None:
        """Note where a new call is, and give it the delegate that came before it."""
        if fold.path:
            self.nested.setdefault(call_id, {})[fold] = None
        orphan = self.orphans.pop(call_id, None) if self.orphans else None
        if orphan is None:
            return
        if orphan is fold or orphan.path == fold.path[: len(orphan.path)]:
            self.count("delegate_of_itself")
            self.orphans[call_id] = orphan
            return
        if len(fold.path) + 1 + orphan.height > MOST_DEPTH:
            self.count("delegate_too_deep")
            self.orphans[call_id] = orphan
            return
        fold.delegates[call_id] = orphan
        orphan.parent = (fold, turn)
        _grow(fold, 1 + orphan.height)
        self._rebase(orphan, (*fold.path, call_id), seq)

    def _rebase(self, fold: Fold, path: tuple[str, ...], seq: int) -> None:
        fold.path = path
        fold.born = seq
        fold.rev = seq
        for turn in (*fold.turns.values(), fold.none):
            fold.mark_head(turn, seq)
        for call_id, below in fold.delegates.items():
            self._rebase(below, (*path, call_id), seq)

    def forget_call(self, fold: Fold, call_id: str) -> None:
        """Forget that a transcript holds a call, which was taken back, and all that the delegate below it holds."""
        holders = self.nested.get(call_id, {})
        holders.pop(fold, None)
        if not holders:
            self.nested.pop(call_id, None)
        below = fold.delegates.pop(call_id, None)
        if below is not None:
            for turn in (*below.turns.values(), below.none):
                for inner in turn.tools:
                    self.forget_call(below, inner)

    def drop(self, fold: Fold, before: int) -> None:
        """Note a rewind for the next drain."""
        self.drops.append((fold, before))

    # What came of it

    def drain(self) -> Changes:
        """Give what was touched since the last call; use it before the next event is applied."""
        touched = [Touched(fold, turn, *taken_changes(turn, self.inline_bytes)) for fold, turn in self.dirty]
        touched.sort(key=log_order)
        changes = Changes(self.drained_seq, tuple(touched), tuple(self.drops))
        self.dirty, self.drops, self.drained_seq = [], [], self.next_seq - 1
        return changes

    def take_turns(self) -> tuple[tuple[Fold, TurnBuilder], ...]:
        """Give the turns that were touched since the last call, without what changed in them.

        For a writer, who saves whole turns: no text is put together. A fold is drained or its turns are taken, never
        both.
        """
        touched, self.dirty, self.drops = tuple(self.dirty), [], []
        for _, turn in touched:
            forget_changes(turn)
        return touched

    def facts(self) -> SessionFacts:
        """Sum the session up."""
        last = self.main.last
        turn = None
        if last is not None and last.number is not None:
            closing = last.closing
            turn = TurnFacts(
                turn=last.number,
                status="open" if closing is None else "closed",
                outcome=None if closing is None else closing.reason,
            )
        waiting = sum(waiting_in(self.main, one) for one in (last, self.main.none) if one is not None)
        return SessionFacts(
            title=_fact(self.title),
            cwd=_fact(self.cwd),
            agent=_fact(self.agent),
            model=_fact(self.model),
            parent=self.parent,
            turn=turn,
            waiting=waiting,
            turn_count=len(self.main.turns),
            row_count=self.main.row_count,
            event_count=self.next_seq,
            anomalies=tuple(sorted(self.anomalies.items())),
            first_ts_ms=self.first_ts_ms,
            last_ts_ms=self.last_ts_ms,
        )


def _grow(fold: Fold, height: int) -> None:
    """Note how deep delegates hang below a transcript, and below those around it."""
    while fold.height < height:
        fold.height = height
        if fold.parent is not None:
            fold, height = fold.parent[0], height + 1


def _fact(text: str | None) -> str | None:
    if text is None or 4 * len(text) <= FACT_BYTES or size_bytes(text) <= FACT_BYTES:
        return text
    return head_of(text, FACT_BYTES) + "\u2026"


def waiting_in(fold: Fold, turn: TurnBuilder) -> int:
    """Count what waits for the reader in a turn, the open delegates below it included: it blocks the turn as well."""
    if turn.closing is not None:
        return 0
    count = len(turn.pending)
    for call_id in turn.open_calls:
        below = fold.delegates.get(call_id)
        if below is not None:
            count += sum(waiting_in(below, one) for one in (below.open, below.none) if one is not None)
    return count
