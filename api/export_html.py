"""Edge stage: an exported transcript as one HTML file: nothing runs in it, and it loads nothing.

1. Everything a session holds is escaped; Markdown becomes HTML by `export_prose` alone. There is no script, and
   the policy in the file's own head allows none: only the one style sheet, by its hash, and pictures out of the
   file itself.
2. The process of each turn is folded as the page folds it (B-6 to B-8), in `<details>`, which needs no script. What
   stands outside the fold cuts it in two, so that the order is the transcript's.
3. Pictures stand in the file once; files are links that save them as octets.
"""

import re
from collections.abc import Iterator
from html import escape
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
from api.export_pieces import BlobText, ExportHead, Holds, Piece, facts_of, text_bytes
from api.export_prose import prose_html
from api.export_style import POLICY, STYLE
from api.export_values import json_value, one_line, row_json, time_text, visible
from api.export_words import Words
from projections.rows import Row
from projections.transcript import TurnValue
from projections.walk import RowGiven, Step, ThreadBegins, ThreadEnds, TurnBegins, TurnEnds
from projections.web import WebPresentation

_PICTURE: Final = re.compile(r"image/(png|jpeg|gif|webp|avif|bmp)")


class _Open:
    """A transcript that is being written: the turn, its fold, and whether the fold's element is open."""

    def __init__(self) -> None:
        self.members: frozenset[str] = frozenset()
        self.label = ""
        self.is_open = False
        self.was_open = False

    def begin(self, turn: TurnValue) -> None:
        """Take over what the turn's presentation says of its fold."""
        shown = turn.presentation
        folds = isinstance(shown, WebPresentation) and shown.foldable
        self.members = (
            frozenset(shown.members) if isinstance(shown, WebPresentation) and folds else frozenset()
        )
        self.label = shown.label.text if isinstance(shown, WebPresentation) else ""
        self.is_open = self.was_open = False


class HtmlExport:
    """One document; `pieces` may be called once."""

    def __init__(self, head: ExportHead, words: Words, holds: Holds) -> None:
        self._head = head
        self._words = words
        self._holds = holds
        self._threads = [_Open()]
        self._shown: set[str] = set()
        self._turns = self._rows = 0

    def pieces(self, steps: Iterator[Step]) -> Iterator[Piece]:
        """The document of a walk, from its head to its end."""
        yield self._begin().encode()
        for step in steps:
            yield from self._step(step)
        end = self._words("end", turns=self._turns, rows=self._rows)
        yield f"<footer>{escape(end)}</footer></main></body></html>\n".encode()

    def _begin(self) -> str:
        head, words = self._head, self._words
        title = escape(one_line(head.title or head.session))
        listed = "".join(
            f"<div><dt>{escape(words(name))}</dt><dd>{escape(value)}</dd></div>"
            for name, value in facts_of(head)
        )
        return (
            f'<!doctype html>\n<html lang="{escape(words.locale)}"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
            '<meta name="referrer" content="no-referrer">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<title>{title}</title><style>{STYLE}</style></head><body><main>'
            f'<header><h1 dir="auto">{title}</h1><dl>{listed}</dl></header>\n'
        )  # fmt: skip

    def _step(self, step: Step) -> Iterator[Piece]:
        match step:
            case ThreadBegins():
                self._threads.append(_Open())
                yield f'<details class="delegate"><summary>{escape(self._words("delegate"))}</summary>'.encode()
            case ThreadEnds():
                self._threads.pop()
                yield b"</details>\n"
            case TurnBegins(turn=turn):
                yield from self._turn(turn)
            case TurnEnds(turn=turn):
                yield from self._turn_end(turn)
            case RowGiven(row=row):
                yield from self._row(row)

    def _turn(self, turn: TurnValue) -> Iterator[Piece]:
        is_own = len(self._threads) == 1
        self._turns += is_own
        self._threads[-1].begin(turn)
        anchor = f' id="turn-{turn.turn}"' if is_own else ""
        began = turn.started_at_ms
        when = "" if began is None else f" <time>{escape(time_text(began))}</time>"
        level = 2 if is_own else 3
        heading = escape(self._words("turn", n=turn.turn))
        yield f'<section class="turn"{anchor}><h{level}>{heading}{when}</h{level}>\n'.encode()

    def _turn_end(self, turn: TurnValue) -> Iterator[Piece]:
        yield from self._close_fold()
        for waiting in turn.queued:
            parts = tuple(content_parts(json_value(waiting.content)))
            yield from self._entry(Entry(shape="said", title=self._words("queued"), parts=parts))
        if turn.status == "open":
            life = self._words("waiting", n=turn.waiting) if turn.waiting else self._words("running")
            yield f'<p class="life">{escape(life)}</p>'.encode()
        yield b"</section>\n"

    def _row(self, row: Row) -> Iterator[Piece]:
        self._rows += 1
        open_ = self._threads[-1]
        entry = entry_of(row_json(row), self._words)
        if row.turn is not None and row.key in open_.members:
            yield from self._open_fold()
        elif entry is not None:
            yield from self._close_fold()
        if entry is not None:
            yield from self._entry(entry)

    def _open_fold(self) -> Iterator[Piece]:
        open_ = self._threads[-1]
        if open_.is_open:
            return
        label = self._words("continued", label=open_.label) if open_.was_open else open_.label
        open_.is_open = open_.was_open = True
        yield f'<details class="process"><summary>{escape(label)}</summary>\n'.encode()

    def _close_fold(self) -> Iterator[Piece]:
        if self._threads[-1].is_open:
            self._threads[-1].is_open = False
            yield b"</details>\n"

    def _entry(self, entry: Entry) -> Iterator[Piece]:
        level = f" {entry.level}" if entry.level else ""
        note = f'<bdi class="excerpt">{escape(entry.note)}</bdi>' if entry.note else ""
        status = f'<span class="status">{escape(entry.status)}</span>' if entry.status else ""
        heading = f'<bdi class="name">{escape(entry.title)}</bdi> {note} {status}'
        if entry.shape == "work":
            yield f'<details class="work{level}"><summary>{heading}</summary>'.encode()
            yield from self._parts(entry)
            yield b"</details>\n"
        elif entry.shape == "answer":
            yield f'<div class="answer{level}">'.encode()
            yield from self._parts(entry)
            yield f"{status}</div>\n".encode()
        else:
            yield f'<div class="{entry.shape}{level}"><p class="heading">{heading}</p>'.encode()
            yield from self._parts(entry)
            yield b"</div>\n"

    def _parts(self, entry: Entry) -> Iterator[Piece]:
        for part in entry.parts:
            yield from self._part(part)

    def _part(self, part: Part) -> Iterator[Piece]:
        match part:
            case Prose(text=text):
                yield from _prose(text)
            case Thought(text=text):
                yield f'<details class="thought"><summary>{escape(self._words("thought"))}</summary>'.encode()
                yield from _prose(text)
                yield b"</details>"
            case Plain(text=text):
                yield b'<div class="words" dir="auto">'
                yield from text_bytes(text, escape)
                yield b"</div>"
            case Code(label=label, text=text, kind=kind):
                caption = f"<figcaption>{escape(label)}</figcaption>" if label else ""
                yield f'<figure class="{kind}">{caption}<pre>'.encode()
                yield from _diff(text) if kind == "diff" else text_bytes(text, escape)
                yield b"</pre></figure>"
            case Remote(url=url):
                yield f'<p class="attached">{escape(self._words("image_remote", url=url))}</p>'.encode()
            case Attached():
                yield from self._attached(part)

    def _attached(self, part: Attached) -> Iterator[Piece]:
        is_picture = _PICTURE.fullmatch(part.mime) is not None
        named = part.name or self._words("image" if is_picture else "file")
        about = escape(" · ".join(filter(None, (named, visible(part.mime), f"{part.bytes:,} B"))))
        if not self._holds(part.blob):
            yield f'<p class="attached">{about}</p>'.encode()
        elif is_picture and part.blob in self._shown:
            above = escape(self._words("image_above"))
            yield f'<p class="attached"><a href="#blob-{part.blob}">{above}</a> {about}</p>'.encode()
        elif is_picture:
            self._shown.add(part.blob)
            yield f'<p class="attached" id="blob-{part.blob}"><img alt="{about}" src="data:{part.mime};base64,'.encode()
            yield BlobText(digest=part.blob)
            yield b'"></p>'
        else:
            # Octets and a download: whatever it is, it is not opened in the place of this document.
            yield f'<p class="attached"><a download="{escape(_file_name(part))}" '.encode()
            yield b'href="data:application/octet-stream;base64,'
            yield BlobText(digest=part.blob)
            yield f'">{about}</a></p>'.encode()


def _prose(text: str) -> Iterator[Piece]:
    drawn = prose_html(text)
    if drawn is None:
        yield b'<div class="words" dir="auto">'
        yield from text_bytes(text, escape)
    else:
        yield b'<div class="prose" dir="auto">'
        yield from text_bytes(drawn)
    yield b"</div>"


def _diff(text: str) -> Iterator[Piece]:
    for line in text.split("\n"):
        tag = {"+": "ins", "-": "del"}.get(line[:1], "span")
        yield f"<{tag}>".encode()
        yield from text_bytes(line, escape)
        yield f"</{tag}>\n".encode()


def _file_name(part: Attached) -> str:
    """The last part of the name that the producer gave, without anything that a file system could take amiss."""
    name = re.sub(r"[^\w. -]", "_", re.split(r"[/\\]", part.name)[-1]).strip(". ")
    return name[:120] or part.blob[:16]
