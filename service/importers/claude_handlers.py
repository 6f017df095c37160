"""Each type of line to what it means in its transcript."""

from collections.abc import Callable, Iterator

from service.importers.claude_content import Fields, blocks_of
from service.importers.claude_delegates import Delegates
from service.importers.claude_lines import (
    after_interrupt,
    is_host_text,
    is_interrupt,
    plain_text,
    printed,
    says_human,
    shell_command,
    typed_command,
    user_kind,
)
from service.importers.claude_rows import (
    SessionFacts,
    attachment_row,
    error_text,
    link_row,
    queued_command,
    refusal_row,
    system_row,
)
from service.importers.claude_stamp import LineStamp
from service.importers.claude_thread import Thread
from service.importers.fields import JsonObject, as_table, items, table, text, whole

Handler = Callable[[Thread, JsonObject], Iterator[Fields]]

_REFUSALS = frozenset({"api_refusal", "model_refusal_fallback", "model_refusal_no_fallback"})


class Handlers:
    """What each line means; a line that yields nothing has nothing to show, or waits (`LineStamp.used`)."""

    def __init__(self, stamp: LineStamp, delegates: Delegates, facts: SessionFacts) -> None:
        self._stamp = stamp
        self._delegates = delegates
        self._facts = facts
        self._of_type: dict[str, Handler] = {
            "ai-title": self._title,
            "assistant": self._assistant,
            "attachment": self._attachment,
            "custom-title": self._title,
            "frame-link": self._link,
            "pr-link": self._link,
            "progress": self._progress,
            "queue-operation": self._queue_operation,
            "relocated": self._relocated,
            "summary": self._title,
            "system": self._system,
            "tool_result": self._bare_result,
            "tool_use": self._bare_call,
            "user": self._user,
        }

    def knows(self, kind: str) -> bool:
        """Whether lines of this type mean anything here."""
        return kind in self._of_type

    def handle(self, kind: str, thread: Thread, line: JsonObject) -> Iterator[Fields]:
        """The native events of a line; nothing for a type without a meaning."""
        handler = self._of_type.get(kind)
        if handler is not None:
            yield from handler(thread, line)

    # What people, hosts and tools say

    def _user(self, thread: Thread, line: JsonObject) -> Iterator[Fields]:
        content = table(line, "message").get("content")
        said = plain_text(content)
        match user_kind(line, is_delegate=thread.talk.is_delegate):
            case "results":
                yield from self._results(thread, line)
            case "summary":
                yield from self._summary(thread, said)
            case "interrupt":
                yield from self._interrupt(thread, line, said)
            case "command":
                yield from self._command(thread, line, said)
            case "shell":
                yield from thread.talk.command("!", shell_command(said))
            case "output":
                yield from thread.talk.command_output(printed(said) or "")
            case "prompt":
                yield from self._prompt(thread, line, blocks_of(content))
            case "context":
                yield from self._context(thread, line, blocks_of(content), _source_of(line, thread))

    def _prompt(self, thread: Thread, line: JsonObject, content: list[Fields]) -> Iterator[Fields]:
        yield from thread.prompt(line, content, text(line, "uuid") or self._stamp.key)

    def _context(
        self, thread: Thread, line: JsonObject, content: list[Fields], source: str
    ) -> Iterator[Fields]:
        blocks = [block for block in content if block.get("text") != ""]
        if blocks:
            more = {"title": title} if (title := text(line, "attributionSkill")) else {}
            row = self._stamp.row("context/injection", source=source, content=blocks, **more)
            yield from thread.talk.row(row)

    def _results(self, thread: Thread, line: JsonObject) -> Iterator[Fields]:
        for block in map(as_table, items(table(line, "message"), "content")):
            if block.get("type") == "tool_result":
                yield from self._result(thread, block, line)
            elif (said := text(block, "text")) is not None:
                yield from self._said_beside_results(thread, line, said)

    def _result(self, thread: Thread, block: JsonObject, line: JsonObject) -> Iterator[Fields]:
        call_id = thread.talk.call_of(block, line)
        details = table(line, "toolUseResult")
        if (agent_id := text(details, "agentId")) is not None:
            self._delegates.linked(agent_id, call_id)
        if (run_id := text(details, "runId")) is not None:
            self._delegates.ran(run_id, call_id)
        yield from thread.talk.result(block, line, call_id)
        self._delegates.ended(call_id)

    def _said_beside_results(self, thread: Thread, line: JsonObject, said: str) -> Iterator[Fields]:
        if is_interrupt(said):
            yield from self._interrupt(thread, line, said)
        elif says_human(line) and not is_host_text(said):
            yield from self._prompt(thread, line, blocks_of(said))
        elif said.strip():
            yield from self._context(thread, line, blocks_of(said), "tool_result")

    def _interrupt(self, thread: Thread, line: JsonObject, said: str) -> Iterator[Fields]:
        yield from thread.talk.end_as("aborted")
        rest = after_interrupt(said)
        if rest.strip() and not is_host_text(rest):
            yield from self._prompt(thread, line, blocks_of(rest))

    def _command(self, thread: Thread, line: JsonObject, said: str) -> Iterator[Fields]:
        command = typed_command(said)
        if command is None:
            return
        if says_human(line):
            yield from self._prompt(thread, line, blocks_of(str(command)))
        else:
            yield from thread.talk.command(command.name, command.arguments)

    def _attachment(self, thread: Thread, line: JsonObject) -> Iterator[Fields]:
        queued = queued_command(line)
        if queued is None:
            row = attachment_row(line, self._stamp)
            if row is not None:
                yield from thread.talk.row(row)
        elif not queued.is_human:
            yield from self._context(thread, line, queued.content, "queued_command")
        elif thread.talk.turn is None:
            yield from self._prompt(thread, line, queued.content)
        else:
            yield from thread.talk.steered(queued.content, queued.id or self._stamp.key)

    def _queue_operation(self, thread: Thread, line: JsonObject) -> Iterator[Fields]:
        yield from thread.talk.queue_operation(line)

    # What the model does

    def _assistant(self, thread: Thread, line: JsonObject) -> Iterator[Fields]:
        message = table(line, "message")
        said = plain_text(message.get("content"))
        if line.get("isApiErrorMessage") is True:
            yield from thread.talk.fail(_code_of(line), said or "the request failed")
            return
        if text(message, "model") == "<synthetic>":
            level = "error" if line.get("error") else "info"
            if said.strip():
                yield from thread.talk.row(self._stamp.row("notice", level=level, text=said))
            return
        yield from self._retract(thread, line, "supersedesUuids", {"message": "replaced by a new attempt"})
        if thread.talk.has_request:
            yield from thread.open(line)
        yield from thread.talk.model_line(line)

    def _bare_call(self, thread: Thread, line: JsonObject) -> Iterator[Fields]:
        yield from thread.talk.bare_call(line)

    def _bare_result(self, thread: Thread, line: JsonObject) -> Iterator[Fields]:
        yield from self._result(thread, line, line)

    def _retract(self, thread: Thread, line: JsonObject, key: str, failure: Fields) -> Iterator[Fields]:
        lines = {uuid for uuid in items(line, key) if isinstance(uuid, str)}
        if lines:
            yield from thread.talk.retract(lines, failure)

    # What the host says

    def _system(self, thread: Thread, line: JsonObject) -> Iterator[Fields]:
        match text(line, "subtype"):
            case "turn_duration" if thread.call_id is None:
                yield from thread.talk.end_as(duration_ms=whole(line, "durationMs"))
            case "api_error":
                yield from thread.talk.retry(line)
            case "compact_boundary" | "microcompact_boundary":
                yield from self._boundary(thread, line)
            case "local_command":
                yield from self._local_command(thread, line)
            case str() as kind if kind in _REFUSALS:
                yield from thread.talk.row(refusal_row(line, self._stamp))
                failure: Fields = {
                    "code": text(line, "apiRefusalCategory") or "refusal",
                    "message": "refused",
                }
                yield from self._retract(thread, line, "retractedMessageUuids", failure)
            case _:
                row = system_row(line, self._stamp)
                if row is not None:
                    yield from thread.talk.row(row)

    def _boundary(self, thread: Thread, line: JsonObject) -> Iterator[Fields]:
        yield from thread.talk.settle()
        trigger = text(table(line, "compactMetadata"), "trigger") or text(line, "trigger")
        more = {"trigger": trigger} if trigger else {}
        thread.compaction = {"id": self._stamp.key, **more}
        yield from thread.talk.row(self._stamp.event("compaction", status="done", **thread.compaction))

    def _summary(self, thread: Thread, said: str) -> Iterator[Fields]:
        known = thread.compaction or {"id": self._stamp.key}
        thread.compaction = {}
        yield from thread.talk.settle()
        yield from thread.talk.row(self._stamp.event("compaction", status="done", summary=said, **known))

    def _local_command(self, thread: Thread, line: JsonObject) -> Iterator[Fields]:
        said = text(line, "content") or ""
        if typed_command(said) is not None:
            yield from self._command(thread, line, said)
        elif (output := printed(said)) is not None:
            yield from thread.talk.command_output(output)
        elif (row := system_row(line, self._stamp)) is not None:
            yield from thread.talk.row(row)

    def _progress(self, _thread: Thread, line: JsonObject) -> Iterator[Fields]:
        self._delegates.progressed(line)
        yield from ()

    # What is known of the session

    def _title(self, thread: Thread, line: JsonObject) -> Iterator[Fields]:
        fields = None if thread.call_id is not None else self._facts.title(line, self._stamp)
        yield from () if fields is None else (fields,)

    def _link(self, thread: Thread, line: JsonObject) -> Iterator[Fields]:
        row = link_row(line, self._stamp)
        if row is not None:
            yield from thread.talk.row(row)

    def _relocated(self, thread: Thread, line: JsonObject) -> Iterator[Fields]:
        fields = None if thread.call_id is not None else self._facts.relocated(line, self._stamp)
        yield from () if fields is None else (fields,)


def _source_of(line: JsonObject, thread: Thread) -> str:
    """Where a text that no human wrote comes from."""
    origin = text(table(line, "origin"), "kind")
    if origin is not None and origin != "human":
        return origin
    if text(line, "sourceToolUseID") is not None:
        return "tool"
    return "prompt" if thread.talk.is_delegate and line.get("isMeta") is not True else "meta"


def _code_of(line: JsonObject) -> str | None:
    """What kind of error the model's request met."""
    status = line.get("apiErrorStatus")
    return text(line, "error") or (
        str(status) if isinstance(status, int) else error_text(line.get("error")) or None
    )
