"""The deepseek-harness session log: files, packed rows, and the transports that wrap its events."""

from collections import deque
from collections.abc import Iterable, Iterator
from zlib import crc32

import msgspec

from service.importers.accounting import IgnoreRule, Ledger
from service.importers.emit import Emitter, NativeEvent
from service.importers.fields import JsonObject, as_table, table, text
from service.importers.harness_chunks import LogEvent, log_events
from service.importers.harness_events import HarnessTranslator
from service.importers.lines import Line
from service.importers.parse import encode
from service.importers.reading import read_objects
from service.importers.session_names import session_name

AGENT = "deepseek-harness"

# A reconnect repeats the newest events; nobody repeats more than this.
_REMEMBERED_RECORDS = 10_000


class _Header(msgspec.Struct, frozen=True, kw_only=True):
    fields: JsonObject


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    kind: str
    fields: JsonObject


_Unwrapped = _Header | _Record | IgnoreRule | None


def read_harness(
    log: Iterable[JsonObject | bytes], *, ledger: Ledger | None = None, leave_open: bool = True
) -> Iterator[NativeEvent]:
    """Native events of a log given as parsed events, or as the lines of a file with or without its header.

    The n-th event is the log's n-th, so `source_seq` minus the first event's is the service's own `seq`.
    """
    raws = (item if isinstance(item, bytes) else encode(item) for item in log)
    lines = (Line(number=number, raw=raw.rstrip(b"\r\n")) for number, raw in enumerate(raws, start=1))
    return read_harness_lines(lines, ledger or Ledger(), leave_open=leave_open)


def read_harness_lines(
    lines: Iterable[Line], ledger: Ledger, *, leave_open: bool, parent_call_id: str | None = None
) -> Iterator[NativeEvent]:
    """Native events of a log's lines; `parent_call_id` is the call in the parent's log that started it."""
    return _HarnessReader(ledger, parent_call_id).events(lines, leave_open=leave_open)


class _HarnessReader:
    def __init__(self, ledger: Ledger, parent_call_id: str | None) -> None:
        self._ledger = ledger
        self._parent_call_id = parent_call_id
        self._emitter = Emitter(ledger)
        self._translator = HarnessTranslator()
        self._session: str | None = None
        self._has_header = False
        self._next_seq: int | None = None
        self._recent: deque[tuple[int, int]] = deque(maxlen=_REMEMBERED_RECORDS)
        self._recent_set: set[tuple[int, int]] = set()

    def events(self, lines: Iterable[Line], *, leave_open: bool) -> Iterator[NativeEvent]:
        for found in read_objects(lines, self._emitter, self._ledger, leave_open=leave_open):
            if isinstance(found, NativeEvent):
                self._next_seq = (self._next_seq or 0) + 1
                yield found
            else:
                yield from self._line(*found)
        if not leave_open:
            for fields in self._translator.rest():
                yield self._emitter.addition(fields)
            yield from self._emitter.end()

    def _line(self, line: Line, fields: JsonObject) -> Iterator[NativeEvent]:
        unwrapped = self._unwrap(fields)
        if unwrapped is None:
            self._next_seq = (self._next_seq or 0) + 1
            yield self._emitter.unreadable(line, "an object without a `type` text")
        elif isinstance(unwrapped, _Header):
            self._header(unwrapped.fields)
        elif isinstance(unwrapped, str):
            self._ledger.ignored(unwrapped)
        elif self._is_repeated(unwrapped, line):
            self._ledger.ignored("repeated_line")
        else:
            yield from self._record(unwrapped, line)

    def _unwrap(self, fields: JsonObject) -> _Unwrapped:
        """What a line holds: the log event itself, or one inside a transport's message."""
        kind = text(fields, "type")
        if kind == "session" and "data" not in fields:
            return _Header(fields=fields)
        if kind == "session_event":
            return self._of_session(text(fields, "sessionId"), table(fields, "event"))
        if text(fields, "method") == "session.event":
            params = table(fields, "params")
            return self._of_session(text(params, "sessionId"), table(params, "event"))
        is_transport = (
            "method" in fields or "jsonrpc" in fields or (kind == "result" and "data" not in fields)
        )
        if is_transport:
            return "not_a_log_event"
        return None if kind is None else _Record(kind=kind, fields=fields)

    def _of_session(self, session: str | None, fields: JsonObject) -> _Unwrapped:
        if self._session is None and session is not None:
            self._session = session
            self._translator.learn({"agent": AGENT})
        if session != self._session:
            return "other_session"
        kind = text(fields, "type")
        if kind == "session" and "data" not in fields:
            return _Header(fields=fields)
        return None if kind is None else _Record(kind=kind, fields=fields)

    def _header(self, header: JsonObject) -> None:
        if self._has_header:
            self._ledger.ignored("repeated_header")
            return
        self._has_header = True
        self._ledger.projected()
        facts: dict[str, object] = {"agent": AGENT}
        if (cwd := text(header, "cwd")) is not None:
            facts["cwd"] = cwd
        if (parent := text(header, "parentSession")) is not None:
            reference = {"session": session_name(parent)}
            facts["parent"] = reference | ({"call_id": self._parent_call_id} if self._parent_call_id else {})
        self._translator.learn({**facts, "source_header": header})

    def _is_repeated(self, record: _Record, line: Line) -> bool:
        """Whether this very event was read before; one of the same `seq` with other content is kept."""
        seq = record.fields.get("seq")
        if not isinstance(seq, int):
            return False
        seen = (seq, crc32(line.raw))
        if seen in self._recent_set:
            return True
        if len(self._recent) == _REMEMBERED_RECORDS:
            self._recent_set.discard(self._recent[0])
        self._recent.append(seen)
        self._recent_set.add(seen)
        return False

    def _record(self, record: _Record, line: Line) -> Iterator[NativeEvent]:
        count = 0
        silent = False
        for event in log_events(record.fields, record.kind):
            count += 1
            native = self._translator.translate(self._numbered(event))
            silent = str(native["type"]).startswith("custom/") or "source_event" in native
            yield self._emitter.event(
                native,
                line.number,
                source_seq=self._current_seq(),
                ts_ms=event.ts_ms,
                gap_ms=event.gap_ms,
            )
        self._account(record, count, is_silent=silent)

    def _account(self, record: _Record, count: int, *, is_silent: bool) -> None:
        if count == 0:
            self._ledger.ignored("empty_packed_row")
        elif is_silent:
            self._ledger.invisible(record.kind)
        else:
            self._ledger.projected()
        if not self._translator.is_known(record.kind) and not record.kind.endswith("-chunks"):
            self._ledger.unknown_type(record.kind)

    def _numbered(self, event: LogEvent) -> LogEvent:
        """The event with the log's `seq`: its own, else the one that follows the event before."""
        expected = self._next_seq
        seq = event.seq if event.seq is not None else (expected or 0)
        if expected is not None and seq != expected:
            self._ledger.seq_broke()
        if expected is None:
            self._ledger.began_at(seq)
        self._next_seq = seq + 1
        return event if event.seq is not None else msgspec.structs.replace(event, seq=seq)

    def _current_seq(self) -> int:
        return (self._next_seq or 1) - 1


def session_of(fields: JsonObject) -> str | None:
    """The session's id as a file's first object names it: in its header, or in the transport around it."""
    header = header_of(fields)
    if header is not None:
        return text(header, "id")
    return text(fields, "sessionId") or text(table(fields, "params"), "sessionId")


def header_of(fields: JsonObject) -> JsonObject | None:
    """The session header that a file's first object is, or carries."""
    event = as_table(fields.get("event")) or table(table(fields, "params"), "event")
    for candidate in (fields, event):
        if text(candidate, "type") == "session" and "data" not in candidate:
            return candidate
    return None
