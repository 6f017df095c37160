"""A session that says something hostile wherever an event can say anything: every type, every text of every field.

Tests show it on the page and in exports, and look whether any of it runs, loads, or steers what stands around it.
"""

import base64
from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from projections.events import Envelope, Tagged

Event = Mapping[str, Any]

#: What a page would fetch if it were careless; no such host exists.
ELSEWHERE = "tracker.example"
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SVG = b"<svg xmlns='http://www.w3.org/2000/svg' onload='window.hit=1'><script>window.hit=1</script></svg>"
#: Not texts but names: ids that join events, states, types that decide who draws.
NAMES = frozenset(
    {"event_id", "parent_call_id", "surface", "kind", "status", "level", "state", "block_type"}
    | {"call_id", "search_id", "round_id", "retry_id"}
)


def hostile(field: str) -> str:
    """One text with everything in it; `field` says where it came from, should it ever run."""
    hit = f"window.hit=1//{field}"
    return (
        f'{field} <script>{hit}</script><img src=x onerror="{hit}"><svg/onload={hit}>'
        f"\"'`></title></style></textarea></details></pre><iframe src=https://{ELSEWHERE}/f></iframe>"
        f'<a href="javascript:{hit}">a</a><meta http-equiv=refresh content="0;url=https://{ELSEWHERE}/m">'
        f"<link rel=stylesheet href=https://{ELSEWHERE}/s.css><style>@import 'https://{ELSEWHERE}/i.css';</style>"
        f" [link](javascript:{hit}) [data](data:text/html,<script>{hit}</script>) ![pic](https://{ELSEWHERE}/p.png)"
        f" <javascript:{hit}> [vb](vbscript:{hit}) [ref]\n\n[ref]: javascript:{hit}\n\n"
        "\u202egnp.exe\u2066 \x1b[31mred\x1b]8;;https://tracker.example/t\x07link\x1b]8;;\x07\x9b2J\x00 "
        "```\n~~~~\n# heading --> ]]> {{7*7}} ${7*7} &lt;script&gt; &#60;img&#62; \u2028\u2029"
    )


def hostile_json(field: str) -> Any:
    """JSON whose names and values are hostile."""
    return {
        hostile(f"{field}.name"): hostile(f"{field}.value"),
        "__proto__": {"hit": hostile(field)},
        "constructor": [hostile(field), {"type": hostile(f"{field}.type")}],
        "url": f"javascript:window.hit=1//{field}",
    }


def blocks(field: str) -> list[dict[str, Any]]:
    """A block of every type."""
    data = base64.b64encode(PIXEL).decode()
    return [
        {"type": "text", "text": hostile(f"{field}.text")},
        {"type": "image", "mime": "image/png", "data": data},
        {"type": "image", "mime": "image/svg+xml", "data": base64.b64encode(SVG).decode()},
        {"type": "image", "mime": hostile(f"{field}.mime"), "data": data},
        {"type": "image", "url": f"https://{ELSEWHERE}/image.png"},
        {"type": "image", "url": f"javascript:window.hit=1//{field}"},
        {"type": "image", "url": hostile(f"{field}.url")},
        {"type": "image", "blob": hostile(f"{field}.blob"), "bytes": 3},
        {
            "type": "diff",
            "path": hostile(f"{field}.path"),
            "unified": f"@@ -1 +1 @@\n-{hostile(field)}\n+<b>",
        },
        {"type": "file", "mime": "text/html", "name": hostile(f"{field}.file"), "data": data},
        {"type": hostile(f"{field}.type"), "data": hostile(field), "href": f"https://{ELSEWHERE}/b"},
    ]


def events() -> list[Event]:
    """The session: a finished turn with everything in it, one that failed, a delegate, and one that runs and waits."""
    text = hostile
    return [
        {"type": "session/meta", "title": text("title"), "cwd": text("cwd"), "agent": text("agent"),
         "model": text("model"), "parent": {"session": "other", "call_id": text("parent")}},
        {"type": "system/prompt", "text": text("prompt"), "reason": text("prompt.reason"), "id": text("prompt.id")},
        {"type": "notice", "id": text("notice.id"), "level": "warning", "text": text("notice")},
        {"type": "turn/start", "turn": 1, "trigger": hostile_json("trigger"), "ts_ms": 1_000},
        {"type": "user/message", "id": text("user.id"), "client_id": text("client"), "content": blocks("user")},
        {"type": "context/injection", "id": text("ctx"), "source": text("source"), "title": text("ctx.title"),
         "content": blocks("context")},
        {"type": "step/start", "turn": 1, "step": 1},
        *_work(1, 1),
        {"type": "step/end", "turn": 1, "step": 1},
        {"type": "assistant/chunk", "turn": 1, "step": 2, "index": 0, "kind": "reasoning", "text": text("thought")},
        {"type": "assistant/chunk", "turn": 1, "step": 2, "index": 1, "kind": "tool_input", "text": text("part"),
         "call_id": "c9", "name": text("part.name")},
        {"type": "assistant/chunk", "turn": 1, "step": 2, "kind": "usage", "usage": hostile_json("used")},
        {"type": "assistant/chunk", "turn": 1, "step": 2, "kind": "finish", "reason": hostile_json("finish")},
        {"type": "assistant/message", "turn": 1, "step": 2, "id": text("message.id"), "phase": text("phase"),
         "blocks": [{"type": "reasoning", "text": text("reasoning")}, *blocks("answer")],
         "usage": hostile_json("usage")},
        {"type": "turn/end", "turn": 1, "reason": "completed", "ts_ms": 61_000},
        {"type": "turn/start", "turn": 2},
        {"type": "user/message", "id": "u2", "content": blocks("user2")},
        {"type": "turn/end", "turn": 2, "reason": text("end.reason"),
         "error": {"code": text("code"), "message": text("message")}},
        {"type": "turn/start", "turn": 3},
        {"type": "user/message", "id": "u3", "content": [{"type": "text", "text": text("user3")}]},
        {"type": "turn/end", "turn": 3, "reason": "failed", "error": {"code": text("c"), "message": text("m")}},
        {"type": "turn/start", "turn": 5},
        {"type": "session/rewind", "before_turn": 5},
        {"type": "turn/start", "turn": 4},
        {"type": "user/message", "id": "u4", "content": [{"type": "text", "text": text("user4")}]},
        {"type": "phase/start", "phase": text("phase.start")},
        {"type": "phase/end", "phase": text("phase.start")},
        {"type": "assistant/chunk", "turn": 4, "step": 1, "index": 0, "kind": "text", "text": text("streamed")},
        {"type": "interaction/request", "id": text("ask.id"), "kind": "permission", "title": text("ask.title"),
         "payload": hostile_json("ask")},
        {"type": "interaction/request", "id": "ask2", "kind": text("ask.kind"), "title": text("ask2.title"),
         "payload": {"options": [hostile_json("option"), text("option")]}},
        {"type": "user/steering", "id": text("queued.id"), "state": "queued", "content": blocks("queued")},
    ]  # fmt: skip


def _work(turn: int, step: int) -> list[Event]:
    """What a step may do, and a delegate that does something of it again."""
    text = hostile
    at = {"turn": turn, "step": step}
    inside: list[dict[str, Any]] = [
        {"type": "turn/start", "turn": 1},
        {"type": "user/message", "id": "d1", "content": blocks("inner")},
        {
            "type": "assistant/message",
            "turn": 1,
            "step": 1,
            "blocks": [{"type": "text", "text": text("inner")}],
        },
        {"type": "turn/end", "turn": 1, "reason": "completed"},
    ]
    return [
        {"type": "assistant/chunk", **at, "index": 0, "kind": "text", "text": text("chunk")},
        {"type": "llm/retry", **at, "retry_id": "r1", "retry": 1, "delay_ms": 5, "failure": hostile_json("failure")},
        {"type": "llm/retry_started", **at, "retry_id": "r1", "retry": 1, "failure": hostile_json("failure")},
        {"type": "assistant/message", **at, "blocks": [{"type": "text", "text": text("process")},
         {"type": "tool_call", "call_id": "c1", "name": text("tool_call"), "input": hostile_json("tool_call")}]},
        {"type": "tool/call", **at, "call_id": "c1", "name": text("tool"), "title": text("tool.title"),
         "input": hostile_json("input")},
        {"type": "tool/progress", "call_id": "c1", "output": text("progress")},
        {"type": "tool/result", "call_id": "c1", "status": "error", "output": text("output"), "exit_code": 1,
         "error": hostile_json("error")},
        {"type": "tool/call", **at, "call_id": "c2", "name": "subagent", "input": {"prompt": text("prompt")}},
        *({**event, "parent_call_id": "c2"} for event in inside),
        {"type": "tool/result", "call_id": "c2", "status": "ok", "output": blocks("result")},
        {"type": "search/round", **at, "search_id": "s1", "round_id": "1", "status": "completed",
         "query": text("query"), "url": "javascript:window.hit=1",
         "sources": [hostile_json("source"), text("source"), {"url": f"https://{ELSEWHERE}/x", "title": text("t")}]},
        {"type": "compaction", "id": text("compaction.id"), "trigger": text("trigger"), "summary": text("summary")},
        {"type": "command/run", "id": "k1", "name": text("command"), "input": hostile_json("command.input")},
        {"type": "command/done", "id": "k1", "name": text("command"), "output": hostile_json("command.output"),
         "status": text("command.status")},
        {"type": "interaction/request", "id": "i1", "kind": "question", "title": text("question")},
        {"type": "interaction/resolve", "id": "i1", "outcome": text("outcome"), "payload": hostile_json("answer")},
        {"type": "user/steering", "id": "st1", "state": "queued", "content": blocks("steering")},
        {"type": "user/steering", "id": "st1", "state": "delivered"},
        {"type": "custom/odd", "visible": True, "title": text("custom.title"), "payload": hostile_json("custom")},
        {"type": f"custom/{text('custom.name')}", "visible": True, "title": text("custom2"), "payload": text("p")},
    ]  # fmt: skip


def unsaid() -> set[str]:
    """The texts that an event can say and this session does not, as `type.field`: none, as a test of it says."""
    said = {(event["type"], name) for event in events() for name in event}
    return {
        f"{kind.__struct_config__.tag}.{field.encode_name}"
        for kind in get_args(Tagged)
        for field in msgspec.structs.fields(kind)
        if field.name not in {*NAMES, *Envelope.__struct_fields__}
        and _may_be_text(field.type)
        and (kind.__struct_config__.tag, field.encode_name) not in said
    }


def _may_be_text(kind: Any) -> bool:
    """Whether a field's type has room for a text: `str` anywhere, or any JSON."""
    return kind in (str, msgspec.Raw) or any(_may_be_text(one) for one in get_args(kind))
