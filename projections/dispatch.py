"""Stage 3, dispatch: each event to the function that folds it, with the turn it belongs to (`events.md`, *Types*).

Every type has a case, and `assert_never` has the type checker say so.
"""

from typing import assert_never

from projections import events as ev
from projections import fold_rows as rows
from projections import fold_steps as steps
from projections import fold_tools as tools
from projections.building import TurnBuilder
from projections.fold import Fold


def fold_event(fold: Fold, seq: int, event: ev.Event) -> None:
    """Fold one event into a transcript."""
    match event:
        case ev.ToolProgress() | ev.ToolResult() | ev.InteractionResolve() | ev.CommandDone():
            _fold_update(fold, seq, event)
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


Update = ev.ToolProgress | ev.ToolResult | ev.InteractionResolve | ev.CommandDone


def _key_of(event: Update) -> str:
    match event:
        case ev.ToolProgress() | ev.ToolResult():
            return f"tool:{event.call_id}"
        case ev.InteractionResolve():
            return f"interaction:{event.id}"
        case ev.CommandDone():
            return f"command:{event.id}"
        case _ as never:
            assert_never(never)


def _fold_update(fold: Fold, seq: int, event: Update) -> None:
    """Fold what updates a row that an id names: it belongs to that row's turn, wherever it stands in the log."""
    found = fold.find(_key_of(event))
    number = event.turn if found is None else found[0].number
    turn = fold.turn_for(number, seq, steps.whole_ms(event.ts_ms))
    match event:
        case ev.ToolProgress():
            tools.fold_progress(fold, turn, seq, event, found)
        case ev.ToolResult():
            tools.fold_result(fold, turn, seq, event, found)
        case ev.InteractionResolve():
            rows.resolve(fold, seq, event)
        case ev.CommandDone():
            rows.finish_command(fold, seq, event)
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


def _fold_in_turn(  # noqa: PLR0912 - one flat case a type; mypy sees one that is missing, which a table of functions would hide
    fold: Fold, turn: TurnBuilder, seq: int, event: InTurn
) -> None:
    match event:
        case ev.AssistantChunk():
            steps.fold_chunk(fold, turn, seq, event)
        case ev.ToolCall():
            tools.fold_call(fold, turn, seq, event)
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
            _note_phase(fold, turn, seq, event)
        case _ as never:
            assert_never(never)


def _note_phase(fold: Fold, turn: TurnBuilder, seq: int, event: ev.PhaseStart | ev.PhaseEnd) -> None:
    """Phases are named by the desktop header alone; the web view has no row for them."""
    fold.mark(turn, seq)
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
