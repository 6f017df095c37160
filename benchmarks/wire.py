"""Bytes on the wire of a streamed turn ÷ the bytes of its raw events, for one subscriber of the web view.

What a frame saves is what it puts together: at 300 events/s a flush holds ten of them, at 20 events/s one.
"""

from collections.abc import Sequence
from typing import Final

from benchmarks.command import run
from benchmarks.results import Figure, figure
from benchmarks.serving import Service, served_afresh, session_names, trial

_SESSIONS: Final = 8
_SECONDS: Final = 5
_FAST, _SLOW = 300, 20
# A chunk event of `subscribers.mjs` with a text of 24 characters.
_EVENT_BYTES: Final = 124


def measure(short: bool) -> Sequence[Figure]:
    """Stream at 20 and at 300 events/s in 8 sessions, and count what one socket gets."""
    rounds = range(1 if short else 3)
    with served_afresh() as service:
        fast = [_ratio(service, _FAST, number) for number in rounds]
        slow = [_ratio(service, _SLOW, number) for number in rounds]
    return (figure("wire.ratio", "", fast), figure(f"wire.ratio_at_{_SLOW}", "", slow))


def _ratio(service: Service, rate: int, number: int) -> float:
    sessions = session_names(f"{rate}-{number}", _SESSIONS)
    load = {"sockets": 1, "sessions": sessions, "follow": "all", "rate": rate, "seconds": _SECONDS}
    found = trial(service.target, load)
    return found.bytes / (found.published * _EVENT_BYTES)


if __name__ == "__main__":
    run("wire", measure)
