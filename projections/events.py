"""Stage 1, events: the frozen values that a session's log is made of (`events.md`, *Types*).

A field that is absent on the wire is `None` or `UNSET`. `turn` and `step` tell the two apart: absent (`UNSET`) means
"the one open in log order", an explicit `null` means "belongs to none".
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

# Beyond 2**53 a JSON reader in JavaScript would change the number.
MAX_INT = 2**53 - 1

Ordinal = Annotated[int, Meta(ge=0, le=MAX_INT)]
Number = Annotated[int, Meta(ge=0, le=MAX_INT)]
Millis = Annotated[int, Meta(ge=-MAX_INT, le=MAX_INT)] | Annotated[float, Meta(ge=-MAX_INT, le=MAX_INT)]
Json = Raw
NO_JSON = Raw()


class TextBlock(Struct, frozen=True, kw_only=True, tag_field="type", tag="text", gc=False):
    """Text of the conversation."""

    text: str


class ReasoningBlock(Struct, frozen=True, kw_only=True, tag_field="type", tag="reasoning", gc=False):
    """Text of the model's thinking."""

    text: str


class ImageBlock(
    Struct, frozen=True, kw_only=True, tag_field="type", tag="image", gc=False, omit_defaults=True
):
    """An image by address, inline base64 data or blob reference."""

    url: str | None = None
    data: str | None = None
    blob: str | None = None
    mime: str | None = None
    width: int | float | None = None
    height: int | float | None = None


class DiffBlock(Struct, frozen=True, kw_only=True, tag_field="type", tag="diff", gc=False):
    """A review snapshot of one file as a unified diff."""

    path: str
    unified: str


class ToolCallBlock(Struct, frozen=True, kw_only=True, tag_field="type", tag="tool_call", gc=False):
    """The model's request to run a tool; `input` is JSON as it came."""

    call_id: str
    name: str
    input: Json = NO_JSON


class UnknownBlock(Struct, frozen=True, kw_only=True, gc=False):
    """A block of a type that this version does not know, kept as it is; it counts as visible."""

    type: str
    raw: Json


KnownBlock = TextBlock | ReasoningBlock | ImageBlock | DiffBlock | ToolCallBlock
# The union that decoders see; UnknownBlock joins on the slow path (`decode`), so it is not part of it.
Blocks = tuple[KnownBlock, ...]
Block = KnownBlock | UnknownBlock


class Stamps(Struct, frozen=True, kw_only=True, gc=False):
    """What every event may carry (`events.md`, *Envelope*); `ts_ms` is the producer's clock and orders nothing."""

    event_id: str | None = None
    ts_ms: Millis | None = None
    parent_call_id: str | None = None
    surface: Literal["append", "replace"] = "append"
    ignorable: bool = False
    turn: Ordinal | UnsetType | None = UNSET
    step: Ordinal | UnsetType | None = UNSET


class Envelope(Stamps, frozen=True, kw_only=True, tag_field="type", gc=False):
    """Base of every type that is told apart by its tag."""


class ParentRef(Struct, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """The call of another session that started this one."""

    session: str
    call_id: str | None = None


class SessionMeta(Envelope, frozen=True, kw_only=True, tag="session/meta"):
    """Facts of the session; merged, last wins."""

    title: str | None = None
    cwd: str | None = None
    agent: str | None = None
    model: str | None = None
    parent: ParentRef | None = None


class TurnStart(Envelope, frozen=True, kw_only=True, tag="turn/start"):
    """A request begins."""

    turn: Ordinal
    trigger: Json = NO_JSON


class ErrorInfo(Struct, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """A recorded error."""

    code: str | int | None = None
    message: str | None = None


class TurnEnd(Envelope, frozen=True, kw_only=True, tag="turn/end"):
    """A request ends; an unknown reason closes and is kept as given."""

    reason: str
    error: ErrorInfo | None = None
    synthetic: bool = False


class StepStart(Envelope, frozen=True, kw_only=True, tag="step/start"):
    """One model call begins."""

    step: Ordinal


class StepEnd(Envelope, frozen=True, kw_only=True, tag="step/end"):
    """One model call ends."""

    step: Ordinal


class SystemPrompt(Envelope, frozen=True, kw_only=True, tag="system/prompt"):
    """The request-wide instruction."""

    text: str
    reason: str = "initial"
    id: str | None = None


class UserMessage(Envelope, frozen=True, kw_only=True, tag="user/message"):
    """What a human wrote."""

    id: str
    content: Blocks
    client_id: str | None = None


class UserSteering(Envelope, frozen=True, kw_only=True, tag="user/steering"):
    """What a human wrote into a running turn; a row at delivery."""

    id: str
    content: Blocks = ()
    state: Literal["queued", "delivered", "canceled"]


class ContextInjection(Envelope, frozen=True, kw_only=True, tag="context/injection"):
    """Context that no human wrote."""

    id: str
    source: str
    content: Blocks
    title: str | None = None


class AssistantChunk(Envelope, frozen=True, kw_only=True, tag="assistant/chunk"):
    """One streamed piece of a step; which fields must be there depends on `kind` (`decode` checks it)."""

    kind: Literal["block_start", "text", "reasoning", "tool_input", "block_end", "usage", "finish"]
    index: Number | None = None
    text: str | None = None
    block_type: str | None = None
    call_id: str | None = None
    name: str | None = None
    block: KnownBlock | None = None
    usage: Json = NO_JSON
    reason: Json = NO_JSON


class AssistantMessage(Envelope, frozen=True, kw_only=True, tag="assistant/message"):
    """The settled message of a step; it replaces what was streamed."""

    blocks: Blocks
    id: str | None = None
    phase: str | None = None
    interrupted: bool = False
    duration_ms: Millis | None = None
    usage: Json = NO_JSON


class ToolCall(Envelope, frozen=True, kw_only=True, tag="tool/call"):
    """A tool is run."""

    call_id: str
    name: str
    input: Json = NO_JSON
    title: str | None = None


class ToolProgress(Envelope, frozen=True, kw_only=True, tag="tool/progress"):
    """Output so far, to append."""

    call_id: str
    output: str


class ToolResult(Envelope, frozen=True, kw_only=True, tag="tool/result"):
    """What a tool gave."""

    call_id: str
    status: Literal["ok", "error", "denied", "canceled", "unknown"]
    output: str | Blocks | None = None
    exit_code: int | None = None
    duration_ms: Millis | None = None
    error: Json = NO_JSON


class SearchRound(Envelope, frozen=True, kw_only=True, tag="search/round"):
    """A search that the provider runs inside the model's message."""

    search_id: str
    round_id: str
    status: Literal["searching", "completed", "failed"]
    query: str | None = None
    url: str | None = None
    sources: Json = NO_JSON


class LlmRetry(Envelope, frozen=True, kw_only=True, tag="llm/retry"):
    """The step's attempt failed and is taken back."""

    retry_id: str
    retry: Number = 1
    delay_ms: Millis | None = None
    failure: Json = NO_JSON


class LlmRetryStarted(Envelope, frozen=True, kw_only=True, tag="llm/retry_started"):
    """The next attempt runs."""

    retry_id: str
    retry: Number = 1
    delay_ms: Millis | None = None
    failure: Json = NO_JSON


class InteractionRequest(Envelope, frozen=True, kw_only=True, tag="interaction/request"):
    """Something waits for the reader."""

    id: str
    kind: str
    title: str = ""
    call_id: str | None = None
    payload: Json = NO_JSON


class InteractionResolve(Envelope, frozen=True, kw_only=True, tag="interaction/resolve"):
    """The reader, or a policy, decided."""

    id: str
    outcome: str
    payload: Json = NO_JSON


class PhaseStart(Envelope, frozen=True, kw_only=True, tag="phase/start"):
    """The host names what it does."""

    phase: str


class PhaseEnd(Envelope, frozen=True, kw_only=True, tag="phase/end"):
    """The named phase is over."""

    phase: str


class Compaction(Envelope, frozen=True, kw_only=True, tag="compaction"):
    """The model's context was summarised; a row at `done` or `failed`."""

    id: str
    trigger: str | None = None
    summary: str | None = None
    status: Literal["started", "done", "failed"] = "done"


class Notice(Envelope, frozen=True, kw_only=True, tag="notice"):
    """A system message for the reader."""

    id: str
    level: Literal["info", "warning", "error"]
    text: str


class CommandRun(Envelope, frozen=True, kw_only=True, tag="command/run"):
    """A command of the host begins."""

    id: str
    name: str
    input: Json = NO_JSON


class CommandDone(Envelope, frozen=True, kw_only=True, tag="command/done"):
    """A command of the host ended; it only updates the row."""

    id: str
    name: str | None = None
    output: Json = NO_JSON
    status: str | None = None


class SessionRewind(Envelope, frozen=True, kw_only=True, tag="session/rewind"):
    """Turns from `before_turn` on were taken back."""

    before_turn: Ordinal


class Custom(Envelope, frozen=True, kw_only=True, tag="custom/"):
    """`custom/<name>`, or a type that this version does not know (`known` is false: counted)."""

    name: str
    known: bool = True
    visible: bool = False
    title: str | None = None
    payload: Json = NO_JSON


# What the fast decoder tells apart by tag; `Custom` has an open set of tags and comes from the slow path.
Tagged = (
    AssistantChunk
    | ToolProgress
    | ToolCall
    | ToolResult
    | AssistantMessage
    | StepStart
    | StepEnd
    | TurnStart
    | TurnEnd
    | UserMessage
    | UserSteering
    | ContextInjection
    | SystemPrompt
    | SearchRound
    | LlmRetry
    | LlmRetryStarted
    | InteractionRequest
    | InteractionResolve
    | PhaseStart
    | PhaseEnd
    | Compaction
    | Notice
    | CommandRun
    | CommandDone
    | SessionMeta
    | SessionRewind
)
Event = Tagged | Custom


class Malformed(Struct, frozen=True, kw_only=True, gc=False):
    """An entry that is no event: it keeps its `seq`, goes to the quarantine, and the session goes on (rule 2).

    `reason` says what, where and what was expected, for a reader who has the raw bytes beside it.
    """

    reason: str
