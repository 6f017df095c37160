"""Edge stage: an exported transcript as Markdown: for people, for diffs, and for a model to read.

1. What a human wrote, what a tool said and what a model thought is quoted or fenced, so that no text of a
   session is taken for a heading or a fence of the document. A model's answers stay Markdown, tamed
   (`export_prose`).
2. Nothing is folded: the format has no fold that every viewer knows. The process comes in its order, under a line that
   counts it.
3. Images and files are named with type, size and digest; their content is what `html` and `jsonl` hold.
"""

import re
from collections.abc import Iterator
from typing import Final

from api.export_entries import (
    Attached,
    Code,
    Entry,
    Part,
    Plain,
    Prose,
    Remote,
    Thought,
    content_parts,
    entry_of,
)
from api.export_pieces import ExportHead, Piece, facts_of, text_bytes
from api.export_prose import tame_markdown
from api.export_values import json_value, one_line, row_json, time_text, visible
from api.export_words import Words
from projections.rows import Row
from projections.transcript import TurnValue
from projections.walk import RowGiven, Step, ThreadBegins, ThreadEnds, TurnBegins, TurnEnds
from projections.web import WebPresentation

#: What would mean something in a heading or a line of ours.
_SIGNS: Final = re.compile(r"([\\`*_\[\]<>#|~!&])")
_MARKS: Final = {"error": "✗ ", "warning": "⚠ ", "waiting": "⏸ ", "info": "ℹ ", "": ""}
_LANGUAGES: Final = {"text": "", "json": "json", "diff": "diff"}


class MarkdownExport:
    """One document; `pieces` may be called once."""

    def __init__(self, head: ExportHead, words: Words) -> None:
        self._head = head
        self._words = words
        self._depth = 0
        self._turns = self._rows = 0

    def pieces(self, steps: Iterator[Step]) -> Iterator[Piece]:
        """The document of a walk, from its title to its end."""
        yield from _encoded(self._begin())
        for step in steps:
            yield from self._step(step)
        yield f"---\n\n*{self._words('end', turns=self._turns, rows=self._rows)}*\n".encode()

    def _begin(self) -> Iterator[str]:
        head, words = self._head, self._words
        yield f"# {escaped(one_line(head.title or head.session))}\n\n"
        yield from (f"- {words(name)}: {escaped(value)}\n" for name, value in facts_of(head))
        yield "\n"

    def _step(self, step: Step) -> Iterator[Piece]:
        match step:
            case ThreadBegins():
                self._depth += 1
                yield f"**▼ {self._words('delegate')}** ({self._depth})\n\n".encode()
            case ThreadEnds():
                yield f"**▲ {self._words('delegate')}** ({self._depth})\n\n".encode()
                self._depth -= 1
            case TurnBegins(turn=turn):
                yield from _encoded(self._turn(turn))
            case TurnEnds(turn=turn):
                yield from self._turn_end(turn)
            case RowGiven(row=row):
                yield from self._row(row)

    def _turn(self, turn: TurnValue) -> Iterator[str]:
        self._turns += not self._depth
        began = turn.started_at_ms
        when = "" if began is None else f" — {time_text(began)}"
        # Headings end at six; a delegate's turns are one level lower, however deep it is.
        yield f"{'###' if self._depth else '##'} {self._words('turn', n=turn.turn)}{when}\n\n"
        shown = turn.presentation
        if isinstance(shown, WebPresentation) and shown.has_external_process:
            yield f"*{escaped(shown.label.text)}*\n\n"

    def _turn_end(self, turn: TurnValue) -> Iterator[Piece]:
        for waiting in turn.queued:
            parts = tuple(content_parts(json_value(waiting.content)))
            yield from self._entry(Entry(shape="said", title=self._words("queued"), parts=parts))
        if turn.status == "open":
            life = self._words("waiting", n=turn.waiting) if turn.waiting else self._words("running")
            yield f"**⏵ {life}**\n\n".encode()

    def _row(self, row: Row) -> Iterator[Piece]:
        self._rows += 1
        entry = entry_of(row_json(row), self._words)
        if entry is not None:
            yield from self._entry(entry)

    def _entry(self, entry: Entry) -> Iterator[Piece]:
        line = (
            f"**{_MARKS[entry.level]}{escaped(entry.title)}**" if entry.title else _MARKS[entry.level].strip()
        )
        if entry.note:
            line += f" {code_span(entry.note) if entry.shape == 'work' else escaped(entry.note)}"
        if entry.status:
            line += f" — {escaped(entry.status)}"
        if line:
            yield f"{line}\n\n".encode()
        for part in entry.parts:
            yield from self._part(part)

    def _part(self, part: Part) -> Iterator[Piece]:
        match part:
            case Prose(text=text):
                tame = tame_markdown(text)
                yield from fenced(text) if tame is None else text_bytes(f"{tame.strip()}\n\n")
            case Plain(text=text):
                yield from fenced(text)
            case Thought(text=text):
                yield f"*{self._words('thought')}*\n\n".encode()
                yield from fenced(text)
            case Code(label=label, text=text, kind=kind):
                if label:
                    yield f"{escaped(label)}\n\n".encode()
                yield from fenced(text, _LANGUAGES[kind])
            case Remote(url=url):
                yield f"{escaped(self._words('image_remote', url=url))}\n\n".encode()
            case Attached(name=name, mime=mime, bytes=size, blob=blob):
                named = name or self._words("image" if mime.startswith("image/") else "file")
                about = " · ".join(
                    filter(None, (named, visible(mime), f"{size:,} B", f"SHA-256 {blob[:64]}"))
                )
                yield f"\\[{escaped(one_line(about))}\\]\n\n".encode()


def escaped(text: str) -> str:
    """A line in which no sign of Markdown means anything.

    >>> escaped("a *b* <i>")
    'a \\\\*b\\\\* \\\\<i\\\\>'
    """
    return _SIGNS.sub(r"\\\1", text)


def code_span(text: str) -> str:
    """A line as code, whatever backticks it holds.

    >>> code_span("a `b`")
    '`` a `b` ``'
    """
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    marks = "`" * (longest + 1)
    return f"{marks} {text} {marks}" if longest else f"`{text}`"


def fenced(text: str, language: str = "") -> Iterator[bytes]:
    """A text in a fence that is longer than any inside."""
    longest = max((len(run) for run in re.findall("`{3,}", text)), default=2)
    marks = "`" * (longest + 1)
    yield f"{marks}{language}\n".encode()
    yield from text_bytes(text)
    yield (f"{marks}\n\n" if text.endswith("\n") else f"\n{marks}\n\n").encode()


def _encoded(texts: Iterator[str]) -> Iterator[bytes]:
    return (text.encode(errors="replace") for text in texts)
