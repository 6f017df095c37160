"""`turnfold tui` without a terminal: the transcript of the chosen phase as plain text, and the end (F-4)."""

import asyncio
from collections.abc import Iterator

from clients.tui.cards import Look
from clients.tui.document import Document, pieces_of
from clients.wire.address import Address, WireError
from clients.wire.held import HeldTranscript
from clients.wire.messages import Json, Window
from clients.wire.service import reaching


def printed(session: str, address: Address, view: Json, locale: str) -> Iterator[str]:
    """Give the lines of a session as it is now.

    Raises:
        WireError: there is none, or nobody answers.
    """
    pages = asyncio.run(_fetched(session, address, view))
    if not pages:
        raise WireError(f"there is no session {session!r} at {address.url}")
    return lines_of(held_of(pages), Look(phase=view["phase"], reasoning=view["reasoning"], locale=locale))


async def _fetched(session: str, address: Address, view: Json) -> list[Window]:
    async with reaching(address) as service:
        return await service.whole(session, view)


def held_of(pages: list[Window]) -> HeldTranscript:
    """Give what pages hold together, oldest first."""
    turns = tuple(turn for page in pages for turn in page.turns)
    return HeldTranscript(turns, tuple(row for page in pages for row in page.session_rows))


def lines_of(held: HeldTranscript, look: Look) -> Iterator[str]:
    """Give the lines of a transcript, unwrapped: how wide they may be is the reader's business."""
    is_first = True
    for piece in pieces_of(Document(held, look)):
        for at, line in enumerate(piece.lines):
            margin = piece.rest if at else piece.first
            text = f"{margin}{line}".rstrip()
            if text or not is_first:
                yield text
            is_first = False
