"""Whether a file's last turn is open, and how a finished file would end it (`events.md`, rule 9)."""

from typing import Literal

from service.importers.fields import JsonObject, as_table, items, text, whole

EndReason = Literal["completed", "interrupted"]


class TurnWatch:
    """Follows native events just closely enough to know the open turn, its answer and its open calls.

    It is no fold: it knows neither rows nor anchors, and events of delegates and replacements do not count.
    """

    def __init__(self) -> None:
        self._open_turn: int | None = None
        self._closed: set[int] = set()
        self._steps: list[int] = []
        self._has_answer = False
        self._calls: set[str] = set()
        self._results: set[str] = set()

    @property
    def open_turn(self) -> int | None:
        """The turn that is open after the events so far."""
        return self._open_turn

    def end_reason(self) -> EndReason:
        """`completed` if the open turn has an answer and no open call, else `interrupted`."""
        return "completed" if self._has_answer and self._calls <= self._results else "interrupted"

    def observe(self, event: JsonObject) -> None:
        """Takes one native event; anything may be missing or wrong in it."""
        if text(event, "parent_call_id") is not None or event.get("surface") == "replace":
            return
        kind = text(event, "type") or ""
        turn = whole(event, "turn")
        if kind == "session/rewind":
            self._rewind(whole(event, "before_turn") or 0)
        elif turn is not None and turn in self._closed and turn != self._open_turn:
            return
        elif kind == "turn/end":
            self._end(turn)
        else:
            if turn is not None and turn != self._open_turn:
                self._start(turn)
            self._observe_step(kind, event)

    def _start(self, turn: int) -> None:
        self._end(self._open_turn)
        self._open_turn = turn
        self._steps, self._has_answer = [], False
        self._calls, self._results = set(), set()

    def _end(self, turn: int | None) -> None:
        closing = self._open_turn if turn is None else turn
        if closing is not None:
            self._closed.add(closing)
        if closing == self._open_turn:
            self._open_turn = None

    def _rewind(self, before_turn: int) -> None:
        self._closed = {turn for turn in self._closed if turn < before_turn}
        if self._open_turn is not None and self._open_turn >= before_turn:
            self._open_turn = None

    def _observe_step(self, kind: str, event: JsonObject) -> None:
        step = whole(event, "step")
        if step is not None and step not in self._steps:
            self._steps.append(step)
            self._has_answer = False
        call_id = text(event, "call_id") or ""
        is_latest = not self._steps or step is None or step == self._steps[-1]
        match kind:
            case "assistant/message" if is_latest:
                self._has_answer = _is_answer(event)
            case "llm/retry" if is_latest:
                self._has_answer = False
            case "tool/call":
                self._calls.add(call_id)
            case "tool/result":
                self._results.add(call_id)
            case _:
                pass


def _is_answer(message: JsonObject) -> bool:
    """Reply content and no tool call (B-2)."""
    blocks = [as_table(block) for block in items(message, "blocks")]
    kinds = [text(block, "type") for block in blocks]
    return "tool_call" not in kinds and any(_is_reply(block) for block in blocks)


def _is_reply(block: JsonObject) -> bool:
    match text(block, "type"):
        case "text":
            return bool((text(block, "text") or "").strip())
        case "reasoning" | "tool_call" | None:
            return False
        case _:
            return True
