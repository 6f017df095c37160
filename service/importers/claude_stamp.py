"""Ids and times of the events that one line of a Claude Code session becomes."""

from collections.abc import Generator
from contextlib import contextmanager

from service.importers.claude_content import Fields


class LineStamp:
    """Stamps native events with the line they come from.

    An id is the line's key and a number, and a key is the line's `uuid`: so an event has the same id whenever, and
    in whichever pieces, its file is read. `used` tells whether the present line became anything at all.
    """

    def __init__(self) -> None:
        self.key = ""
        self.ts_ms: int | None = None
        self.used = False
        self._count = 0

    def begin(self, key: str, ts_ms: int | None) -> None:
        """The next line."""
        self.key, self.ts_ms = key, ts_ms
        self.used, self._count = False, 0

    @contextmanager
    def aside(self, key: str) -> Generator[None, None, None]:
        """Events of something else, in the middle of a line; the line goes on where it was."""
        line = (self.key, self.ts_ms, self.used, self._count)
        self.begin(key, self.ts_ms)
        try:
            yield
        finally:
            self.key, self.ts_ms, self.used, self._count = line

    def event(self, kind: str, /, **fields: object) -> Fields:
        """An event of this line."""
        event_id = f"{self.key}:{self._count}"
        self._count += 1
        self.used = True
        return stamped(kind, event_id, self.ts_ms, **fields)

    def row(self, kind: str, /, **fields: object) -> Fields:
        """An event that makes a row of its own, which is named like the event."""
        event = self.event(kind, **fields)
        return event if "id" in event else {**event, "id": event["event_id"]}


def stamped(kind: str, event_id: str, ts_ms: int | None, /, **fields: object) -> Fields:
    """An event with its id and time; a time that is not known is left out."""
    times = {} if ts_ms is None else {"ts_ms": ts_ms}
    return {"type": kind, "event_id": event_id, **times, **fields}
