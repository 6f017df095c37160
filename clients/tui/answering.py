"""What waits for the reader and is answered: from the key that opens the panel to what became of it (E-16).

1. An answer is sent in the background; whoever closes the panel first reads in the line below what became of it.
2. What was sent is not offered again, until its producer asks something else.
3. What is answered elsewhere meanwhile closes the panel. The reader may be typing: words that were not sent stay, and
   the panel with them, until a key sends it away; where there are none, letters are not commands yet for a moment.
"""

import time
from typing import Any, ClassVar

from textual.events import Key

from clients.tui.answer_panel import LABEL_CHARS, OF_PANEL, AnswerPanel, asked_by
from clients.tui.harmless import one_line
from clients.tui.page import Page
from clients.tui.session import Session
from clients.wire.address import RefusedError, WireError
from clients.wire.answers import Waiting, row_at, waiting_in
from clients.wire.held import HeldRow
from clients.wire.messages import Json
from clients.wire.service import reaching

# The service's name for a refusal -> our words for it; for any other the service's own.
_REFUSALS = {
    "answers_not_configured": "answer_elsewhere",
    "interaction_over": "answer_over",
    "interaction_unknown": "answer_over",
}


class Answering:
    """What the reader of a page answers, and what became of it.

    Attributes:
        GRACE_S: for so long after the panel closed by itself, or after the last letter since, a letter is meant for it.
    """

    GRACE_S: ClassVar[float] = 1.5

    def __init__(self, page: Page[Any], session: Session) -> None:
        self._page = page
        self._session = session
        self._words = page.words
        self._shown: AnswerPanel | None = None
        # What was asked when it was answered.
        self._sent: dict[Waiting, bytes] = {}
        self._sending: set[Waiting] = set()
        self._taken_away_s = float("-inf")

    async def begin(self, in_sight: list[Waiting]) -> None:
        """Open the panel on what waits, first of all on what the reader sees; it is open when this returns."""
        if self._shown is not None:
            self._shown.take_focus()
            return
        all_waiting = list(waiting_in(self._held))
        places = self.places()
        if not all_waiting:
            self._page.say(self._words["nothing_waits"])
        elif not self._session.connection.takes_answers:
            self._page.say(self._words["answer_elsewhere"])
        elif not places:
            self._page.say(self._words["answer_sent"])
        else:
            place = next((one for one in places if one in in_sight), places[0])
            self._shown = AnswerPanel(self, place, self._page.locale)
            await self._page.mount(self._shown, before="#status")

    @property
    def is_open(self) -> bool:
        """Whether the panel is shown."""
        return self._shown is not None

    def places(self) -> list[Waiting]:
        """Give what waits and was not answered yet."""
        return [place for place in waiting_in(self._held) if not self._is_sent(place)]

    def turn(self, place: Waiting) -> int | None:
        """Give the session's turn that a place is in; None for one of no turn."""
        row = self.row(place) if not place.path else self._held.call(place.path[0])
        return None if row is None else row.value.get("turn")

    def row(self, place: Waiting) -> HeldRow | None:
        """Give the row that waits; None where it is not held."""
        return row_at(self._held, place)

    def follow(self) -> None:
        """Something changed: close what does not wait any more, and show what is asked now."""
        shown = self._shown
        if shown is None or not shown.is_mounted or shown.is_over:
            return
        if shown.given and self.is_sending(shown.place):
            return  # what became of these words is said soon
        row = self.row(shown.place)
        if row is None:
            self._follow_gone(shown)
        elif row.value.get("status") != "pending":
            state = str(row.value.get("outcome") or row.value.get("status") or "")
            kind, title = str(row.value.get("interaction")), str(row.value.get("title") or "")
            state = self._words.get(state, state)
            is_answered = row.value.get("status") == "resolved"
            why = (
                self._words["answer_given"].format(outcome=state)
                if is_answered
                else self._words["answer_gone"]
            )
            self._take_away(shown, why, f"{self._words.get(kind, kind)}: {title} — {state}")
        elif shown.unsent and asked_by(row) != shown.asked:
            shown.end(self._words["answer_other"])
        else:
            shown.show()

    def _follow_gone(self, shown: AnswerPanel) -> None:
        """The row is not held: it is no more, or stands before what another view begins with."""
        turns, gone = self._held.turns, self._words["answer_gone"]
        if shown.turn is not None and len(turns) and shown.turn < turns[0].number:
            self._session.load_earlier()
        else:
            self._take_away(shown, gone, gone)

    def _take_away(self, shown: AnswerPanel, why: str, said: str) -> None:
        """Nothing can be answered there any more: end the panel where it holds words, else close it."""
        if shown.unsent:
            shown.end(one_line(why[:LABEL_CHARS]))
            return
        if shown.has_focus_within:
            self._taken_away_s = time.monotonic()
        self.close()
        self._page.say(one_line(said[:LABEL_CHARS]))

    def catches(self, key: Key) -> bool:
        """Say whether a key was meant for the panel that closed by itself a moment ago: it does nothing."""
        now_s = time.monotonic()
        if now_s - self._taken_away_s >= self.GRACE_S or not (key.is_printable or key.key in OF_PANEL):
            return False
        self._taken_away_s = now_s
        return True

    def is_sending(self, place: Waiting) -> bool:
        """Say whether an answer is on its way."""
        return place in self._sending

    def send(self, place: Waiting, outcome: str, payload: Json = None) -> bool:
        """Send an answer in the background; False where one is on its way, or nothing waits there any more."""
        row = self.row(place)
        if row is None or row.value.get("status") != "pending" or place in self._sending:
            return False
        self._sending.add(place)
        asked, ident = asked_by(row), str(row.value.get("id"))
        self._page.run_worker(
            self._deliver(place, asked, ident, outcome, payload), name="answer", exit_on_error=True
        )
        return True

    async def _deliver(self, place: Waiting, asked: bytes, ident: str, outcome: str, payload: Json) -> None:
        problem = ""
        try:
            async with reaching(self._session.address) as service:
                await service.answer(self._session.name, place.path, ident, outcome, payload)
        except WireError as error:
            problem = self._words["answer_failed"].format(reason=self._reason(error))
        finally:
            self._sending.discard(place)
        if not problem:
            self._sent[place] = asked
        shown = self._shown
        if shown is None or shown.place != place:
            self._page.say(problem or self._words["answer_sent"])
        elif problem:
            shown.refuse(problem)
            self.follow()
        elif shown.unsent:
            shown.end(self._words["answer_sent"])
        else:
            self.close()
            self._page.say(self._words["answer_sent"])

    @property
    def _held(self) -> Any:
        return self._session.subscription.held

    def _is_sent(self, place: Waiting) -> bool:
        row = self.row(place)
        return row is not None and self._sent.get(place) == asked_by(row)

    def _reason(self, error: WireError) -> str:
        if not isinstance(error, RefusedError):
            return one_line(str(error))
        own = _REFUSALS.get(error.code)
        return one_line(error.reason) if own is None else self._words[own]

    def close(self) -> None:
        """Back to the transcript."""
        shown, self._shown = self._shown, None
        if shown is not None:
            if shown.has_focus_within:
                self._page.set_focus(self._page.query_one("#transcript"))
            shown.remove()
