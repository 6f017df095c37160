"""The application in a terminal that nobody sees, on a service that runs: what is on the screen, and the keys."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.pilot import Pilot

from clients.tui.app import TuiApp
from clients.tui.keyboard import Keyboard
from clients.tui.transcript_page import TranscriptPage
from clients.wire.address import address_of
from tests.waiting import wait_until


@dataclass
class Terminal:
    """A screen and its keyboard."""

    app: TuiApp
    pilot: Pilot[int]

    @property
    def page(self) -> TranscriptPage:
        """The page of the session that is shown."""
        return next(page for page in self.app.screen_stack if isinstance(page, TranscriptPage))

    def rows(self) -> list[str]:
        """Every row of the screen, without the spaces at its end."""
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]

    def body(self) -> list[str]:
        """The rows of the transcript that hold something, without the position's sign."""
        rows = [row.rstrip("▐").rstrip() for row in self.rows()[1:-2]]
        return [row for row in rows if row]

    def text(self) -> str:
        """The whole screen."""
        return "\n".join(self.rows())

    def styled(self) -> str:
        """The whole screen with what a reader sees beside letters; see `styled_rows`."""
        return "\n".join(styled_rows(self.app.screen._compositor.render_strips()))

    def widths(self) -> set[int]:
        """The cells of the rows as the terminal gets them."""
        strips = self.app.screen._compositor.render_strips()
        return {sum(cell_len(segment.text) for segment in strip) for strip in strips}

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other; they are done when this returns."""
        await self.pilot.press(*keys)
        await self._done()

    async def type_ahead(self, typed: str) -> None:
        """Have the terminal send all of this in one read, as its bytes come; it is done when this returns."""
        parser = Keyboard()
        for event in (*parser.feed(typed), *parser.feed("")):
            self.app.post_message(event)
        await self._done()

    async def _done(self) -> None:
        """Returns once all that was typed did what it does, or the application ended."""
        taken = asyncio.Event()
        if self.app.call_later(taken.set):
            await wait_until(lambda: taken.is_set() or not self.app.is_running, "the keys are taken")
        await wait_until(lambda: not (self.app.has_keys and self.app.is_running), "the keys are done")
        await self.pilot.pause()

    async def shows(self, text: str, *, within_s: float = 15.0) -> None:
        """Returns once this is on the screen."""
        await wait_until(
            lambda: text in self.text(), f"the screen shows {text!r}:\n{self.text()}", within_s=within_s
        )

    async def shows_not(self, text: str) -> None:
        """Returns once this is not on the screen."""
        await wait_until(lambda: text not in self.text(), f"the screen shows {text!r} no more", within_s=15)

    async def resize(self, width: int, height: int) -> None:
        """Make the terminal as wide and high as this."""
        await self.pilot.resize_terminal(width, height)
        await self.pilot.pause()


async def settled(screen: Terminal, look: Callable[[], str]) -> str:
    """The screen as `look` sees it, once it is so twice."""
    before = ""
    for _ in range(100):
        await screen.pilot.pause(0.1)
        shown = look()
        if shown == before:
            return shown
        before = shown
    raise AssertionError("the screen never comes to rest")


def styled_rows(strips: Iterable[Iterable[Segment]]) -> list[str]:
    """Rows with their styles before the text that has them: `⟨bold #7ab7ff on #14181d⟩You⟨⟩  `.

    `⟨⟩` is the terminal's own. Spaces at the end of a row stay: a bar's ground reaches the edge.
    """
    rows = []
    for strip in strips:
        row, before = "", ""
        for text, style, control in strip:
            if control or not text:
                continue
            now = _seen(style)
            row += text if now == before else f"⟨{now}⟩{text}"
            before = now
        rows.append(row if before else row.rstrip())
    return rows


def _seen(style: Style | None) -> str:
    """What of a style is seen: weights, colour, ground."""
    if style is None:
        return ""
    weights = ("bold", "dim", "italic", "underline", "reverse", "strike", "blink")
    parts = [name for name in weights if getattr(style, name)]
    if style.color is not None and not style.color.is_default:
        parts.append(style.color.name)
    if style.bgcolor is not None and not style.bgcolor.is_default:
        parts.append(f"on {style.bgcolor.name}")
    return " ".join(parts)


@asynccontextmanager
async def terminal(
    url: str,
    session: str | None,
    *,
    size: tuple[int, int] = (80, 24),
    phase: str = "collapsed",
    locale: str = "en",
    theme: str = "dark",
    token: str | None = None,
    **view: Any,
) -> AsyncIterator[Terminal]:
    """The application on a session, until the block ends."""
    asked = {"kind": "tui", "phase": phase, "reasoning": True, **view}
    app = TuiApp(session, address_of(url, token), asked, locale, theme)
    async with app.run_test(size=size) as pilot:
        yield Terminal(app, pilot)
