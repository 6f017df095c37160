"""The fold's private builders: what must grow cheaply grows here and leaves as a frozen value.

Streamed text is a list of parts that nobody joins until somebody reads it; a row list is kept sorted by place. A
builder is never handed out: `rows`, `transcript` and `turn_process` make the frozen values from it. All of it is
saved with the session (`saved`), but for the fields under *transient*, which a restore starts afresh.

No builder leads back to itself, so the garbage collector need not look at any (`gc=False`): counting is enough.
"""

from bisect import bisect_left, insort
from typing import NewType

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from projections.rows import Anchor, Row, StaticRow
from projections.spec import TurnProcessSpec

TurnTag = NewType("TurnTag", str)
Place = tuple[Anchor, int, Anchor]
REPLACEMENT = "\ufffd"
CLEAN, TEXT_GREW, CHANGED = 0, 1, 2
# Absent JSON in a builder: an empty Raw cannot be saved, and msgspec reads no object into `Raw | None`.
NULL_JSON = Raw(b"null")
# JavaScript's notion of white space (`String.prototype.trim`): producers and the reference harness are written in it.
BLANK_CHARS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    "\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_encode = msgspec.json.encode


def is_blank(text: str) -> bool:
    """Say whether a text is white space only (rule 12)."""
    return not text.strip(BLANK_CHARS)


class BlockBuilder(Struct, array_like=True, gc=False):
    """One block of a step: text and reasoning grow by parts; anything else is JSON as it came."""

    kind: str
    index: int
    parts: list[str]
    json: Raw = NULL_JSON
    call_id: str | None = None
    name: str | None = None
    visible_seq: int = -1  # the seq at which it first showed something; -1: not yet
    ended: bool = False
    half: int = 0  # the code of a high surrogate whose other half may come with the next chunk: UTF-8 has no such text
    # transient
    sent: int = 0  # parts already given to subscribers
    encoded: Raw | None = None

    @property
    def is_prose(self) -> bool:
        """Whether it is text or reasoning."""
        return self.kind in {"text", "reasoning"}

    def text(self) -> str:
        """Join the parts."""
        return "".join(self.parts)

    def end_half(self) -> None:
        """Replace a half whose other never came."""
        self.half = 0
        self.parts.append(REPLACEMENT)
        self.encoded = None

    def wire(self) -> Raw:
        """Give the block as it stands on the wire."""
        if self.encoded is None:
            self.encoded = Raw(_encode(self._content()))
        return self.encoded

    def _content(self) -> dict[str, object] | Raw:
        if self.is_prose:
            return {"type": self.kind, "text": self.text()}
        if self.kind == "tool_call":
            value = None if is_null(self.json) else self.json
            return {
                "type": "tool_call",
                "call_id": self.call_id or "",
                "name": self.name or "",
                "input": value,
            }
        return {"type": self.kind} if is_null(self.json) else self.json


class MessageFacts(Struct, array_like=True, gc=False):
    """The settled message of a step, but for its blocks."""

    seq: int
    ms: int | None
    interrupted: bool
    phase: str | None
    duration_ms: int | float | None
    streamed: bool  # text of the step stood before readers before this settled it


class StepBuilder(Struct, array_like=True, gc=False):
    """One model call: its blocks of the present attempt, and what is known of its course."""

    number: int
    first_seq: int
    start_seq: int | None = None
    start_ms: int | None = None
    end_seq: int | None = None
    end_ms: int | None = None
    blocks: list[BlockBuilder] = []
    by_index: dict[int, int] = {}
    message: MessageFacts | None = None
    reply_messages: int = 0  # settled messages with reply content; retraction does not take them back
    usage: Raw = NULL_JSON
    # counts over `blocks`, kept so that no event walks them
    visible: int = 0
    replies: int = 0
    texts: int = 0
    thoughts: int = 0
    tool_blocks: int = 0
    others: int = 0  # neither text nor reasoning
    shown_seq: int = -1  # the seq at which the present attempt first showed something

    def add(self, block: BlockBuilder) -> None:
        """Append a block of the present attempt."""
        self.by_index[block.index] = len(self.blocks)
        self.blocks.append(block)
        if block.kind == "tool_call":
            self.tool_blocks += 1
            self.others += 1
        elif not block.is_prose:
            self.others += 1

    def show(self, block: BlockBuilder, seq: int) -> None:
        """Note that a block became visible; what is neither reasoning nor a tool call is reply content (A-3)."""
        block.visible_seq = seq
        self.visible += 1
        if block.kind == "text":
            self.texts += 1
            self.replies += 1
        elif block.kind == "reasoning":
            self.thoughts += 1
        elif block.kind != "tool_call":
            self.replies += 1
        if self.shown_seq < 0:
            self.shown_seq = seq

    def end_halves(self) -> int:
        """Close what waits for the other half of a surrogate pair; says how many were replaced."""
        waiting = [block for block in self.blocks if block.half]
        for block in waiting:
            block.end_half()
        return len(waiting)

    def clear(self) -> None:
        """Take back every block of the present attempt."""
        self.blocks, self.by_index = [], {}
        self.visible = self.replies = self.texts = self.thoughts = self.tool_blocks = self.others = 0
        self.shown_seq = -1


class ToolBuilder(Struct, array_like=True, gc=False):
    """One tool call, its result, and the output that streams in between."""

    call_id: str
    name: str = ""
    input: Raw = NULL_JSON
    title: str | None = None
    called_seq: int | None = None
    result: str | None = None
    output: Raw = NULL_JSON
    exit_code: int | None = None
    error: Raw = NULL_JSON
    start_ms: int | None = None
    end_ms: int | None = None
    duration_ms: int | float | None = None
    progress: list[str] = []
    progress_bytes: int = 0
    half: int = 0
    # transient
    sent: int = 0


class Slot(Struct, array_like=True, gc=False):
    """A row's seat in its turn: key and place stay, what sits in it may change (A-9)."""

    key: str
    kind: str
    step: int | None
    anchor: Anchor
    place: Place
    order: int  # of first appearance, among equal places
    born: int  # the seq at which it took this place
    rev: int  # the seq of its last change
    row: StaticRow | None = None
    # transient
    dirty: int = CLEAN
    made: Row | None = None

    @property
    def sort_key(self) -> tuple[Place, int]:
        """The order of rows in a turn (B-5)."""
        return (self.place, self.order)


class Closing(Struct, array_like=True, gc=False):
    """How and where a turn ended; `kind` is `real`, `synthetic` (an event says so) or `implicit` (the next began)."""

    kind: str
    reason: str
    seq: int
    ms: int | None
    code: str | int | None = None
    message: str | None = None


class TurnProcess(Struct, array_like=True, gc=False):
    """What the spec of a turn is computed from (B-2); nothing in it is ever taken back."""

    evidence: int | None = None  # the smallest: the control's anchor
    other: int | None = None  # the first tool/call, tool/result or llm/retry
    step_evidence: list[tuple[int, int]] = []  # (step, seq) of the first two steps that showed something
    messages: int = 0
    tool_calls: int = 0
    subagents: int = 0


class TurnBuilder(Struct, array_like=True, gc=False):
    """One turn (or, with `number` None, what belongs to no turn)."""

    number: int | None
    tag: str  # the number in keys: `1`, `1~2` when used again after a rewind
    ordinal: int  # the order of creation in the session
    first_seq: int
    start_seq: int | None = None
    started_ms: int | None = None
    closing: Closing | None = None
    rows: list[Slot] = []
    steps: dict[int, StepBuilder] = {}
    latest_step: int | None = None  # by first appearance
    top_step: int = -1  # by number
    open_step: int | None = None
    process: TurnProcess = msgspec.field(default_factory=TurnProcess)
    opening_human: Anchor | None = None
    pending: dict[str, None] = {}  # keys of interactions that wait
    open_calls: dict[str, None] = {}  # ids of calls without a result
    tools: dict[str, ToolBuilder] = {}
    phases: dict[str, None] = {}  # named by the host and not over
    queued: dict[str, Raw] = {}  # steering that waits, by id
    aliases: dict[str, str] = {}  # keys of user rows by message id and by the submission's local id
    removed: list[tuple[str, int]] = []  # (key, seq) of rows that left
    counter: int = 0
    rev: int = 0  # the seq of the last change of anything
    head_rev: int = 0  # ... of status, outcome, times, what waits
    spec: TurnProcessSpec | None = None
    spec_rev: int = 0
    # transient
    slots: dict[str, Slot] = {}
    dirty: list[Slot] = []
    listed: bool = False
    stirred: dict[int, None] = {}  # steps in which something happened that no row may tell

    @property
    def is_open(self) -> bool:
        """Whether the turn runs; what belongs to no turn never closes."""
        return self.closing is None

    def seat(self, slot: Slot) -> None:
        """Put a slot at its place among the rows."""
        last = self.rows[-1] if self.rows else None
        if last is None or last.place < slot.place or last.sort_key <= slot.sort_key:
            self.rows.append(slot)
        else:
            insort(self.rows, slot, key=_sort_key)
        self.slots[slot.key] = slot

    def unseat(self, slot: Slot) -> None:
        """Take a slot away from the rows."""
        at = bisect_left(self.rows, slot.sort_key, key=_sort_key)
        assert self.rows[at] is slot
        del self.rows[at]
        del self.slots[slot.key]

    def after(self, slot: Slot) -> str | None:
        """Give the key of the row that follows a slot, `None` behind the last."""
        at = bisect_left(self.rows, slot.sort_key, key=_sort_key) + 1
        return self.rows[at].key if at < len(self.rows) else None


def _sort_key(slot: Slot) -> tuple[Place, int]:
    return slot.sort_key


def present(value: str | None) -> str | UnsetType:
    """Give `UNSET` for an absent text."""
    return UNSET if value is None else value


def present_ms(value: float | None) -> int | float | UnsetType:
    """Give `UNSET` for an unknown or negative time (A-7)."""
    return UNSET if value is None or value < 0 else value


def present_json(value: Raw) -> Raw | UnsetType:
    """Give `UNSET` for absent JSON."""
    return UNSET if is_null(value) else value


def is_null(value: Raw) -> bool:
    """Whether a builder's JSON is absent (an explicit null is the same)."""
    return value is NULL_JSON or (len(value) <= len(NULL_JSON) and bytes(value) in (b"", b"null"))


def kept(value: Raw) -> Raw:
    """Give an event's JSON in the form that a builder can be saved with."""
    return value or NULL_JSON
