"""Which format a file has, from its first lines."""

from typing import Literal

from service.importers.claude_lines import is_claude_line
from service.importers.errors import UnknownFormatError
from service.importers.fields import JsonObject, text
from service.importers.lines import is_gzip
from service.importers.native import is_native_type
from service.importers.parse import Unreadable, parse_object

Format = Literal["native", "harness", "claude-code"]
FormatChoice = Literal["auto", "native", "harness", "claude-code"]

SUPPORTED = (
    "native (JSONL of Turnfold events)",
    "harness (deepseek-harness session log, also zstd, stream-json or session.event notifications)",
    "claude-code (Claude Code session, main or subagent's)",
)


def detect(head: bytes) -> Format:
    """The format of a file that begins with these (decompressed) bytes.

    Raises:
        UnknownFormatError: no line of the head fits; it names what was seen.
    """
    if is_gzip(head):
        raise UnknownFormatError("gzip data", SUPPORTED)
    seen: list[str] = []
    for raw in head.removeprefix(b"\xef\xbb\xbf").splitlines():
        if not raw.strip():
            continue
        fields = parse_object(raw)
        if isinstance(fields, Unreadable):
            seen.append(f"a line that is {fields.reason}")
        elif (found := _format_of(fields)) is not None:
            return found
        else:
            seen.append(_described(fields))
    raise UnknownFormatError(_summary(seen), SUPPORTED)


def _format_of(fields: JsonObject) -> Format | None:
    kind = text(fields, "type")
    if text(fields, "method") in {"session.event", "session.status"} or kind == "session_event":
        return "harness"
    if kind is None:
        return None
    if kind == "session":
        # pi's header has the same type and version, and a `timestamp` instead.
        return "harness" if "createdAt" in fields or "delegationDepth" in fields else None
    if isinstance(fields.get("data"), dict):
        return "harness" if "/" in kind or kind.endswith("-chunks") else None
    if is_native_type(kind) and "parentId" not in fields:  # pi has `compaction` entries as well
        return "native"
    return "claude-code" if is_claude_line(fields) else None


def _described(fields: JsonObject) -> str:
    kind, method = text(fields, "type"), text(fields, "method")
    if "jsonrpc" in fields:
        what = f" with method {method!r}" if method else " that is a response"
        return f"a JSON-RPC message{what} (agent client protocol traffic is not a session log)"
    keys = ", ".join(sorted(fields)[:8]) or "no fields"
    return f"an object of type {kind!r} ({keys})" if kind else f"an object without type ({keys})"


def _summary(seen: list[str]) -> str:
    return "; ".join(dict.fromkeys(seen[:3])) or "an empty file"
