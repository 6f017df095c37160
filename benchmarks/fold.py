"""How fast the pure fold is: bytes to events, events to rows and specs, and the web presentation at every flush.

No engine, no network, one core: what every other figure can at best come to.
"""

from collections.abc import Sequence

from benchmarks.command import run
from benchmarks.results import Figure, figure
from benchmarks.sampling import in_turn, paired
from benchmarks.workload import mixed, streaming
from projections.decode import decode_event
from projections.session import SessionFold
from projections.view import WebView
from projections.web import present_web

# As the projector folds in a backlog; a hub's flush covers fewer events.
FLUSH_EVENTS = 500
_VIEW = WebView()


def measure(short: bool) -> Sequence[Figure]:
    """Fold streamed chunks and mixed events, and decode the same for comparison."""
    chunks = streaming(10_000 if short else 50_000)
    worked = mixed(20 if short else 100)
    rounds = 5 if short else 9
    works = (
        lambda: fold(chunks),
        lambda: decode(chunks),
        lambda: fold(worked),
        lambda: decode(worked),
    )
    chunks_s, decode_chunks_s, mixed_s, decode_mixed_s = in_turn(works, rounds)
    return (
        figure("fold.chunks", "events/s", [len(chunks) / one for one in chunks_s]),
        figure("fold.mixed", "events/s", [len(worked) / one for one in mixed_s]),
        figure("fold.decode_chunks", "events/s", [len(chunks) / one for one in decode_chunks_s]),
        figure("fold.decode_mixed", "events/s", [len(worked) / one for one in decode_mixed_s]),
        figure("fold.chunks_by_decode", "", paired(chunks_s, decode_chunks_s)),
        figure("fold.mixed_by_decode", "", paired(mixed_s, decode_mixed_s)),
    )


def fold(events: Sequence[bytes]) -> SessionFold:
    """Fold a session's log as a projector does, with one presentation for each touched turn and flush."""
    session = SessionFold()
    for start in range(0, len(events), FLUSH_EVENTS):
        for seq, raw in enumerate(events[start : start + FLUSH_EVENTS], start):
            session.apply(seq, decode_event(raw))
        for touched in session.drain().touched:
            present_web(touched.turn, _VIEW)
    return session


def decode(events: Sequence[bytes]) -> None:
    """Decode and forget."""
    for raw in events:
        decode_event(raw)


if __name__ == "__main__":
    run("fold", measure)
