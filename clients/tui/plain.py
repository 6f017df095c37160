"""`turnfold tui` without a terminal: the transcript of the chosen phase as plain text, and the end (F-4)."""

import asyncio
from collections.abc import Iterator

from clients.tui.cards import CARDS, Look
from clients.tui.document import Document, pieces_of
from clients.tui.texts import complete, cut_texts
from clients.wire.address import Address, WireError
from clients.wire.held import HeldRow, HeldTranscript
from clients.wire.messages import Json, Window
from clients.wire.service import reaching

# What these say beyond their title is shown in one phase alone.
_WITH_DETAIL = (*CARDS, "command", "context", "compaction")


def printed(session: str, address: Address, view: Json, locale: str) -> Iterator[str]:
    """Give the lines of a session as it is now.

    Raises:
        WireError: there is none, or nobody answers.
    """
    held = asyncio.run(_fetched(session, address, view))
    return lines_of(held, Look(phase=view["phase"], reasoning=view["reasoning"], locale=locale))


async def _fetched(session: str, address: Address, view: Json) -> HeldTranscript:
    async with reaching(address) as service:
        pages = await service.whole(session, view)
        if not pages:
            raise WireError(f"there is no session {session!r} at {address.url}")
        held = held_of(pages)
        for path, row in _rows(held, ()):
            if view["phase"] == "expanded" or row.value.get("kind") not in _WITH_DETAIL:
                for pointer in cut_texts(row):
                    complete(row, pointer, await service.text(session, path, row.key, pointer))
        return held


def _rows(held: HeldTranscript, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], HeldRow]]:
    """Every row, with the calls that lead to it."""
    for rows in (held.loose, *(turn.rows for turn in held.turns)):
        for row in rows:
            yield path, row
            if row.delegate is not None:
                yield from _rows(row.delegate, (*path, str(row.value.get("call_id"))))


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
