"""Edge stage: who says `hello`: a token's access, or that of the token which a ticket stands for (R-16)."""

from typing import Final

import msgspec

from api.auth import FULL_ACCESS, Access, Authenticator
from api.problems import Refusal
from service.tickets import TicketStore

#: Long enough to load a page and open a socket, too short to be found in a log and used.
TICKET_LIFETIME_MS: Final = 30_000
_WHERE: Final = "field ticket"

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Access).decode


class Credentials:
    """Turns tokens and tickets into access; without authentication every caller has full access."""

    def __init__(self, authenticator: Authenticator, tickets: TicketStore) -> None:
        self._authenticator = authenticator
        self._tickets = tickets

    def of_token(self, token: str) -> Access | Refusal:
        """The access of a token, or why it was not accepted."""
        return self._authenticator.authenticate(token)

    async def of_ticket(self, ticket: str, now_ms: int) -> Access | Refusal:
        """The access that the ticket stood for, which is used up; or why it was not accepted. Raises ServiceError."""
        if not self._authenticator.is_configured:
            return FULL_ACCESS
        held = await self._tickets.redeem(ticket)
        if held is None:
            detail = "The ticket was used before, is older than 30 s, or was never given out."
            return Refusal(code="token_invalid", detail=detail, where=_WHERE)
        access = _decode(held)
        if access.expires_at_s is not None and access.expires_at_s * 1000 <= now_ms:
            detail = "The time of the ticket's token (exp) is over."
            return Refusal(code="token_expired", detail=detail, where=_WHERE)
        return access


async def ticket_for(access: Access, tickets: TicketStore) -> str:
    """A ticket for what the access may read, for as long as it lasts; raises ServiceError."""
    reading = msgspec.structs.replace(access, scopes=frozenset({"read"}))
    return await tickets.issue(_encode(reading), TICKET_LIFETIME_MS)
