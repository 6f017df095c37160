"""Wire stage 3, the list of sessions: the newest live, older ones page by page, newest first. Pure.

1. The socket tells the newest, then what changed and what is gone. A whole list takes the place of all that was held.
2. Older ones come as pages over HTTP; what the socket told of a session is newer than any page.
3. A session that is gone never comes back by a page that was on its way.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec

from clients.wire.messages import Error, Json, OfSubscription, Sessions
from clients.wire.subscription import Send, State, StateChanged, state_after

Doing = Literal["waiting", "running", "completed", "failed", "stopped", "empty"]
_FAILED, _STOPPED = frozenset({"failed", "blocked"}), frozenset({"aborted", "interrupted"})


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """The list is another."""


class SessionList:
    """What is held of the list.

    Attributes:
        state: `loading` until the first list; `away`: over for now, to be asked for again; `ended` for good.
        problem: the service's words for the last two.
        is_complete: whether no older session is left to be loaded.
        cursor: where the page after those that were loaded begins; None for the first.
    """

    def __init__(self) -> None:
        self.state: State = "loading"
        self.problem = ""
        self.is_complete = False
        self.cursor: str | None = None
        self._entries: dict[str, Json] = {}
        self._gone: set[str] = set()
        self._ordered: tuple[Json, ...] | None = None
        self._count = 0

    @property
    def sub(self) -> str:
        """The present name; a page that was asked for under another one is void."""
        return f"l{self._count}"

    def subscribe(self) -> Json:
        """Give the message that starts it, or starts it again."""
        self._count += 1
        if self.state == "away":
            self.state = "loading"
        return {"type": "subscribe_sessions", "sub": self.sub}

    def unanswered(self) -> None:
        """Nothing is ever asked beside the list itself."""

    def receive(self, frame: OfSubscription) -> Iterator[Listed | StateChanged | Send]:
        """Take a frame; gives what it changes."""
        if frame.sub != self.sub:
            return
        if isinstance(frame, Error):
            state = state_after(frame)
            if state is not None:
                self.state, self.problem = state, frame.message
                yield StateChanged()
        elif isinstance(frame, Sessions):
            self._take(frame)
            yield Listed()

    def add(self, entries: tuple[dict[str, Json], ...], cursor: str | None) -> None:
        """Take in a page of older ones, and where the next begins."""
        for entry in entries:
            name = _name_of(entry)
            if name and name not in self._gone:
                self._entries.setdefault(name, entry)
        self.cursor, self.is_complete = cursor, cursor is None
        self._ordered = None

    def newest_first(self) -> tuple[Json, ...]:
        """Give all that are held; those of the same moment by name, so that they do not swap."""
        if self._ordered is None:
            self._ordered = tuple(
                sorted(self._entries.values(), key=lambda one: (-changed_at_ms(one), _name_of(one)))
            )
        return self._ordered

    def _take(self, frame: Sessions) -> None:
        if frame.whole:
            self._entries, self._gone = {}, set()
            self.cursor, self.is_complete = None, False
        for entry in frame.sessions:
            if name := _name_of(entry):
                self._entries[name] = entry
        for name in frame.gone:
            self._entries.pop(name, None)
            self._gone.add(name)
        self.state, self.problem, self._ordered = "live", "", None


def changed_at_ms(entry: Json) -> float:
    """Give when a session changed last, in ms since 1970; 0 where nobody knows."""
    times = (entry.get("updated_at_ms"), entry.get("last_ts_ms"))
    return next((float(one) for one in times if isinstance(one, int | float)), 0.0)


def doing_of(entry: Json) -> Doing:
    """Say what a session's last turn is doing."""
    if waiting_count(entry):
        return "waiting"
    turn = entry.get("turn")
    if not isinstance(turn, dict):
        return "empty"
    if turn.get("status") != "closed":
        return "running"
    outcome = turn.get("outcome")
    return "failed" if outcome in _FAILED else "stopped" if outcome in _STOPPED else "completed"


def waiting_count(entry: Json) -> int:
    """Give how much waits for the reader in a session."""
    count = entry.get("waiting")
    return count if isinstance(count, int) else 0


def _name_of(entry: Json) -> str:
    name = entry.get("session")
    return name if isinstance(name, str) else ""
