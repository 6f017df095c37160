"""What one line of a Claude Code session is: fields first; wording only where a version has no field for it.

A line names itself (`uuid`), the line it answers (`parentUuid`), its agent (`isSidechain`, `agentId`) and who wrote
it (`origin.kind`, `promptSource`, `isMeta`, `isCompactSummary`). Old versions lack the latter, so that there the
marks that the host puts around its own texts have to do.
"""

import re
from datetime import datetime
from typing import Literal

import msgspec

from service.importers.fields import JsonObject, as_table, items, table, text

UserKind = Literal[
    "results",  # carries tool results
    "summary",  # what a compaction left of the conversation
    "interrupt",  # the reader stopped the turn; new text may follow
    "command",  # a slash command that was typed
    "shell",  # a `!` command that was typed
    "output",  # what such a command printed
    "context",  # no human wrote it
    "prompt",  # a human did
]

_TYPED_SOURCES = frozenset({"typed", "queued", "suggestion_accepted"})
_INTERRUPT = re.compile(r"\s*\[Request interrupted by user(?: for tool use)?\]\s*")
_COMMAND_NAME = re.compile(r"<command-name>\s*(.*?)\s*</command-name>", re.DOTALL)
_COMMAND_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_SHELL_INPUT = re.compile(r"\s*<bash-input>(.*?)</bash-input>\s*\Z", re.DOTALL)
_OUTPUTS = re.compile(r"<((?:local-command|bash)-(?:stdout|stderr))>(.*?)</\1>", re.DOTALL)
_HOST_MARK = re.compile(
    r"\s*<(?:task-notification|system-reminder|local-command-caveat|command-message|user-prompt-submit-hook)[\s>]"
)


class TypedCommand(msgspec.Struct, frozen=True, kw_only=True):
    """A command as it was typed; `arguments` is empty where there are none."""

    name: str
    arguments: str

    def __str__(self) -> str:
        return f"{self.name} {self.arguments}".strip()


# What only this format's lines about a session have, beside their type.
_SESSION_LINES = {
    "ai-title": "aiTitle",
    "attachment": "attachment",
    "custom-title": "customTitle",
    "file-history-snapshot": "snapshot",
    "last-prompt": "sessionId",
    "mode": "sessionId",
    "permission-mode": "permissionMode",
    "queue-operation": "operation",
    "summary": "leafUuid",
}


def is_claude_line(line: JsonObject) -> bool:
    """Whether a line is one of this format; others have the same types, with messages of other shapes."""
    kind = text(line, "type")
    if kind in {"user", "assistant"}:
        message = table(line, "message")
        return isinstance(message.get("content"), str | list) and "parts" not in message
    if kind in {"system", "progress"}:
        return "isSidechain" in line and "systemPayload" not in line
    return kind in _SESSION_LINES and _SESSION_LINES[kind] in line


def user_kind(line: JsonObject, *, is_delegate: bool) -> UserKind:
    """What a `user` line is.

    Args:
        line: the line.
        is_delegate: it stands in a subagent's transcript, where no human writes unless `origin` says so.
    """
    content = table(line, "message").get("content")
    said = plain_text(content)
    if any(as_table(block).get("type") == "tool_result" for block in _blocks(content)):
        return "results"
    if line.get("isCompactSummary") is True:
        return "summary"
    if text(line, "interruptedMessageId") is not None or _INTERRUPT.match(said):
        return "interrupt"
    if (by_mark := _kind_by_mark(said)) is not None:
        return by_mark
    if line.get("isMeta") is True or line.get("isVisibleInTranscriptOnly") is True:
        return "context"
    return "prompt" if _is_human(line, said, is_delegate=is_delegate) else "context"


def _kind_by_mark(said: str) -> UserKind | None:
    if not said.lstrip().startswith("<"):
        return None
    if typed_command(said) is not None:
        return "command"
    if _SHELL_INPUT.match(said):
        return "shell"
    return "output" if printed(said) is not None else None


def _is_human(line: JsonObject, said: str, *, is_delegate: bool) -> bool:
    if (is_said_human := says_human(line)) is not None:
        return is_said_human
    return not is_delegate and not is_host_text(said)


def says_human(line: JsonObject) -> bool | None:
    """Whether the line's own fields say that a human wrote it; nothing where they do not say."""
    source = text(line, "promptSource")
    if (origin := text(table(line, "origin"), "kind")) is not None:
        return origin == "human" or source in _TYPED_SOURCES
    if source == "system":
        return False
    return True if source in _TYPED_SOURCES else None


def is_host_text(said: str) -> bool:
    """Whether the host wrapped the text in one of its marks."""
    return _HOST_MARK.match(said) is not None


def plain_text(content: object) -> str:
    """The text of a message's content, its blocks joined."""
    if isinstance(content, str):
        return content
    return "\n".join(text(as_table(block), "text") or "" for block in _blocks(content))


def after_interrupt(said: str) -> str:
    """What was said behind the mark of an interrupt."""
    return _INTERRUPT.sub("", said, count=1)


def is_interrupt(said: str) -> bool:
    """Whether a text begins with the mark of an interrupt."""
    return _INTERRUPT.match(said) is not None


def typed_command(said: str) -> TypedCommand | None:
    """The slash command that the host's marks hold.

    >>> str(typed_command("<command-name>/init</command-name><command-args>now</command-args>"))
    '/init now'
    """
    if not said.lstrip().startswith("<command-") or (found := _COMMAND_NAME.search(said)) is None:
        return None
    name = found[1] if found[1].startswith("/") else f"/{found[1]}"
    arguments = _COMMAND_ARGUMENTS.search(said)
    return TypedCommand(name=name, arguments=arguments[1].strip() if arguments else "")


def shell_command(said: str) -> str:
    """The command line of a `!` command."""
    found = _SHELL_INPUT.match(said)
    return found[1].strip() if found else said


def printed(said: str) -> str | None:
    """What a command of the host printed, its streams joined; nothing where the text is no such output."""
    if not said.lstrip().startswith(("<local-command-std", "<bash-std")):
        return None
    return "\n".join(part for _, stream in _OUTPUTS.findall(said) if (part := stream.strip()))


def time_ms(line: JsonObject) -> int | None:
    """The line's time in epoch milliseconds; nothing for one that is missing or no time."""
    stamp = text(line, "timestamp")
    if stamp is None:
        return None
    try:
        time = datetime.fromisoformat(stamp)
        return round(time.timestamp() * 1000) if time.tzinfo is not None and time.year > 1970 else None
    except (ValueError, OverflowError):
        return None


def _blocks(content: object) -> list[object]:
    return list(items({"content": content}, "content"))
