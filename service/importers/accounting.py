"""What became of every line of a file: projected, kept invisible, ignored by a named rule, or quarantined."""

from collections import Counter
from typing import Literal

import msgspec

from service.importers.parse import readable_text

IgnoreRule = Literal[
    "blank_line",  # nothing on it
    "unfinished_last_line",  # the file is still growing; the line comes again when it is whole
    "repeated_header",  # a second header of one session
    "repeated_line",  # the same log event again, as after a reconnect
    "not_a_log_event",  # transport messages between log events: status, results, responses
    "other_session",  # an event of another session in the same transport
    "empty_packed_row",  # a packed row that holds no delta
]

# A report is read by a person; the events themselves keep every raw line.
_MAX_QUARANTINED_SHOWN = 100
_MAX_EXCERPT_CHARS = 160


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """How many lines (or events) one name stands for."""

    name: str
    count: int


class QuarantinedLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line that holds no event; an invisible `custom/import/unreadable` event keeps its text."""

    line: int
    reason: str
    excerpt: str


class ImportReport(msgspec.Struct, frozen=True, kw_only=True):
    """The account of one file. `str()` prints it for a person.

    Every line is in exactly one of `projected_count`, `invisible`, `ignored` and `quarantined_count`.
    `invisible` counts, by the log's own type, lines that became events which show nothing. `unknown` counts
    events of types that this version does not know; each is also in `invisible`. `first_seq` is the log's
    `seq` of the first event: the service counts from 0, so a log that begins in the middle is `first_seq`
    behind its own numbers. `seq_break_count` counts places where the log's `seq` did not go on by one.
    """

    line_count: int = 0
    event_count: int = 0
    projected_count: int = 0
    invisible: tuple[Tally, ...] = ()
    ignored: tuple[Tally, ...] = ()
    quarantined_count: int = 0
    quarantined: tuple[QuarantinedLine, ...] = ()
    unknown: tuple[Tally, ...] = ()
    first_seq: int | None = None
    seq_break_count: int = 0
    synthetic_end: str | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every line is accounted for."""
        kept = self.projected_count + sum(t.count for t in self.invisible)
        left = sum(t.count for t in self.ignored) + self.quarantined_count
        return kept + left == self.line_count

    def __str__(self) -> str:
        parts = [f"{self.line_count} lines -> {self.event_count} events: {self.projected_count} projected"]
        parts += [f"  invisible: {_listed(self.invisible)}"] if self.invisible else []
        parts += [f"  ignored: {_listed(self.ignored)}"] if self.ignored else []
        parts += [f"  unknown types: {_listed(self.unknown)}"] if self.unknown else []
        if self.first_seq:
            parts.append(f"  the log begins at its seq {self.first_seq}")
        if self.seq_break_count:
            parts.append(f"  the log's seq is broken in {self.seq_break_count} places; file order was kept")
        if self.synthetic_end:
            parts.append(f"  the last turn was open and was ended as {self.synthetic_end}")
        if self.quarantined_count:
            parts.append(f"  quarantined: {self.quarantined_count}")
        parts += [f"    line {q.line}: {q.reason}: {q.excerpt}" for q in self.quarantined]
        return "\n".join(parts)


def _listed(tallies: tuple[Tally, ...]) -> str:
    return ", ".join(f"{t.count} {t.name}" for t in tallies)


class Ledger:
    """Grows while a file is read and gives its report at any time."""

    def __init__(self) -> None:
        self._line_count = 0
        self._event_count = 0
        self._projected_count = 0
        self._invisible: Counter[str] = Counter()
        self._ignored: Counter[str] = Counter()
        self._unknown: Counter[str] = Counter()
        self._quarantined_count = 0
        self._quarantined: list[QuarantinedLine] = []
        self._first_seq: int | None = None
        self._seq_break_count = 0
        self._synthetic_end: str | None = None

    def line(self) -> None:
        """A line was read; one of the next four calls says what became of it."""
        self._line_count += 1

    def projected(self) -> None:
        """The line became one or more events that mean something."""
        self._projected_count += 1

    def invisible(self, kind: str) -> None:
        """The line became an event that shows nothing."""
        self._invisible[kind] += 1

    def ignored(self, rule: IgnoreRule) -> None:
        """The line became no event, by that rule."""
        self._ignored[rule] += 1

    def quarantined(self, line: int, reason: str, raw: bytes) -> None:
        """The line holds no event."""
        self._quarantined_count += 1
        if len(self._quarantined) < _MAX_QUARANTINED_SHOWN:
            excerpt = readable_text(raw[: _MAX_EXCERPT_CHARS * 4])[:_MAX_EXCERPT_CHARS]
            self._quarantined.append(QuarantinedLine(line=line, reason=reason, excerpt=excerpt))

    def event(self) -> None:
        """An event left the importer."""
        self._event_count += 1

    def unknown_type(self, kind: str) -> None:
        """An event's type is none that this version knows."""
        self._unknown[kind] += 1

    def began_at(self, seq: int) -> None:
        """The log's own number of its first event."""
        if self._first_seq is None:
            self._first_seq = seq

    def seq_broke(self) -> None:
        """The log's own numbers did not go on by one."""
        self._seq_break_count += 1

    def ended_as(self, reason: str) -> None:
        """The file's last turn was open; a synthetic end closed it."""
        self._synthetic_end = reason

    def report(self) -> ImportReport:
        """The account so far."""
        return ImportReport(
            line_count=self._line_count,
            event_count=self._event_count,
            projected_count=self._projected_count,
            invisible=_tallies(self._invisible),
            ignored=_tallies(self._ignored),
            quarantined_count=self._quarantined_count,
            quarantined=tuple(self._quarantined),
            unknown=_tallies(self._unknown),
            first_seq=self._first_seq,
            seq_break_count=self._seq_break_count,
            synthetic_end=self._synthetic_end,
        )


def _tallies(counts: Counter[str]) -> tuple[Tally, ...]:
    return tuple(Tally(name=name, count=count) for name, count in counts.most_common())
