"""A page: one line above, two below, and whatever is between; the pages of the terminal are made so."""

import time
from abc import abstractmethod
from collections.abc import Iterable
from typing import Generic

from textual.screen import Screen, ScreenResultType
from textual.widget import Widget

from clients.tui.bars import Bar, Part, keys_line, line
from clients.tui.harmless import one_line
from clients.tui.words import Words, duration_text, words_of
from clients.wire.connection import Link

# As often as a terminal is worth drawing, however often something comes.
FRAME_S = 1 / 30
TICK_S = 1.0
# Long enough to read a line.
_SAID_S = 10.0


class Page(Screen[ScreenResultType], Generic[ScreenResultType]):
    """A screen with its lines."""

    def __init__(self, locale: str) -> None:
        super().__init__()
        self.locale = locale
        self.words: Words = words_of(locale)
        self._said = ""
        self._said_at_s = 0.0
        self._is_stale = False

    def compose(self) -> Iterable[Widget]:
        """Build the page."""
        yield Bar("top")
        yield from self.between()
        yield Bar("status")
        yield Bar("keys")

    @abstractmethod
    def between(self) -> Iterable[Widget]:
        """Give what stands between the lines."""

    @abstractmethod
    def top_line(self) -> tuple[list[Part], list[Part]]:
        """Give the left and the right of the line above."""

    @abstractmethod
    def status_line(self) -> tuple[list[Part], list[Part]]:
        """Give the left and the right of the line below."""

    @abstractmethod
    def keys_named(self) -> list[tuple[str, str]]:
        """Give the keys of the last line and what they do; help and the way out are the last two."""

    @abstractmethod
    def draw(self) -> None:
        """Draw what is new."""

    @abstractmethod
    def paint(self, theme: str) -> None:
        """Draw in other colours."""

    def changed(self) -> None:
        """Note that something is new: it is drawn with the next frame, however much comes before that."""
        if not self._is_stale and self.is_running:
            self._is_stale = True
            self.set_timer(FRAME_S, self._draw_frame)

    def draw_bars(self) -> None:
        """Draw the lines."""
        width = self.size.width
        if not self.is_running or not width:
            return
        top, status, keys = (self.query_one(f"#{name}", Bar) for name in ("top", "status", "keys"))
        top.show(line(*self.top_line(), width))
        status.show(line(*self.status_line(), width))
        keys.show(keys_line(self.keys_named(), width))

    @property
    def said(self) -> str:
        """What the reader was told last, for as long as it takes to read it."""
        return self._said if time.monotonic() - self._said_at_s < _SAID_S else ""

    def say(self, text: str) -> None:
        """Tell the reader something, in the line below."""
        self._said, self._said_at_s = text, time.monotonic()
        self.draw_bars()

    def _draw_frame(self) -> None:
        self._is_stale = False
        self.draw()


def link_part(link: Link, words: Words, locale: str, *, is_live: bool, gone: bool = False) -> Part:
    """Say how the connection is; nothing where all is well."""
    if link.name == "open":
        return Part("" if is_live else words["loading"])
    if link.name == "connecting":
        return Part(words["connecting"])
    if link.name == "waiting":
        left_s = max(round(link.until_s - time.monotonic()), 1)
        again = words["again_in"].format(time=duration_text(left_s * 1000, locale))
        return Part(f" {words['lost']} · {again} ", "bold reverse")
    if gone:
        return Part(f" {words['gone']} ", "bold reverse")
    return Part(f" {words['ended'].format(why=one_line(link.problem))} ", "bold reverse")
