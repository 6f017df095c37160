"""Lines beside the conversation in native terms: attachments, system lines, titles and links of the session."""

import msgspec

from service.importers.claude_content import Fields, blocks_of
from service.importers.claude_lines import is_host_text, plain_text, says_human
from service.importers.claude_stamp import LineStamp
from service.importers.fields import JsonObject, as_table, items, table, text

# What the host put before the model, and where its text stands. Any other attachment shows nothing.
_CONTEXT_TEXTS: dict[str, tuple[str, ...]] = {
    "diagnostics": ("content",),
    "edited_text_file": ("snippet",),
    "file": ("content", "file", "content"),
    "hook_additional_context": ("content",),
    "hook_success": ("content",),
    "nested_memory": ("content", "content"),
    "plan_file_reference": ("planContent",),
    "task_status": ("description",),
}
_CONTEXT_TITLES = ("displayPath", "filename", "path", "hookName", "taskId")
_HOOK_ERRORS: dict[str, str] = {
    "hook_blocking_error": "error",
    "hook_error_during_execution": "warning",
    "hook_non_blocking_error": "warning",
    "hook_stopped_continuation": "warning",
}
_LEVELS: dict[str | None, str] = {"warning": "warning", "warn": "warning", "error": "error"}
# Known, and nothing to show: they become invisible events.
BOOKKEEPING = frozenset(
    {
        "agent-color", "agent-name", "agent-setting", "atis-latch", "attachment", "bridge-session",
        "content-replacement", "file-history-snapshot", "last-prompt", "mode", "permission-mode", "progress",
        "queue-operation", "result", "speculation-accept", "started", "system", "tag", "task-summary", "user",
        "assistant", "worktree-state",
    }
)  # fmt: skip
# A title that a human gave wins over one that was made up, whichever comes later.
_TITLES = {"custom-title": ("customTitle", 3), "ai-title": ("aiTitle", 2), "summary": ("summary", 1)}


class QueuedCommand(msgspec.Struct, frozen=True, kw_only=True):
    """What the running turn took from the queue."""

    id: str | None
    content: list[Fields]
    is_human: bool


def queued_command(line: JsonObject) -> QueuedCommand | None:
    """The queue's message that an attachment delivers; nothing for another attachment."""
    attachment = table(line, "attachment")
    if text(attachment, "type") != "queued_command":
        return None
    content = blocks_of(attachment.get("prompt"))
    is_human = says_human(attachment)
    if is_human is None:
        is_prompt = text(attachment, "commandMode") in {"prompt", None}
        is_human = is_prompt and not is_host_text(plain_text(content))
    is_human = is_human and attachment.get("isMeta") is not True
    return QueuedCommand(id=text(attachment, "source_uuid"), content=content, is_human=is_human)


def attachment_row(line: JsonObject, stamp: LineStamp) -> Fields | None:
    """The row of an attachment; nothing where it holds no text for a reader."""
    attachment = table(line, "attachment")
    kind = text(attachment, "type") or ""
    if kind in _HOOK_ERRORS:
        return _hook_error(attachment, _HOOK_ERRORS[kind], stamp)
    said = _text_at(attachment, _CONTEXT_TEXTS.get(kind, ()))
    if not said.strip():
        return None
    more = {"title": title} if (title := text(attachment, *_CONTEXT_TITLES)) else {}
    return stamp.row("context/injection", source=kind, content=[{"type": "text", "text": said}], **more)


def _hook_error(attachment: JsonObject, level: str, stamp: LineStamp) -> Fields:
    blocking = table(attachment, "blockingError")
    said = text(blocking, "blockingError") or text(attachment, "stderr", "message", "content") or ""
    name = text(attachment, "hookName", "hookEvent") or "hook"
    return stamp.row("notice", level=level, text=f"{name}: {said}" if said.strip() else f"{name} failed")


def _text_at(attachment: JsonObject, path: tuple[str, ...]) -> str:
    if not path:
        return ""
    *outer, last = path
    for key in outer:
        attachment = table(attachment, key)
    value = attachment.get(last)
    parts = [value] if isinstance(value, str) else items(attachment, last)
    return "\n".join(part if isinstance(part, str) else text(as_table(part), "text") or "" for part in parts)


def system_row(line: JsonObject, stamp: LineStamp) -> Fields | None:
    """The notice of a `system` line; nothing where it holds no text for a reader."""
    error = line.get("error")
    said = text(line, "content") or ""
    if text(line, "subtype") == "error":
        return stamp.row("notice", level="error", text=error_text(error) or said or "an error of the host")
    if line.get("isMeta") is True or not said.strip():
        return None
    return stamp.row("notice", level=_LEVELS.get(text(line, "level"), "info"), text=said)


def error_text(error: object) -> str:
    """The words of an error, however deep the log wrapped it."""
    for _ in range(4):
        if isinstance(error, str):
            return error
        fields = as_table(error)
        if (said := text(fields, "formatted", "message")) is not None:
            return said
        error = fields.get("error")
    return ""


def refusal_row(line: JsonObject, stamp: LineStamp) -> Fields:
    """The notice of a refusal, with or without another model that took over."""
    said = text(line, "content", "apiRefusalExplanation") or "The model refused the request"
    if text(line, "apiRefusalExplanation") not in {None, said}:
        said = f"{said}: {text(line, 'apiRefusalExplanation')}"
    return stamp.row("notice", level="warning", text=said)


def link_row(line: JsonObject, stamp: LineStamp) -> Fields | None:
    """The notice of a link that the session keeps: a pull request, a preview."""
    url = text(line, "prUrl", "frameUrl")
    if url is None:
        return None
    number = line.get("prNumber")
    name = text(line, "title") or (f"Pull request {number}" if isinstance(number, int) else "Link")
    return stamp.row("notice", level="info", text=f"{name}: {url}")


class SessionFacts:
    """Title, directory and model of the session, told when they change."""

    def __init__(self) -> None:
        self._rank = 0
        self._told: Fields = {}

    def title(self, line: JsonObject, stamp: LineStamp) -> Fields | None:
        """The title that a line gives, unless a better one was told."""
        key, rank = _TITLES[str(line["type"])]
        title = text(line, key)
        if title is None or not title.strip() or rank < self._rank:
            return None
        self._rank = rank
        return stamp.event("session/meta", title=title)

    def of_line(self, line: JsonObject, stamp: LineStamp, **first: object) -> Fields | None:
        """The facts that a line of the conversation tells and that are new; `first` goes with the first of them."""
        model = text(table(line, "message"), "model")
        found = {"cwd": text(line, "cwd"), "model": None if model == "<synthetic>" else model}
        new: Fields = {
            key: value for key, value in found.items() if value is not None and self._told.get(key) != value
        }
        new |= {} if self._told else first
        if not new:
            return None
        self._told |= new
        return stamp.event("session/meta", **new)

    def relocated(self, line: JsonObject, stamp: LineStamp) -> Fields | None:
        """The directory that the session moved to."""
        cwd = text(line, "relocatedCwd")
        return None if cwd is None else stamp.event("session/meta", cwd=cwd)
