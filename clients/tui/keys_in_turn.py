"""Keys in turn: what was typed ahead means what it means when all the keys before it have done their work (F-1).

1. A key may change what the next ones mean: `/` makes letters of commands, Enter makes commands of letters, `a` and `?`
   and the list lead to a place with keys of its own. Textual hands a key to whatever has the focus when it is read, and
   looks for a command only after the key came up from there. Keys that came in one read (a fast typist on a slow line,
   a multiplexer) would all be handed out before the first of them did anything: the `q` of `/question` would leave.
2. So a key is handed out when the one before is done, and pasted text with them: none is lost, none overtakes another.
3. A key is done when a call went its way twice behind it: from what had the focus up to the application. The first time
   the key and its command are through; the second time what these sent along the same way, such as "this was entered".
   What a command opens is waited for by the command itself, or keeps its keys until it is built, as a page does.
"""

import time
from collections import deque
from typing import ClassVar

from textual import events
from textual.app import App
from textual.message_pump import MessagePump

Typed = events.Key | events.Paste


class KeysInTurn(App[int]):
    """An application whose keys are handed out one after the other.

    Attributes:
        PATIENCE_S: for so long a key may keep the next ones waiting. It ends in thousandths of a second; something that
            never lets go of it must not take Ctrl+C from the reader.
    """

    PATIENCE_S: ClassVar[float] = 5.0

    def __init__(self, *, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        self._ahead: deque[Typed] = deque()
        # Whom the key that was handed out last has still to pass; None where all are done.
        self._way: deque[MessagePump] | None = None
        self._handed_out_s = 0.0

    @property
    def has_keys(self) -> bool:
        """Whether something that was typed is not done yet."""
        return self._way is not None

    async def on_event(self, event: events.Event) -> None:
        """Keep what is typed until its turn; any other event is handled at once."""
        if not isinstance(event, Typed) or event.is_forwarded:
            await super().on_event(event)
            return
        self._ahead.append(event)
        if self._way is None or time.monotonic() - self._handed_out_s > self.PATIENCE_S:
            await self._hand_out()

    async def _hand_out(self) -> None:
        if not self._ahead:
            self._way = None
            return
        ups = [*(self.focused or self.screen).ancestors_with_self]
        if ups[-1] is not self:  # what has the focus is being taken away
            ups.append(self)
        self._way, self._handed_out_s = deque([*ups, *ups]), time.monotonic()
        await super().on_event(self._ahead.popleft())
        await self._follow(self._way)

    async def _follow(self, way: deque[MessagePump]) -> None:
        """Go on behind the key: to the next on its way that still listens, behind all that was sent to it before."""
        if way is not self._way:
            return  # another was handed out meanwhile
        while way:
            if way.popleft().call_later(self._follow, way):
                return
        await self._hand_out()
