"""What a document shows, as plain lines: the ground on which tests of the terminal compare."""

from typing import Any

import msgspec

from clients.tui.cards import Look
from clients.tui.document import Document
from clients.tui.plain import lines_of
from clients.wire.held import HeldTranscript
from clients.wire.messages import TurnValue
from projections.view import TuiPhase, TuiView
from tests.projections.folding import Event, fold, transcript


def held_of(shown: Any) -> HeldTranscript:
    """What a snapshot gives."""
    turns = msgspec.convert(shown["turns"], tuple[TurnValue, ...])
    return HeldTranscript(turns, tuple(shown["session_rows"]))


def rows_of(document: Document, width: int) -> list[str]:
    """Every row of the screen, from the top."""
    height = document.root.height(width)
    rows = [document.root.row(number, width) for number in range(height)]
    return [f"{row.margin}{row.text}".rstrip() for row in rows]


def look(phase: TuiPhase = "collapsed", locale: str = "en") -> Look:
    """How a test looks at it."""
    return Look(phase=phase, locale=locale)


def shown(
    log: list[Event], phase: TuiPhase = "collapsed", *, reasoning: bool = True, locale: str = "en"
) -> list[str]:
    """A log as the lines that a pipe gets."""
    view = TuiView(phase=phase, reasoning=reasoning)
    return list(lines_of(held_of(transcript(fold(*log), view)), look(phase, locale)))
