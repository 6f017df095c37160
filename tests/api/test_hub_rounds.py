"""When flushes run: a lone one at once, and under load together."""

import asyncio
import time

import pytest

from api.hub_rounds import Rounds
from tests.waiting import wait_until


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


async def test_a_lone_flush_waits_for_nothing() -> None:
    """It runs in the next turn of the loop."""
    flushes = Flushes(Rounds())
    for number in range(1, 4):
        flushes.join()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert len(flushes.ran) == number
        await asyncio.sleep(0.005)


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


async def test_the_pause_after_a_long_round_is_bounded() -> None:
    """A stall of the loop is no reason to stall the readers as well."""
    flushes = Flushes(Rounds(), took_s=1.0)
    flushes.join()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    ended, flushes.took_s = time.perf_counter(), 0.0
    flushes.join()
    await wait_until(lambda: len(flushes.ran) == 2, "the second round ran")
    assert flushes.ran[1] - ended < 0.5


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
