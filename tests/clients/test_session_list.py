"""The list of sessions as a client of Python holds it: newest first, live, older ones page by page."""

from typing import Any

from clients.wire.messages import Error, Sessions
from clients.wire.session_list import SessionList, doing_of


def entry(name: str, at_ms: int = 0, **fields: Any) -> dict[str, Any]:
    """What the service says of a session."""
    return {"session": name, "updated_at_ms": at_ms, "waiting": 0, "turn": None, **fields}


def told(held: SessionList, times: dict[str, int], *gone: str, whole: bool = False) -> None:
    """Take a frame."""
    sessions = tuple(entry(name, at_ms) for name, at_ms in times.items())
    list(held.receive(Sessions(sub=held.sub, whole=whole, sessions=sessions, gone=gone)))


def names(held: SessionList) -> list[str]:
    """The sessions in their order."""
    return [one["session"] for one in held.newest_first()]


def listed(**times: int) -> SessionList:
    """A list that was told once."""
    held = SessionList()
    held.subscribe()
    told(held, times, whole=True)
    return held


def test_the_newest_stand_first_and_move_with_every_change() -> None:
    """Those of the same moment by name, so that they do not swap."""
    held = listed(a=1, c=5, b=5)
    assert names(held) == ["b", "c", "a"]
    told(held, {"a": 9}, "b")
    assert names(held) == ["a", "c"]
    assert held.state == "live"


def test_a_page_adds_older_ones_and_undoes_nothing() -> None:
    """What the socket told is newer than any page, and what is gone stays gone."""
    held = listed(a=9, b=8)
    told(held, {}, "b")
    held.add((entry("a", 1), entry("b", 8), entry("old", 2)), "next")
    assert names(held) == ["a", "old"]
    assert (held.cursor, held.is_complete) == ("next", False)
    held.add((entry("older", 1),), None)
    assert (names(held), held.is_complete) == (["a", "old", "older"], True)


def test_after_a_lost_connection_the_list_is_told_anew() -> None:
    """Whole, in the place of all that was held, pages included; a frame of before is void."""
    held = listed(a=9)
    held.add((entry("old", 2),), None)
    before = held.sub
    held.subscribe()
    list(held.receive(Sessions(sub=before, whole=False, sessions=(entry("late", 3),))))
    assert names(held) == ["a", "old"]
    told(held, {"b": 10}, whole=True)
    assert (names(held), held.is_complete, held.cursor) == (["b"], False, None)


def test_a_refusal_is_for_now_or_for_good() -> None:
    """As for a session."""
    held = listed(a=1)
    list(held.receive(Error(code="unavailable", message="the store", sub=held.sub)))
    states: list[str] = [held.state]
    held.subscribe()
    states.append(held.state)
    list(held.receive(Error(code="forbidden", message="not yours", sub=held.sub)))
    states.append(held.state)
    assert states == ["away", "loading", "ended"]
    assert held.problem == "not yours"
    assert names(held) == ["a"]


def test_what_a_session_does_is_its_last_turns_and_what_waits() -> None:
    """The page's words (`clients/web/src/session_list.js`); an odd entry is one of them, too."""
    says = {
        "waiting": entry("s", waiting=2, turn={"status": "closed", "outcome": "failed"}),
        "running": entry("s", turn={"status": "open"}),
        "completed": entry("s", turn={"status": "closed", "outcome": "completed"}),
        "failed": entry("s", turn={"status": "closed", "outcome": "blocked"}),
        "stopped": entry("s", turn={"status": "closed", "outcome": "interrupted"}),
        "empty": entry("s", waiting=None, turn=7),
    }
    assert {name: doing_of(one) for name, one in says.items()} == {name: name for name in says}
    held = listed()
    list(held.receive(Sessions(sub=held.sub, whole=False, sessions=({}, {"session": 7}, {"session": "odd"}))))
    assert names(held) == ["odd"]
