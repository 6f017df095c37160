"""Stage 3, the session: the fold's front door, which takes one event after the other and never raises.

1. `apply` is total: every event type has a case (`assert_never`), and whatever does not fit is counted by name.
2. An event goes to the transcript of the delegate that its `parent_call_id` names, else to the session's own (A-8).
3. A replacement is a copy for the model alone and changes nothing here.
4. The last 10,000 event ids are remembered, so that a second copy is dropped before it gets a `seq`.
"""

from typing import assert_never

from msgspec import Struct

from projections import events as ev
from projections import fold_rows as rows
from projections import fold_steps as steps
from projections.building import CLEAN, TEXT_GREW, Slot, TurnBuilder
from projections.events import Event, Malformed, ParentRef
from projections.fold import Fold

# `events.md`: at least a session's last 10,000 keys are remembered.
REMEMBERED_IDS = 10_000


class TurnFacts(Struct, frozen=True, kw_only=True):
    """The newest turn in a session's summary."""

    turn: int
    status: str
    outcome: str | None


class SessionFacts(Struct, frozen=True, kw_only=True):
    """What a list of sessions shows of one; counts are of the present projection, `event_count` of the log."""

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


class RowChange(Struct, frozen=True, gc=False):
    """A row that changed: `grown` holds (block position, new text) where nothing but text was added.

    A tool call's output has position -1. `grown` is None where the row changed as a whole.
    """

    slot: Slot
    grown: tuple[tuple[int, str], ...] | None


class Touched(Struct, frozen=True):
    """One turn that something happened in, and the rows of it that changed."""

    fold: Fold
    turn: TurnBuilder
    rows: tuple[RowChange, ...]


class Changes(Struct, frozen=True):
    """What was touched since the last drain, outer transcripts first, turns in log order.

    Attributes:
        since: the last `seq` that the previous drain had seen (-1: none).
        drops: (transcript, first dropped turn number) of rewinds.
    """

    since: int
    touched: tuple[Touched, ...]
    drops: tuple[tuple[Fold, int], ...]


class SessionFold:
    """One session's folded state; a deterministic function of its log.

    Attributes:
        next_seq: the `seq` that the next accepted entry gets.
        anomalies: how often each kind of disorder was met.
        main: the session's own transcript; those of delegates hang below it.
    """

    def __init__(self) -> None:
        self.next_seq = 0
        self.drained_seq = -1
        self.anomalies: dict[str, int] = {}
        self.dirty: list[tuple[Fold, TurnBuilder]] = []
        self.drops: list[tuple[Fold, int]] = []
        self.main = Fold(self, ())
        self.nested: dict[str, tuple[str, ...]] = {}  # calls inside delegates: where they are
        self.orphans: dict[str, Fold] = {}  # delegates whose call nobody has seen yet
        self.ids: dict[str, None] = {}
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

    def count_duplicate(self) -> None:
        """Count an event that was dropped because its id is known; it has no `seq`."""
        self.count("duplicate_event")

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
            _fold_event(fold, seq, event)

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
        if call_id in self.orphans:
            return self.orphans[call_id]
        above = self.fold_at(self.nested.get(call_id, ())) or self.main
        below = above.delegates.get(call_id)
        if below is not None:
            return below
        found = above.find(f"tool:{call_id}")
        below = Fold(self, (*above.path, call_id))
        if found is None:
            self.count("delegate_before_call")
            self.orphans[call_id] = below
        else:
            below.parent = (above, found[0])
            above.delegates[call_id] = below
        return below

    def adopt(self, fold: Fold, turn: TurnBuilder, call_id: str, seq: int) -> None:
        """Note where a new call is, and give it the delegate that came before it."""
        if fold.path:
            self.nested[call_id] = fold.path
        orphan = self.orphans.pop(call_id, None) if self.orphans else None
        if orphan is None:
            return
        if orphan is fold or orphan.path == fold.path[: len(orphan.path)]:
            self.count("delegate_of_itself")
            self.orphans[call_id] = orphan
            return
        fold.delegates[call_id] = orphan
        orphan.parent = (fold, turn)
        self._rebase(orphan, (*fold.path, call_id), seq)

    def _rebase(self, fold: Fold, path: tuple[str, ...], seq: int) -> None:
        fold.path = path
        fold.fresh = True
        fold.born = seq
        fold.rev = seq
        for turn in (*fold.turns.values(), fold.none):
            fold.mark_head(turn, seq)
            for call_id in turn.tools:
                self.nested[call_id] = path
        for call_id, below in fold.delegates.items():
            self._rebase(below, (*path, call_id), seq)

    def forget_delegate(self, path: tuple[str, ...]) -> None:
        """Forget the calls below a path that was taken back."""
        gone = [call_id for call_id, at in self.nested.items() if at[: len(path)] == path]
        for call_id in gone:
            del self.nested[call_id]

    def drop(self, fold: Fold, before: int, seq: int) -> None:
        """Note a rewind for the next drain."""
        self.drops.append((fold, before))

    # What came of it

    def drain(self) -> Changes:
        """Give what was touched since the last call; use it before the next event is applied."""
        touched = [Touched(fold, turn, _row_changes(turn)) for fold, turn in self.dirty]
        touched.sort(key=_log_order)
        changes = Changes(self.drained_seq, tuple(touched), tuple(self.drops))
        self.dirty, self.drops, self.drained_seq = [], [], self.next_seq - 1
        return changes

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
            title=self.title, cwd=self.cwd, agent=self.agent, model=self.model, parent=self.parent, turn=turn,
            waiting=waiting, turn_count=len(self.main.turns), row_count=self.main.row_count,
            event_count=self.next_seq, anomalies=tuple(sorted(self.anomalies.items())),
            first_ts_ms=self.first_ts_ms, last_ts_ms=self.last_ts_ms,
        )  # fmt: skip


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


def _log_order(one: Touched) -> tuple[int, tuple[str, ...], int]:
    return (len(one.fold.path), one.fold.path, one.turn.ordinal)


def _row_changes(turn: TurnBuilder) -> tuple[RowChange, ...]:
    turn.listed = False
    found = []
    for slot in turn.dirty:
        grown = _grown(turn, slot)
        found.append(RowChange(slot, grown if slot.dirty == TEXT_GREW else None))
        slot.dirty = CLEAN
    turn.dirty = []
    return tuple(found)


def _grown(turn: TurnBuilder, slot: Slot) -> tuple[tuple[int, str], ...]:
    """Take the text that was added since the last drain."""
    if slot.kind == "tool_call":
        tool = turn.tools[slot.key.removeprefix("tool:")]
        text, tool.sent = "".join(tool.progress[tool.sent :]), len(tool.progress)
        return ((-1, text),) if text else ()
    if slot.kind != "assistant_step" or slot.step not in turn.steps:
        return ()
    found = []
    for at, block in enumerate(turn.steps[slot.step].blocks):
        if block.sent < len(block.parts):
            found.append((at, "".join(block.parts[block.sent :])))
            block.sent = len(block.parts)
    return tuple(found)


def _fold_event(fold: Fold, seq: int, event: ev.Event) -> None:
    match event:
        case ev.SessionMeta():
            _merge_meta(fold, event)
        case ev.SessionRewind():
            fold.rewind(event.before_turn, seq)
        case ev.TurnStart():
            _start_turn(fold, seq, event)
        case ev.TurnEnd():
            known = fold.turns.get(event.turn) if event.synthetic and isinstance(event.turn, int) else None
            turn = known or fold.turn_for(event.turn, seq, steps.whole_ms(event.ts_ms))
            rows.end_turn(fold, turn, seq, event)
        case ev.ToolProgress() | ev.ToolResult() | ev.InteractionResolve() | ev.CommandDone():
            _fold_update(fold, seq, event)
        case _:
            turn = fold.turn_for(event.turn, seq, steps.whole_ms(event.ts_ms))
            _fold_in_turn(fold, turn, seq, event)


def _start_turn(fold: Fold, seq: int, event: ev.TurnStart) -> None:
    ms = steps.whole_ms(event.ts_ms)
    turn = fold.turns.get(event.turn)
    if turn is not None and turn.start_seq is not None:
        fold.root.count("duplicate_turn_start")
        fold.turn_for(event.turn, seq, ms)
        return
    turn = fold.turn_for(event.turn, seq, ms)
    turn.start_seq = seq
    if ms is not None and ms != turn.started_ms:
        turn.started_ms = ms
        fold.mark_head(turn, seq)
    fold.respec(turn, seq)


def _fold_update(
    fold: Fold, seq: int, event: ev.ToolProgress | ev.ToolResult | ev.InteractionResolve | ev.CommandDone
) -> None:
    """Fold what updates a row that an id names: it belongs to that row's turn, wherever it stands in the log."""
    match event:
        case ev.ToolProgress() | ev.ToolResult():
            key = f"tool:{event.call_id}"
        case ev.InteractionResolve():
            key = f"interaction:{event.id}"
        case ev.CommandDone():
            key = f"command:{event.id}"
        case _ as never:
            assert_never(never)
    found = fold.find(key)
    number = event.turn if found is None else found[0].number
    turn = fold.turn_for(number, seq, steps.whole_ms(event.ts_ms))
    match event:
        case ev.ToolProgress():
            rows.fold_progress(fold, turn, seq, event)
        case ev.ToolResult():
            rows.fold_result(fold, turn, seq, event)
        case ev.InteractionResolve():
            rows.resolve(fold, turn, seq, event)
        case ev.CommandDone():
            rows.finish_command(fold, turn, seq, event)
        case _ as never:
            assert_never(never)


InTurn = (
    ev.AssistantChunk
    | ev.ToolCall
    | ev.AssistantMessage
    | ev.StepStart
    | ev.StepEnd
    | ev.UserMessage
    | ev.UserSteering
    | ev.ContextInjection
    | ev.SystemPrompt
    | ev.SearchRound
    | ev.LlmRetry
    | ev.LlmRetryStarted
    | ev.InteractionRequest
    | ev.Compaction
    | ev.Notice
    | ev.CommandRun
    | ev.Custom
    | ev.PhaseStart
    | ev.PhaseEnd
)


def _fold_in_turn(fold: Fold, turn: TurnBuilder, seq: int, event: InTurn) -> None:
    match event:
        case ev.AssistantChunk():
            steps.fold_chunk(fold, turn, seq, event)
        case ev.ToolCall():
            rows.fold_call(fold, turn, seq, event)
        case ev.AssistantMessage():
            steps.settle_step(fold, turn, seq, event)
        case ev.StepStart():
            steps.start_step(fold, turn, seq, event)
        case ev.StepEnd():
            steps.end_step(fold, turn, seq, event)
        case ev.UserMessage():
            rows.fold_user(fold, turn, seq, event)
        case ev.UserSteering():
            rows.fold_steering(fold, turn, seq, event)
        case ev.ContextInjection():
            rows.fold_context(fold, turn, seq, event)
        case ev.SystemPrompt():
            steps.fold_prompt(fold, turn, seq, event)
        case ev.SearchRound():
            rows.fold_search(fold, turn, seq, event)
        case ev.LlmRetry():
            steps.retry_step(fold, turn, seq, event)
        case ev.LlmRetryStarted():
            steps.start_retry(fold, turn, seq, event)
        case ev.InteractionRequest():
            rows.ask(fold, turn, seq, event)
        case ev.Compaction():
            rows.fold_compaction(fold, turn, seq, event)
        case ev.Notice():
            rows.fold_notice(fold, turn, seq, event)
        case ev.CommandRun():
            rows.fold_command(fold, turn, seq, event)
        case ev.Custom():
            rows.fold_custom(fold, turn, seq, event)
        case ev.PhaseStart() | ev.PhaseEnd():
            _note_phase(turn, event)
        case _ as never:
            assert_never(never)


def _note_phase(turn: TurnBuilder, event: ev.PhaseStart | ev.PhaseEnd) -> None:
    """Phases are named by the desktop header alone; the web view has no row for them."""
    if isinstance(event, ev.PhaseStart):
        turn.phases[event.phase] = None
    else:
        turn.phases.pop(event.phase, None)


def _merge_meta(fold: Fold, event: ev.SessionMeta) -> None:
    """Merge the session's facts, last wins; a delegate's own say nothing of the session."""
    if fold.path:
        return
    root = fold.root
    root.title = event.title if event.title is not None else root.title
    root.cwd = event.cwd if event.cwd is not None else root.cwd
    root.agent = event.agent if event.agent is not None else root.agent
    root.model = event.model if event.model is not None else root.model
    root.parent = event.parent if event.parent is not None else root.parent
