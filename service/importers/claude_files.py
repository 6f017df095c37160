"""A Claude Code session on disk: its main file and the files of its subagents, read as one stream of events.

A subagent's events stand before the result of the call that started it, where it has one, so that a reader of the log
sees the work before what came of it. A file that grows is followed together with those of its subagents.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from service.importers.accounting import Ledger
from service.importers.claude_children import ChildFinder, agent_named_by, first_line, meta_of
from service.importers.claude_code import ClaudeCodeReader
from service.importers.claude_delegates import Delegates
from service.importers.claude_lines import plain_text
from service.importers.emit import NativeEvent
from service.importers.fields import table, text
from service.importers.growing import GrowingLines


class _Child:
    """A subagent's file, from when its call is known."""

    def __init__(self, path: Path, *, leave_open: bool) -> None:
        self.path = path
        self._leave_open = leave_open
        first = first_line(path)
        self.agent_id = text(first, "agentId") or agent_named_by(path)
        self.prompt = plain_text(table(first, "message").get("content"))
        self.meta = meta_of(path)
        self.call_id: str | None = None
        self.lines: GrowingLines | None = None
        self.reader: ClaudeCodeReader | None = None

    def events(self) -> Iterator[NativeEvent]:
        """What is new in it; nothing before its call is known."""
        if self.lines is None or self.reader is None:
            return
        for line in self.lines.whole():
            yield from self.reader.read(line)

    def end(self) -> Iterator[NativeEvent]:
        """The rest of it: its call is over, or the import is. What it still says later is read all the same."""
        if self.lines is None or self.reader is None:
            return
        yield from self.events()
        if not self._leave_open:
            for line in self.lines.rest():
                yield from self.reader.read(line)
        yield from self.reader.finish()


class ClaudeCodeFiles:
    """One reading of a session's files."""

    def __init__(self, path: Path, ledger: Ledger, *, leave_open: bool) -> None:
        self._path = path
        self._ledger = ledger
        self._leave_open = leave_open
        self._delegates = Delegates()
        self._finder = ChildFinder(path)
        self._stack = ExitStack()
        self._children: dict[Path, _Child] = {}
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
        for path in self._finder.new():
            self._children[path] = _Child(path, leave_open=self._leave_open)

    def _news_of_children(self) -> Iterator[NativeEvent]:
        for child in self._children.values():
            self._link(child)
            yield from child.events()

    def _link(self, child: _Child) -> None:
        """Finds a subagent's call by a field; by its prompt only if no field to come can say otherwise."""
        if child.call_id is not None:
            return
        call_id = text(child.meta, "toolUseId") or self._delegates.call_of(child.agent_id)
        if call_id is None and self._delegates.is_certain(child.prompt):
            call_id = self._delegates.call_with(child.prompt)
        if call_id is not None:
            self._open(child, call_id)

    def _open(self, child: _Child, call_id: str) -> None:
        self._delegates.take(call_id)
        child.call_id = call_id
        child.lines = self._stack.enter_context(GrowingLines(child.path))
        child.reader = ClaudeCodeReader(
            self._ledger,
            self._delegates,
            leave_open=self._leave_open,
            own_call=call_id,
            file_name=child.path.name,
            before_result=self._before_result,
        )

    def _before_result(self, call_id: str) -> Iterator[NativeEvent]:
        if not self._delegates.is_open(call_id):
            return
        self._find_children()
        for child in self._children.values():
            self._link(child)
            if child.call_id == call_id:
                yield from child.end()

    def _place_the_rest(self) -> Iterator[NativeEvent]:
        """Subagents whose call has no result, and those that no call can be found for."""
        left = [child for child in self._children.values() if child.call_id is None]
        for child in left:
            only = self._delegates.only_open_call() if len(left) == 1 else None
            call_id = self._delegates.call_with(child.prompt) or only
            if call_id is None:
                call_id = f"cc:{child.agent_id}:agent"
                call_input: dict[str, object] = {"prompt": child.prompt}
                if (agent_type := text(child.meta, "agentType")) is not None:
                    call_input["subagent_type"] = agent_type
                yield from self._main.stray_delegate(call_id, call_input)
            self._open(child, call_id)
        for child in self._children.values():
            yield from child.end()
