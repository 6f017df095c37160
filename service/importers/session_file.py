"""The one entry of this package: a session file as native events, with an account of every line."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from service.importers.accounting import ImportReport, Ledger
from service.importers.claude_children import own_session_id
from service.importers.claude_files import ClaudeCodeFiles
from service.importers.detect import Format, FormatChoice, detect
from service.importers.emit import NativeEvent
from service.importers.growing import GrowingLines
from service.importers.harness import read_harness_lines
from service.importers.lineage import find_parent_call, session_id
from service.importers.lines import Line, open_bytes, read_lines
from service.importers.native import read_native_lines
from service.importers.session_names import is_session_name, session_name

# Transport noise can come first; a file that has shown no known line by then is of another kind.
_HEAD_LINES = 20


class SessionFile:
    """A session file that was recognised.

    Iterating reads it from its beginning, as a stream, and may be done again; `report` is the account of the
    newest iteration so far.
    """

    def __init__(
        self,
        path: Path,
        file_format: Format,
        suggested_session: str,
        *,
        leave_open: bool,
        parent_call_id: str | None,
    ) -> None:
        self.path = path
        self.format: Format = file_format
        self.suggested_session = suggested_session
        self._leave_open = leave_open
        self._parent_call_id = parent_call_id
        self._ledger = Ledger()

    @property
    def report(self) -> ImportReport:
        """What became of the lines read so far."""
        return self._ledger.report()

    def __iter__(self) -> Iterator[NativeEvent]:
        self._ledger = Ledger()
        if self.format == "claude-code":
            files = ClaudeCodeFiles(self.path, self._ledger, leave_open=self._leave_open)
            yield from files.events()
            return
        with open_bytes(self.path) as stream:
            yield from self._events(read_lines(stream), leave_open=self._leave_open)

    def follow(self, wait: Callable[[], None]) -> Iterator[NativeEvent]:
        """Events as the file grows, from its beginning and without end.

        Args:
            wait: called whenever everything that is there was given; it returns when to look again.

        Raises:
            ImportFileError: the file became shorter.
        """
        self._ledger = Ledger()
        if self.format == "claude-code":
            yield from ClaudeCodeFiles(self.path, self._ledger, leave_open=True).follow(wait)
            return
        with GrowingLines(self.path) as lines:
            yield from self._events(_endless(lines, wait), leave_open=True)

    def _events(self, lines: Iterable[Line], *, leave_open: bool) -> Iterator[NativeEvent]:
        if self.format == "native":
            yield from read_native_lines(lines, self._ledger, leave_open=leave_open)
        else:
            yield from read_harness_lines(
                lines, self._ledger, leave_open=leave_open, parent_call_id=self._parent_call_id
            )


def _endless(lines: GrowingLines, wait: Callable[[], None]) -> Iterator[Line]:
    while True:
        yield from lines.whole()
        wait()


def open_session_file(
    path: Path,
    file_format: FormatChoice = "auto",
    leave_open: bool = False,
    *,
    related: Sequence[Path] = (),
) -> SessionFile:
    """Recognises a session file and opens it for reading.

    Args:
        path: the file; zstd is known by its content.
        file_format: `auto` looks at the first lines.
        leave_open: the file may still grow: its last turn and a torn last line are left as they are.
        related: files imported together with this one, among which a subagent's parent is looked for.

    Raises:
        UnknownFormatError: with `auto`, when no supported format fits.
        OSError: the file cannot be read.
    """
    found: Format = detect(_head(path)) if file_format == "auto" else file_format
    is_harness = found == "harness"
    own_id = _own_id(path, found) or ""
    return SessionFile(
        path,
        found,
        # An id that is not of our alphabet is a placeholder as a rule, which many files share; their names
        # differ.
        own_id if is_session_name(own_id) else session_name(_stem(path)),
        leave_open=leave_open,
        parent_call_id=find_parent_call(path, related) if is_harness and related else None,
    )


def _own_id(path: Path, found: Format) -> str | None:
    match found:
        case "harness":
            return session_id(path)
        case "claude-code":
            return own_session_id(path)
        case "native":
            return None


def _head(path: Path) -> bytes:
    with open_bytes(path) as stream:
        return b"\n".join(line.raw for line in islice(read_lines(stream), _HEAD_LINES))


def _stem(path: Path) -> str:
    name = path.name
    for ending in (".zst", ".zstd", ".jsonl", ".ndjson", ".json"):
        name = name.removesuffix(ending)
    return name
