"""The harness log's events in native terms (`events.md`, last section): one in, one out."""

from collections.abc import Callable, Iterator

from service.importers.fields import JsonObject, as_table, items, millis, table, text, whole
from service.importers.harness_chunks import ChunkNames, LogEvent
from service.importers.harness_content import blocks_of, message_of, native_block, text_of, tool_result
from service.importers.harness_inbox import Inbox, is_human

Fields = dict[str, object]

# Known, and nothing to show: they become invisible custom events, so that every `seq` is the log's own.
_BOOKKEEPING = frozenset(
    {
        "agent/inbox/spliced", "approval/policy", "compaction/summary", "goal/change", "hook/invoked",
        "hook/result", "permission/preset", "plan/mode", "request/context", "sandbox/mode",
        "session/end-seed", "subagent/descriptor", "todo/write", "tool/ptc-dispatch",
        "tool/ptc-dispatch-start",
    }
)  # fmt: skip
_END_REASONS = {"error": "failed", "max-tokens": "max_tokens"}


class HarnessTranslator:
    """Translates the events of one log in order.

    1. A log event that has no native meaning, or lacks a field it needs, becomes `custom/<its type>` with its
       data as payload: nothing is lost.
    2. Facts that belong to no log event of their own (the header's, the model's name, steering that waits)
       are carried by the next event that shows nothing; its own content then stands in `source_event`. `rest`
       gives what is left at the end.
    3. Turn and step of an event that must name them are filled in from the log's order.
    """

    def __init__(self) -> None:
        self._inbox = Inbox()
        self._chunks = ChunkNames()
        self._meta: Fields = {}
        self._turn: int | None = None
        self._step: int | None = None
        self._model: str | None = None
        self._call_of_approval: dict[str, str] = {}
        self._denied_calls: set[str] = set()
        self._name_of_command: dict[str, str] = {}
        self._compaction_trigger: str | None = None
        self._is_compacting = False
        self._handlers: dict[str, Callable[[LogEvent], Fields | None]] = {
            "agent/inbox/spliced": self._spliced,
            "approval/asked": self._approval_asked,
            "approval/decided": self._approval_decided,
            "assistant/chunk": self._assistant_chunk,
            "assistant/message": self._assistant_message,
            "command/done": self._command_done,
            "command/run": self._command_run,
            "compaction/end": self._compaction_end,
            "compaction/start": self._compaction_start,
            "llm/retry": self._retry,
            "llm/retry-started": self._retry,
            "request/context": self._request_context,
            "request/header": self._request_header,
            "session/title": self._session_title,
            "step/end": self._step_boundary,
            "step/start": self._step_boundary,
            "system/message": self._system_message,
            "tool/call": self._tool_call,
            "tool/result": self._tool_result,
            "turn/end": self._turn_end,
            "turn/start": self._turn_start,
            "user/message": self._user_message,
        }

    def learn(self, facts: JsonObject) -> None:
        """Facts of the session (`session/meta` fields) that the next silent event carries."""
        self._meta.update(facts)

    def is_known(self, kind: str) -> bool:
        """Whether the harness's log is known to have events of this type."""
        return kind in self._handlers or kind in _BOOKKEEPING

    def translate(self, event: LogEvent) -> Fields:
        """The native fields of one log event."""
        self._follow(event.data)
        if _is_replacement(event) and self._is_summary_of_compaction(event):
            return self._compaction_done(event)
        handler = self._handlers.get(event.kind)
        fields = handler(event) if handler else None
        if fields is None:
            return self._silent(event)
        if fields["type"] == "session/meta":
            fields |= self._meta
            self._meta = {}
        else:
            _name_place(fields, event.data)
        if _is_replacement(event):
            fields["surface"] = "replace"
        return fields

    def rest(self) -> Iterator[Fields]:
        """What no event could carry before the log ended."""
        if self._meta:
            yield {"type": "session/meta", **self._meta}
        for state in self._inbox.rest():
            yield dict(state)

    def _silent(self, event: LogEvent) -> Fields:
        source_event = {"type": event.kind, "data": event.data}
        if (state := self._inbox.next_state()) is not None:
            return {**state, "source_event": source_event}
        if self._meta:
            meta, self._meta = self._meta, {}
            return {"type": "session/meta", **meta, "source_event": source_event}
        fields: Fields = {"type": f"custom/{event.kind}", "visible": False, "payload": event.data}
        if event.ignorable:
            fields["ignorable"] = True
        return fields

    def _follow(self, data: JsonObject) -> None:
        turn, step = whole(data, "turn"), whole(data, "step")
        if turn is not None and turn != self._turn:
            self._turn, self._step = turn, None
        if step is not None:
            self._step = step

    def _in_step(self, fields: Fields) -> Fields | None:
        """The fields with turn and step; nothing where the log never named a turn and a step."""
        if self._turn is None or self._step is None:
            return None
        return {**fields, "turn": self._turn, "step": self._step}

    # Boundaries

    def _turn_start(self, event: LogEvent) -> Fields | None:
        if self._turn is None:
            return None
        fields: Fields = {"type": "turn/start", "turn": self._turn}
        if "trigger" in event.data:
            fields["trigger"] = event.data["trigger"]
        return fields

    def _turn_end(self, event: LogEvent) -> Fields | None:
        if self._turn is None:
            return None
        reason = table(event.data, "reason")
        kind = text(reason, "kind") or text(event.data, "reason") or "unknown"
        fields: Fields = {"type": "turn/end", "turn": self._turn, "reason": _END_REASONS.get(kind, kind)}
        error = table(reason, "error") or table(event.data, "error")
        known = {key: value for key in ("code", "message") if (value := text(error, key)) is not None}
        if known:
            fields["error"] = known
        return fields

    def _step_boundary(self, event: LogEvent) -> Fields | None:
        return self._in_step({"type": event.kind})

    # What people and hosts say

    def _user_message(self, event: LogEvent) -> Fields:
        message = message_of(event.data)
        fields: Fields = {"id": text(message, "id") or _made_up_id(event), "content": blocks_of(message)}
        source = table(message, "source") or table(event.data, "source")
        if not is_human({"source": source}):
            kind = text(source, "kind") or "unknown"
            title = text(source, "title", "name", "plugin")
            return (
                fields | {"type": "context/injection", "source": kind} | ({"title": title} if title else {})
            )
        if not _is_replacement(event) and self._inbox.is_steering(str(fields["id"])):
            return fields | {"type": "user/steering", "state": "delivered"}
        return fields | {"type": "user/message"}

    def _system_message(self, event: LogEvent) -> Fields:
        message = message_of(event.data)
        message_id = text(message, "id") or _made_up_id(event)
        return {
            "type": "context/injection",
            "id": message_id,
            "source": "system",
            "content": blocks_of(message),
        }

    def _spliced(self, event: LogEvent) -> None:
        self._inbox.splice(event.data)

    def _request_header(self, event: LogEvent) -> Fields | None:
        header = table(event.data, "header")
        self._learn_model(text(table(header, "config"), "model"))
        prompt = text(header, "system")
        if prompt is None and items(header, "system"):
            prompt = text_of({"content": header["system"]})
        if prompt is None:
            return None
        return {"type": "system/prompt", "text": prompt, "reason": text(event.data, "reason") or "initial"}

    def _request_context(self, event: LogEvent) -> None:
        self._learn_model(text(event.data, "model"))

    def _learn_model(self, model: str | None) -> None:
        if model is not None and model != self._model:
            self._model = model
            self.learn({"model": model})

    def _session_title(self, event: LogEvent) -> Fields | None:
        title = text(event.data, "title")
        return None if title is None else {"type": "session/meta", "title": title}

    # What the model does

    def _assistant_chunk(self, event: LogEvent) -> Fields | None:
        fields = self._chunks.native_chunk(event.data)
        return None if fields is None else self._in_step({"type": "assistant/chunk", **fields})

    def _assistant_message(self, event: LogEvent) -> Fields | None:
        message = message_of(event.data)
        fields: Fields = {"type": "assistant/message", "blocks": blocks_of(message)}
        if (message_id := text(message, "id")) is not None:
            fields["id"] = message_id
        if (phase := text(message, "phase") or text(event.data, "phase")) is not None:
            fields["phase"] = phase
        if event.data.get("interrupted") is True or message.get("interrupted") is True:
            fields["interrupted"] = True
        if (duration_ms := millis(event.data, "durationMs")) is not None:
            fields["duration_ms"] = duration_ms
        if "usage" in event.data:
            fields["usage"] = event.data["usage"]
        return self._in_step(fields)

    def _tool_call(self, event: LogEvent) -> Fields | None:
        call_id = text(event.data, "callId", "id")
        if call_id is None:
            return None
        block = as_table(native_block({**event.data, "type": "tool-call", "id": call_id}))
        return self._in_step({**block, "type": "tool/call"})

    def _tool_result(self, event: LogEvent) -> Fields | None:
        return tool_result(event.data, self._denied_calls)

    def _retry(self, event: LogEvent) -> Fields | None:
        retry_id = text(event.data, "retryId")
        if retry_id is None:
            return None
        fields: Fields = {"type": event.kind.replace("-", "_"), "retry_id": retry_id}
        fields["retry"] = whole(event.data, "retry") or 1
        if (delay_ms := millis(event.data, "delayMs")) is not None:
            fields["delay_ms"] = delay_ms
        if "failure" in event.data:
            fields["failure"] = event.data["failure"]
        return self._in_step(fields)

    # What the host does

    def _approval_asked(self, event: LogEvent) -> Fields | None:
        approval_id = text(event.data, "id")
        if approval_id is None:
            return None
        title = text(event.data, "reason") or text(event.data, "toolName") or "approval"
        fields: Fields = {
            "type": "interaction/request",
            "id": approval_id,
            "kind": "permission",
            "title": title,
        }
        if (call_id := text(event.data, "callId")) is not None:
            fields["call_id"] = call_id
            self._call_of_approval[approval_id] = call_id
        return fields | {"payload": event.data}

    def _approval_decided(self, event: LogEvent) -> Fields | None:
        approval_id = text(event.data, "id")
        if approval_id is None:
            return None
        outcome = text(event.data, "outcome") or text(table(event.data, "outcome"), "kind") or "unknown"
        call_id = text(event.data, "callId") or self._call_of_approval.pop(approval_id, None)
        if call_id is not None and outcome.startswith(("denied", "deny", "reject")):
            self._denied_calls.add(call_id)
        return {"type": "interaction/resolve", "id": approval_id, "outcome": outcome, "payload": event.data}

    def _command_run(self, event: LogEvent) -> Fields | None:
        command_id = text(event.data, "commandId", "id")
        if command_id is None:
            return None
        name = text(event.data, "name") or "command"
        self._name_of_command[command_id] = name
        fields: Fields = {"type": "command/run", "id": command_id, "name": name}
        arguments = event.data.get("args")
        if arguments is not None:
            fields["input"] = arguments.strip() if isinstance(arguments, str) else arguments
        return fields

    def _command_done(self, event: LogEvent) -> Fields | None:
        command_id = text(event.data, "commandId", "id")
        if command_id is None:
            return None
        name = self._name_of_command.pop(command_id, None) or text(event.data, "name") or "command"
        fields: Fields = {"type": "command/done", "id": command_id, "name": name}
        if (output := text(event.data, "text", "output")) is not None:
            fields["output"] = output
        if (status := text(event.data, "kind", "status")) is not None:
            fields["status"] = status
        return fields

    def _compaction_start(self, event: LogEvent) -> Fields:
        self._is_compacting = True
        self._compaction_trigger = text(event.data, "trigger") or text(table(event.data, "trigger"), "kind")
        return {"type": "phase/start", "phase": "compacting"}

    def _compaction_end(self, _event: LogEvent) -> Fields:
        self._is_compacting = False
        return {"type": "phase/end", "phase": "compacting"}

    def _is_summary_of_compaction(self, event: LogEvent) -> bool:
        """The first replacement inside a compaction; later ones are copies like any other."""
        if event.kind not in {"user/message", "system/message", "compaction/summary"}:
            return False
        source = text(table(message_of(event.data), "source"), "kind") or ""
        return self._is_compacting or source.startswith("compaction")

    def _compaction_done(self, event: LogEvent) -> Fields:
        self._is_compacting = False
        message = message_of(event.data)
        fields: Fields = {
            "type": "compaction",
            "id": text(message, "id") or _made_up_id(event),
            "status": "done",
        }
        if summary := text_of(message) or text(event.data, "summary", "text"):
            fields["summary"] = summary
        if self._compaction_trigger is not None:
            fields["trigger"] = self._compaction_trigger
        return fields


def _is_replacement(event: LogEvent) -> bool:
    return event.surface_op not in (None, "append") and event.surface_op != {"op": "append"}


def _name_place(fields: Fields, data: JsonObject) -> None:
    """Turn and step as the event itself names them; in a partial history nothing else may name them."""
    for key in ("turn", "step"):
        if key not in fields and (number := whole(data, key)) is not None:
            fields[key] = number


def _made_up_id(event: LogEvent) -> str:
    """An id for a message that has none: old logs know a message by its place alone."""
    return f"{event.kind}:{event.seq}"
