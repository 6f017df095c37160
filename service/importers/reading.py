"""Stage 3 of an import, shared by all JSONL formats: lines to objects, every line accounted for."""

from collections.abc import Iterable, Iterator

from service.importers.accounting import Ledger
from service.importers.emit import Emitter, NativeEvent
from service.importers.fields import JsonObject
from service.importers.lines import Line
from service.importers.parse import Unreadable, parse_object

# A crash can leave a run of NUL bytes where a line was to be written.
_BLANK = b" \t\r\n\x00"


def read_objects(
    lines: Iterable[Line], emitter: Emitter, ledger: Ledger, *, leave_open: bool
) -> Iterator[tuple[Line, JsonObject] | NativeEvent]:
    """Each line's object, or the event that keeps a line which holds none.

    With `leave_open` the file may still grow: a torn last line is left for the next reading.
    """
    for line in lines:
        ledger.line()
        if line.damage is not None:
            yield emitter.unreadable(line, line.damage)
            continue
        if not line.raw.strip(_BLANK):
            ledger.ignored("blank_line")
            continue
        emitter.identify(line.raw)
        fields = parse_object(line.raw)
        if not isinstance(fields, Unreadable):
            yield line, fields
        elif leave_open and not line.is_terminated:
            ledger.ignored("unfinished_last_line")
        else:
            yield emitter.unreadable(line, _with_place(fields.reason, line))


def _with_place(reason: str, line: Line) -> str:
    return reason if line.is_terminated else f"torn last line ({reason})"
