"""What the model does in one turn: messages split over lines, calls and their results, retries, retractions.

1. A message is open until a line of another message, or the turn's end; results do not end it, since calls start
   while the message still streams. Until then its blocks are chunks, then one `assistant/message` settles it.
2. Consecutive lines with one message id are one step.
3. A retraction takes back whole messages by `llm/retry`; of the newest message also single blocks.
"""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from service.importers.claude_calls import OpenCalls
from service.importers.claude_content import Fields, blocks_of, native_block, search_sources, tool_result
from service.importers.claude_message import OpenMessage, chunk_of
from service.importers.claude_stamp import LineStamp, stamped
from service.importers.fields import JsonObject, as_table, items, millis, table, text, whole

# Tools that the provider runs inside the message: their result is a block of the same message.
_PROVIDER_CALLS = frozenset({"server_tool_use", "mcp_tool_use"})
_SEARCH_TOOL = "web_search"


class ModelWork:
    """Follows the model through one turn; memory holds its open calls, its lines' ids and one message."""

    def __init__(self, stamp: LineStamp, turn: int) -> None:
        self._stamp = stamp
        self._turn = turn
        self._step = 0
        self._message: OpenMessage | None = None
        self._last: OpenMessage | None = None
        self._calls = OpenCalls()
        self._lines_of_step: dict[int, set[str]] = {}
        self._retry: Fields | None = None

    @property
    def end_reason(self) -> str:
        """How the turn ends if nothing says so (`events.md`, rule 9)."""
        last = self._message or self._last
        if last is not None and last.is_aborted:
            return "aborted"
        if last is None or self._calls.is_any_open or not last.is_answer:
            return "interrupted"
        return {"max_tokens": "max_tokens", "refusal": "blocked"}.get(last.stop_reason or "", "completed")

    @property
    def is_at_rest(self) -> bool:
        """Whether the model has answered and nothing is open: what is typed now is no steering."""
        return self.end_reason != "interrupted"

    # Messages

    def line(self, line: JsonObject) -> Iterator[Fields]:
        """An `assistant` line of the model."""
        message = table(line, "message")
        yield from self._start_of_attempt()
        message_id = text(message, "id")
        if self._message is None or message_id is None or self._message.id != message_id:
            yield from self.settle()
            self._message = self._begun(message_id)
        yield from self._blocks(self._message, line, message)
        self._note(self._message, line, message)
        if self._message.is_aborted:
            yield from self.settle()

    def _begun(self, message_id: str | None) -> OpenMessage:
        if self._retry is None:
            self._step += 1
        self._retry = None
        return OpenMessage(message_id, self._step)

    def _note(self, open_message: OpenMessage, line: JsonObject, message: JsonObject) -> None:
        open_message.key, open_message.ts_ms = self._stamp.key, self._stamp.ts_ms
        open_message.usage = message.get("usage") or open_message.usage
        open_message.stop_reason = text(message, "stop_reason") or open_message.stop_reason
        open_message.is_aborted = line.get("isAbortedMidStream") is True
        if (uuid := text(line, "uuid")) is not None:
            self._lines_of_step.setdefault(open_message.step, set()).add(uuid)

    def _blocks(self, open_message: OpenMessage, line: JsonObject, message: JsonObject) -> Iterator[Fields]:
        content = message.get("content")
        said: list[JsonObject] = [{"type": "text", "text": content}] if isinstance(content, str) else []
        for block in said or [as_table(block) for block in items(message, "content")]:
            if text(block, "type") is not None:
                yield from self._block(open_message, block, text(line, "uuid"))

    def _block(self, open_message: OpenMessage, block: JsonObject, line: str | None) -> Iterator[Fields]:
        kind = text(block, "type") or ""
        if kind == "tool_use":
            yield (run := self._call(open_message, block, line))
            # The input is the call's own; a second copy in the message would double the log.
            open_message.add({"type": "tool_call", "call_id": run["call_id"], "name": run["name"]}, line)
        elif kind in _PROVIDER_CALLS and text(block, "name") != _SEARCH_TOOL:
            # The message goes on behind the result, so that the call does not keep it from being the answer.
            yield self._call(open_message, block, line)
        elif kind in _PROVIDER_CALLS:
            yield self._search(block, "searching", query=text(table(block, "input"), "query"))
        elif kind == "web_search_tool_result":
            sources = search_sources(block.get("content"))
            yield self._search(block, "completed" if sources else "failed", sources=block.get("content"))
        elif kind.endswith("_tool_result") and text(block, "tool_use_id") is not None:
            yield self._result(str(block["tool_use_id"]), {"status": "ok", "output": blocks_of([block])})
        elif kind == "fallback":
            yield self._stamp.row("notice", turn=self._turn, level="info", text=_fallback_text(block))
        else:
            yield from self._content(open_message, native_block(block), line)

    def _content(self, open_message: OpenMessage, block: Fields, line: str | None) -> Iterator[Fields]:
        index = open_message.add(block, line)
        if (chunk := chunk_of(block, index)) is not None:
            yield self._stamp.event("assistant/chunk", turn=self._turn, step=open_message.step, **chunk)

    def _call(self, open_message: OpenMessage, block: JsonObject, line: str | None) -> Fields:
        call_id = text(block, "id")
        name = text(block, "name") or "tool"
        if call_id is None:
            call_id = f"{self._stamp.key}:call{len(open_message.blocks)}"
            self._calls.add_unnamed(call_id, line)
        else:
            self._calls.add(call_id)
        return self._stamp.event(
            "tool/call",
            turn=self._turn,
            step=open_message.step,
            call_id=call_id,
            name=name,
            input=block.get("input", {}),
        )

    def _search(self, block: JsonObject, status: str, **more: object) -> Fields:
        search_id = text(block, "id", "tool_use_id") or self._stamp.key
        known = {key: value for key, value in more.items() if value is not None}
        fields = {"search_id": search_id, "round_id": search_id, "status": status, **known}
        return self._stamp.event("search/round", turn=self._turn, step=self._step, **fields)

    def settle(self, *, interrupted: bool = False) -> Iterator[Fields]:
        """Ends the open message; named by its last line, so that it is the same however the file was read."""
        message, self._message = self._message, None
        if message is None:
            return
        self._last = message
        message.is_aborted = message.is_aborted or (interrupted and message.may_be_cut)
        yield self._settled(message, f"{message.key}:message")

    def _settled(self, message: OpenMessage, event_id: str) -> Fields:
        more: Fields = {"id": message.id} if message.id is not None else {}
        more |= {"usage": message.usage} if isinstance(message.usage, dict) else {}
        more |= {"interrupted": True} if message.is_aborted else {}
        return stamped(
            "assistant/message",
            event_id,
            message.ts_ms,
            turn=self._turn,
            step=message.step,
            blocks=message.blocks,
            **more,
        )

    # Calls

    def bare_call(self, line: JsonObject) -> Iterator[Fields]:
        """A `tool_use` line of its own, as trimmed logs have it: a message of one call."""
        yield from self._start_of_attempt()
        yield from self.settle()
        self._message = self._begun(None)
        yield from self._block(self._message, line, text(line, "uuid"))
        self._note(self._message, line, line)

    def call_of(self, block: JsonObject, line: JsonObject) -> str:
        """The call that a result belongs to: the one it names, else the oldest without an id that its line answers."""
        named = text(block, "tool_use_id")
        if named is not None:
            return named
        asked_by = text(line, "sourceToolAssistantUUID", "parentUuid")
        return self._calls.oldest_unnamed(asked_by) or f"{self._stamp.key}:result"

    def result(self, block: JsonObject, line: JsonObject, call_id: str) -> Fields:
        """One result of a call."""
        return self._result(call_id, tool_result(block, line))

    def _result(self, call_id: str, fields: Fields) -> Fields:
        self._calls.close(call_id)
        return self._stamp.event("tool/result", call_id=call_id, **fields)

    # Retries and retractions

    def retry(self, line: JsonObject) -> Iterator[Fields]:
        """A request that failed and is made again; the attempts of one request are one chain."""
        yield from self.settle()
        if self._retry is None:
            self._step += 1
            self._retry = {"retry_id": self._stamp.key}
        self._last = None
        attempt = whole(line, "retryAttempt") or 1
        self._retry = {"retry_id": self._retry["retry_id"], "retry": attempt}
        delay_ms = millis(line, "retryInMs")
        more = {} if delay_ms is None else {"delay_ms": delay_ms}
        failure = line.get("error") or {"message": text(line, "content") or "the request failed"}
        yield self._stamp.event(
            "llm/retry", turn=self._turn, step=self._step, **self._retry, **more, failure=failure
        )

    def _start_of_attempt(self) -> Iterator[Fields]:
        if self._retry is not None:
            yield self._stamp.event("llm/retry_started", turn=self._turn, step=self._step, **self._retry)

    def retract(self, lines: AbstractSet[str], failure: Fields) -> Iterator[Fields]:
        """Takes back what some lines of this turn said."""
        for step, of_step in self._lines_of_step.items():
            gone = of_step & lines
            newest = next((one for one in (self._message, self._last) if one and one.step == step), None)
            if not gone or (newest is None and gone != of_step):
                continue
            of_step -= gone
            retry_id = f"{self._stamp.key}:retracted{step}"
            yield self._stamp.event(
                "llm/retry", turn=self._turn, step=step, retry_id=retry_id, retry=1, failure=failure
            )
            if newest is not None:
                yield from self._without(newest, gone)

    def _without(self, message: OpenMessage, lines: AbstractSet[str]) -> Iterator[Fields]:
        """The rest of a message of which some lines were taken back."""
        message.drop(lines)
        if message is self._message:
            for chunk in message.chunks():
                yield self._stamp.event("assistant/chunk", turn=self._turn, step=message.step, **chunk)
        elif message.blocks:
            yield self._settled(message, f"{self._stamp.key}:rest")


def _fallback_text(block: JsonObject) -> str:
    from_model, to_model = (text(table(block, side), "model") or "another model" for side in ("from", "to"))
    return f"The model changed from {from_model} to {to_model}"
