"""Properties of the fold, its saves and its deltas over random logs (quality.md, *Tests*)."""

import itertools
import json
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from projections.decode import decode_event
from projections.deltas import Op, facts, facts_since, in_window
from projections.events import Malformed
from projections.position import Position
from projections.presenter import Presenter
from projections.replica import apply_ops
from projections.saved import encode_head, encode_turns, restore
from projections.session import SessionFold
from projections.slices import finished
from projections.transcript import snapshot, window_of
from projections.view import DesktopView, TuiView, View, WebView
from tests.projections.logs import DELEGATES, FAMILIES, LOGS

FLAGS = st.booleans()
DESKTOP = st.builds(
    DesktopView,
    mode=st.sampled_from(["fully-folded", "command-first", "flat"]),
    thinking=FLAGS,
    collapse_groups=FLAGS,
    collapse_thinking=FLAGS,
    locale=st.sampled_from(["en", "zh-CN"]),
)
TUI = st.builds(TuiView, phase=st.sampled_from(["collapsed", "expanded", "hidden"]), reasoning=FLAGS)
WEB = st.sampled_from([WebView(), WebView(mode="normal"), WebView(locale="zh-CN")])
VIEW: st.SearchStrategy[View] = st.one_of(WEB, DESKTOP, TUI)
AT = Position(epoch="e", version=1)
# Small ones cut nearly every text of a random log; None cuts none.
LIMITS = st.sampled_from([None, 1, 4, 12])


def fold_all(
    log: list[dict[str, Any]], fold: SessionFold | None = None, limit: int | None = None
) -> SessionFold:
    """Fold events as the service would decode them; texts over `limit` bytes travel as heads."""
    session = fold
    if session is None:
        session = SessionFold()
        session.inline_bytes = limit
    for event in log:
        decoded = decode_event(json.dumps(event).encode())
        assert not isinstance(decoded, Malformed), decoded
        session.apply(session.next_seq, decoded)
    return session


def saved(fold: SessionFold) -> tuple[bytes, dict[str, bytes]]:
    """The fold as bytes, for comparison."""
    return encode_head(fold), encode_turns(fold)


def shot(fold: SessionFold, view: View, limit: int | None = None) -> dict[str, Any]:
    """A snapshot as a client decodes it."""
    made = snapshot(fold, "s", AT, view, window_of(fold, limit))
    decoded: dict[str, Any] = json.loads(msgspec.json.encode(made))
    return decoded


def as_json(ops: tuple[Op, ...]) -> list[dict[str, Any]]:
    """Ops as a client decodes them."""
    decoded: list[dict[str, Any]] = json.loads(msgspec.json.encode(ops))
    return decoded


def content(transcript: dict[str, Any]) -> tuple[Any, Any]:
    """What ops can change."""
    return transcript["turns"], transcript["session_rows"]


@given(LOGS, st.integers(1, 7))
def test_taking_turns_finds_what_draining_finds(log: list[dict[str, Any]], size: int) -> None:
    """A writer and a hub fold the same; the writer is told of the same turns in every batch, and saves the same."""
    writer, hub = SessionFold(), SessionFold()
    for start in range(0, len(log), size):
        fold_all(log[start : start + size], writer)
        fold_all(log[start : start + size], hub)
        taken = {(fold.path, turn.ordinal) for fold, turn in writer.take_turns()}
        assert taken == {(one.fold.path, one.turn.ordinal) for one in hub.drain().touched}
    assert saved(writer) == saved(hub)
    assert writer.take_turns() == ()


@given(st.one_of(LOGS, FAMILIES), st.integers(0, 40))
def test_fold_in_two_batches_equals_fold_at_once(log: list[dict[str, Any]], split: int) -> None:
    """Batches, and what a drain takes in between, leave no trace."""
    fold = fold_all(log[:split])
    fold.drain()
    fold_all(log[split:], fold)
    assert saved(fold) == saved(fold_all(log))


@given(st.one_of(LOGS, FAMILIES), st.integers(0, 40))
def test_a_restored_fold_goes_on_as_if_it_had_never_stopped(log: list[dict[str, Any]], split: int) -> None:
    """Live state equals state restored from a save plus the rest of the log, byte for byte."""
    restored = restore(*saved(fold_all(log[:split])))
    assert saved(fold_all(log[split:], restored)) == saved(fold_all(log))


@given(st.one_of(LOGS, FAMILIES), st.lists(st.integers(0, 40), max_size=6), VIEW, LIMITS)
def test_live_deltas_bring_a_snapshot_to_the_next(
    log: list[dict[str, Any]], cuts: list[int], view: View, limit: int | None
) -> None:
    """W-1, live: snapshot at v plus the frames of every flush equals the snapshot at w."""
    bounds = sorted({*(cut for cut in cuts if cut < len(log)), len(log)})
    fold = fold_all(log[: bounds[0]], limit=limit)
    fold.drain()
    presenter, client = Presenter(view), shot(fold, view)
    presenter.tell_all(fold)
    for begin, end in itertools.pairwise(bounds):
        fold_all(log[begin:end], fold)
        for one in facts(fold.drain()):
            apply_ops(client, as_json(presenter.ops(one)))
        assert content(client) == content(shot(fold, view))
        assert content(client) == content(shot(fold_all(log[:end], limit=limit), view))


@given(DELEGATES, st.lists(st.integers(0, 40), max_size=6), VIEW)
def test_live_deltas_reach_into_delegates(log: list[dict[str, Any]], cuts: list[int], view: View) -> None:
    """W-1 of what is nested: a delegate's turns are presented by the same rules, and told inside of their call."""
    _converge(log, cuts, [view])


@given(st.one_of(LOGS, DELEGATES), st.lists(st.integers(0, 40), max_size=6), st.lists(VIEW, min_size=2))
def test_a_change_of_view_in_mid_stream_converges(
    log: list[dict[str, Any]], cuts: list[int], views: list[View]
) -> None:
    """W-1 across views: a switch is a snapshot of the same facts, and no event comes of it."""
    _converge(log, cuts, views)


def _converge(log: list[dict[str, Any]], cuts: list[int], views: list[View]) -> None:
    """Follow a log in one view after the other; only open turns are noted as told, as a hub does it."""
    bounds = [0, *sorted({*(cut for cut in cuts if cut < len(log)), len(log)})]
    fold = fold_all([])
    fold.drain()
    for number, (begin, end) in enumerate(itertools.pairwise(bounds)):
        view = views[number % len(views)]
        client, presenter = shot(fold, view), Presenter(view)
        finished(presenter.tell_open(fold))
        middle = (begin + end) // 2
        for first, last in ((begin, middle), (middle, end)):
            fold_all(log[first:last], fold)
            for one in facts(fold.drain()):
                apply_ops(client, as_json(presenter.ops(one)))
            assert content(client) == content(shot(fold, view))


@given(st.one_of(LOGS, DELEGATES), st.lists(VIEW, min_size=2, max_size=4))
def test_a_view_changes_no_row_and_nothing_that_is_kept(log: list[dict[str, Any]], views: list[View]) -> None:
    """Whoever looks, and however: the rows are the same, and so is the saved state, in which no view is."""
    fold = fold_all(log)
    before = saved(fold)
    first, *others = [_unpresented(content(shot(fold, view))) for view in views]
    assert all(other == first for other in others)
    assert saved(fold) == before


def _unpresented(value: Any) -> Any:
    """All but the presentations, those inside of delegates included."""
    if isinstance(value, dict):
        return {name: _unpresented(one) for name, one in value.items() if name != "presentation"}
    return [_unpresented(one) for one in value] if isinstance(value, list | tuple) else value


@given(LOGS, st.integers(0, 40), VIEW, LIMITS)
def test_a_resumed_client_converges(
    log: list[dict[str, Any]], split: int, view: View, limit: int | None
) -> None:
    """W-1, resume: snapshot at v plus what changed since v equals the snapshot at w, from the present state alone."""
    client = shot(fold_all(log[:split], limit=limit), view)
    fold = fold_all(log, limit=limit)
    for one in facts_since(fold, min(split, len(log)) - 1):
        apply_ops(client, as_json(Presenter(view).ops(one)))
    assert content(client) == content(shot(fold, view))


@given(LOGS, st.integers(0, 40), st.integers(1, 2))
def test_a_window_converges_to_itself(log: list[dict[str, Any]], split: int, limit: int) -> None:
    """W-1 of a client that holds the newest turns only: it gets their changes and no others."""
    before = fold_all(log[:split])
    window = window_of(before, limit)
    client = shot(before, WebView(), limit)
    fold = fold_all(log)
    presenter = Presenter(WebView())
    for one in facts_since(fold, min(split, len(log)) - 1):
        apply_ops(client, as_json(in_window(one, presenter.ops(one), window.floor)))
    whole = shot(fold, WebView())
    held = {turn.number for turn in fold.main.turns.values() if turn.first_seq >= window.floor}
    assert client["turns"] == [turn for turn in whole["turns"] if turn["turn"] in held]


@given(st.binary(max_size=200))
def test_decode_gives_a_value_for_any_bytes(raw: bytes) -> None:
    """An event or a reason, never an exception; and the fold takes both."""
    SessionFold().apply(0, decode_event(raw))
