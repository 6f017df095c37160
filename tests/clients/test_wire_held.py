"""What the Python client holds is what the service shows, whatever came in which pieces."""

import itertools
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.wire.held import HeldRow, HeldTranscript, OutOfStepError
from clients.wire.messages import TurnValue
from clients.wire.order import Order
from projections.deltas import facts
from projections.presenter import Presenter
from projections.view import TuiView
from tests.projections.logs import DELEGATES, LOGS
from tests.projections.test_properties import TUI, as_json, fold_all, shot

CUTS = st.lists(st.integers(0, 40), max_size=6)


def held_of(shown: Any) -> HeldTranscript:
    """What a snapshot gives."""
    turns = msgspec.convert(shown["turns"], tuple[TurnValue, ...])
    return HeldTranscript(turns, tuple(shown["session_rows"]))


def row_value(row: HeldRow) -> Any:
    """A row as the wire says it."""
    return row.value if row.delegate is None else {**row.value, "delegate": value_of(row.delegate)}


def value_of(held: HeldTranscript) -> Any:
    """What is held, as the wire says it; specs are the web's and are not kept."""
    turns = [
        {
            "turn": turn.number,
            "rows": [row_value(row) for row in turn.rows],
            "presentation": turn.presentation,
            **{name: msgspec.to_builtins(value) for name, value in turn.facts.items()},
        }
        for turn in held.turns
    ]
    return {"session_rows": [row_value(row) for row in held.loose], "turns": turns}


def without_specs(value: Any) -> Any:
    """The same of a snapshot, where an unknown time may be absent or null."""
    if isinstance(value, dict):
        return {
            name: without_specs(one)
            for name, one in value.items()
            if name != "spec" and (name not in ("started_at_ms", "ended_at_ms") or one is not None)
        }
    return [without_specs(one) for one in value] if isinstance(value, list | tuple) else value


@given(st.one_of(LOGS, DELEGATES), CUTS, TUI)
def test_deltas_bring_what_is_held_to_the_next_snapshot(
    log: list[dict[str, Any]], cuts: list[int], view: TuiView
) -> None:
    """W-1 in the terminal client: the same as the service's own snapshot, delegates included."""
    fold = fold_all([])
    fold.drain()
    held, presenter = held_of(shot(fold, view)), Presenter(view)
    presenter.tell_all(fold)
    for begin, end in itertools.pairwise([0, *sorted({*(cut for cut in cuts if cut < len(log)), len(log)})]):
        fold_all(log[begin:end], fold)
        for one in facts(fold.drain()):
            for op in as_json(presenter.ops(one)):
                list(held.apply(op))
        shown = shot(fold, view)
        wanted = {name: shown[name] for name in ("session_rows", "turns")}
        assert without_specs(value_of(held)) == without_specs(wanted)


@pytest.mark.parametrize(
    "op",
    [
        {"op": "paint", "turn": 1},
        {},
        {"op": "append", "turn": 1, "key": "step:1:1", "block": 3, "text": "x"},
        {"op": "append", "turn": 1, "key": "tool:c", "block": 0, "text": "x"},
        {"op": "row", "turn": 1, "row": {}},
        {"op": "turn"},
        {"op": "presentation", "turn": 1, "path": ["steps", "nobody"], "set": 1},
        {"op": "presentation", "turn": 1, "path": ["steps"], "splice": {"at": "x"}},
    ],
)
def test_an_op_that_cannot_be_applied_says_so(op: dict[str, Any]) -> None:
    """One error, whatever is wrong with it: the client then asks for a snapshot."""
    turn = TurnValue(
        turn=1,
        rows=(
            {"key": "step:1:1", "kind": "assistant_step", "blocks": []},
            {"key": "tool:c", "kind": "tool_call"},
        ),
        presentation={"steps": []},
    )
    with pytest.raises(OutOfStepError):
        list(HeldTranscript((turn,)).apply(op))


def test_what_is_not_held_changes_nothing() -> None:
    """It stands before the window."""
    held = HeldTranscript()
    for op in (
        {"op": "append", "turn": 7, "key": "k", "block": 0, "text": "x"},
        {"op": "row", "turn": 7, "row": {"key": "k"}},
        {"op": "remove", "turn": None, "key": "k"},
        {"op": "presentation", "turn": 7, "path": [], "set": {}},
        {"op": "turn", "turn": 1, "in": ["no-such-call"]},
    ):
        assert list(held.apply(op)) == []
    assert value_of(held) == {"session_rows": [], "turns": []}


@given(st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=200))
def test_an_order_is_a_list_whose_places_are_found_by_key(steps: list[tuple[int, bool]]) -> None:
    """Against the plain list, insertions at one place included, where ranks come to their end."""
    order: Order[int, str] = Order()
    plain: list[int] = []
    for key, (at, removes) in enumerate(steps):
        if removes and plain:
            gone = plain[at % len(plain)]
            assert order.remove(gone) == plain.index(gone)
            plain.remove(gone)
        else:
            place = min(at, len(plain))
            order.insert(place, key, str(key))
            plain.insert(place, key)
        assert list(order) == [str(one) for one in plain]
    assert [order.place(key) for key in plain] == list(range(len(plain)))
    assert order.place(-1) is None


def test_many_items_before_the_same_one_stay_in_order() -> None:
    """A long turn whose tail row is there already: the room between two ranks ends, and is made anew."""
    order: Order[int, int] = Order()
    order.insert(0, -1, -1)
    for number in range(1_000):
        order.insert(number, number, number)
    assert list(order) == [*range(1_000), -1]
    assert order.place(500) == 500
