"""What waits for one socket: in order, bounded, and never waited for."""

from collections.abc import Callable

from api.frames import Frame
from api.outbox import Outbox
from api.wire import nobody
from tests.waiting import wait_until


class Pipe:
    """A wire whose peer reads as a test tells it to."""

    def __init__(self) -> None:
        self.is_writable = True
        self.on_writable: Callable[[], None] = nobody
        self.buffered_bytes = 0
        self.sent: list[bytes] = []
        self.closed = False

    def write(self, frame: Frame) -> None:
        """Keep what a peer would get."""
        self.sent.append(b"".join(frame))

    async def read(self) -> None:
        """Say that the peer is gone."""

    def close(self, code: int, reason: str) -> None:
        """Close, for whatever reason."""
        del code, reason
        self.closed = True

    def abort(self) -> None:
        """Close at once."""
        self.closed = True

    def block(self) -> None:
        """The peer reads no more."""
        self.is_writable = False

    def unblock(self) -> None:
        """The peer reads again."""
        self.is_writable = True
        self.on_writable()


class Watched:
    """An outbox before a pipe, and what it told."""

    def __init__(self, max_delta_bytes: int = 100) -> None:
        self.skipped: list[str] = []
        self.drained: list[str] = []
        self.pipe = Pipe()
        self.box = Outbox(
            self.pipe,
            "json",
            skip=self.skipped.append,
            drained=self.drained.extend,
            moved=nobody,
            max_delta_bytes=max_delta_bytes,
        )


def of(size_bytes: int, letter: bytes = b"x") -> Frame:
    """A frame of so many bytes."""
    return (letter * size_bytes,)


async def test_frames_go_to_a_peer_that_reads_at_once() -> None:
    """Nothing is held back, and nothing counts as unsent."""
    watched = Watched()
    watched.box.put((b"1",))
    watched.box.put_delta((b"2", b"b"), "a")
    assert watched.pipe.sent == [b"1", b"2b"]
    assert watched.box.unsent_delta_bytes == watched.box.waiting_bytes == 0


async def test_frames_wait_in_the_order_they_were_put() -> None:
    """Deltas, answers and great frames in one line, until the peer reads."""
    watched = Watched()
    watched.pipe.block()
    watched.box.put((b"1",))
    watched.box.put_delta((b"2", b"b"), "a")
    watched.box.put((b"3",), "a")
    assert (watched.pipe.sent, watched.box.waiting_bytes) == ([], 4)
    watched.pipe.unblock()
    assert watched.pipe.sent == [b"1", b"2b", b"3"]
    assert watched.box.unsent_delta_bytes == watched.box.waiting_bytes == 0


async def test_over_the_bound_the_greatest_subscription_is_skipped() -> None:
    """Not the one whose frame came last: the others keep everything."""
    watched = Watched()
    watched.pipe.block()
    watched.box.put_delta(of(80), "great")
    watched.box.put_delta(of(30, b"y"), "small")
    assert watched.skipped == ["great"]
    watched.pipe.unblock()
    assert watched.pipe.sent == [b"y" * 30]


async def test_a_skipped_subscription_comes_back_once_the_peer_reads() -> None:
    """Not before: the snapshot is of the state at that time."""
    watched = Watched()
    watched.pipe.block()
    watched.box.put_delta(of(60), "a")
    watched.box.put_delta(of(50), "b")
    assert (watched.skipped, watched.drained) == (["a"], [])
    watched.pipe.unblock()
    assert watched.drained == ["a"]


async def test_a_dropped_subscription_leaves_nothing_behind() -> None:
    """Neither frames nor a promise to come back."""
    watched = Watched()
    watched.pipe.block()
    watched.box.put_delta(of(101), "a")
    watched.box.drop("a")
    watched.pipe.unblock()
    assert (watched.pipe.sent, watched.drained) == ([], [])


async def test_a_void_subscription_keeps_its_place() -> None:
    """What was not sent is dropped; what comes after is sent."""
    watched = Watched()
    watched.pipe.block()
    watched.box.put((b"old",), "a")
    watched.box.put((b"other",), "b")
    watched.box.void("a")
    watched.box.put((b"new",), "a")
    watched.pipe.unblock()
    assert watched.pipe.sent == [b"other", b"new"]


async def test_a_close_comes_behind_what_waits() -> None:
    """And nothing comes behind it."""
    watched = Watched()
    watched.pipe.block()
    watched.box.put((b"last",))
    watched.box.finish(lambda: watched.pipe.close(4000, ""))
    watched.box.put((b"too late",))
    assert not watched.pipe.closed
    watched.pipe.unblock()
    assert (watched.pipe.sent, watched.pipe.closed) == ([b"last"], True)


async def test_a_peer_that_takes_nothing_is_late() -> None:
    """From when the first frame waits; what the transport hands on counts as taking."""
    watched = Watched()
    assert watched.box.late_s() <= 0
    watched.pipe.block()
    watched.box.put((b"x",))
    await wait_until(lambda: watched.box.late_s() > 0.02, "the peer is late")
    watched.pipe.buffered_bytes = 1
    assert watched.box.late_s() == 0


async def test_a_skip_is_owed_until_the_snapshot_is_sent() -> None:
    """However much the peer takes in between: reading slower than the session moves is late as well."""
    watched = Watched()
    watched.pipe.block()
    watched.box.put_delta(of(101), "a")
    watched.pipe.unblock()
    await wait_until(lambda: watched.box.late_s() > 0.02, "the peer is late")
    watched.pipe.block()
    watched.box.put((b"snapshot",), "a")
    watched.box.made_good("a")
    assert watched.box.late_s() > 0.02
    watched.pipe.unblock()
    assert watched.box.late_s() <= 0
