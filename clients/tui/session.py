"""What the screen knows of its session: the subscription, the document made of it, and how the connection is.

Frames are taken as they come; the screen is told that something is new, not what, and draws when it is ready.
"""

import time
from collections.abc import Callable

from clients.tui.cards import Look
from clients.tui.document import Document
from clients.wire.address import Address
from clients.wire.connection import CONNECTING, Connection, Link
from clients.wire.held import Change, HeldTurn
from clients.wire.messages import Json
from clients.wire.subscription import Prepended, Replaced, Subscription, Told

PHASES = ("collapsed", "expanded", "hidden")
MORE_KEY = "m"
_LONGEST_RUN_MS = 7 * 86_400_000


class Session:
    """A session as it is followed.

    Attributes:
        change_count: how much changed so far, for whoever wants to know whether anything did.

    Args:
        changed: is called whenever there is something new to draw.
        replaced: is called with another document, which takes the place of the one before.
    """

    def __init__(
        self,
        session: str,
        address: Address,
        view: Json,
        locale: str,
        *,
        changed: Callable[[], None],
        replaced: Callable[[Document], None],
    ) -> None:
        self.name = session
        self.address = address
        self.locale = locale
        self.subscription = Subscription(session, view)
        self.document = self._document(view)
        self.link: Link = CONNECTING
        self.change_count = 0
        self._changed = changed
        self._replaced = replaced
        self._words_of_head = ""
        self.connection: Connection[Told] = Connection(
            address, self.subscription, told=self._told, linked=self._linked
        )

    @property
    def view(self) -> Json:
        """The view that is asked for; what is shown may still be the one before."""
        return self.subscription.view

    @property
    def is_shown(self) -> bool:
        """Whether what is asked for is what is shown."""
        return bool(self.subscription.shown == self.subscription.view)

    @property
    def last_turn(self) -> HeldTurn | None:
        """The newest turn."""
        turns = self.subscription.held.turns
        return turns[len(turns) - 1] if len(turns) else None

    @property
    def waiting_count(self) -> int:
        """How much waits for the reader, as far as it is held."""
        return sum(int(turn.facts.get("waiting") or 0) for turn in self.subscription.held.turns)

    def next_phase(self) -> None:
        """Ctrl+O: collapsed, expanded, hidden, collapsed (D-1)."""
        at = PHASES.index(self.view["phase"])
        self._ask({**self.view, "phase": PHASES[(at + 1) % len(PHASES)]})

    def toggle_reasoning(self) -> None:
        """Ctrl+R."""
        self._ask({**self.view, "reasoning": not self.view["reasoning"]})

    def load_earlier(self) -> bool:
        """Ask for older turns; False where there are none or they are on their way."""
        asked = self.connection.send(self.subscription.load_earlier())
        if asked:
            self.mark_head()
        return asked

    def running_ms(self) -> float | None:
        """How long the newest turn has been running by the service's clock (E-12); None where nobody knows."""
        turn = self.last_turn
        started = turn.facts.get("started_at_ms") if turn is not None else None
        if turn is None or turn.facts.get("status") != "open" or not isinstance(started, int | float):
            return None
        running_ms = time.time() * 1000 + self.connection.service_ahead_ms - started
        # What began long ago and still comes is a recording that is played again.
        return max(running_ms, 0) if running_ms < _LONGEST_RUN_MS else None

    def mark_head(self) -> None:
        """Say at the top what is above."""
        words = self.document.look.words
        if self.subscription.loading_earlier:
            said = words["earlier"]
        elif self.subscription.shown is None:
            said = words["loading"]
        elif not self.subscription.history_complete:
            said = f"↑ {words['more_above']}"
        else:
            said = f"── {words['top']} ──" if len(self.subscription.held.turns) else words["empty"]
        if said != self._words_of_head or not self.document.head.pieces:
            self._words_of_head = said
            self.document.head.fill([self.document.look.piece("divider", said, "")])

    def _ask(self, view: Json) -> None:
        self.connection.send(self.subscription.set_view(view))
        self._changed()

    def ask_again(self) -> None:
        """Ask for what was asked and not acted on: too many keys at once."""
        if self.subscription.state == "live" and not self.is_shown:
            self.connection.send(self.subscription.set_view(self.view))

    def _told(self, told: Told) -> None:
        if isinstance(told, Change):
            self.change_count += 1
            self.document.take(told)
        elif isinstance(told, Replaced):
            self.document = self._document(self.subscription.shown)
            self.mark_head()
            self._replaced(self.document)
        elif isinstance(told, Prepended):
            self.document.arrange()
        self.mark_head()
        self._changed()

    def _linked(self, link: Link) -> None:
        self.link = link
        # A connection that is being opened again is still lost: nobody knows what became of the turn.
        if link.name == "open":
            self.document.set_away(is_away=False)
        elif link.name in ("waiting", "ended"):
            self.document.set_away(is_away=True)
        self._changed()

    def _document(self, view: Json) -> Document:
        look = Look(phase=view["phase"], reasoning=view["reasoning"], locale=self.locale, more_key=MORE_KEY)
        return Document(self.subscription.held, look)
