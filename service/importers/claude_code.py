"""Claude Code session files: one file's lines, each to the transcript it belongs to, and from there to events.

Rules of the whole import, for this file and the modules named `claude_*`:

1. A line is read once and alone: it yields its events at once, so that a finished file and one that grows give the
   same. What is kept: an open message, open calls, rows between two turns, and two numbers a line (`claude_branches`).
2. An event's id comes from its line's `uuid`, so a repeated import adds nothing.
3. Whose line it is, is decided by fields: `isSidechain`, `agentId`, `parentUuid`, the id of a call. A subagent's lines
   in the main file that no field links go under the open call with the same prompt.
4. A line without anything to show becomes an invisible `custom/claude-code/…` event that keeps it whole.
"""

from collections.abc import Callable, Iterable, Iterator
from zlib import crc32

from service.importers.accounting import Ledger
from service.importers.claude_content import Fields
from service.importers.claude_delegates import Delegates
from service.importers.claude_handlers import Handlers
from service.importers.claude_lines import plain_text, time_ms
from service.importers.claude_rows import BOOKKEEPING, SessionFacts
from service.importers.claude_stamp import LineStamp
from service.importers.claude_thread import Thread
from service.importers.emit import Emitter, NativeEvent
from service.importers.fields import JsonObject, as_table, table, text
from service.importers.lines import Line
from service.importers.parse import encode
from service.importers.reading import read_objects
from service.importers.session_names import session_name

AGENT = "claude-code"

# Types of lines that are part of a transcript; all others are about the session.
_THREADED = frozenset({"user", "assistant", "system", "attachment", "progress", "tool_use", "tool_result"})
_WORK = frozenset({"assistant", "tool_use", "tool_result"})

BeforeResult = Callable[[str], Iterator[NativeEvent]]


class ClaudeCodeReader:
    """Reads the lines of one file, in order."""

    def __init__(
        self,
        ledger: Ledger,
        delegates: Delegates,
        *,
        leave_open: bool,
        own_call: str | None = None,
        file_name: str = "",
        before_result: BeforeResult | None = None,
    ) -> None:
        """Start a file.

        Args:
            ledger: takes the account of each line.
            delegates: what is known of subagents, shared by all files of a session.
            leave_open: the file may still grow.
            own_call: the call that started this file's subagent, for a subagent's file.
            file_name: names a subagent's file in the account, which is one for the session.
            before_result: gives the events that belong before a call's result: those of its subagent's file.
        """
        self._ledger = ledger
        self._delegates = delegates
        self._leave_open = leave_open
        self._before_result = before_result
        self._emitter = Emitter(ledger, file_name)
        self._stamp = LineStamp()
        self._facts = SessionFacts()
        self._handlers = Handlers(self._stamp, delegates, self._facts)
        self._home = Thread(self._stamp, own_call, is_delegate=own_call is not None)
        self._is_agents_own = own_call is not None
        self._has_begun = False
        self._threads: dict[str, Thread] = {}
        self._thread_of_line: dict[str, Thread] = {}
        self._thread_of_call: dict[str, Thread] = {}

    def read(self, line: Line) -> Iterator[NativeEvent]:
        """The events of the next line."""
        for found in read_objects((line,), self._emitter, self._ledger, leave_open=self._leave_open):
            if isinstance(found, NativeEvent):
                yield found
            else:
                yield from self._object(*found)

    def finish(self) -> Iterator[NativeEvent]:
        """The end of a finished file: what is open ends."""
        for thread in self._threads.values():
            yield from self._emitted(thread, thread.talk.finish(), 0)
        if self._home.talk.turn is not None and self._home.call_id is None:
            self._ledger.ended_as(self._home.talk.end_reason)
        yield from self._emitted(self._home, self._home.talk.finish(), 0)

    def stray_delegate(self, call_id: str, call_input: Fields, above: str | None) -> Iterator[NativeEvent]:
        """A call that the log does not hold, for a subagent that it does hold; below the call `above`, if any."""
        thread = self._home if above is None else self._thread_of(above)
        with self._stamp.aside(call_id):
            events = list(thread.talk.stray_call(call_id, call_input))
        yield from self._emitted(thread, events, 0)

    # One line

    def _object(self, line: Line, fields: JsonObject) -> Iterator[NativeEvent]:
        kind = text(fields, "type")
        if kind is None:
            yield self._emitter.unreadable(line, "an object without a `type` text")
            return
        uuid, checksum = text(fields, "uuid"), _checksum(line, fields)
        thread, is_new = self._thread_for(kind, fields)
        known = "new" if uuid is None else thread.branches.known(uuid, checksum)
        if known == "same":
            self._ledger.ignored("repeated_line")
            return
        self._stamp.begin(self._key(line, uuid, checksum, is_taken=known == "other"), time_ms(fields))
        if is_new:
            yield from self._place(thread, fields)
        yield from self._emitted(self._home, self._new_facts(kind, thread, fields), line.number)
        self._stamp.used = False
        yield from self._emitted(thread, self._handlers.handle(kind, thread, fields), line.number)
        thread.talk.seen()
        if uuid is not None:
            is_work = kind in _WORK or "toolUseResult" in fields
            thread.note(fields, uuid, checksum, is_work=is_work)
        yield from self._account(thread, kind, fields, line.number)

    def _key(self, line: Line, uuid: str | None, checksum: int, *, is_taken: bool) -> str:
        if uuid is None:
            return f"cc:{self._emitter.file_key}:{line.number}"
        return f"cc:{uuid}:{checksum:08x}" if is_taken else f"cc:{uuid}"

    def _new_facts(self, kind: str, thread: Thread, fields: JsonObject) -> Iterator[Fields]:
        if kind not in _THREADED or thread is not self._home or thread.call_id is not None:
            return
        first: Fields = {"agent": AGENT}
        parent = text(fields, "sessionId")
        if self._is_agents_own and parent is not None:
            first["parent"] = {"session": session_name(parent)}
        found = self._facts.of_line(fields, self._stamp, **first)
        if found is not None:
            yield found

    def _account(
        self, thread: Thread, kind: str, fields: JsonObject, line_number: int
    ) -> Iterator[NativeEvent]:
        """A line that became nothing is kept as an event that shows nothing."""
        if self._stamp.used:
            self._ledger.projected()
            return
        part = text(fields, "subtype") or text(table(fields, "attachment"), "type")
        name = f"{kind}/{part}" if part else kind
        self._ledger.invisible(name)
        if not self._handlers.knows(kind) and kind not in BOOKKEEPING:
            self._ledger.unknown_type(kind)
        kept = self._stamp.event(f"custom/claude-code/{name}", visible=False, payload=fields)
        yield from self._emitted(thread, iter([kept]), line_number)

    # Whose line it is

    def _thread_for(self, kind: str, fields: JsonObject) -> tuple[Thread, bool]:
        """The transcript that a line belongs to, and whether it is a new one."""
        is_side = fields.get("isSidechain") is True
        if kind in _THREADED and not self._has_begun:
            # A file that begins with a subagent's line is that subagent's own.
            self._has_begun = True
            self._is_agents_own = self._is_agents_own or is_side
            self._home.talk.is_delegate = self._is_agents_own
        if kind in _THREADED and (call_id := text(fields, "parent_tool_use_id")) is not None:
            return self._thread_of(call_id), False
        if kind not in _THREADED or not is_side or self._is_agents_own:
            return self._home, False
        uuid, parent = text(fields, "uuid"), text(fields, "parentUuid")
        agent_id = text(fields, "agentId")
        known = self._thread_of_line.get(parent or "")
        thread = known if agent_id is None else self._threads.get(agent_id)
        is_new = thread is None
        if thread is None:
            thread = Thread(self._stamp, is_delegate=True)
            self._threads[agent_id or uuid or f"line:{len(self._threads)}"] = thread
        if uuid is not None and agent_id is None:
            self._thread_of_line[uuid] = thread
        return thread, is_new

    def _thread_of(self, call_id: str) -> Thread:
        """The transcript under a call that is named."""
        if call_id not in self._thread_of_call:
            thread = Thread(self._stamp, call_id, is_delegate=True)
            self._thread_of_call[call_id] = self._threads[f"call:{call_id}"] = thread
        return self._thread_of_call[call_id]

    def _place(self, thread: Thread, fields: JsonObject) -> Iterator[NativeEvent]:
        """Puts a subagent of the main file under its call; without one, under one that is made up for it."""
        agent_id = text(fields, "agentId")
        prompt = plain_text(table(fields, "message").get("content"))
        call_id = self._delegates.call_of(agent_id) if agent_id is not None else None
        call_id = call_id or self._delegates.call_with(prompt)
        if call_id is not None:
            self._delegates.take(call_id)
            thread.call_id = call_id
            self._thread_of_call[call_id] = thread
            return
        thread.call_id = f"{self._stamp.key}:agent"
        self._thread_of_call[thread.call_id] = thread
        yield from self.stray_delegate(thread.call_id, {"prompt": prompt}, None)

    # Events

    def _emitted(self, thread: Thread, events: Iterable[Fields], line_number: int) -> Iterator[NativeEvent]:
        nested: Fields = {} if thread.call_id is None else {"parent_call_id": thread.call_id}
        for fields in events:
            call_id = text(fields, "call_id") or ""
            if fields["type"] == "tool/call":
                self._delegates.called(call_id, str(fields["name"]), as_table(fields.get("input")))
            elif fields["type"] == "tool/result":
                yield from self._before(call_id)
            ts_ms = fields.get("ts_ms")
            yield self._emitter.event(
                {**fields, **nested}, line_number, ts_ms=ts_ms if isinstance(ts_ms, int) else None
            )

    def _before(self, call_id: str) -> Iterator[NativeEvent]:
        """What belongs before a call's result: the end of its subagent, here or in a file of its own."""
        thread = self._thread_of_call.get(call_id)
        if thread is not None:
            yield from self._emitted(thread, thread.talk.end(), 0)
        if self._before_result is not None:
            yield from self._before_result(call_id)


def _checksum(line: Line, fields: JsonObject) -> int:
    """What tells a repeated line from another one: after a compaction lines come again under another parent."""
    if "message" not in fields:
        return crc32(line.raw)
    return crc32(encode([fields.get("timestamp"), fields["message"]]))
