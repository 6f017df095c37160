"""The logs that benchmarks fold, send and store: made the same every time, as raw events."""

from collections.abc import Iterator
from itertools import count
from typing import Any, Final

import msgspec

FIRST_MS: Final = 1_772_531_400_000
_encode = msgspec.json.Encoder().encode
# Providers send a few tokens at once: 24 characters, in an event of 124 bytes.
_WORDS: Final = "the list is read once, and then each "
_CHUNK_CHARS: Final = 24


class _Log:
    """Events of one session, each a millisecond after the last."""

    def __init__(self, first_ms: int) -> None:
        self.events: list[bytes] = []
        self._ms = count(first_ms)

    def add(self, kind: str, /, **fields: Any) -> None:
        self.events.append(_encode({"type": kind, "ts_ms": next(self._ms), **fields}))


def chunk(turn: int, step: int, number: int, *, text: str | None = None) -> bytes:
    """One streamed piece of an answer."""
    at = number % len(_WORDS)
    said = (_WORDS[at:] + _WORDS)[:_CHUNK_CHARS] if text is None else text
    return _encode(
        {
            "type": "assistant/chunk",
            "ts_ms": FIRST_MS + number,
            "turn": turn,
            "step": step,
            "kind": "text",
            "index": 0,
            "text": said,
        }
    )


def opening(turn: int) -> list[bytes]:
    """A turn up to where its answer begins to stream."""
    log = _Log(FIRST_MS)
    log.add("turn/start", turn=turn)
    log.add("user/message", turn=turn, id=f"u{turn}", content=[_text("What does the list hold?")])
    log.add("step/start", turn=turn, step=1)
    return log.events


def streaming(chunk_count: int, turn: int = 1) -> list[bytes]:
    """A turn whose answer streams, and is not over."""
    return [*opening(turn), *(chunk(turn, 1, number) for number in range(chunk_count))]


def streamed_turn(turn: int, chunk_count: int) -> list[bytes]:
    """A whole turn: an answer streams, settles, and the turn ends."""
    events = streaming(chunk_count, turn)
    log = _Log(FIRST_MS + chunk_count)
    answer = "".join(msgspec.json.decode(event)["text"] for event in events[len(opening(turn)) :])
    log.add("assistant/chunk", turn=turn, step=1, kind="block_end", index=0, block=_text(answer))
    log.add("assistant/message", turn=turn, step=1, blocks=[_text(answer)])
    log.add("step/end", turn=turn, step=1)
    log.add("turn/end", turn=turn, reason="completed")
    return events + log.events


def tool_step(log_ms: int, turn: int, step: int) -> list[bytes]:
    """A step that thinks, speaks, calls a tool and gets its result: 7 events, 2 rows."""
    log = _Log(log_ms)
    call_id = f"c{turn}-{step}"
    log.add("step/start", turn=turn, step=step)
    blocks = [
        {"type": "reasoning", "text": "The list is short, so reading it whole is cheaper than asking twice."},
        _text("I look at the list first."),
        {"type": "tool_call", "call_id": call_id, "name": "bash", "input": {"command": "cat list.txt"}},
    ]
    log.add("assistant/message", turn=turn, step=step, blocks=blocks, usage={"input": 900, "output": 40})
    log.add(
        "tool/call", turn=turn, step=step, call_id=call_id, name="bash", input={"command": "cat list.txt"}
    )
    log.add("tool/progress", call_id=call_id, output="apples\n")
    log.add("tool/progress", call_id=call_id, output="pears\n")
    log.add("tool/result", call_id=call_id, status="ok", output="apples\npears\n", exit_code=0)
    log.add("step/end", turn=turn, step=step)
    return log.events


def mixed_turn(turn: int, steps: int = 4) -> list[bytes]:
    """A turn of a working agent that does not stream: 13 types of event, none of them above a quarter."""
    log = _Log(FIRST_MS)
    log.add("turn/start", turn=turn)
    log.add("user/message", turn=turn, id=f"u{turn}", content=[_text("Sort the list, please.")])
    for step in range(1, steps + 1):
        log.events += tool_step(FIRST_MS + step, turn, step)
    log.add("interaction/request", turn=turn, id=f"i{turn}", kind="permission", title="Write list.txt?")
    log.add("interaction/resolve", id=f"i{turn}", outcome="allow")
    last = steps + 1
    log.add("step/start", turn=turn, step=last)
    log.add("llm/retry", turn=turn, step=last, retry_id=f"r{turn}", retry=1, delay_ms=500)
    log.add("llm/retry_started", turn=turn, step=last, retry_id=f"r{turn}", retry=1)
    log.add("assistant/message", turn=turn, step=last, blocks=[_text("The list is sorted.")])
    log.add("step/end", turn=turn, step=last)
    log.add("turn/end", turn=turn, reason="completed")
    return log.events


def mixed(turn_count: int) -> list[bytes]:
    """A session of such turns."""
    return [event for turn in range(1, turn_count + 1) for event in mixed_turn(turn)]


def interleaved(logs: dict[str, list[bytes]]) -> Iterator[tuple[str, bytes]]:
    """The events of many live sessions as they come in: one of each, in turn."""
    for events in zip(*logs.values(), strict=True):
        yield from zip(logs, events, strict=True)


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
