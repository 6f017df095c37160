"""One transcript of a Claude Code session, the main one or a subagent's: its lines become turns.

The log has no turn records. These rules make them:

1. A turn starts at a human's prompt; else at the model's first line, if no turn is open. Then the newest typed command
   that waits is what the human said.
2. It ends where a line says so (`turn_duration`, an interrupt, an error that the model could not get over), else
   before the next prompt, or at the end of a file that is finished.
3. An end that no line records is synthetic, and a later line of the same work takes it back.
4. What comes between turns waits for the next one; at the end of the file it belongs to none.
"""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from service.importers.claude_content import Fields
from service.importers.claude_model import ModelWork
from service.importers.claude_stamp import LineStamp, stamped
from service.importers.claude_steering import Steering
from service.importers.claude_waiting import Waiting, silent_end
from service.importers.fields import JsonObject


class Conversation:
    """Turns of one transcript, in the order of its lines.

    Attributes:
        turn: the number of the open turn.
        started_count: how many turns were started so far, those that were taken back included.
    """

    def __init__(self, stamp: LineStamp, *, is_delegate: bool = False) -> None:
        self.is_delegate = is_delegate
        self.turn: int | None = None
        self.started_count = 0
        self._stamp = stamp
        self._number = 0
        self._may_resume = False
        self._work = ModelWork(stamp, 0)
        self._waiting = Waiting()
        self._steering = Steering(stamp)
        self._running_command: Fields | None = None
        self._stray_calls: list[str] = []
        self._last_key, self._last_ms = "", stamp.ts_ms

    def seen(self) -> None:
        """The present line was the newest of this transcript; an inferred end is named by it."""
        if self.turn is not None:
            self._last_key, self._last_ms = self._stamp.key, self._stamp.ts_ms

    @property
    def end_reason(self) -> str:
        """How the open turn ends if no line says so."""
        return self._work.end_reason

    # Turns

    def rewind(self, before_turn: int) -> Iterator[Fields]:
        """Turns from this number on are taken back: the conversation went on from before them."""
        yield from self.end()
        self._number, self._may_resume = before_turn - 1, False
        yield self._stamp.event("session/rewind", before_turn=before_turn)

    @property
    def has_request(self) -> bool:
        """Whether the model's next line answers a typed command, and so starts a turn."""
        return self.turn is None and self._waiting.has_request

    def prompt(self, content: list[Fields], message_id: str) -> Iterator[Fields]:
        """What a human wrote."""
        yield from self.end()
        yield from self._start(self._stamp.event("user/message", id=message_id, content=content))

    def _start(self, opening: Fields | None) -> Iterator[Fields]:
        self._number += 1
        self.started_count += 1
        self.turn, self._may_resume = self._number, False
        self._work = ModelWork(self._stamp, self.turn)
        self.seen()
        opening = opening or self._waiting.take_request()
        yield self._stamp.event("turn/start", turn=self.turn)
        if opening is not None:
            yield {**opening, "turn": self.turn}
        yield from self._waiting_rows()

    def _waiting_rows(self) -> Iterator[Fields]:
        for row in self._waiting.rows():
            yield {**row, "turn": self.turn}

    def _ensure_turn(self) -> Iterator[Fields]:
        """The model works: in the open turn, in one that was ended too early, or in a new one."""
        if self.turn is not None:
            return
        if self._may_resume and not self._waiting.has_request:
            self.turn, self._may_resume = self._number, False
            self.seen()
            yield from self._waiting_rows()
        else:
            yield from self._start(None)

    def end(self) -> Iterator[Fields]:
        """An end that no line records, after the turn's last line; nothing where no turn is open."""
        if self.turn is None:
            return
        event_id, ts_ms = f"{self._last_key}:end", self._last_ms
        reason = self._work.end_reason
        yield from self._close_rows()
        turn, self.turn, self._may_resume = self.turn, None, True
        yield stamped("turn/end", event_id, ts_ms, turn=turn, reason=reason, synthetic=True)

    def end_as(self, reason: str | None = None, **more: object | None) -> Iterator[Fields]:
        """An end that the present line records; without a reason the turn's own."""
        if self.turn is None:
            return
        found = self._work.end_reason
        said = reason or ("completed" if found == "interrupted" else found)
        yield from self._close_rows(interrupted=said == "aborted")
        turn, self.turn = self.turn, None
        known = {key: value for key, value in more.items() if value is not None}
        yield self._stamp.event("turn/end", turn=turn, reason=said, **known)

    def fail(self, code: str | None, message: str) -> Iterator[Fields]:
        """The model's request failed for good; should it go on all the same, the turn does too."""
        yield from self._ensure_turn()
        error: Fields = {"message": message, **({"code": code} if code else {})}
        yield from self.end_as("failed", error=error, synthetic=True)
        self._may_resume = True

    def _close_rows(self, *, interrupted: bool = False) -> Iterator[Fields]:
        yield from self._work.settle(interrupted=interrupted)
        yield from self._steering.cancel_all(self.turn)
        yield from self._close_stray_calls()
        if self._running_command is not None:
            yield {**silent_end(self._running_command), "turn": self.turn}
            self._running_command = None

    def _close_stray_calls(self) -> Iterator[Fields]:
        calls, self._stray_calls = self._stray_calls, []
        for call_id in calls:
            yield stamped("tool/result", f"{call_id}:result", None, call_id=call_id, status="unknown")

    def finish(self) -> Iterator[Fields]:
        """The end of a finished file."""
        yield from self.end()
        yield from self._close_stray_calls()
        yield from self._waiting_rows()

    # The model

    def model_line(self, line: JsonObject) -> Iterator[Fields]:
        """An `assistant` line."""
        yield from self._ensure_turn()
        yield from self._steering.taken(self._number)
        yield from self._work.line(line)

    def bare_call(self, line: JsonObject) -> Iterator[Fields]:
        """A `tool_use` line of its own."""
        yield from self._ensure_turn()
        yield from self._work.bare_call(line)

    def call_of(self, block: JsonObject, line: JsonObject) -> str:
        """The id of the call that a result block belongs to."""
        return self._work.call_of(block, line)

    def result(self, block: JsonObject, line: JsonObject, call_id: str) -> Iterator[Fields]:
        """A tool's result; one that comes after its turn belongs to its call's turn all the same."""
        if self._may_resume:
            yield from self._ensure_turn()
        yield {**self._work.result(block, line, call_id), "turn": self.turn}

    def retry(self, line: JsonObject) -> Iterator[Fields]:
        """A request that failed and is made again."""
        yield from self._ensure_turn()
        yield from self._work.retry(line)

    def retract(self, lines: AbstractSet[str], failure: Fields) -> Iterator[Fields]:
        """Lines that were taken back, of the newest turn."""
        if self._may_resume:
            yield from self._ensure_turn()
        yield from self._work.retract(lines, failure)

    def settle(self) -> Iterator[Fields]:
        """The open message is whole."""
        yield from self._work.settle()

    # Rows beside the model's

    def row(self, fields: Fields) -> Iterator[Fields]:
        """A row of the open turn; between turns it waits."""
        if self.turn is None:
            self._waiting.add(fields)
        else:
            yield {**fields, "turn": self.turn}

    def queue_operation(self, line: JsonObject) -> Iterator[Fields]:
        """What happened to the queue of typed messages."""
        is_working = self.turn is not None and not self._work.is_at_rest
        yield from self._steering.operation(line, self.turn if is_working else None)

    def steered(self, content: list[Fields], message_id: str) -> Iterator[Fields]:
        """What a human typed and the running turn took; without one it is a prompt."""
        if self.turn is None:
            yield from self.prompt(content, message_id)
        else:
            yield self._steering.deliver(content, message_id, self.turn)

    def stray_call(self, call_id: str, call_input: Fields) -> Iterator[Fields]:
        """A call that no line holds, so that its subagent has a place: in the newest turn, with which it ends."""
        if self._may_resume or self._number == 0:
            yield from self._ensure_turn()
        self._stray_calls.append(call_id)
        call = {"call_id": call_id, "name": "Task", "input": call_input}
        yield stamped("tool/call", f"{call_id}:call", self._stamp.ts_ms, turn=self._number, **call)

    def command(self, name: str, arguments: str) -> Iterator[Fields]:
        """A command that was typed: in a turn at work it is part of it, else the turn before is over."""
        if self._work.is_at_rest or self.turn is None:
            yield from self.end()
        more = {"input": arguments} if arguments else {}
        run = self._stamp.row("command/run", name=name, **more)
        self._running_command = run if self.turn is not None else None
        yield from self.row(run)

    def command_output(self, printed: str) -> Iterator[Fields]:
        """What the newest command printed; without a command it is a notice."""
        done = self._stamp.event("command/done", status="done", output=printed)
        run = self._running_command
        if run is not None:
            self._running_command = None
            yield {**done, "id": run["id"], "name": run["name"], "turn": self.turn}
        elif not self._waiting.finish_command(done) and printed:
            notice = self._stamp.row("notice", level="info", text=printed)
            yield from self.row(notice)
