"""What a client that comes back is told of rewinds, and what they leave behind (W-2)."""

from hypothesis import given
from hypothesis import strategies as st

from projections.deltas import DropTurnsOp, facts_since
from tests.projections.folding import fold, more, rewind, start


def dropped_since(events: list[dict[str, object]], since: int) -> int | None:
    """The first turn that a client at `since` is told to drop."""
    ops = [op for one in facts_since(fold(*events), since) for op in one.ops]
    return next((op.from_turn for op in ops if isinstance(op, DropTurnsOp)), None)


@given(st.lists(st.integers(1, 4), max_size=8))
def test_a_client_drops_from_the_lowest_turn_that_was_taken_back(befores: list[int]) -> None:
    """From wherever it comes: the lowest of all rewinds since."""
    events: list[dict[str, object]] = []
    taken_back: list[tuple[int, int]] = []
    for before in befores:
        events += [start(turn) for turn in range(1, 5)]
        taken_back.append((len(events), before))
        events.append(rewind(before))
    for since in range(-1, len(events)):
        expected = [before for seq, before in taken_back if seq > since]
        assert dropped_since(events, since) == min(expected, default=None)


def test_rewinds_of_one_turn_leave_one_mark() -> None:
    """Else every save and every return would cost what all of them together did."""
    session = fold(start(1))
    for _ in range(50):
        more(session, start(2), rewind(2))
    assert session.main.dropped == [(2, session.next_seq - 1)]
