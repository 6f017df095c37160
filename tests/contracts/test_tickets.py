"""The contract of `tickets.TicketStore`, on every engine."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from service.tickets_redis import RedisTickets
from tests.waiting import wait_until

LONG_MS = 30_000


@pytest.fixture
async def tickets(engine_url: str) -> AsyncIterator[RedisTickets]:
    """Tickets on an empty engine, as one API process holds them."""
    made = RedisTickets(engine_url)
    await made.start()
    yield made
    await made.close()


@pytest.fixture
async def elsewhere(engine_url: str) -> AsyncIterator[RedisTickets]:
    """The tickets of another process."""
    made = RedisTickets(engine_url)
    yield made
    await made.close()


async def test_a_ticket_stands_for_its_holder_once(tickets: RedisTickets, elsewhere: RedisTickets) -> None:
    """Whichever process is shown it; the second time it is nothing, as is a ticket that was never issued."""
    ann, bob = [await tickets.issue(holder, LONG_MS) for holder in (b"ann", b"bob")]
    assert await elsewhere.redeem(ann) == b"ann"
    assert await tickets.redeem(ann) is None
    assert await elsewhere.redeem(ann) is None
    assert await tickets.redeem(bob) == b"bob"
    for never in ("", "x", "\ud800", ann.lower(), "*", "{a}:b\n"):
        assert await tickets.redeem(never) is None


async def test_of_many_at_once_one_gets_it(tickets: RedisTickets, elsewhere: RedisTickets) -> None:
    """Atomicity: a ticket that leaked opens one socket, its owner's or the thief's, and never both."""
    for _ in range(20):
        ticket = await tickets.issue(b"ann", LONG_MS)
        taken = await asyncio.gather(*((tickets, elsewhere)[n % 2].redeem(ticket) for n in range(8)))
        assert sorted(one for one in taken if one) == [b"ann"]


async def test_a_ticket_is_forgotten_in_time(tickets: RedisTickets, engine_url: str) -> None:
    """The engine does it by itself: nothing stays of a ticket that nobody used."""
    ticket = await tickets.issue(b"ann", 30)
    engine = Redis.from_url(engine_url)

    async def is_empty() -> bool:
        return await engine.dbsize() == 0

    await wait_until(is_empty, "the engine holds nothing")
    assert await tickets.redeem(ticket) is None
    await engine.aclose()


async def test_the_engine_holds_a_digest_and_no_ticket(tickets: RedisTickets, engine_url: str) -> None:
    """Who reads the store, or a copy of it, cannot open a socket with what is there."""
    ticket = await tickets.issue(b"ann", LONG_MS)
    engine = Redis.from_url(engine_url)
    (key,) = await engine.keys("*")
    assert ticket.encode() not in key
    assert await engine.get(key) == b"ann"
    assert await engine.pttl(key) <= LONG_MS
    await engine.aclose()


async def test_no_two_tickets_are_alike(tickets: RedisTickets) -> None:
    """Each holds 256 random bits, in characters that a URL and a header bear."""
    made = {await tickets.issue(b"ann", LONG_MS) for _ in range(50)}
    assert len(made) == 50
    assert all(len(ticket) == 43 and ticket.replace("-", "").replace("_", "").isalnum() for ticket in made)
