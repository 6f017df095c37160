"""Random turns as a sound producer writes them: blocks stream, end and settle, calls follow, results come."""

from typing import Any

from hypothesis import strategies as st

Event = dict[str, Any]
_NAMES = st.sampled_from(["Read", "Grep", "Bash", "Edit", "WebFetch", "Task"])
_BLOCKS = st.lists(st.sampled_from(["reasoning", "text", "call", "call"]), min_size=1, max_size=5)
_BETWEEN = st.sampled_from(["nothing", "nothing", "context", "steering", "notice", "compaction", "search"])
_ENDS = st.sampled_from(["completed", "failed", "aborted", None])


@st.composite
def turn_logs(draw: st.DrawFn, turn: int = 1) -> list[Event]:
    """One turn: a question, some steps with blocks, calls and results, an answer, an end or none."""
    log: list[Event] = [
        {"type": "turn/start", "turn": turn},
        {"type": "user/message", "turn": turn, "id": f"u{turn}", "content": [{"type": "text", "text": "q"}]},
    ]
    for step in range(1, draw(st.integers(1, 4)) + 1):
        log.extend(_step(draw, turn, step))
        log.extend(_between(draw(_BETWEEN), turn, step))
    end = draw(_ENDS)
    if end is not None:
        log.append({"type": "turn/end", "turn": turn, "reason": end})
    return log


def _step(draw: st.DrawFn, turn: int, step: int) -> list[Event]:
    place = {"turn": turn, "step": step}
    log: list[Event] = [{"type": "step/start", **place}]
    blocks: list[Event] = []
    calls: list[Event] = []
    # A producer calls its tools as soon as a block names them, or all of them behind the message, which they end.
    at_once = draw(st.booleans())
    kinds = draw(_BLOCKS)
    for index, kind in enumerate(kinds if at_once else sorted(kinds, key=lambda kind: kind == "call")):
        chunk = {"type": "assistant/chunk", **place, "index": index}
        if kind == "call":
            call = {"call_id": f"c{turn}.{step}.{index}", "name": draw(_NAMES), "input": {}}
            blocks.append({"type": "tool_call", **call})
            log.append({**chunk, "kind": "block_start", "block_type": "tool_call"})
            calls.append({"type": "tool/call", **place, **call})
        else:
            blocks.append({"type": kind, "text": "some words"})
            log.append({**chunk, "kind": "block_start", "block_type": kind})
            log.extend({**chunk, "kind": kind, "text": text} for text in ("some", " words"))
        log.append({**chunk, "kind": "block_end", "block": blocks[-1]})
        if at_once and kind == "call":
            log.append(calls[-1])
    log.append({"type": "assistant/message", **place, "blocks": blocks})
    log.extend([] if at_once else calls)
    status = draw(st.sampled_from(["ok", "ok", "error", "denied"]))
    log.extend(
        {"type": "tool/result", "call_id": call["call_id"], "status": status, "output": "o"}
        for call in draw(st.permutations(calls))  # results come in any order
    )
    log.append({"type": "step/end", **place})
    return log


def _between(what: str, turn: int, step: int) -> list[Event]:
    ident, place = f"{turn}.{step}", {"turn": turn, "step": step}
    words = [{"type": "text", "text": "w"}]
    match what:
        case "context":
            return [{"type": "context/injection", "id": ident, "source": "s", "content": words, **place}]
        case "steering":
            return [{"type": "user/steering", "id": ident, "content": words, "state": "delivered", **place}]
        case "notice":
            return [{"type": "notice", "id": ident, "level": "info", "text": "n", **place}]
        case "compaction":
            return [{"type": "compaction", "id": ident, "status": "done", **place}]
        case "search":
            found = {"search_id": "s", "round_id": ident, "query": "q", **place}
            return [{"type": "search/round", "status": one, **found} for one in ("searching", "completed")]
        case _:
            return []


LOGS = st.lists(st.integers(1, 2), min_size=1, max_size=2).flatmap(
    lambda turns: st.tuples(*(turn_logs(number + 1) for number in range(len(turns)))).map(
        lambda logs: [event for log in logs for event in log]
    )
)
