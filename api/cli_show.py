"""`turnfold show`: a session file projected here, without any service."""

import sys
from pathlib import Path

import msgspec

from api.cli_errors import CommandError
from api.text_desktop import desktop_lines
from api.text_tui import tui_lines
from api.text_view import harmless, transcript_lines
from projections.decode import decode_event
from projections.languages import Locale
from projections.position import Position
from projections.session import SessionFold
from projections.transcript import Transcript, snapshot, window_of
from projections.view import View
from service.importers import ImportFileError, SessionFile, open_session_file
from service.importers.detect import FormatChoice

LINES = {"web": transcript_lines, "desktop": desktop_lines, "tui": tui_lines}
# A file has no store: no epoch, no committed batches.
NOWHERE = Position(epoch="", version=0)


def open_file(path: Path, file_format: FormatChoice, *, leave_open: bool, related: list[Path]) -> SessionFile:
    """Recognise a session file; raises CommandError when it cannot be read as one."""
    if path.is_fifo():
        # A file is read twice: to recognise it, then from its beginning.
        raise CommandError(f"{path}: is a pipe; write it to a file first")
    try:
        return open_session_file(path, file_format, leave_open, related=related)
    except ImportFileError as error:
        raise CommandError(f"{path}: {error}") from None
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}") from None


def project(file: SessionFile, view: View) -> Transcript:
    """Fold a whole file and give its transcript; raises CommandError when the file cannot be read on."""
    fold = SessionFold()
    try:
        for native in file:
            event = decode_event(native.body)
            event_id = getattr(event, "event_id", None)
            if event_id is None or not fold.knows(event_id):
                fold.apply(fold.next_seq, event)
    except (ImportFileError, OSError) as error:
        raise CommandError(f"{file.path}: {error}") from None
    window = window_of(fold, limit=max(len(fold.main.turns), 1))
    return snapshot(fold, file.suggested_session, NOWHERE, view, window)


def show(paths: list[Path], file_format: FormatChoice, view: View, options: "ShowOptions") -> None:
    """Print each file, as text or as one JSON document a line."""
    for path in paths:
        file = open_file(path, file_format, leave_open=options.leave_open, related=paths)
        encoded = msgspec.json.encode(project(file, view))
        if options.as_json:
            sys.stdout.buffer.write(encoded + b"\n")
            sys.stdout.flush()
            continue
        if len(paths) > 1:
            print(harmless(f"==> {path} <=="))
        shown = msgspec.json.decode(encoded)
        for line in LINES[shown["view"]["kind"]](shown, locale=options.locale, expand=options.expand):
            print(line)
        if file.report.quarantined_count:
            print(harmless(f"turnfold: {path}: {file.report}"), file=sys.stderr)


class ShowOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a file is shown."""

    leave_open: bool
    expand: bool
    as_json: bool
    locale: Locale
