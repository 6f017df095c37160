"""Commands that are asked for in one turn of the event loop, sent in one write over one connection.

A hub reads the log of every session that moved, and they move together: one commit touches many. Each command by
itself costs the client 0.2 ms of the loop, mostly for the connection's way in and out of the pool.

1. Order is that of asking, and each gets its own answer; an error that the engine answers with is its command's alone.
2. A connection that fails takes everybody along who still waits on it. Nothing is sent a second time.
3. A caller that is cancelled leaves; its answer is read and thrown away, so that the others get theirs.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from redis.asyncio import Redis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ResponseError

from service.connection_redis import Words, borrowed, packed

# Answers are read one after the other: beyond this, a second connection reads beside the first.
_MOST_TOGETHER: Final = 128


class _Asked:
    """One command that waits for its answer."""

    __slots__ = ("answer", "words")

    def __init__(self, words: Words, answer: "asyncio.Future[Any]") -> None:
        self.words = words
        self.answer = answer

    def give(self, reply: Any) -> None:
        if not self.answer.done():
            self.answer.set_result(reply)

    def fail(self, error: BaseException) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


class Gathered:
    """A client's commands, gathered; for one event loop. Whoever made the client closes it."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._asked: list[_Asked] = []
        self._sending: set[asyncio.Task[None]] = set()

    async def execute_command(self, *words: str | bytes | int) -> Any:
        """The parsed answer of a command that does not block; raises what the client itself would."""
        loop = asyncio.get_running_loop()
        if not self._asked:
            loop.call_soon(self._send_all)
        one = _Asked(words, loop.create_future())
        self._asked.append(one)
        return await one.answer

    def _send_all(self) -> None:
        asked, self._asked = self._asked, []
        for start in range(0, len(asked), _MOST_TOGETHER):
            together = asked[start : start + _MOST_TOGETHER]
            sending = asyncio.create_task(self._send(together))
            self._sending.add(sending)
            sending.add_done_callback(partial(self._sent, together))

    def _sent(self, asked: Sequence[_Asked], sending: asyncio.Task[None]) -> None:
        """Whatever ended the exchange, those who wait hear of it."""
        self._sending.discard(sending)
        if sending.cancelled():
            for one in asked:
                one.answer.cancel()
        elif (error := sending.exception()) is not None:
            for one in asked:
                one.fail(error)

    async def _send(self, asked: Sequence[_Asked]) -> None:
        async with borrowed(self._client) as connection:
            await self._exchange(connection, asked)

    async def _exchange(self, connection: AbstractConnection, asked: Sequence[_Asked]) -> None:
        commands = [packed(one.words) for one in asked]
        try:
            await connection.send_packed_command(commands)
            for one in asked:
                try:
                    reply = await connection.read_response()
                except ResponseError as error:
                    one.fail(error)
                else:
                    one.give(self._parsed(one.words, reply))
        except BaseException:
            # What it still has to say would be taken for the answers of whoever uses it next.
            await connection.disconnect(nowait=True)
            raise

    def _parsed(self, words: Words, reply: Any) -> Any:
        parse = self._client.response_callbacks.get(str(words[0]))
        return reply if parse is None else parse(reply)
