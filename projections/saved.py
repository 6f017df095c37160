"""Saved folds: a head and one record a turn, so that a closed turn is written once (`runtime.md` R-6).

1. A save is JSON, since raw JSON of events cannot stand in MessagePack.
2. What can be derived is left out: indexes are built again, texts are saved joined, caches start empty.
3. Equal folds give equal bytes whatever batches they came in; tests compare folds by them.
4. The head names the turns that are held; a record that it does not name is left over and ignored.
"""

from collections.abc import Iterator, Mapping
from functools import partial

import msgspec
from msgspec import Struct, structs

from projections.building import CLEAN, BlockBuilder, Slot, StepBuilder, ToolBuilder, TurnBuilder
from projections.errors import SavedStateError
from projections.events import ParentRef
from projections.fold import Fold
from projections.rows import Anchor
from projections.session import SessionFold

# Raise it when the builders change their shape or the fold its mind: older saves are then replayed from the log.
SAVED_FORMAT = 3
_encode = msgspec.json.encode


class _Scalars(Struct, array_like=True):
    """A fold's own fields."""

    open: int | None
    last: int | None
    used: dict[int, int]
    prompt: str | None
    dropped: list[tuple[int, int]]
    next_ordinal: int
    rev: int
    born: int
    height: int
    row_count: int


class _SavedFold(Struct, array_like=True):
    scalars: _Scalars
    turns: list["_SavedTurn"]


class _SavedTurn(Struct, array_like=True):
    turn: TurnBuilder
    delegates: dict[str, _SavedFold]


class _Head(Struct, array_like=True):
    format: int
    next_seq: int
    tags: list[str]
    scalars: _Scalars
    anomalies: dict[str, int]
    ids: list[str]
    facts: tuple[str | None, str | None, str | None, str | None, ParentRef | None, int | None, int | None]
    orphans: dict[str, _SavedFold]
    blobs: dict[str, int]


_decode_head = msgspec.json.Decoder(_Head).decode
_decode_turn = msgspec.json.Decoder(_SavedTurn).decode


def encode_head(session: SessionFold) -> bytes:
    """Save everything of a session but its turns."""
    main = session.main
    head = _Head(
        format=SAVED_FORMAT,
        next_seq=session.next_seq,
        tags=[turn.tag for turn in _turns(main)],
        scalars=_scalars(main),
        anomalies=session.anomalies,
        ids=list(session.ids),
        facts=(
            session.title,
            session.cwd,
            session.agent,
            session.model,
            session.parent,
            session.first_ts_ms,
            session.last_ts_ms,
        ),
        orphans={call_id: _saved_fold(fold) for call_id, fold in session.orphans.items()},
        blobs=session.blobs,
    )
    return _encode(head)


def encode_turn(fold: Fold, turn: TurnBuilder) -> bytes:
    """Save one turn of a transcript, with the delegates below it."""
    return _encode(_saved_turn(fold, turn))


def encode_turns(session: SessionFold) -> dict[str, bytes]:
    """Save every turn of a session by tag, what belongs to no turn (`null`) included."""
    return {turn.tag: encode_turn(session.main, turn) for turn in _turns(session.main)}


def restore(head: bytes, turns: Mapping[str, bytes]) -> SessionFold:
    """Give a saved session back at once; as `restoring`."""
    *_, session = restoring(head, turns)
    return session


def restoring(head: bytes, turns: Mapping[str, bytes]) -> Iterator[SessionFold]:
    """Give a saved session back turn by turn; the next event goes on from the last fold that is given.

    It is the same fold each time, whole at the end: a session has any number of turns, and whoever shares a thread
    with others lets them work in between.

    Raises:
        SavedStateError: another format, damaged bytes, or a turn that the head names and nobody saved.
    """
    try:
        saved = _decode_head(head)
        if saved.format != SAVED_FORMAT:
            raise SavedStateError(f"format {saved.format}, this is {SAVED_FORMAT}")
        session = SessionFold()
        for tag in saved.tags:
            _add_turn(session.main, _decode_turn(turns[tag]))
            yield session
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise SavedStateError(str(error)) from error
    except KeyError as error:
        raise SavedStateError(f"turn {error.args[0]} is missing") from error
    session.next_seq, session.drained_seq = saved.next_seq, saved.next_seq - 1
    session.anomalies, session.ids = saved.anomalies, dict.fromkeys(saved.ids)
    session.blobs = saved.blobs
    session.title, session.cwd, session.agent, session.model, session.parent = saved.facts[:5]
    session.first_ts_ms, session.last_ts_ms = saved.facts[5:]
    _set_scalars(session.main, saved.scalars)
    for call_id, below in saved.orphans.items():
        orphan = Fold(session, (call_id,))
        _fill(orphan, below)
        session.orphans[call_id] = orphan
    _order_nested(session)
    yield session


def _order_nested(session: SessionFold) -> None:
    """Bring the transcripts that hold calls of one id in the order in which it came to them."""
    for call_id, holders in session.nested.items():
        if len(holders) > 1:
            session.nested[call_id] = dict.fromkeys(sorted(holders, key=partial(_came_at, call_id)))


def _came_at(call_id: str, fold: Fold) -> Anchor:
    found = fold.find(f"tool:{call_id}")
    return -1 if found is None else found[1].anchor


def _turns(fold: Fold) -> Iterator[TurnBuilder]:
    yield fold.none
    yield from fold.turns.values()


def _scalars(fold: Fold) -> _Scalars:
    return _Scalars(
        open=fold.open.number if fold.open else None,
        last=fold.last.number if fold.last else None,
        used=fold.used,
        prompt=fold.prompt,
        dropped=fold.dropped,
        next_ordinal=fold.next_ordinal,
        rev=fold.rev,
        born=fold.born,
        height=fold.height,
        row_count=fold.row_count,
    )


def _saved_fold(fold: Fold) -> _SavedFold:
    return _SavedFold(_scalars(fold), [_saved_turn(fold, turn) for turn in _turns(fold)])


def _saved_turn(fold: Fold, turn: TurnBuilder) -> _SavedTurn:
    bare = structs.replace(
        turn,
        rows=[_bare_slot(slot) for slot in turn.rows],
        slots={},
        dirty=[],
        listed=False,
        stirred={},
        steps={number: _bare_step(step) for number, step in turn.steps.items()},
        tools={call_id: _bare_tool(tool) for call_id, tool in turn.tools.items()},
    )
    held = (call_id for call_id in turn.tools if call_id in fold.delegates)
    return _SavedTurn(bare, {call_id: _saved_fold(fold.delegates[call_id]) for call_id in held})


def _bare_slot(slot: Slot) -> Slot:
    return structs.replace(slot, dirty=CLEAN, made=None)


def _bare_step(step: StepBuilder) -> StepBuilder:
    return structs.replace(step, blocks=[_bare_block(block) for block in step.blocks])


def _bare_block(block: BlockBuilder) -> BlockBuilder:
    parts = _joined(block.parts)
    return structs.replace(block, parts=parts, sent=len(parts), encoded=None)


def _bare_tool(tool: ToolBuilder) -> ToolBuilder:
    progress = _joined(tool.progress)
    return structs.replace(tool, progress=progress, sent=len(progress))


def _joined(parts: list[str]) -> list[str]:
    whole = "".join(parts)
    return [whole] if whole else []


def _fill(fold: Fold, saved: _SavedFold) -> None:
    for record in saved.turns:
        _add_turn(fold, record)
    _set_scalars(fold, saved.scalars)


def _add_turn(fold: Fold, record: _SavedTurn) -> None:
    turn = record.turn
    turn.slots = {slot.key: slot for slot in turn.rows}
    if turn.number is None:
        fold.none = turn
    else:
        fold.turns[turn.number] = turn
    for key in (*turn.slots, *(f"steering:{one}" for one in turn.queued)):
        fold.where[key] = turn.number
    if fold.path:
        for call_id in turn.tools:
            fold.root.nested.setdefault(call_id, {})[fold] = None
    for call_id, below in record.delegates.items():
        child = Fold(fold.root, (*fold.path, call_id))
        child.parent = (fold, turn)
        fold.delegates[call_id] = child
        _fill(child, below)


def _set_scalars(fold: Fold, scalars: _Scalars) -> None:
    fold.used, fold.prompt, fold.dropped = scalars.used, scalars.prompt, scalars.dropped
    fold.next_ordinal, fold.rev, fold.born = scalars.next_ordinal, scalars.rev, scalars.born
    fold.height, fold.row_count = scalars.height, scalars.row_count
    fold.open = None if scalars.open is None else fold.turns.get(scalars.open)
    fold.last = None if scalars.last is None else fold.turns.get(scalars.last)
