"""`turnfold tui` in a terminal: ask the service once, then the screen."""

import asyncio
import sys

from clients.tui.app import TuiApp
from clients.tui.keyboard import use_keyboard
from clients.tui.palette import USUAL
from clients.wire.address import Address
from clients.wire.messages import Json
from clients.wire.service import reaching


def run(session: str | None, address: Address, view: Json, locale: str, *, theme: str | None) -> int:
    """Show a session, or the list to choose from, until the reader has had enough; gives the exit code.

    Raises:
        WireError: nobody answers, or this reader may not see the session. Said before the screen opens, since it is
            gone when that closes. A session that is not there yet is waited for.
    """
    asyncio.run(_reached(session, address))
    use_keyboard()
    app = TuiApp(session, address, view, locale, theme or USUAL)
    code = app.run()
    if code is None and app.return_code:
        return app.return_code
    sys.stdout.flush()
    return code or 0


async def _reached(session: str | None, address: Address) -> None:
    async with reaching(address) as service:
        if session is None:
            await service.sessions(None, limit=1)
        else:
            await service.knows(session)
