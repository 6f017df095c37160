"""Stage 3, the fold of everything but model output: people, tools, interactions, commands, notices.

What an id names is one row for its whole life: a second event with the same id updates the row where it stands.
"""

import msgspec
from msgspec import Raw

from projections import events as ev
from projections.building import (
    Closing,
    Slot,
    TurnBuilder,
    kept,
    present,
    present_json,
)
from projections.fold import Fold
from projections.fold_blocks import wire_blocks
from projections.fold_steps import step_of, whole_ms
from projections.rows import (
    CommandRow,
    CompactionRow,
    ContextRow,
    CustomRow,
    InteractionRow,
    NoticeRow,
    SearchRow,
    SteeringRow,
    UserRow,
)

# People and context


def fold_user(fold: Fold, turn: TurnBuilder, seq: int, event: ev.UserMessage) -> None:
    """`user/message`: one row, also for an optimistic copy, its echo and the log's own (by id, else client id)."""
    key = f"user:{event.id}"
    found = fold.find(key) or _by_local_id(fold, event)
    content = wire_blocks(fold, seq, event.content)
    if found is not None:
        fold.root.count("duplicate_user")
        place, slot = found
        old = slot.row
        if isinstance(old, UserRow) and place is fold.none and turn is not fold.none:
            # An optimistic copy was logged before its turn began: the row moves into the turn that answers it.
            fold.drop_row(place, slot.key, seq)
            step = step_of(fold, turn, event, seq)
            row = msgspec.structs.replace(
                old, turn=turn.number, step=step, anchor=seq, id=event.id, content=content
            )
            fold.add_row(turn, slot.key, "user", seq, step=step, row=row)
            _remember_ids(turn, slot.key, event)
            fold.open_with_human(turn, seq, seq)
        elif isinstance(old, UserRow):
            client = present(event.client_id) if event.client_id else old.client_id
            row = msgspec.structs.replace(old, id=event.id, content=content, client_id=client)
            _remember_ids(place, slot.key, event)
            fold.set_row(place, slot, row, seq)
        return
    row = UserRow(
        key=key,
        turn=turn.number,
        step=step_of(fold, turn, event, seq),
        anchor=seq,
        id=event.id,
        content=content,
        client_id=present(event.client_id),
    )
    fold.add_row(turn, key, "user", seq, step=row.step, row=row)
    _remember_ids(turn, key, event)
    fold.open_with_human(turn, seq, seq)


def _remember_ids(turn: TurnBuilder, key: str, event: ev.UserMessage) -> None:
    turn.aliases[f"id:{event.id}"] = key
    if event.client_id is not None:
        turn.aliases[f"client:{event.client_id}"] = key


def _by_local_id(fold: Fold, event: ev.UserMessage) -> tuple[TurnBuilder, Slot] | None:
    """An echo comes while its turn is the newest: look there and among the rows of no turn."""
    for turn in (fold.last, fold.none):
        if turn is None or not turn.aliases:
            continue
        for alias in (f"client:{event.client_id}", f"id:{event.id}"):
            if alias in turn.aliases:
                return fold.find(turn.aliases[alias])
    return None


def fold_steering(fold: Fold, turn: TurnBuilder, seq: int, event: ev.UserSteering) -> None:
    """`user/steering`: waits beside the rows until delivered, then stands where it was delivered."""
    key = f"steering:{event.id}"
    found = fold.find(key)
    if found is not None:
        fold.root.count("steering_after_delivery")
        return
    holder = _holder_of_queued(fold, turn, event.id)
    if event.state == "queued":
        holder.queued[event.id] = wire_blocks(fold, seq, event.content)
        fold.where[key] = holder.number
        fold.mark_head(holder, seq)
        return
    content = (
        wire_blocks(fold, seq, event.content) if event.content else holder.queued.get(event.id, Raw(b"[]"))
    )
    if holder.queued.pop(event.id, None) is not None:
        fold.where.pop(key, None)
        fold.mark_head(holder, seq)
    if event.state == "canceled":
        return
    step = step_of(fold, turn, event, seq)
    row = SteeringRow(key=key, turn=turn.number, step=step, anchor=seq, id=event.id, content=content)
    fold.add_row(turn, key, "steering", seq, step=step, row=row)
    fold.open_with_human(turn, seq, seq)


def _holder_of_queued(fold: Fold, turn: TurnBuilder, steering_id: str) -> TurnBuilder:
    key = f"steering:{steering_id}"
    if key not in fold.where:
        return turn
    number = fold.where[key]
    return fold.none if number is None else fold.turns[number]


def fold_context(fold: Fold, turn: TurnBuilder, seq: int, event: ev.ContextInjection) -> None:
    """`context/injection`: process material, no human's words."""
    key = f"context:{event.id}"
    row = ContextRow(
        key=key,
        turn=turn.number,
        step=None,
        anchor=seq,
        id=event.id,
        source=event.source,
        content=wire_blocks(fold, seq, event.content),
        title=present(event.title),
    )
    _upsert(fold, turn, seq, row, step_of(fold, turn, event, seq))


def _upsert(
    fold: Fold,
    turn: TurnBuilder,
    seq: int,
    row: ContextRow | NoticeRow | SearchRow | CompactionRow,
    step: int | None,
) -> None:
    """Seat a row, or put it where its key stands already."""
    found = fold.find(row.key)
    if found is None:
        kind = str(row.__struct_config__.tag)
        fold.add_row(turn, row.key, kind, seq, step=step, row=msgspec.structs.replace(row, step=step))
        return
    place, slot = found
    fold.set_row(
        place, slot, msgspec.structs.replace(row, turn=place.number, step=slot.step, anchor=slot.anchor), seq
    )


# Searches, commands, interactions, the rest


def fold_search(fold: Fold, turn: TurnBuilder, seq: int, event: ev.SearchRound) -> None:
    """`search/round`: the same ids update the row, anchored at its first event (A-12)."""
    key = f"search:{event.search_id}:{event.round_id}"
    found = fold.find(key)
    old = found[1].row if found else None
    before = old if isinstance(old, SearchRow) else None
    row = SearchRow(
        key=key,
        turn=turn.number,
        step=None,
        anchor=seq,
        search_id=event.search_id,
        round_id=event.round_id,
        status=event.status,
        query=present(event.query) if event.query is not None or before is None else before.query,
        url=present(event.url) if event.url is not None or before is None else before.url,
        sources=present_json(kept(event.sources)) if event.sources or before is None else before.sources,
    )
    _upsert(fold, turn, seq, row, step_of(fold, turn, event, seq))


def fold_command(fold: Fold, turn: TurnBuilder, seq: int, event: ev.CommandRun) -> None:
    """`command/run`."""
    key = f"command:{event.id}"
    if fold.find(key) is not None:
        fold.root.count("duplicate_command")
        return
    row = CommandRow(
        key=key,
        turn=turn.number,
        step=step_of(fold, turn, event, seq),
        anchor=seq,
        id=event.id,
        name=event.name,
        status="running",
        input=present_json(kept(event.input)),
    )
    fold.add_row(turn, key, "command", seq, step=row.step, row=row)


def finish_command(fold: Fold, seq: int, event: ev.CommandDone) -> None:
    """`command/done`: it only updates the row."""
    found = fold.find(f"command:{event.id}")
    if found is None or not isinstance(found[1].row, CommandRow):
        fold.root.count("command_done_alone")
        return
    row = msgspec.structs.replace(
        found[1].row, status=event.status or "done", output=present_json(kept(event.output))
    )
    fold.set_row(found[0], found[1], row, seq)


def ask(fold: Fold, turn: TurnBuilder, seq: int, event: ev.InteractionRequest) -> None:
    """`interaction/request`: it waits, outside the fold, until resolved."""
    key = f"interaction:{event.id}"
    if fold.find(key) is not None:
        fold.root.count("duplicate_interaction")
        return
    row = InteractionRow(
        key=key,
        turn=turn.number,
        step=step_of(fold, turn, event, seq),
        anchor=seq,
        id=event.id,
        interaction=event.kind,
        title=event.title,
        status="pending",
        call_id=present(event.call_id),
        payload=present_json(kept(event.payload)),
    )
    fold.add_row(turn, key, "interaction", seq, step=row.step, row=row)
    turn.pending[key] = None
    fold.mark_head(turn, seq)


def resolve(fold: Fold, seq: int, event: ev.InteractionResolve) -> None:
    """`interaction/resolve`: the first outcome wins."""
    key = f"interaction:{event.id}"
    found = fold.find(key)
    if found is None or not isinstance(found[1].row, InteractionRow):
        fold.root.count("resolve_alone")
        return
    place, slot = found
    if key not in place.pending:
        fold.root.count("duplicate_resolve")
        return
    del place.pending[key]
    row = msgspec.structs.replace(
        found[1].row, status="resolved", outcome=event.outcome, answer=present_json(kept(event.payload))
    )
    fold.set_row(place, slot, row, seq)
    fold.mark_head(place, seq)


def fold_compaction(fold: Fold, turn: TurnBuilder, seq: int, event: ev.Compaction) -> None:
    """`compaction`: the row appears when it is over, never when it starts."""
    key = f"compaction:{event.id}"
    if event.status == "started":
        return
    row = CompactionRow(
        key=key,
        turn=turn.number,
        step=None,
        anchor=seq,
        id=event.id,
        status=event.status,
        trigger=present(event.trigger),
        summary=present(event.summary),
    )
    _upsert(fold, turn, seq, row, step_of(fold, turn, event, seq))


def fold_notice(fold: Fold, turn: TurnBuilder, seq: int, event: ev.Notice) -> None:
    """`notice`."""
    key = f"notice:{event.id}"
    row = NoticeRow(
        key=key, turn=turn.number, step=None, anchor=seq, id=event.id, level=event.level, text=event.text
    )
    _upsert(fold, turn, seq, row, step_of(fold, turn, event, seq))


def fold_custom(fold: Fold, turn: TurnBuilder, seq: int, event: ev.Custom) -> None:
    """`custom/<name>` and types that are not known: a row if visible, else nothing but the log."""
    if not event.known:
        fold.root.count("unknown_type")
    if not event.visible:
        return
    row = CustomRow(
        key=f"custom:{seq}",
        turn=turn.number,
        step=step_of(fold, turn, event, seq),
        anchor=seq,
        name=event.name,
        title=present(event.title),
        payload=present_json(kept(event.payload)),
    )
    fold.add_row(turn, row.key, "custom", seq, step=row.step, row=row)


# Turn boundaries


def end_turn(fold: Fold, turn: TurnBuilder, seq: int, event: ev.TurnEnd) -> None:
    """`turn/end`: the first real end counts; it also corrects an end that only the next turn implied."""
    if turn.number is None:
        fold.root.count("end_of_no_turn")
        return
    if turn.closing is not None and (turn.closing.kind == "real" or event.synthetic):
        fold.root.count("duplicate_turn_end")
        return
    error = event.error
    closing = Closing(
        "synthetic" if event.synthetic else "real",
        event.reason,
        seq,
        whole_ms(event.ts_ms),
        error.code if error else None,
        error.message if error else None,
    )
    fold.close(turn, closing, seq)
