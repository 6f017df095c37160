"""What the service has of a session already, beyond what it remembers itself.

The service drops an event whose id is among the newest of its session. A longer session that is imported again, or
followed again after a break, would come twice; so its ids are read from the log first, where all of them are.
"""

import httpx
import msgspec

from api.cli_errors import CommandError
from projections.session import REMEMBERED_IDS


class _Summary(msgspec.Struct, frozen=True):
    next_seq: int


class _Event(msgspec.Struct, frozen=True):
    event_id: str | None = None


class _LogLine(msgspec.Struct, frozen=True):
    event: _Event | None = None


_SUMMARY = msgspec.json.Decoder(_Summary)
_LINE = msgspec.json.Decoder(_LogLine)
_EVENT = msgspec.json.Decoder(_Event)


def known_ids(client: httpx.Client, session: str) -> frozenset[str]:
    """Give the ids of a session's events; none where the service remembers them all, or does not answer.

    Raises:
        CommandError: the log of a long session cannot be read, so that nobody knows what would come twice.
    """
    if _event_count(client, session) <= REMEMBERED_IDS:
        return frozenset()
    try:
        with client.stream("GET", f"/v1/sessions/{session}/events") as answer:
            if answer.is_success:
                return frozenset(filter(None, map(_id_in_line, answer.iter_lines())))
            why = f"HTTP {answer.status_code}"
    except httpx.TransportError as error:
        why = str(error) or type(error).__name__
    raise CommandError(
        f"the service did not give the log of session {session!r} ({why}), and it is too long for the service to"
        " know by itself what it has of it: import into another session, or delete this one"
    )


def unknown_of(batch: list[bytes], known: frozenset[str]) -> list[bytes]:
    """Give the events of a batch that are not known."""
    return [body for body in batch if _id_of(body) not in known] if known else batch


def _event_count(client: httpx.Client, session: str) -> int:
    """Ask for the length of a session's log; a service that does not answer is the import's to wait for."""
    try:
        answer = client.get(f"/v1/sessions/{session}")
        return _SUMMARY.decode(answer.content).next_seq if answer.is_success else 0
    except (httpx.TransportError, msgspec.DecodeError):
        return 0


def _id_in_line(line: str) -> str | None:
    try:
        event = _LINE.decode(line).event
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None  # a quarantined entry may hold anything, and has no id that counts
    return None if event is None else event.event_id


def _id_of(body: bytes) -> str | None:
    try:
        return _EVENT.decode(body).event_id
    except msgspec.DecodeError:
        return None
