"""The search of one screen: what is looked for, where the reader was led, and what the service knows beyond it."""

import re

from clients.tui.find import MOST, Place, pattern_of, places
from clients.tui.stack import top_of
from clients.tui.view import TranscriptView
from clients.tui.words import Words
from clients.wire.messages import Json
from clients.wire.service import SearchHit


class Searching:
    """What is looked for.

    Attributes:
        goes_on: the reader went above the first match, and earlier turns are on their way.
        waits: how many of the things that wait were visited.
        origin: the row at the top when the search began: each character that is typed looks from there again.
        steps: where to go on once there is something to look in: to next matches (1) and previous ones (-1).
    """

    def __init__(self) -> None:
        self.query = ""
        self.pattern: re.Pattern[str] | None = None
        self.goes_on = False
        self.waits = 0
        self.origin = 0
        self.steps: list[int] = []
        self._at = 0
        self._count = 0
        self._elsewhere = 0

    def look_for(self, query: str) -> None:
        """Begin anew."""
        self.query = query
        self.pattern = pattern_of(query)
        self.goes_on = False
        self.steps = []
        self._at = self._count = self._elsewhere = 0

    def to_nearest(self, view: TranscriptView) -> None:
        """Lead to the first match from where the search began, else to the last one before."""
        view.place = None
        found = self._places(view)
        if found:
            at = _first_from(view, found, self.origin)
            self._lead(view, found, at if at < len(found) else len(found) - 1)
        view.refresh()

    def begin(self, view: TranscriptView) -> None:
        """The transcript came, and what was typed ahead of it looks in it as if it were typed now."""
        self.origin = view.top_row
        self.to_nearest(view)

    def step(self, view: TranscriptView, count: int) -> bool:
        """Lead to the next or previous match; False where there is none that way."""
        found = self._places(view)
        if not found:
            return False
        present = view.place
        at = (
            found.index(present) + count
            if present in found
            else _first_from(view, found, view.top_row) - (count < 0)
        )
        if not 0 <= at < len(found):
            return False
        self._lead(view, found, at)
        return True

    def go_on(self, view: TranscriptView) -> bool:
        """After earlier turns came: go on upwards; True where a match was found."""
        found = self.step(view, -1)
        self.goes_on = self.goes_on and not found
        return found

    def note_hits(self, hits: tuple[SearchHit, ...], query: str, view: Json) -> None:
        """Count what the service found and this phase does not show."""
        if query == self.query:
            is_open = view["phase"] == "expanded"
            self._elsewhere = sum(bool(hit.hidden_by or (hit.within and not is_open)) for hit in hits)

    def told(self, words: Words) -> str:
        """Say how the search stands; empty without one."""
        if self.pattern is None:
            return ""
        if self.goes_on:
            return words["searching_more"]
        count = f"{self._count}+" if self._count == MOST else str(self._count)
        said = words["found"].format(at=self._at, n=count) if self._count else words["not_found"]
        return f"{said} · {words['elsewhere'].format(n=self._elsewhere)}" if self._elsewhere else said

    def _places(self, view: TranscriptView) -> list[Place]:
        found = [] if self.pattern is None else places(view.document, self.pattern)
        self._count = len(found)
        return found

    def _lead(self, view: TranscriptView, found: list[Place], at: int) -> None:
        self._at = at + 1
        view.go_to_place(found[at])


def _first_from(view: TranscriptView, found: list[Place], row: int) -> int:
    """The number of the first place at or below a row."""
    low, high = 0, len(found)
    while low < high:
        middle = (low + high) // 2
        seat = found[middle].seat
        end = (top_of(seat, view.text_width) or 0) + seat.height(view.text_width)
        if end <= row:
            low = middle + 1
        else:
            high = middle
    return low
