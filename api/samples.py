"""Edge stage: the sample sessions into an empty store, through the same door that producers use."""

from importlib.resources import files
from typing import Final

import structlog

from api.event_bodies import read_events
from api.problems import Refusal
from service.keys import SessionId
from service.ports import Reader, Source

_log = structlog.get_logger(__name__)
_MAX_EVENT_BYTES: Final = 1024 * 1024


async def load_samples(source: Source, reader: Reader) -> int:
    """Append every sample session, if no session exists at all; returns how many were appended."""
    if (await reader.summaries(None, 1)).summaries:
        return 0
    loaded = 0
    for file in sorted(files("service").joinpath("samples").iterdir(), key=lambda one: one.name):
        if not file.name.endswith(".jsonl"):
            continue
        session = SessionId(file.name.removesuffix(".jsonl"))
        events = read_events(file.read_bytes(), "application/x-ndjson", max_event_bytes=_MAX_EVENT_BYTES)
        if isinstance(events, Refusal):
            _log.error("sample_refused", session=session, where=events.where, why=events.detail)
            continue
        # Event ids make a second start before the first projection harmless.
        ids = [one.event_id or f"sample:{session}:{number}" for number, one in enumerate(events)]
        await source.append(session, [one.raw for one in events], ids)
        loaded += 1
    return loaded
