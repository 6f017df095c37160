"""Wire stage 3, one session's subscription: which frames count, what they change, and what to answer.

1. Each subscribing takes a new name, so that frames of an older one that are still on their way are void.
2. Frames of an older `view_rev` are void. The parts of a snapshot, or of older turns, are joined and applied at the
   last.
3. What does not follow (a gap, an unknown op) is never repaired by guess: subscribe again, without a position.
4. A lost connection changes nothing here: what is held stays, and `subscribe` resumes by position.
5. A position belongs to the view that it was reached in: in another one, a snapshot is asked for.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec

from clients.wire.held import Change, HeldTranscript, OutOfStepError
from clients.wire.messages import (
    CaughtUp,
    Delta,
    Earlier,
    Error,
    Json,
    NotOursError,
    OfSubscription,
    Position,
    Reset,
    Sessions,
    Snapshot,
    TurnValue,
)

State = Literal["loading", "live", "away", "ended"]
EARLIER_TURNS = 50
# The subscription is over, and the same may succeed later (`docs/protocol.md`, *Errors*).
_LATER = frozenset({"unavailable", "internal"})
# A warning; without a way to a fresh token, the end comes when it comes.
_WARNINGS = frozenset({"token_expiring"})


class Replaced(msgspec.Struct, frozen=True, kw_only=True):
    """All that was held is another now."""


class Prepended(msgspec.Struct, frozen=True, kw_only=True):
    """Older turns and rows stand before what was held."""


class StateChanged(msgspec.Struct, frozen=True, kw_only=True):
    """`Subscription.state` is another, or what it says of itself."""


class Send(msgspec.Struct, frozen=True, kw_only=True):
    """A message has to go to the service."""

    message: Json


Told = Change | Replaced | Prepended | StateChanged | Send


def state_after(error: Error) -> State | None:
    """Say what a subscription is after a refusal: over for now, or for good; None where it goes on."""
    if error.code in _WARNINGS or error.code == "too_many_messages":
        return None
    return "away" if error.code in _LATER else "ended"


class Subscription:
    """What is held of one session in one view.

    Attributes:
        held: the transcript; another object after a snapshot.
        view: the view that is asked for; `shown` the one that `held` is in, None before the first snapshot.
        state: `loading` until the first snapshot; `away`: over for now, to be asked for again; `ended` for good.
        problem: the service's words for the last two; `code` its name for it.
        history_complete: whether nothing is before what is held.
        loading_earlier: whether older turns were asked for.
    """

    def __init__(self, session: str, view: Json) -> None:
        self.session = session
        self.view = view
        self.shown: Json = None
        self.held = HeldTranscript()
        self.state: State = "loading"
        self.problem = ""
        self.code = ""
        self.position: Position | None = None
        self.history_complete = True
        self.loading_earlier = False
        self._count = 0
        self._view_rev = 0
        self._asked: Json = None  # the view of a set_view that was not answered yet
        self._parts: list[Snapshot | Earlier] = []

    @property
    def sub(self) -> str:
        """The present name."""
        return f"t{self._count}"

    def subscribe(self) -> Json:
        """Give the message that starts the subscription, or resumes it by position."""
        self._count += 1
        self._view_rev = 0
        self._parts = []
        self._asked = None
        self.loading_earlier = False
        if self.state == "away":
            self.state = "loading"
        message: dict[str, Json] = {
            "type": "subscribe", "sub": self.sub, "session": self.session, "view": self.view,
        }  # fmt: skip
        if self.position is None or self.shown != self.view:
            return message
        message["position"] = {"epoch": self.position.epoch, "version": self.position.version}
        if not self.history_complete and len(self.held.turns):
            message["from_turn"] = self.held.turns[0].number
        return message

    def set_view(self, view: Json) -> Json | None:
        """Give the message that asks for another view; what is held stays shown until its snapshot is there.

        None while an earlier question is open, or before the first snapshot: the newest view is asked for when that was
        answered.
        """
        self.view = view
        if self._asked is not None or self.state != "live":
            return None
        self._asked = view
        return {"type": "set_view", "sub": self.sub, "view": view}

    def unanswered(self) -> None:
        """Note that the service did not act on what was asked last: it may be asked again."""
        self._asked = None
        self.loading_earlier = False

    def load_earlier(self, limit: int = EARLIER_TURNS) -> Json | None:
        """Give the message that asks for older turns; None where there are none, or they are on their way."""
        if self.history_complete or self.loading_earlier or self.state != "live":
            return None
        self.loading_earlier = True
        return {"type": "load_earlier", "sub": self.sub, "limit": limit}

    def receive(self, frame: OfSubscription) -> Iterator[Told]:
        """Take a frame; gives what it changes and what to send, each before the next is done.

        Raises:
            NotOursError: a row without a key, say; no service of ours sends that.
        """
        if frame.sub != self.sub or isinstance(frame, Sessions):
            return
        if isinstance(frame, Error):
            yield from self._failed(frame)
            return
        if frame.view_rev < self._view_rev:
            return
        self._view_rev = frame.view_rev
        try:
            yield from self._take(frame)
        except OutOfStepError:
            yield from self._again()
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise NotOursError(f"what came cannot be understood: {error!r}") from None

    def _take(self, frame: Snapshot | Earlier | Delta | CaughtUp | Reset) -> Iterator[Told]:
        match frame:
            case Snapshot():
                yield from self._snapshot(frame)
            case Earlier():
                yield from self._earlier(frame)
            case Delta():
                yield from self._delta(frame)
            case CaughtUp():
                yield from self._become("live")
            case Reset():
                # A question for older turns is void with it.
                self._parts = []
                self.loading_earlier = False

    def _snapshot(self, frame: Snapshot) -> Iterator[Told]:
        if not self._whole(frame):
            return
        turns, rows = self._joined()
        self.held = HeldTranscript(turns, rows)
        # What a later version says of a view besides was not asked for.
        self.position, self.shown = frame.position, {name: frame.view.get(name) for name in self.view}
        self.history_complete = frame.history_complete
        self.loading_earlier = False
        yield Replaced()
        yield from self._become("live")
        self._asked = None
        if self.shown != self.view:
            yield Send(message=self.set_view(self.view))

    def _earlier(self, frame: Earlier) -> Iterator[Told]:
        if not self._whole(frame):
            return
        turns, rows = self._joined()
        held = self.held
        known_count = len(held.turns)
        for value in turns:
            held.add_turn(len(held.turns) - known_count, value)
        held.add_rows(held.loose, rows, 0)
        self.history_complete = frame.history_complete
        self.loading_earlier = False
        yield Prepended()

    def _delta(self, frame: Delta) -> Iterator[Told]:
        if self.position != Position(epoch=frame.epoch, version=frame.since):
            raise OutOfStepError("a delta does not follow")
        for op in frame.ops:
            yield from self.held.apply(op)
        self.position = Position(epoch=frame.epoch, version=frame.to)

    def _whole(self, frame: Snapshot | Earlier) -> bool:
        if frame.part == 0:
            self._parts = []
        if frame.part != len(self._parts):
            raise OutOfStepError("a part is missing")
        self._parts.append(frame)
        return frame.last

    def _joined(self) -> tuple[tuple[TurnValue, ...], tuple[Json, ...]]:
        parts, self._parts = self._parts, []
        turns = tuple(turn for part in parts for turn in part.turns)
        return turns, tuple(row for part in parts for row in part.session_rows)

    def _again(self) -> Iterator[Told]:
        yield Send(message={"type": "unsubscribe", "sub": self.sub})
        self.position = None
        yield Send(message=self.subscribe())

    def _failed(self, frame: Error) -> Iterator[Told]:
        state = state_after(frame)
        if state is None:
            if frame.code not in _WARNINGS:
                self.unanswered()
            return
        self.loading_earlier = False
        self.problem, self.code = frame.message, frame.code
        yield from self._become(state)

    def _become(self, state: State) -> Iterator[Told]:
        if state == "live":
            self.problem = self.code = ""
        if self.state != state or self.problem:
            self.state = state
            yield StateChanged()
