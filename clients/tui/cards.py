"""Rows to pieces: how each kind of row looks in each phase (D-1, D-2)."""

from collections.abc import Iterator

import msgspec

from clients.tui.content import (
    block_text,
    body_text,
    content_text,
    duration_of,
    is_blank,
    is_blocks,
    json_text,
    left_out,
    number_of,
    objects_of,
    telling,
    text_of,
)
from clients.tui.harmless import harmless, one_line
from clients.tui.piece import Piece, Role
from clients.tui.words import Words, duration_text, words_of
from clients.wire.messages import Json

INDENT = "  "
REASONING = "  ~ "
# The words of the reader bear a bar: in the hidden phase an answer may go on below them without a header (D-3).
USER = "┃ "
# A command of the host is the reader's own, and no tool's.
CARDS = ("tool_call", "search")
NOT_HERE = ("turn_process", "system_prompt", "turn_tail")
_BAD = ("error", "denied", "failed", "canceled")
_BUSY = ("running", "searching", "waiting", "started")
_SIGNS = {
    "ok": "✓",
    "completed": "✓",
    "done": "✓",
    "success": "✓",
    "error": "✗",
    "failed": "✗",
    "denied": "✗",
    "canceled": "■",
}
_DETAIL = "    "


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """How everything is drawn.

    Attributes:
        phase: `collapsed`, `expanded` or `hidden`.
        reasoning: whether reasoning is displayed where no step of a turn says it: in rows of no turn.
        path: the calls that lead to the transcript that is drawn.
        margin: before each row; inside a delegate's transcript there is a bar.
        more_key: the key that loads the rest of a great text; empty where nobody can press one.
    """

    phase: str
    reasoning: bool = True
    locale: str = "en"
    path: tuple[str, ...] = ()
    margin: str = ""
    more_key: str = ""

    @property
    def words(self) -> Words:
        """The words of its language."""
        return words_of(self.locale)

    def piece(
        self, role: Role, text: str, indent: str = INDENT, *, is_prose: bool = False, kept: int | None = None
    ) -> Piece:
        """Make a piece whose first row begins with `indent`."""
        first = self.margin + indent
        rest = self.margin + (indent if indent in (REASONING, USER) else " " * len(indent))
        return Piece(role, text, first=first, rest=rest, is_prose=is_prose, kept=kept)

    def blank(self) -> Piece:
        """Make an empty row."""
        return Piece("blank", "", first=self.margin)


def row_pieces(row: Json, look: Look) -> list[Piece]:
    """Give the pieces of a row that is no step; none where this phase does not show it."""
    kind = row.get("kind")
    if kind in NOT_HERE or (kind in CARDS and look.phase == "hidden"):
        return []
    draw = _DRAW.get(str(kind), _other)
    return [*draw(row, look), *_more(row, look)]


def body_pieces(row: Json, body: tuple[str, ...], look: Look) -> dict[int | None, Piece]:
    """Give the pieces of a step's body by the number of their block: what the service says is its body (D-2)."""
    pieces: dict[int | None, Piece] = {}
    blocks = row.get("blocks")
    for at, block in enumerate(blocks if isinstance(blocks, list) else ()):
        kind = block.get("type") if isinstance(block, dict) else None
        if kind not in body or is_blank(text_of(block)):
            continue
        is_reasoning = kind == "reasoning"
        text = body_text(block, is_whole=row.get("status") != "running")
        role: Role = "reasoning" if is_reasoning else "text"
        pieces[at] = look.piece(role, text, REASONING if is_reasoning else INDENT, is_prose=True)
    return pieces


def step_notes(row: Json, body: tuple[str, ...], look: Look) -> list[Piece]:
    """Give what else a step says of its body: what was left out, and that it was cut short."""
    shown = [one for one in objects_of(row.get("blocks")) if one.get("type") in body]
    notes = [_rest(left_out(block, look.words), look) for block in shown if block.get("truncated")]
    if row.get("status") == "interrupted" and body:
        notes.append(look.piece("warning", f"({look.words['interrupted']})"))
    return notes


def footer_piece(step: Json, look: Look) -> Piece | None:
    """Give a step's timing (D-5); None where nothing is known."""
    duration = duration_of(step.get("footer"))
    return None if duration is None else look.piece("footer", f"⏱ {duration_text(duration, look.locale)}")


def queued_pieces(queued: Json, look: Look) -> Iterator[Piece]:
    """What the reader wrote and the agent has not taken yet."""
    for waiting in objects_of(queued):
        text = content_text(waiting.get("content"), look.words)
        yield look.piece("queued", f"{look.words['queued']}: {text}", "… ")


def _human(row: Json, look: Look) -> Iterator[Piece]:
    yield look.blank()
    yield look.piece("user_name", look.words[str(row["kind"])], "")
    yield look.piece("user", content_text(row.get("content"), look.words), USER)
    for block in objects_of(row.get("content")):
        note = left_out(block, look.words)
        if note:
            yield _rest(note, look)


def _card(row: Json, look: Look, sign: str, title: str, detail: str) -> Iterator[Piece]:
    """A card's title line: sign, name, what it is known by, status, duration."""
    status = str(row.get("status") or "")
    words = look.words
    marks = []
    code = row.get("exit_code")
    is_bad = status in _BAD or bool(code)
    if status == "ok" and is_bad:
        marks.append("✗")
    elif status in _SIGNS:
        marks.append(
            _SIGNS[status] if _SIGNS[status] == "✓" else f"{_SIGNS[status]} {words.get(status, status)}"
        )
    elif status:
        marks.append(("… " if status in _BUSY else "") + words.get(status, one_line(status)))
    if isinstance(code, int) and code:
        marks.append(words["exit"].format(code=code))
    duration = duration_of(row)
    if duration is not None:
        marks.append(duration_text(duration, look.locale))
    role: Role = "card_failed" if is_bad else "card_running" if status in _BUSY else "card"
    known_by = f"  {detail}" if detail and detail not in title else ""
    # The status is never cut off: it stands before what the call is known by.
    shown = f"{title} {' · '.join(marks)}".strip()
    yield look.piece(role, f"{shown}{known_by}", f"{INDENT}{sign} ", kept=len(shown))


def _tool(row: Json, look: Look) -> Iterator[Piece]:
    name = one_line(str(row.get("title") or row.get("name") or row.get("call_id") or ""))
    yield from _card(row, look, "⚙", name, telling(row.get("input")))
    if look.phase != "expanded":
        return
    given = harmless(json_text(row.get("input"))).rstrip()
    if given:
        yield look.piece("detail", given, f"{_DETAIL}← ")
    yield from output_pieces(row, look)
    error = row.get("error")
    if error is not None:
        yield look.piece("error", harmless(json_text(error)).rstrip(), f"{_DETAIL}✗ ")


def output_pieces(row: Json, look: Look) -> Iterator[Piece]:
    """What a call gave, or has given so far; a diff line by line in its colours."""
    output = row.get("output")
    if output is None:
        progress = row.get("progress")
        if isinstance(progress, str) and progress:
            yield look.piece("detail", harmless(progress), f"{_DETAIL}→ ")
        return
    if not is_blocks(output):
        text = harmless(json_text(output)).rstrip()
        if text:
            yield look.piece("detail", text, f"{_DETAIL}→ ")
        return
    for block in output:
        if block.get("type") == "diff":
            yield look.piece("detail", one_line(str(block.get("path") or "")), f"{_DETAIL}± ", kept=0)
            yield look.piece("diff", harmless(str(block.get("unified") or "")).rstrip(), f"{_DETAIL}  ")
        else:
            yield look.piece("detail", block_text(block, look.words).rstrip(), f"{_DETAIL}→ ")


def _search(row: Json, look: Look) -> Iterator[Piece]:
    asked = one_line(str(row.get("query") or row.get("url") or ""))
    yield from _card(row, look, "⌕", asked, "")
    if look.phase != "expanded":
        return
    for source in objects_of(row.get("sources")):
        words = " ".join(str(source[name]) for name in ("title", "url") if source.get(name))
        yield look.piece("detail", one_line(words), f"{_DETAIL}→ ")


def _command(row: Json, look: Look) -> Iterator[Piece]:
    name = one_line(str(row.get("name") or "")).removeprefix("/")
    yield from _card(row, look, "/", name, telling(row.get("input")))
    if look.phase == "expanded":
        for value, mark in ((row.get("input"), "←"), (row.get("output"), "→")):
            text = harmless(json_text(value)).rstrip()
            if text:
                yield look.piece("detail", text, f"{_DETAIL}{mark} ")


def _context(row: Json, look: Look) -> Iterator[Piece]:
    yield look.piece(
        "context", one_line(str(row.get("title") or row.get("source") or "")), f"{INDENT}# ", kept=0
    )
    if look.phase == "expanded":
        text = content_text(row.get("content"), look.words)
        if text:
            yield look.piece("detail", text, _DETAIL)


def _interaction(row: Json, look: Look) -> Iterator[Piece]:
    words, is_pending = look.words, row.get("status") == "pending"
    kind, state = str(row.get("interaction")), str(row.get("outcome") or row.get("status") or "")
    state = words["waiting"] if is_pending else words.get(state, state)
    said = f"{words.get(kind, kind)}: {row.get('title') or ''} — {state}"
    yield look.piece(
        "pending" if is_pending else "context", harmless(said), "▶ " if is_pending else f"{INDENT}? "
    )
    if is_pending or look.phase == "expanded":
        for name in ("payload", "answer"):
            text = harmless(json_text(row.get(name))).rstrip()
            if text:
                yield look.piece("detail", text, _DETAIL)


def _notice(row: Json, look: Look) -> Iterator[Piece]:
    level = row.get("level")
    role: Role = "error" if level == "error" else "warning" if level == "warning" else "notice"
    yield look.piece(role, harmless(str(row.get("text") or "")).rstrip(), "! ")


def _retry(row: Json, look: Look) -> Iterator[Piece]:
    words = look.words
    delay = duration_of({"duration_ms": row.get("delay_ms")}) if row.get("status") == "waiting" else None
    later = "" if delay is None else f" · {words['retry_in'].format(time=duration_text(delay, look.locale))}"
    failure = row.get("failure")
    told = failure.get("message") if isinstance(failure, dict) else failure
    why = f": {one_line(json_text(told))}" if told else ""
    yield look.piece("warning", f"{words['retry']} {row.get('retry')}{later}{why}", f"{INDENT}↻ ")


def _compaction(row: Json, look: Look) -> Iterator[Piece]:
    state = str(row.get("status") or "")
    yield look.piece(
        "divider", f"── {look.words['compaction']}: {look.words.get(state, one_line(state))} ──", ""
    )
    if look.phase == "expanded" and row.get("summary"):
        yield look.piece("detail", harmless(str(row["summary"])).rstrip(), _DETAIL)


def _error(row: Json, look: Look) -> Iterator[Piece]:
    said = " ".join(str(row[name]) for name in ("code", "message") if row.get(name))
    yield look.piece("error", harmless(said or look.words["failed"]), "✗ ")


def _max_tokens(_row: Json, look: Look) -> Iterator[Piece]:
    yield look.piece("error", look.words["max_tokens"], "✗ ")


def tail_piece(row: Json, look: Look) -> Piece:
    """What a turn came to; it stands at the turn's end, also where a late result stands below its place (A-10)."""
    outcome = str(row.get("outcome") or "")
    return look.piece("tail", look.words.get(outcome, one_line(outcome)), "— ")


def _other(row: Json, look: Look) -> Iterator[Piece]:
    yield look.piece(
        "context", one_line(str(row.get("title") or row.get("name") or row.get("kind"))), f"{INDENT}· "
    )


def _more(row: Json, look: Look) -> Iterator[Piece]:
    """What was left out of the row's own text, where this phase shows that text."""
    if row.get("truncated") and (look.phase == "expanded" or row.get("kind") in ("notice", "turn_error")):
        yield _rest(left_out(row, look.words), look)
    if row.get("heads") and look.phase == "expanded":
        sizes = [number_of(head.get("bytes")) or 0 for head in objects_of(row["heads"])]
        yield _rest(left_out({"truncated": True, "bytes": sum(sizes)}, look.words), look)


def _rest(note: str, look: Look) -> Piece:
    key = f" · {look.words['rest'].format(key=look.more_key)}" if look.more_key else ""
    return look.piece("more", note + key)


_DRAW = {
    "user": _human,
    "steering": _human,
    "tool_call": _tool,
    "search": _search,
    "command": _command,
    "context": _context,
    "interaction": _interaction,
    "notice": _notice,
    "retry": _retry,
    "compaction": _compaction,
    "turn_error": _error,
    "turn_max_tokens": _max_tokens,
}
