"""What waits for one socket: in order, bounded, and never waited for."""

import asyncio

from api.frames import head_of, tail_of
from api.messages import Reset
from api.outbox import Outbox


class Watched:
    """An outbox, and what it told."""

    def __init__(self, max_delta_bytes: int = 100) -> None:
        self.skipped: list[str] = []
        self.drained: list[tuple[str, ...]] = []
        self.box = Outbox(
            skip=self.skipped.append, drained=self.drained.append, max_delta_bytes=max_delta_bytes
        )


async def test_frames_are_taken_in_the_order_they_were_put() -> None:
    """Deltas, answers and shared frames in one line."""
    box = Watched().box
    box.put("1")
    box.put_delta("2", "b", "a")
    box.put_shared("3", "c", "a")
    assert [await box.take() for _ in range(3)] == ["1", "2b", "3c"]
    assert box.unsent_delta_bytes == 0


async def test_a_writer_waits_for_the_first_frame() -> None:
    """Putting wakes it."""
    box = Watched().box
    taking = asyncio.create_task(box.take())
    await asyncio.sleep(0)
    box.put("now")
    assert await taking == "now"


async def test_over_the_bound_the_greatest_subscription_is_skipped() -> None:
    """Not the one whose frame came last: the others keep everything."""
    watched = Watched()
    watched.box.put_delta("", "x" * 80, "great")
    watched.box.put_delta("", "y" * 30, "small")
    assert watched.skipped == ["great"]
    assert await watched.box.take() == "y" * 30


async def test_a_skipped_subscription_comes_back_once_the_box_has_drained() -> None:
    """Not before: a client that is slow is not emptied and refilled at every frame."""
    watched = Watched()
    watched.box.put_delta("", "x" * 60, "a")
    watched.box.put_delta("", "y" * 50, "b")
    assert (watched.skipped, watched.drained) == (["a"], [])
    watched.box.put("end")
    assert [await watched.box.take() for _ in range(2)] == ["y" * 50, "end"]
    assert watched.drained == [("a",)]


async def test_a_dropped_subscription_leaves_nothing_behind() -> None:
    """Neither frames nor a promise to come back."""
    watched = Watched()
    watched.box.put_delta("", "x" * 101, "a")
    watched.box.drop("a")
    watched.box.put("end")
    assert await watched.box.take() == "end"
    assert watched.drained == []


def test_head_and_shared_tail_are_one_frame() -> None:
    """Any name and revision fit before what is shared."""
    tail = tail_of(Reset(sub="", view_rev=0, reason="slow"))
    frame = head_of("reset", 'a "b"', 7) + tail
    assert frame == '{"type":"reset","sub":"a \\"b\\"","view_rev":7,"reason":"slow"}'
