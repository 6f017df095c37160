"""The last stage of an import: native events as bytes, with stable ids and the pauses between them."""

from collections.abc import Iterator
from hashlib import blake2b

import msgspec

from service.importers.accounting import Ledger
from service.importers.fields import JsonObject, millis
from service.importers.lines import Line
from service.importers.parse import encode, readable_text, valid_utf8
from service.importers.turn_watch import TurnWatch

# 40 bits: an id is unique in a session, and the key only keeps apart files imported into one session.
_FILE_KEY_BYTES = 5


class NativeEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One event, ready to be appended.

    `body` is the JSON object of `events.md`. `line` is the file's line that it came from (0: from none).
    `source_seq` is the log's own `seq`, where the format has one. `pause_ms` is the time that passed in the
    log since the event before (0 when unknown or negative), as recorded: a reader who replays caps it.
    """

    body: bytes
    line: int = 0
    source_seq: int | None = None
    pause_ms: int = 0


class Emitter:
    """Turns native fields into events of one file, in file order.

    Ids are `import:<file>:<n>`: a hash of the file's first line and the event's position. A repeated import
    of the same file, or of one that has grown since, gives every event the same id again.
    """

    def __init__(self, ledger: Ledger, file_name: str = "") -> None:
        """Start a file; `file_name` is given where one account is of several files."""
        self._ledger = ledger
        self._place = f"{file_name}: " if file_name else ""
        self._watch = TurnWatch()
        self._file_key = ""
        self._position = 0
        self._addition_count = 0
        self._last_ts_ms: int | float | None = None

    def identify(self, first_line: bytes) -> None:
        """Fixes the file's part of every id; only the first call counts."""
        if not self._file_key:
            self._file_key = blake2b(first_line.strip(), digest_size=_FILE_KEY_BYTES).hexdigest()

    @property
    def file_key(self) -> str:
        """The file's part of every id that is made up here."""
        return self._file_key

    def event(
        self,
        fields: JsonObject,
        line: int,
        *,
        source_seq: int | None = None,
        ts_ms: float | None = None,
        gap_ms: float | None = None,
    ) -> NativeEvent:
        """An event from its fields; `gap_ms` is the pause where the log tells it without a time of day."""
        head: dict[str, object] = {"type": fields["type"], "event_id": self._next_id()}
        if ts_ms is not None:
            head["ts_ms"] = ts_ms
        return self._emitted(encode({**head, **fields}), fields, line, source_seq, self._pause(ts_ms, gap_ms))

    def verbatim(self, raw: bytes, fields: JsonObject, line: int) -> NativeEvent:
        """An event that is native already: its bytes as they are, an id put in front where it has none."""
        body = valid_utf8(raw.strip())
        own_id = self._next_id()
        if "event_id" not in fields:
            body = b'{"event_id":"' + own_id.encode() + b'",' + body[1:].lstrip()
        return self._emitted(body, fields, line, None, self._pause(millis(fields, "ts_ms"), None))

    def unreadable(self, line: Line, reason: str) -> NativeEvent:
        """A quarantined line as an invisible event, so that its text is not lost."""
        self._ledger.quarantined(line.number, f"{self._place}{reason}", line.raw)
        payload = {"line": line.number, "reason": reason, "raw": readable_text(line.raw)}
        # Another id than the whole line would get: a torn line may be whole when the file is imported again.
        fields = {
            "type": "custom/import/unreadable",
            "event_id": f"{self._next_id()}:unreadable",
            "visible": False,
            "payload": payload,
        }
        return self._emitted(encode(fields), fields, line.number, None, 0)

    def addition(self, fields: JsonObject) -> NativeEvent:
        """An event that no line holds, behind the last one."""
        # Not counted as a position: when the file has grown since, its next line stands there.
        self._addition_count += 1
        event_id = f"import:{self._file_key}:{self._position}:added{self._addition_count}"
        body = encode({"type": fields["type"], "event_id": event_id, **fields})
        return self._emitted(body, fields, 0, None, 0)

    def end(self) -> Iterator[NativeEvent]:
        """Ends the last turn of a finished file, if it is open."""
        turn = self._watch.open_turn
        if turn is None:
            return
        reason = self._watch.end_reason()
        self._ledger.ended_as(reason)
        yield self.addition({"type": "turn/end", "turn": turn, "reason": reason, "synthetic": True})

    def _next_id(self) -> str:
        position = self._position
        self._position += 1
        return f"import:{self._file_key}:{position}"

    def _pause(self, ts_ms: float | None, gap_ms: float | None) -> int:
        last, self._last_ts_ms = self._last_ts_ms, self._last_ts_ms if ts_ms is None else ts_ms
        if ts_ms is not None and last is not None:
            return max(0, round(ts_ms - last))
        return max(0, round(gap_ms)) if gap_ms is not None else 0

    def _emitted(
        self, body: bytes, fields: JsonObject, line: int, source_seq: int | None, pause_ms: int
    ) -> NativeEvent:
        self._watch.observe(fields)
        self._ledger.event()
        return NativeEvent(body=body, line=line, source_seq=source_seq, pause_ms=pause_ms)
