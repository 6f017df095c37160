"""Native JSONL: one event of `events.md` a line, passed on as the bytes it came in."""

from collections.abc import Iterable, Iterator

from service.importers.accounting import Ledger
from service.importers.emit import Emitter, NativeEvent
from service.importers.fields import text
from service.importers.lines import Line
from service.importers.reading import read_objects

NATIVE_TYPES = frozenset(
    {
        "session/meta", "session/rewind", "turn/start", "turn/end", "step/start", "step/end",
        "system/prompt", "user/message", "user/steering", "context/injection", "assistant/chunk",
        "assistant/message", "tool/call", "tool/progress", "tool/result", "search/round", "llm/retry",
        "llm/retry_started", "interaction/request", "interaction/resolve", "phase/start", "phase/end",
        "compaction", "notice", "command/run", "command/done",
    }
)  # fmt: skip


def is_native_type(kind: str) -> bool:
    """Whether `events.md` knows the type."""
    return kind in NATIVE_TYPES or kind.startswith("custom/")


def read_native_lines(lines: Iterable[Line], ledger: Ledger, *, leave_open: bool) -> Iterator[NativeEvent]:
    """The events of the lines.

    Wrong or missing fields are not judged here: the service's own decoder quarantines such an event, where it
    can be repaired in place. Without `leave_open` an open last turn is ended.
    """
    emitter = Emitter(ledger)
    for found in read_objects(lines, emitter, ledger, leave_open=leave_open):
        if isinstance(found, NativeEvent):
            yield found
            continue
        line, fields = found
        kind = text(fields, "type")
        if kind is None:
            yield emitter.unreadable(line, "an object without a `type` text")
            continue
        if is_native_type(kind):
            ledger.projected()
        else:
            ledger.invisible(kind)
            ledger.unknown_type(kind)
        yield emitter.verbatim(line.raw, fields, line.number)
    if not leave_open:
        yield from emitter.end()
