"""The port of tickets: what stands in for a token, once, beside the ports of sessions (`ports`)."""

from typing import Protocol


class TicketStore(Protocol):
    """Tickets of every API process of a deployment.

    Secrecy: the engine holds a digest of each ticket, from which no ticket can be made.
    Atomicity: of any number of `redeem` at once, in whichever processes, one gets what the ticket stands for.
    Loss: as the engine's; a lost ticket is one that is not good. Order and duplicates: none to speak of.
    """

    async def issue(self, holder: bytes, lifetime_ms: int) -> str:
        """Make a ticket that stands for `holder`, good once within `lifetime_ms` (at least 1)."""
        ...

    async def redeem(self, ticket: str) -> bytes | None:
        """What the ticket stands for, and the ticket is used up; None: it was used, is too old or was never issued."""
        ...
