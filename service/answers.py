"""Port: answers of readers on their way to the producer that waits for them (`clients.md` E-16).

The log is the producer's: an answer changes nothing here. What became of it is what the producer then appends
(`interaction/resolve`).
"""

from typing import Protocol

from msgspec import Raw, Struct

from projections.position import Position
from service.errors import ServiceError
from service.keys import SessionId


class Answer(Struct, frozen=True, kw_only=True):
    """What a reader answered to an interaction that waits.

    Attributes:
        interaction: its id, as the producer gave it.
        inside: the calls that lead to the delegate that asked; empty for the session itself.
        kind: `permission`, `question`, …, as it was asked.
        outcome: the reader's word, one of the asked options or any other.
        payload: what came with it, any JSON; null for nothing.
        subject: who answered, as the token says; empty without authentication.
        position: what the reader's service had seen of the session.
    """

    session: SessionId
    interaction: str
    inside: tuple[str, ...]
    kind: str
    call_id: str | None
    outcome: str
    payload: Raw
    subject: str
    position: Position


class AnswerRefused(ServiceError):
    """The receiver does not take this answer; reaction: tell the reader, do not send it again.

    Attributes:
        status: the receiver's HTTP status.
    """

    def __init__(self, status: int) -> None:
        super().__init__(f"the receiver of answers refused it with HTTP {status}")
        self.status = status


class AnswerUndelivered(ServiceError):
    """Nobody knows whether the receiver took the answer; reaction: it may be sent again.

    Attributes:
        why: what came in between, without any address.
    """

    def __init__(self, why: str) -> None:
        super().__init__(f"the receiver of answers did not take it: {why}")
        self.why = why


class AnswerForwarder(Protocol):
    """Where answers go.

    Order: none. Loss: AnswerUndelivered says that it may be lost. Duplicates: possible after AnswerUndelivered; the
    receiver knows them by session, delegates and interaction. Concurrency: any number of answers.
    """

    async def forward(self, answer: Answer, now_ms: int) -> str:
        """Hand an answer over and give the id of the delivery; raises AnswerRefused and AnswerUndelivered."""
        ...
