"""How deep delegates hang is known without looking: a call that one is too deep for costs the same in any session."""

from collections.abc import Iterator

import pytest

from projections.saved import encode_head, encode_turns, restore
from projections.session import MOST_DEPTH, SessionFold
from tests.projections.folding import below, call, fold, more, rewind, row, start, user
from tests.projections.test_slices import longest_slice


def waiting(leaves: int = 0, *, calls_first: bool = False) -> SessionFold:
    """A session with a delegate `d`; as deep as may be, and as broad as asked, another waits for its call `c0`."""
    session = fold(start(), call("d"), *below("d", start()))
    levels = range(MOST_DEPTH - 1)
    for level in levels if calls_first else reversed(levels):
        outer, inner = f"c{level}", f"c{level + 1}"
        inside, around = below(inner, start()), below(outer, start(), call(inner))
        more(session, *around, *inside) if calls_first else more(session, *inside, *around)
    for number in range(leaves):
        more(session, *below("c0", call(f"l{number}")), *below(f"l{number}", start()))
    assert list(session.orphans) == ["c0"]
    return session


def test_a_delegate_that_is_too_deep_costs_the_same_however_broad_it_is() -> None:
    """Else whoever sends its call again and again stops the service for everybody."""

    def refused(session: SessionFold) -> Iterator[None]:
        more(session, *below("d", call("c0")))
        yield
        assert session.anomalies["delegate_too_deep"] == 1

    few, many = (longest_slice(refused(waiting(leaves))) for leaves in (3, 300))
    assert many <= 1.5 * few


@pytest.mark.parametrize("calls_first", [True, False], ids=["calls first", "delegates first"])
def test_a_delegate_that_was_too_deep_once_stays_outside(calls_first: bool) -> None:
    """Also after a rewind took back what was deep, and whether or not the session was saved in between."""
    live = more(waiting(calls_first=calls_first), *below("c0", rewind(1)))
    restored = restore(encode_head(live), encode_turns(live))
    for session in (live, restored):
        more(session, *below("d", call("c0")))
        assert "delegate" not in row(session, "tool:c0")
        assert session.anomalies["delegate_too_deep"] == 1


def test_a_delegate_as_deep_as_may_be_hangs_where_it_has_room() -> None:
    """The session's own call is the outermost place."""
    session = more(waiting(), call("c0"), *below(f"c{MOST_DEPTH - 1}", user("the last one")))
    assert not session.orphans
    assert session.main.height == MOST_DEPTH
    assert row(session, "user:u1")["content"][0]["text"] == "the last one"
