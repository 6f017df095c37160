"""A Claude Code session on disk: its main file and the files of its subagents, read as one stream of events.

A subagent's events stand before the result of the call that started it, where it has one, so that a reader of the log
sees the work before what came of it. A file that grows is followed together with those of its subagents.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from service.importers.accounting import Ledger
from service.importers.claude_children import ChildFinder, agent_named_by, first_line, meta_of, run_of
from service.importers.claude_code import ClaudeCodeReader
from service.importers.claude_content import Fields
from service.importers.claude_delegates import Delegates
from service.importers.claude_lines import plain_text
from service.importers.emit import NativeEvent
from service.importers.fields import table, text
from service.importers.growing import GrowingLines


class _Child:
    """A subagent's file; it is read from when its call is known."""

    def __init__(self, path: Path, *, leave_open: bool) -> None:
        self.path = path
        self._leave_open = leave_open
        first = first_line(path)
        self.agent_id = text(first, "agentId") or agent_named_by(path)
        self.run_id = run_of(path)
        self.prompt = plain_text(table(first, "message").get("content"))
        self.meta = meta_of(path)
        self.call_id: str | None = None
        self._lines = GrowingLines(path)
        self._open = ExitStack()
        self._reader: ClaudeCodeReader | None = None

    @property
    def made_up_call(self) -> str:
        """A call for a subagent that none of the log's belongs to."""
        return f"cc:{self.agent_id}:agent"

    @property
    def call_input(self) -> Fields:
        """What is known of what the subagent was asked."""
        agent_type = text(self.meta, "agentType")
        return {"prompt": self.prompt, **({"subagent_type": agent_type} if agent_type else {})}

    def open(self, call_id: str, reader: ClaudeCodeReader, stack: ExitStack) -> None:
        """Its call is known; `stack` closes it at the latest."""
        self.call_id, self._reader = call_id, reader
        stack.enter_context(self._open)
        self._open.enter_context(self._lines)

    def events(self) -> Iterator[NativeEvent]:
        """What is new in it."""
        if self._reader is not None:
            for line in self._lines.whole():
                yield from self._reader.read(line)

    def end(self) -> Iterator[NativeEvent]:
        """The rest of it: its call is over, or the import is. What a growing one says later is read all the same."""
        if self._reader is None:
            return
        yield from self.events()
        if self._leave_open:
            yield from self._reader.finish()
            return
        for line in self._lines.rest():
            yield from self._reader.read(line)
        yield from self._reader.finish()
        # A session may have more subagents than a process may have open files.
        self._reader = None
        self._open.close()


class ClaudeCodeFiles:
    """One reading of a session's files."""

    def __init__(self, path: Path, ledger: Ledger, *, leave_open: bool) -> None:
        self._path = path
        self._ledger = ledger
        self._leave_open = leave_open
        self._delegates = Delegates()
        self._finder = ChildFinder(path)
        self._stack = ExitStack()
        self._children: list[_Child] = []
        self._child_of_call: dict[str, _Child] = {}
        self._main = ClaudeCodeReader(
            ledger, self._delegates, leave_open=leave_open, before_result=self._before_result
        )

    def events(self) -> Iterator[NativeEvent]:
        """All events there are, and with a finished file its end."""
        with self._stack:
            lines = self._stack.enter_context(GrowingLines(self._path))
            for line in lines.whole():
                yield from self._main.read(line)
            for line in lines.rest():
                yield from self._main.read(line)
            self._find_children()
            yield from self._news_of_children()
            if not self._leave_open:
                yield from self._place_the_rest()
                yield from self._main.finish()

    def follow(self, wait: Callable[[], None]) -> Iterator[NativeEvent]:
        """Events as the files grow, without end; `wait` is called whenever there is nothing new."""
        with self._stack:
            lines = self._stack.enter_context(GrowingLines(self._path))
            while True:
                for line in lines.whole():
                    yield from self._main.read(line)
                self._find_children()
                yield from self._news_of_children()
                wait()

    # Subagents

    def _find_children(self) -> None:
        self._children += [_Child(path, leave_open=self._leave_open) for path in self._finder.new()]

    def _news_of_children(self) -> Iterator[NativeEvent]:
        for child in list(self._children):
            yield from self._link(child)
            yield from child.events()

    def _link(self, child: _Child) -> Iterator[NativeEvent]:
        """Finds a subagent's call by a field; by its prompt only if no field to come can say otherwise."""
        if child.call_id is not None:
            return
        call_id = text(child.meta, "toolUseId") or self._delegates.call_of(child.agent_id)
        if call_id is None and self._delegates.is_certain(child.prompt):
            call_id = self._delegates.call_with(child.prompt)
        run_call = self._delegates.call_of_run(child.run_id)
        if call_id is not None and call_id not in self._child_of_call:
            self._open(child, call_id)
        elif (above := call_id or run_call) is not None:
            yield from self._open_below(child, above)

    def _open(self, child: _Child, call_id: str) -> None:
        self._delegates.take(call_id)
        self._child_of_call[call_id] = child
        reader = ClaudeCodeReader(
            self._ledger,
            self._delegates,
            leave_open=self._leave_open,
            own_call=call_id,
            file_name=child.path.name,
            before_result=self._before_result,
        )
        child.open(call_id, reader, self._stack)

    def _open_below(self, child: _Child, above: str | None) -> Iterator[NativeEvent]:
        """Puts a subagent under a call that is made up: of the session, or of a call that started several."""
        yield from self._main.stray_delegate(child.made_up_call, child.call_input, above)
        self._open(child, child.made_up_call)

    def _before_result(self, call_id: str) -> Iterator[NativeEvent]:
        if not self._delegates.is_open(call_id):
            return
        self._find_children()
        for child in list(self._children):
            yield from self._link(child)
        if (found := self._child_of_call.get(call_id)) is not None:
            yield from found.end()

    def _place_the_rest(self) -> Iterator[NativeEvent]:
        """Subagents whose call has no result, and those that no call can be found for."""
        while left := [child for child in self._children if child.call_id is None]:
            for child in left:
                only = self._delegates.only_open_call() if len(left) == 1 else None
                call_id = self._delegates.call_with(child.prompt) or only
                if call_id is not None:
                    self._open(child, call_id)
                else:
                    yield from self._open_below(child, None)
            # What they say may name the calls of others.
            yield from self._news_of_children()
        for child in self._children:
            yield from child.end()
