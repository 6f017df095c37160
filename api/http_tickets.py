"""Edge stage: tickets, which open one socket in place of a token (R-16).

A browser cannot put a header on a handshake, and a page should not have to hold a token. Who holds one asks here, and
hands the ticket to the page, which says it in `hello` or `refresh`.
"""

from typing import Any

import msgspec
from litestar import Request, Response, post

from api.answers import answer
from api.credentials import TICKET_LIFETIME_MS, ticket_for
from api.openapi import given, problems
from api.parts import access_of, demand, parts_of


class TicketGiven(msgspec.Struct, frozen=True, kw_only=True):
    """A ticket; whoever shows it first within `expires_in_ms` has it."""

    ticket: str
    expires_in_ms: int


@post(
    "/v1/tickets",
    operation_id="createTicket",
    summary="A ticket that opens one socket",
    tags=["tickets"],
    status_code=201,
    responses={201: given(TicketGiven, "The ticket."), **problems(401, 403, 415, 503)},
)
async def create_ticket(request: Request[Any, Any, Any]) -> Response[bytes]:
    """A single-use ticket for `hello` or `refresh` of a socket: it sees what the caller's token sees, for as long.

    It is good for 30 s and for one socket. The body is not read; send `{}`.
    """
    demand(request, "read")
    ticket = await ticket_for(access_of(request), parts_of(request).tickets)
    return answer(
        request,
        TicketGiven(ticket=ticket, expires_in_ms=TICKET_LIFETIME_MS),
        status=201,
        cache="no-store",
    )
