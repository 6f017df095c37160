"""The harness's inbox: which messages wait, which were taken as steering, which were canceled.

A splice removes `removedCount` items at `start` of the queue `target` and puts `inserted` in their place.
Items taken from the queue `next-step` without `outcome: canceled` are delivered by a later `user/message` of
the same id, which is then steering. Items of `next-turn` open a turn and are ordinary messages.
"""

from collections.abc import Iterator

import msgspec

from service.importers.fields import JsonObject, as_table, items, table, text, whole
from service.importers.harness_content import blocks_of

_STEERING_TARGET = "next-step"


class _Waiting(msgspec.Struct, frozen=True, kw_only=True):
    id: str | None
    is_human: bool
    content: tuple[object, ...]


class Inbox:
    """Follows the splices and holds the states of steering that no event has told yet.

    One splice can change several messages, but one log event gives one native event, or `seq` would no longer
    be the log's own. So states wait in order, and the next log events that show nothing carry them
    (`next_state`).
    """

    def __init__(self) -> None:
        self._queues: dict[str, list[_Waiting]] = {}
        self._taken: set[str] = set()
        self._told: set[str] = set()
        self._untold: dict[str, JsonObject] = {}

    def splice(self, data: JsonObject) -> None:
        """Takes the data of one `agent/inbox/spliced`."""
        target = text(data, "target") or _STEERING_TARGET
        queue = self._queues.setdefault(target, [])
        start = whole(data, "start") or 0
        removed = queue[start : start + (whole(data, "removedCount") or 0)]
        inserted = [_waiting(as_table(item)) for item in items(data, "inserted")]
        queue[start : start + len(removed)] = inserted
        if target != _STEERING_TARGET:
            return
        kept_ids = {item.id for item in inserted}
        for item in removed:
            if item.id not in kept_ids:
                self._leave(item, canceled=_outcome(data) == "canceled")
        for item in inserted:
            self._enter(item)

    def is_steering(self, message_id: str) -> bool:
        """Whether the message was taken from the queue for the running turn; it is delivered now."""
        return message_id in self._taken

    def next_state(self) -> JsonObject | None:
        """The oldest state that no event has told yet, as a native event."""
        if not self._untold:
            return None
        message_id = next(iter(self._untold))
        self._told.add(message_id)
        return self._untold.pop(message_id)

    def rest(self) -> Iterator[JsonObject]:
        """All states that no event has told yet."""
        while (state := self.next_state()) is not None:
            yield state

    def _enter(self, item: _Waiting) -> None:
        if item.id is not None and item.is_human:
            self._taken.discard(item.id)
            self._untold[item.id] = _steering(item, "queued")

    def _leave(self, item: _Waiting, *, canceled: bool) -> None:
        if item.id is None or not item.is_human:
            return
        self._untold.pop(item.id, None)
        if not canceled:
            self._taken.add(item.id)
            return
        # Never told as queued, never seen: then there is nothing to take back.
        if item.id in self._told:
            self._untold[item.id] = _steering(item, "canceled")


def is_human(message: JsonObject) -> bool:
    """Whether a person wrote the message: only the source kind `user` is one; old logs name no source."""
    return text(table(message, "source"), "kind") in {"user", None}


def _waiting(message: JsonObject) -> _Waiting:
    return _Waiting(id=text(message, "id"), is_human=is_human(message), content=tuple(blocks_of(message)))


def _steering(item: _Waiting, state: str) -> JsonObject:
    return {"type": "user/steering", "id": item.id, "content": item.content, "state": state}


def _outcome(data: JsonObject) -> str | None:
    return text(data, "outcome") or text(table(data, "outcome"), "kind")
