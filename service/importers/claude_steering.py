"""What a human typed while a turn ran: queued, then delivered into the turn, or taken back.

`queue-operation` lines have no ids, and the attachment that delivers a message names another line, so that the two
are paired by their text, the oldest first. A message that left the queue (`remove`) was taken by the turn if the model
goes on, with an attachment as a rule, in some versions without; `dequeue` and `popAll` take it out of the turn.
"""

from collections.abc import Iterator

import msgspec

from service.importers.claude_content import Fields
from service.importers.claude_lines import is_host_text, plain_text
from service.importers.claude_stamp import LineStamp
from service.importers.fields import JsonObject, text

# Why a message left the queue, in versions that say it.
_TAKEN = "absorbed_mid_turn"


class _Queued(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    said: str
    has_left: bool = False


class Steering:
    """The queue of one conversation."""

    def __init__(self, stamp: LineStamp) -> None:
        self._stamp = stamp
        self._queued: list[_Queued] = []

    def operation(self, line: JsonObject, turn: int | None) -> Iterator[Fields]:
        """A `queue-operation`; outside a turn nothing waits, since the next prompt opens one."""
        said = text(line, "content")
        match text(line, "operation"):
            case "enqueue" if (
                turn is not None and said is not None and said.strip() and not is_host_text(said)
            ):
                yield from self._enqueue(said, turn)
            case "popAll":
                yield from self.cancel_all(turn)
            case "remove" if said is not None and text(line, "reason") in {None, _TAKEN}:
                self._leave(said)
            case _:
                # `dequeue` says nothing that the prompt behind it does not say.
                pass

    def _enqueue(self, said: str, turn: int) -> Iterator[Fields]:
        queued = self._stamp.row(
            "user/steering", turn=turn, state="queued", content=[{"type": "text", "text": said}]
        )
        self._queued.append(_Queued(id=str(queued["id"]), said=said.strip()))
        yield queued

    def _leave(self, said: str) -> None:
        for place, item in enumerate(self._queued):
            if item.said == said.strip() and not item.has_left:
                self._queued[place] = msgspec.structs.replace(item, has_left=True)
                return

    def taken(self, turn: int) -> Iterator[Fields]:
        """The model goes on: what left the queue without an attachment was taken all the same."""
        for item in [item for item in self._queued if item.has_left]:
            yield self.deliver([{"type": "text", "text": item.said}], item.id, turn)

    def deliver(self, content: list[Fields], own_id: str, turn: int) -> Fields:
        """A message that the running turn took."""
        said = plain_text(content).strip()
        found = next((item for item in self._queued if item.said == said), None)
        if found is not None:
            self._queued.remove(found)
        steering_id = found.id if found else own_id
        return self._stamp.event(
            "user/steering", id=steering_id, turn=turn, state="delivered", content=content
        )

    def cancel_all(self, turn: int | None) -> Iterator[Fields]:
        """What is still queued will not reach this turn: it was taken back, or it opens a turn of its own."""
        queued, self._queued = self._queued, []
        for item in queued:
            yield {
                "type": "user/steering",
                "event_id": f"{item.id}:left",
                "id": item.id,
                "turn": turn,
                "state": "canceled",
            }
