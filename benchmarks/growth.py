"""Whether an event costs the same whatever stands before it (R-7): great turns and sessions against small ones.

Each sample goes on from a copy of the same saved fold and does what a live session does: a flush every few
events, with its deltas, the turn's presentation and the session's summary.
"""

from collections.abc import Callable, Sequence

from benchmarks.command import run
from benchmarks.results import Figure, figure
from benchmarks.sampling import cpu_seconds, paired
from benchmarks.workload import FIRST_MS, chunk, mixed, mixed_turn, opening, tool_step
from projections.decode import decode_event
from projections.deltas import facts
from projections.presenter import Presenter
from projections.saved import encode_head, encode_turns, restore
from projections.session import SessionFold
from projections.view import WebView

SMALL_ROWS, GREAT_ROWS = 100, 10_000
SMALL_TURNS, GREAT_TURNS = 10, 1_000
_FLUSH_EVENTS = 10
_ROWS_OF_A_STEP = 2


def measure(short: bool) -> Sequence[Figure]:
    """Go on in a turn of 100 and of 10,000 rows, and in a session of 10 and of 1,000 turns."""
    rounds = 5 if short else 9
    turn = _compared(_turn_of(SMALL_ROWS), _turn_of(GREAT_ROWS), _more_of_a_turn, rounds)
    session = _compared(mixed(SMALL_TURNS), mixed(GREAT_TURNS), _more_turns, rounds)
    return (figure("growth.turn", "", turn), figure("growth.session", "", session))


def _turn_of(row_count: int) -> list[bytes]:
    steps = row_count // _ROWS_OF_A_STEP
    return opening(1) + [event for step in range(2, steps + 2) for event in tool_step(FIRST_MS, 1, step)]


def _more_of_a_turn(_: SessionFold) -> list[bytes]:
    """Streamed text and calls in steps that no log here has reached."""
    first = GREAT_ROWS
    return [
        event
        for step in range(first, first + 20)
        for event in (
            *tool_step(FIRST_MS, 1, step),
            *(chunk(1, step + 1_000, number) for number in range(60)),
        )
    ]


def _more_turns(fold: SessionFold) -> list[bytes]:
    """Whole turns behind the last one."""
    last = max(fold.main.turns)
    return [event for turn in range(last + 1, last + 31) for event in mixed_turn(turn)]


def _compared(
    small: Sequence[bytes], great: Sequence[bytes], more: Callable[[SessionFold], list[bytes]], rounds: int
) -> list[float]:
    """Processor time of the same further events behind the great log ÷ behind the small one, pair by pair."""
    sides = [_Side(log, more) for log in (small, great)]
    samples: list[list[float]] = [[], []]
    for number in range(rounds + 1):
        for index in (0, 1) if number % 2 else (1, 0):
            seconds = sides[index].sample()
            if number:
                samples[index].append(seconds)
    return paired(samples[1], samples[0])


class _Side:
    """A log, folded and saved once, and what is to come."""

    def __init__(self, log: Sequence[bytes], more: Callable[[SessionFold], list[bytes]]) -> None:
        fold = SessionFold()
        for seq, raw in enumerate(log):
            fold.apply(seq, decode_event(raw))
        self._head, self._turns = encode_head(fold), encode_turns(fold)
        self._more = more(fold)

    def sample(self) -> float:
        """Processor seconds of going on."""
        fold = restore(self._head, self._turns)
        presenter = Presenter(WebView())
        return cpu_seconds(lambda: _go_on(fold, presenter, self._more))


def _go_on(fold: SessionFold, presenter: Presenter, events: Sequence[bytes]) -> None:
    first = fold.next_seq
    for number, raw in enumerate(events, 1):
        fold.apply(first + number - 1, decode_event(raw))
        if number % _FLUSH_EVENTS == 0:
            for one in facts(fold.drain()):
                presenter.ops(one)
            fold.facts()


if __name__ == "__main__":
    run("growth", measure)
