"""Gathered commands: one write for many, each with its own answer, and no failure that reaches further than it must."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError

from service.connection_redis import ask, connect
from service.gathered_redis import Gathered
from tests.waiting import wait_until

MANY = 300


@pytest.fixture
async def client(engine_url: str) -> AsyncIterator[Redis]:
    """A client as the adapters make it."""
    made = connect(engine_url)
    yield made
    await made.aclose()


@pytest.fixture
def gathered(client: Redis) -> Gathered:
    """Its commands, gathered."""
    return Gathered(client)


async def test_each_caller_gets_its_own_answer(gathered: Gathered) -> None:
    """Many more than go together, asked for at once, come back in the order of asking."""
    await asyncio.gather(*(gathered.execute_command("SET", f"k{at}", at) for at in range(MANY)))
    answers = await asyncio.gather(*(gathered.execute_command("GET", f"k{at}") for at in range(MANY)))
    assert answers == [str(at).encode() for at in range(MANY)]


async def test_commands_of_one_turn_go_over_one_connection(gathered: Gathered) -> None:
    """The engine sees one client where each command by itself would need one."""
    clients = await asyncio.gather(*(gathered.execute_command("CLIENT", "ID") for _ in range(50)))
    assert len(set(clients)) == 1


async def test_an_answer_is_parsed_as_the_client_parses_it(client: Redis, gathered: Gathered) -> None:
    """An adapter may use either."""
    await ask(client, "XADD", "log", "1-1", "v", "1", "b", "x")
    words = ("XRANGE", "log", "-", "+", "COUNT", 10)
    assert (
        await gathered.execute_command(*words)
        == await ask(client, *words)
        == [(b"1-1", {b"v": b"1", b"b": b"x"})]
    )


async def test_an_error_is_of_its_command_alone(gathered: Gathered) -> None:
    """A key of another type spoils nothing for the neighbours."""
    await gathered.execute_command("SET", "text", "x")
    before = asyncio.ensure_future(gathered.execute_command("GET", "text"))
    wrong = asyncio.ensure_future(gathered.execute_command("XLEN", "text"))
    after = asyncio.ensure_future(gathered.execute_command("STRLEN", "text"))
    with pytest.raises(ResponseError, match="WRONGTYPE"):
        await wrong
    assert (await before, await after) == (b"x", 1)


async def test_a_lost_connection_fails_those_who_wait_and_no_others(
    client: Redis, gathered: Gathered
) -> None:
    """What was answered stays answered, what was not is unknown, and the next command has a connection of its own."""
    asked = [
        asyncio.ensure_future(gathered.execute_command("CLIENT", "ID")),
        asyncio.ensure_future(gathered.execute_command("BLPOP", "nothing", 0)),
        asyncio.ensure_future(gathered.execute_command("PING")),
    ]
    number = await asked[0]
    await ask(client, "CLIENT", "KILL", "ID", number)
    lost = await asyncio.gather(*asked[1:], return_exceptions=True)
    assert [isinstance(one, RedisConnectionError) for one in lost] == [True, True]
    assert await gathered.execute_command("ECHO", "again") == b"again"


async def test_a_caller_that_leaves_takes_no_answer_of_another(client: Redis, gathered: Gathered) -> None:
    """Its own is read and thrown away."""
    leaving = asyncio.ensure_future(gathered.execute_command("BLPOP", "later", 0))
    staying = asyncio.ensure_future(gathered.execute_command("ECHO", "mine"))

    async def is_blocked() -> bool:
        return bool((await client.info("clients"))["blocked_clients"])

    await wait_until(is_blocked, "the engine blocks on the first")
    leaving.cancel()
    await ask(client, "RPUSH", "later", "x")
    assert await staying == b"mine"
    assert leaving.cancelled()
