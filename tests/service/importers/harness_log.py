"""Small harness logs for the importer's tests, written as a person would say them."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from service.importers.accounting import ImportReport, Ledger
from service.importers.harness import read_harness

Json = dict[str, Any]


def event(kind: str, /, **data: Any) -> Json:
    """A log event without `seq` and `time`, as snapshots have them."""
    return {"type": kind, "data": data}


def chunk(kind: str, /, **fields: Any) -> Json:
    """A streamed chunk of turn 1, step 1."""
    return event("assistant/chunk", turn=1, step=1, chunk={"type": kind, **fields})


def said(message_id: str, text: str, source: str = "user") -> Json:
    """A message as the inbox and the log hold it."""
    return {"id": message_id, "content": [{"type": "text", "text": text}], "source": {"kind": source}}


def splice(*inserted: Json, removed: int = 0, start: int = 0, target: str = "next-step", **more: Any) -> Json:
    """A change of the inbox."""
    return event(
        "agent/inbox/spliced",
        target=target,
        start=start,
        removedCount=removed,
        inserted=list(inserted),
        **more,
    )


def answer(text: str, turn: int = 1, step: int = 1) -> Json:
    """The settled message of a step."""
    return event("assistant/message", turn=turn, step=step, content=[{"type": "text", "text": text}])


def natives(log: Iterable[Mapping[str, Any] | bytes], *, leave_open: bool = True) -> list[Json]:
    """The native events of a log, without their ids."""
    read = [json.loads(native.body) for native in read_harness(log, leave_open=leave_open)]
    return [{key: value for key, value in fields.items() if key != "event_id"} for fields in read]


def bodies(*log: Json) -> list[bytes]:
    """The native events as the bytes that are appended."""
    return [found.body for found in read_harness(log)]


def native(record: Json) -> Json:
    """The native event of one log event."""
    (found,) = natives([record])
    return found


def account(log: Iterable[Mapping[str, Any] | bytes]) -> ImportReport:
    """The report after a log was read."""
    ledger = Ledger()
    for _ in read_harness(log, ledger=ledger):
        pass
    return ledger.report()
