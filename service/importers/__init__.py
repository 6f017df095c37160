"""Pure readers of session files: lines of bytes in, native events out, every line accounted for.

The file's way through this package, one module a stage: `lines` or `growing` (bytes to lines) → `parse` and `reading`
(lines to objects) → `native`, `harness` or `claude_code` (objects to native events) → `emit` (ids, pauses, bytes).
`accounting` says what became of each line; `session_file` is the entry, `directory` looks through a folder. Nothing
here knows a network, a clock or a store.
"""

from service.importers.accounting import ImportReport
from service.importers.emit import NativeEvent
from service.importers.errors import ImportFileError, UnknownFormatError
from service.importers.session_file import SessionFile, open_session_file

__all__ = [
    "ImportFileError",
    "ImportReport",
    "NativeEvent",
    "SessionFile",
    "UnknownFormatError",
    "open_session_file",
]
