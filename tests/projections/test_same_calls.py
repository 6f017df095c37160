"""Delegates' calls of one id: events find the same one live, restored and replayed, and rewinds forget them (A-8)."""

import pytest

from projections.saved import encode_head, encode_turns, restore
from projections.session import SessionFold
from tests.projections.folding import (
    Event,
    below,
    call,
    fold,
    more,
    result,
    rewind,
    start,
    transcript,
    user,
)

# Two delegates, of which each has a call "same"; the second one's came last, but its own call stands before.
TWICE = [
    start(),
    call("second"),
    call("first"),
    *below("first", start(), call("same")),
    *below("second", start(), call("same")),
]


def way_of(session: SessionFold, user_key: str = "user:u1") -> tuple[str, ...] | None:
    """The calls that lead to a row; None where no reader sees it."""
    return _way(transcript(session), user_key, ())


def _way(shown: Event, key: str, path: tuple[str, ...]) -> tuple[str, ...] | None:
    for one in [*shown["session_rows"], *(each for turn in shown["turns"] for each in turn["rows"])]:
        if one["key"] == key:
            return path
        if "delegate" in one and (found := _way(one["delegate"], key, (*path, one["call_id"]))) is not None:
            return found
    return None


@pytest.mark.parametrize(
    ("log", "way"),
    [
        (TWICE, ("second", "same")),
        ([*TWICE, *below("first", result("same"))], ("second", "same")),
        ([*TWICE, call("same")], ("same",)),
        ([call("same"), *TWICE], ("same",)),
        ([*TWICE, *below("second", rewind(1))], ("first", "same")),
        ([*TWICE, *below("second", rewind(1)), *below("first", rewind(1))], None),
        ([*TWICE, *below("second", rewind(1), start(), call("same"))], ("second", "same")),
        ([*TWICE, *below("first", rewind(1), start(), call("same"))], ("first", "same")),
        ([*TWICE, call("same"), rewind(1)], None),
        ([*TWICE, rewind(1), *TWICE], ("second", "same")),
    ],
)
def test_of_calls_with_one_id_the_sessions_own_counts_else_the_last(
    log: list[Event], way: tuple[str, ...] | None
) -> None:
    """The same one in a fold that ran on, in one that was restored, and in one that began with the save of another."""
    late = below("same", start(), user())
    live, once = fold(*log), fold(*log, *late)
    restored = restore(encode_head(live), encode_turns(live))
    for session in (more(live, *late), more(restored, *late), once):
        assert way_of(session) == way
        assert (encode_head(session), encode_turns(session)) == (encode_head(once), encode_turns(once))


def test_a_call_in_a_delegate_that_waits_for_its_own_call_counts_as_any_other() -> None:
    """Its place moves with the delegate; when it came does not change."""
    log = [
        start(),
        *below("first", start(), call("same")),
        call("second"),
        *below("second", start(), call("same")),
    ]
    for events in ([*log, call("first")], [*log[:3], call("first"), *log[3:]]):
        live = fold(*events)
        restored = restore(encode_head(live), encode_turns(live))
        for session in (live, restored):
            assert way_of(more(session, *below("same", start(), user()))) == ("second", "same")


def test_a_rewind_forgets_the_calls_of_delegates_however_deep() -> None:
    """What a session knows of calls is no more than what stands in it."""
    deep = [*TWICE, *below("same", start(), call("deeper")), *below("deeper", start(), call("same"))]
    session = fold(*deep)
    assert set(session.nested) == {"same", "deeper"}
    for _ in range(3):
        more(session, rewind(1), *deep)
    assert [len(holders) for holders in session.nested.values()] == [3, 1]
    assert not more(session, rewind(1)).nested
