"""Tickets in the engine: one key a ticket, named by its digest, which the engine itself forgets in time.

Taking a ticket is one GETDEL: two processes that are shown the same ticket at once cannot both get it.
"""

import hashlib
import secrets
from typing import Final

from redis.asyncio import Redis

from service.connection_redis import address_of, ask, connect, our_errors, ping
from service.keys import ticket_key

_SECRET_BYTES: Final = 32


class RedisTickets:
    """`tickets.TicketStore` on one Redis or Valkey server."""

    def __init__(self, url: str) -> None:
        self._where = address_of(url)
        self._client: Redis = connect(url)

    async def start(self) -> None:
        """Raise StoreUnavailable within 5 s unless the engine answers."""
        await ping(self._client, self._where)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def issue(self, holder: bytes, lifetime_ms: int) -> str:
        ticket = secrets.token_urlsafe(_SECRET_BYTES)
        with our_errors(self._where):
            await ask(self._client, "SET", _key(ticket), holder, "PX", lifetime_ms)
        return ticket

    async def redeem(self, ticket: str) -> bytes | None:
        with our_errors(self._where):
            found: bytes | None = await ask(self._client, "GETDEL", _key(ticket))
        return found


def _key(ticket: str) -> str:
    # No salt and no stretching: what is hashed has 256 random bits, so nobody guesses it from its digest.
    return ticket_key(hashlib.sha256(ticket.encode(errors="surrogatepass")).hexdigest())
