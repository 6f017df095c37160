"""`turnfold tui`: the terminal client, started; without a terminal its transcript as plain text (F-4).

The client and its framework are loaded when this command runs, so that no other command takes longer to start.
"""

import os
import sys
from typing import Any

from api.cli_errors import CommandError
from api.cli_target import Target
from projections.languages import Locale


def tui(
    session: str | None, target: Target, view: dict[str, Any], locale: Locale, *, theme: str | None
) -> int:
    """Show a session, or the list first, until the reader has had enough, or print it; gives the exit code.

    Raises:
        CommandError: there is nothing to show.
    """
    from clients.wire.address import WireError, address_of

    try:
        address = address_of(target.url, target.token)
        if _has_terminal():
            from clients.tui.start import run

            return run(session, address, view, locale, theme=theme)
        if session is None:
            raise CommandError(
                "Missing argument 'SESSION': without a terminal there is no list to choose from"
            )
        from clients.tui.plain import printed

        for line in printed(session, address, view, locale):
            print(line)
    except WireError as error:
        raise CommandError(str(error)) from None
    return 0


def _has_terminal() -> bool:
    is_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    return is_terminal and os.environ.get("TERM") != "dumb"
