"""The rows of a folded transcript as they stand on the wire (`views.md` A-1; `wire.md`, *Transcript*).

A row is a frozen value tagged by `kind`. `key` is stable for the row's whole life, `turn` is null for a session row,
`anchor` is a position among `seq` values (fractional for synthetic rows). A field that is absent is unknown: never
0, never a guess. Arbitrary JSON travels as the bytes it came in. Of a great text the head alone travels (`heads`).
"""

from msgspec import UNSET, Raw, Struct, UnsetType, field

Anchor = int | float
Json = Raw | UnsetType
Text = str | UnsetType
Ms = int | float | UnsetType


class Head(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A text of a row that travels as its head and stands in no object of ours that could say so.

    Attributes:
        field: a JSON pointer into the row, as `/input/content`.
        bytes: of the whole text in UTF-8.
        json: the text is JSON that was no string: the field holds the head of its JSON text instead.
    """

    field: str
    bytes: int
    json: bool = False


class RowFields(Struct, frozen=True, kw_only=True, tag_field="kind", gc=False):
    """What every row has.

    `truncated` says that the row's own text (`text`, `output`, `progress`, `summary`, `message`) is a head, and
    `whole_bytes` (on the wire `bytes`) how great the whole is; blocks have fields of the same names for theirs.
    """

    key: str
    turn: int | None
    step: int | None
    anchor: Anchor
    whole_bytes: int | UnsetType = field(name="bytes", default=UNSET)
    truncated: bool | UnsetType = UNSET
    heads: tuple[Head, ...] | UnsetType = UNSET


class SystemPromptRow(RowFields, frozen=True, kw_only=True, tag="system_prompt"):
    """The request-wide instruction; independent of the fold."""

    text: str
    reason: str


class UserRow(RowFields, frozen=True, kw_only=True, tag="user"):
    """What a human wrote; `content` is an array of blocks."""

    id: str
    content: Raw
    client_id: Text = UNSET


class SteeringRow(RowFields, frozen=True, kw_only=True, tag="steering"):
    """What a human wrote into the running turn, at its delivery."""

    id: str
    content: Raw


class ContextRow(RowFields, frozen=True, kw_only=True, tag="context"):
    """Injected context: process material, no human's words."""

    id: str
    source: str
    content: Raw
    title: Text = UNSET


class StepRow(RowFields, frozen=True, kw_only=True, tag="assistant_step"):
    """The blocks of one step in block order; `status` is `running`, `settled` or `interrupted`."""

    status: str
    blocks: tuple[Raw, ...]
    phase: Text = UNSET
    started_at_ms: Ms = UNSET
    ended_at_ms: Ms = UNSET
    duration_ms: Ms = UNSET
    usage: Json = UNSET


class ToolRow(RowFields, frozen=True, kw_only=True, tag="tool_call"):
    """A tool call and its result; `status` is `running ok error denied canceled unknown`.

    `progress` is the output so far and goes away when the result's own `output` is there.
    """

    call_id: str
    name: str
    input: Raw | None
    status: str
    title: Text = UNSET
    progress: Text = UNSET
    output: Raw | None = None
    exit_code: int | UnsetType = UNSET
    error: Json = UNSET
    started_at_ms: Ms = UNSET
    ended_at_ms: Ms = UNSET
    duration_ms: Ms = UNSET


class SearchRow(RowFields, frozen=True, kw_only=True, tag="search"):
    """A search that the provider ran: `searching`, `completed` or `failed`."""

    search_id: str
    round_id: str
    status: str
    query: Text = UNSET
    url: Text = UNSET
    sources: Json = UNSET


class RetryRow(RowFields, frozen=True, kw_only=True, tag="retry"):
    """A chain of retries of one step: `waiting` or `started`; `retry` counts from 1."""

    retry_id: str
    status: str
    retry: int
    delay_ms: Ms = UNSET
    failure: Json = UNSET


class CommandRow(RowFields, frozen=True, kw_only=True, tag="command"):
    """A command of the host: `running`, `done` or the status it gave."""

    id: str
    name: str
    status: str
    input: Json = UNSET
    output: Json = UNSET


class CompactionRow(RowFields, frozen=True, kw_only=True, tag="compaction"):
    """The model's context was summarised: `done` or `failed`."""

    id: str
    status: str
    trigger: Text = UNSET
    summary: Text = UNSET


class InteractionRow(RowFields, frozen=True, kw_only=True, tag="interaction"):
    """What waits for the reader: `pending`, `resolved`, or `expired` when its turn ended first."""

    id: str
    interaction: str
    title: str
    status: str
    outcome: Text = UNSET
    call_id: Text = UNSET
    payload: Json = UNSET
    answer: Json = UNSET


class NoticeRow(RowFields, frozen=True, kw_only=True, tag="notice"):
    """A system message for the reader."""

    id: str
    level: str
    text: str


class ControlRow(RowFields, frozen=True, kw_only=True, tag="turn_process"):
    """The web view's control of a turn (B-4)."""


class ErrorRow(RowFields, frozen=True, kw_only=True, tag="turn_error"):
    """The turn failed."""

    code: str | int | UnsetType = UNSET
    message: Text = UNSET


class MaxTokensRow(RowFields, frozen=True, kw_only=True, tag="turn_max_tokens"):
    """The turn ran out of tokens."""


class TailRow(RowFields, frozen=True, kw_only=True, tag="turn_tail"):
    """The end of a closed turn (A-10)."""

    outcome: str


class CustomRow(RowFields, frozen=True, kw_only=True, tag="custom"):
    """A visible event of a type that is not ours."""

    name: str
    title: Text = UNSET
    payload: Json = UNSET


# Rows that are stored as they are; steps and tool calls grow in builders and are made from them.
StaticRow = (
    SystemPromptRow
    | UserRow
    | SteeringRow
    | ContextRow
    | SearchRow
    | RetryRow
    | CommandRow
    | CompactionRow
    | InteractionRow
    | NoticeRow
    | ControlRow
    | ErrorRow
    | MaxTokensRow
    | TailRow
    | CustomRow
)
Row = StaticRow | StepRow | ToolRow
