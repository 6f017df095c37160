"""`turnfold import --follow`: a session file that still grows, sent into a running service as it does.

1. The file is read from its beginning, like in an import that ends; what the service knows already it drops.
2. Whatever was read is sent when the file has nothing more, so that a reader sees a line within a poll.
3. It ends with Ctrl-C, or when the file is cut or replaced. The last turn is left open.
"""

import time
from pathlib import Path

import httpx

from api.cli_errors import CommandError
from api.cli_import import BATCH_BYTES, BATCH_EVENTS, client_of, send_unknown
from api.cli_known import known_ids
from api.cli_show import open_file
from api.cli_target import Target
from api.text_view import harmless
from service.importers import ImportFileError, SessionFile
from service.importers.detect import FormatChoice

# Short against what a person notices, long against what a look at the file costs.
POLL_S = 0.25


def follow_file(path: Path, file_format: FormatChoice, target: Target, session: str | None) -> None:
    """Send a growing file until Ctrl-C; raises CommandError when it cannot go on."""
    _wait_for_content(path)
    file = open_file(path, file_format, leave_open=True, related=[path])
    name = session or file.suggested_session
    print(harmless(f"{path}: session {name}: following, until Ctrl-C"), flush=True)
    with client_of(target) as client:
        sender = _Sender(client, name)
        try:
            _send_all(file, sender)
        finally:
            known = f", {sender.duplicates} of them known already" if sender.duplicates else ""
            print(harmless(f"{path}: session {name}: {sender.sent} events sent{known}\n{file.report}"))


def _wait_for_content(path: Path) -> None:
    """An agent makes its file before it writes the first line, which tells the format."""
    try:
        while path.is_file() and path.stat().st_size == 0:
            time.sleep(POLL_S)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}") from None


def _send_all(file: SessionFile, sender: "_Sender") -> None:
    try:
        for event in file.follow(sender.pause):
            sender.add(event.body)
    except (ImportFileError, OSError) as error:
        raise CommandError(f"{file.path}: {error}") from None


class _Sender:
    """Collects events and sends them in batches."""

    def __init__(self, client: httpx.Client, session: str) -> None:
        self.sent = 0
        self.duplicates = 0
        self._client = client
        self._session = session
        self._known = known_ids(client, session)
        self._batch: list[bytes] = []
        self._size_bytes = 0

    def add(self, body: bytes) -> None:
        """Take one event."""
        if self._batch and (len(self._batch) >= BATCH_EVENTS or self._size_bytes + len(body) > BATCH_BYTES):
            self._flush()
        self._batch.append(body)
        self._size_bytes += len(body)

    def pause(self) -> None:
        """The file has nothing more: send what there is, and look again after a while."""
        self._flush()
        time.sleep(POLL_S)

    def _flush(self) -> None:
        if self._batch:
            self.duplicates += send_unknown(
                self._client, self._session, self._batch, self._known, was_reached=self.sent > 0
            )
            self.sent += len(self._batch)
            self._batch, self._size_bytes = [], 0
