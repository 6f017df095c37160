"""How long a search through 100,000 rows takes, and how long at a time it keeps others from working.

A word that stands nowhere is the worst case: every text of every row is looked at. A common word fills the first page
at once; what it costs is the way to each hit in the asked view.
"""

from collections.abc import Sequence
from time import process_time

from benchmarks.command import run
from benchmarks.fold import fold
from benchmarks.results import Figure, figure
from benchmarks.sampling import in_turn, quantile
from benchmarks.workload import mixed
from projections.search import query_of, search
from projections.session import SessionFold
from projections.view import DesktopView, View, WebView

_ROWS = 100_000
_SHORT_ROWS = 5_000
# As `GET …/search` gives by default.
_PAGE = 50
_ABSENT, _COMMON = "xylophone", "sorted"


def measure(short: bool) -> Sequence[Figure]:
    """Search a great session for a word that is nowhere and for one that is everywhere."""
    session = session_of(_SHORT_ROWS if short else _ROWS)
    works = (
        lambda: first_hits(session, _ABSENT, WebView()),
        lambda: first_hits(session, _COMMON, WebView()),
        lambda: first_hits(session, _COMMON, DesktopView()),
    )
    absent_s, web_s, desktop_s = in_turn(works, 3 if short else 7)
    slices_s = slices(session, _ABSENT)
    return (
        figure("search.absent", "ms", [1000 * one for one in absent_s]),
        figure("search.page_web", "ms", [1000 * one for one in web_s]),
        figure("search.page_desktop", "ms", [1000 * one for one in desktop_s]),
        figure("search.slice", "ms", [1000 * quantile(slices_s, 0.99)]),
        figure("search.rows", "", [session.main.row_count]),
    )


def session_of(row_count: int) -> SessionFold:
    """A session of a working agent with at least so many rows."""
    per_turn = fold(mixed(1)).main.row_count
    return fold(mixed(-(-row_count // per_turn)))


def first_hits(session: SessionFold, word: str, view: View) -> int:
    """Look for a word until a page is full; returns how many hits there were."""
    query = query_of(word)
    assert query is not None
    count = 0
    for found in search(session, query, view):
        count += found is not None
        if count == _PAGE:
            break
    return count


def slices(session: SessionFold, word: str) -> list[float]:
    """Processor seconds between two places where a search lets others work."""
    query = query_of(word)
    assert query is not None
    found: list[float] = []
    since = process_time()
    for _ in search(session, query, WebView()):
        now = process_time()
        found.append(now - since)
        since = now
    return found


if __name__ == "__main__":
    run("search", measure)
