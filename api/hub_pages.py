"""Hub stage, pages: what a follower is sent that is no live delta: snapshots, catch-up and older turns.

1. A follower holds the turns from its *floor* on: the smallest `seq` of its window, -1 for the whole
   history.
2. A page is bounded in bytes, but for a single row or op that is greater by itself: a streamed answer, or the
   members of a very long turn. A turn too great for one part is cut between two rows and comes in both parts; what
   it has besides rows is told in the first alone.
3. The ops of a catch-up are whole values (rows, specs, presentations), so that a client that lost its
   connection between two pages may be sent all of them again: only the last page moves its position.
"""

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from api.frames import NO_REV, NOBODY
from api.hub_loading import KnownVersions
from api.messages import CaughtUp, Delta, Earlier, Shared, Snapshot
from api.metrics import NoResume
from api.unhurried import unhurried
from projections.deltas import Op, facts_since, in_window
from projections.position import Position
from projections.presenter import Presenter
from projections.rows import Row
from projections.session import SessionFold
from projections.slices import SLICE_ROWS, Slices
from projections.transcript import TellingOf, TurnValue, Window, session_rows_of, turn_value, window_of
from projections.view import View

# A part of a snapshot or catch-up: some ms of a phone's connection, and far above nearly every row.
PAGE_BYTES = 256 * 1024
WHOLE_HISTORY = -1

_encode = msgspec.json.Encoder().encode
_Item = TypeVar("_Item")


def floor_of(fold: SessionFold, from_turn: int | None) -> int | None:
    """Return the floor of a client whose oldest turn is `from_turn` (None: it holds the whole history).

    Returns None where there is no such turn any more.
    """
    if from_turn is None:
        return WHOLE_HISTORY
    turn = fold.main.turns.get(from_turn)
    if turn is None:
        return None
    return WHOLE_HISTORY if turn is next(iter(fold.main.turns.values())) else turn.first_seq


def snapshot_parts(
    fold: SessionFold, view: View, position: Position, floor: int | None, telling_of: TellingOf
) -> Slices[tuple[tuple[Snapshot, ...], int]]:
    """Make a snapshot from `floor` on (None: the default window) in parts, with the floor it has; in slices."""
    window = window_of(fold) if floor is None else _window_from(fold, floor)
    rows = yield from session_rows_of(fold, window, view)
    turns: list[TurnValue] = []
    for turn in window.turns:
        value = yield from turn_value(fold.main, turn, view, telling_of)
        turns.append(value)
    pages = yield from _pages_of(rows, turns)
    parts = tuple(
        Snapshot(
            sub=NOBODY,
            view_rev=NO_REV,
            position=position,
            view=view,
            history_complete=window.complete,
            before=window.before,
            session_rows=page.session_rows,
            turns=page.turns,
            part=number,
            last=number == len(pages) - 1,
        )
        for number, page in enumerate(pages)
    )
    return parts, window.floor


def earlier_parts(
    fold: SessionFold, view: View, position: Position, floor: int, limit: int
) -> Slices[tuple[tuple[Earlier, ...], int]]:
    """Make at most `limit` turns before `floor`, in parts, with the floor of what is held with them; in slices.

    They fill one part, but for a single turn that is greater by itself.
    """
    older = [turn for turn in fold.main.turns.values() if turn.first_seq < floor]
    chosen: list[TurnValue] = []
    size_bytes = 0
    for turn in reversed(older[-limit:]):
        value = yield from turn_value(fold.main, turn, view)
        size_bytes += _size_bytes(value)
        if chosen and size_bytes > PAGE_BYTES:
            break
        chosen.append(value)
    complete = len(chosen) == len(older)
    turns = tuple(older[len(older) - len(chosen) :])
    new_floor = WHOLE_HISTORY if complete else turns[0].first_seq
    window = Window(turns=turns, floor=new_floor, ceiling=max(floor, 0), complete=complete)
    session_rows = yield from session_rows_of(fold, window, view)
    pages = yield from _pages_of(session_rows, chosen[::-1])
    parts = tuple(
        Earlier(
            sub=NOBODY,
            view_rev=NO_REV,
            position=position,
            before=window.before,
            history_complete=complete,
            session_rows=page.session_rows,
            turns=page.turns,
            part=number,
            last=number == len(pages) - 1,
        )
        for number, page in enumerate(pages)
    )
    return parts, new_floor


async def resume(
    fold: SessionFold,
    view: View,
    versions: KnownVersions,
    *,
    since: Position,
    now: Position,
    from_turn: int | None,
) -> tuple[int, Iterable[Shared]] | NoResume:
    """Return the floor of a client that comes back and all that it lacks; or why it needs a snapshot (W-2)."""
    if since.epoch != now.epoch:
        return "epoch"
    if since.version > now.version:
        return "ahead"
    next_seq = await versions.next_seq_of(since.version, now.version)
    if next_seq is None:
        return "too_old"
    floor = floor_of(fold, from_turn)
    if floor is None:
        return "window"
    caught_up = CaughtUp(sub=NOBODY, view_rev=NO_REV, position=now)
    deltas = await unhurried(catch_up(fold, view, next_seq=next_seq, since=since, now=now, floor=floor))
    return floor, (*deltas, caught_up)


def catch_up(
    fold: SessionFold, view: View, *, next_seq: int, since: Position, now: Position, floor: int
) -> Slices[tuple[Delta, ...]]:
    """Make the deltas from `since`, whose first unknown event is `next_seq`, to `now`; in slices."""
    presenter = Presenter(view)
    ops: list[Op] = []
    for one in facts_since(fold, next_seq - 1):
        told = yield from presenter.ops_in_slices(one)
        ops.extend(in_window(one, told, floor))
    pages = yield from paged(ops)
    if not pages and now.version > since.version:
        pages = [()]
    return tuple(
        Delta(
            sub=NOBODY,
            view_rev=NO_REV,
            since=since.version,
            to=now.version if number == len(pages) - 1 else since.version,
            epoch=now.epoch,
            ops=page,
        )
        for number, page in enumerate(pages)
    )


def _size_bytes(value: object) -> int:
    return len(_encode(value))


def _window_from(fold: SessionFold, floor: int) -> Window:
    turns = tuple(turn for turn in fold.main.turns.values() if turn.first_seq >= floor)
    complete = len(turns) == len(fold.main.turns)
    return Window(turns=turns, floor=WHOLE_HISTORY if complete else floor, ceiling=None, complete=complete)


class _Page(msgspec.Struct, frozen=True):
    """What one part of a snapshot or of older turns holds."""

    session_rows: tuple[Row, ...] = ()
    turns: tuple[TurnValue, ...] = ()


def _pages_of(session_rows: tuple[Row, ...], turns: Iterable[TurnValue]) -> Slices[list[_Page]]:
    """Spread rows of no turn, then turns, over pages: one at least."""
    pieces: list[Row | TurnValue] = list(session_rows)
    for turn in turns:
        found = yield from _pieces(turn)
        pieces.extend(found)
    pages: list[_Page] = []
    spread = yield from paged(pieces)
    for items in spread:
        rows = tuple(one for one in items if not isinstance(one, TurnValue))
        pages.append(_Page(rows, tuple(one for one in items if isinstance(one, TurnValue))))
    return pages or [_Page()]


def _pieces(turn: TurnValue) -> Slices[list[TurnValue]]:
    """Cut a turn that is too great for one page between two rows."""
    if len(turn.rows) <= SLICE_ROWS and _size_bytes(turn) <= PAGE_BYTES:
        return [turn]
    used_bytes = _size_bytes(msgspec.structs.replace(turn, rows=()))
    pages = yield from paged(turn.rows, used_bytes=used_bytes)
    first, *others = pages or [()]
    bare = msgspec.structs.replace(turn, queued=(), spec=None, presentation=None)
    return [
        msgspec.structs.replace(turn, rows=first),
        *(msgspec.structs.replace(bare, rows=rows) for rows in others),
    ]


def paged(items: Iterable[_Item], *, used_bytes: int = 0) -> Slices[list[tuple[_Item, ...]]]:
    """Spread values over pages of at most `PAGE_BYTES` as JSON, in order; a greater value has a page of its own.

    Args:
        items: in order.
        used_bytes: what the first page holds besides.
    """
    pages: list[tuple[_Item, ...]] = []
    page: list[_Item] = []
    size_bytes, encoded_bytes = used_bytes, 0
    for number, item in enumerate(items, 1):
        if number % SLICE_ROWS == 0 or encoded_bytes >= PAGE_BYTES:
            yield
            encoded_bytes = 0
        size = _size_bytes(item)
        encoded_bytes += size
        if page and size_bytes + size > PAGE_BYTES:
            pages.append(tuple(page))
            page, size_bytes = [], 0
        page.append(item)
        size_bytes += size
    if page:
        pages.append(tuple(page))
    return pages
