"""When flushes run: a lone one at once, and under load together."""

import asyncio
import time

import pytest

from api.hub_rounds import LONGEST_PAUSE_S, Rounds
from tests.waiting import wait_until


class Clock:
    """The rounds' own clock: it goes on when a test says so, whatever the machine does beside it."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        """Seconds."""
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """In the place of the machine's."""
    made = Clock()
    monkeypatch.setattr("api.hub_rounds.perf_counter", made)
    return made


class Flushes:
    """Counts the rounds that flushes ran in: those of one round run without a turn of the loop between."""

    def __init__(self, rounds: Rounds, took_s: float = 0.0) -> None:
        self.rounds = rounds
        self.took_s = took_s
        self.ran: list[float] = []

    def start(self) -> None:
        """One flush, as long as it takes."""
        self.ran.append(time.perf_counter())
        time.sleep(self.took_s)

    def join(self, count: int = 1) -> None:
        """Ask for flushes now."""
        for _ in range(count):
            self.rounds.join(asyncio.get_running_loop().time(), self.start)


async def test_a_lone_flush_waits_for_nothing(clock: Clock) -> None:
    """It runs in the next turn of the loop."""
    flushes = Flushes(Rounds())
    for number in range(1, 4):
        flushes.join()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert len(flushes.ran) == number
        clock.now_s += 0.001
        for _ in range(3):
            await asyncio.sleep(0)  # the round's end comes in one of these turns
        clock.now_s += 0.002


async def test_what_is_asked_for_at_once_runs_in_one_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions of one commit are one round, and so are all that come while the pause after it lasts."""
    # Long times, so that a stall of a busy machine is short beside them.
    monkeypatch.setattr("api.hub_rounds.LONGEST_PAUSE_S", 10.0)
    flushes = Flushes(Rounds(), took_s=0.2)
    flushes.join(3)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert len(flushes.ran) == 3
    ended, flushes.took_s = time.perf_counter(), 0.0
    for _ in range(5):
        flushes.join()
        await asyncio.sleep(0)
    assert len(flushes.ran) == 3
    await wait_until(lambda: len(flushes.ran) == 8, "the second round ran")
    # The pause is as long as the round was, 0.6 s.
    assert flushes.ran[3] - ended >= 0.5


async def test_the_pause_after_a_long_round_is_bounded(clock: Clock) -> None:
    """A stall of the loop is no reason to stall the readers as well."""
    flushes = Flushes(Rounds())
    flushes.join()
    await asyncio.sleep(0)
    assert len(flushes.ran) == 1
    clock.now_s += 1_000
    flushes.join()
    await wait_until(lambda: len(flushes.ran) == 2, "the second round ran")
    assert LONGEST_PAUSE_S < 0.05


async def test_a_flush_at_a_later_time_joins_a_round_then() -> None:
    """The flush interval of a session is kept."""
    flushes = Flushes(Rounds())
    loop = asyncio.get_running_loop()
    at, begun = loop.time() + 0.03, time.perf_counter()
    flushes.rounds.join(at, flushes.start)
    await wait_until(lambda: len(flushes.ran) == 1, "the flush ran")
    # By when it ran, not by a look in between: a busy machine may sleep past any time. The loop counts milliseconds.
    assert flushes.ran[0] - begun >= 0.028
    await asyncio.sleep(0.05)
    assert len(flushes.ran) == 1
