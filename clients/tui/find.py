"""Searching in what is shown: places in reading order, from where the reader is."""

import re

import msgspec

from clients.tui.document import Document
from clients.tui.piece import Piece
from clients.tui.stack import Seat

MOST = 5_000


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where a match begins."""

    seat: Seat
    piece: Piece
    line: int
    offset: int


def pattern_of(query: str) -> "re.Pattern[str] | None":
    """Read what was typed: plain text, whatever its case unless it has capitals; None for nothing."""
    if not query.strip():
        return None
    flags = 0 if query != query.lower() else re.IGNORECASE
    return re.compile(re.escape(query), flags)


def places(document: Document, pattern: "re.Pattern[str]") -> list[Place]:
    """Give the lines that have a match, one place each, at most `MOST`, from the top."""
    found: list[Place] = []
    for seat in document.seats():
        for piece in seat.pieces:
            for line, text in enumerate(piece.lines):
                match = pattern.search(text)
                if match is not None:
                    found.append(Place(seat, piece, line, match.start()))
                    if len(found) == MOST:
                        return found
    return found
