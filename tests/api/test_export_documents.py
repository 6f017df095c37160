"""Exported documents: three golden ones, and what no session can do to them (`docs/export.md`)."""

import os
import re
from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest

from api.export_html import HtmlExport
from api.export_jsonl import jsonl_pieces
from api.export_markdown import MarkdownExport
from api.export_pieces import BlobText, Piece, head_of
from api.export_prose import PROSE_CHARS, prose_html, tame_markdown
from api.export_style import POLICY
from api.export_words import Words
from projections.decode import decode_event
from projections.position import Position
from projections.session import MOST_DEPTH, SessionFold
from projections.view import WebView
from projections.walk import ThreadBegins, ThreadEnds, walk
from tests import hostile

GOLDEN = Path(__file__).parent / "exports"
#: Every element that an exported document has; nothing that runs, loads, embeds or asks.
ELEMENTS = frozenset(
    {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "header",
        "footer",
        "section",
        "dl",
        "div",
        "dt",
        "dd",
    }
    | {
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "p",
        "time",
        "details",
        "summary",
        "bdi",
        "span",
        "a",
        "img",
        "hr",
        "br",
    }
    | {
        "figure",
        "figcaption",
        "pre",
        "code",
        "ins",
        "del",
        "ul",
        "ol",
        "li",
        "em",
        "strong",
        "s",
        "blockquote",
    }
    | {"table", "thead", "tbody", "tr", "th", "td"}
)
ATTRIBUTES = frozenset(
    {
        "lang",
        "charset",
        "http-equiv",
        "content",
        "name",
        "class",
        "id",
        "dir",
        "href",
        "rel",
        "download",
        "src",
        "alt",
    }
    | {"start"}
)


def folded(events: Iterable[Mapping[str, Any]]) -> SessionFold:
    """The fold of a log."""
    fold = SessionFold()
    for seq, event in enumerate(events):
        fold.apply(seq, decode_event(msgspec.json.encode(event)))
    return fold


def document(export_format: str, fold: SessionFold, locale: str = "en") -> str:
    """The whole document; a blob's content is its digest."""
    head = head_of("s1", Position(epoch="e1", version=7), fold)
    steps, words, holds = walk(fold, WebView(locale=locale)), Words(locale), fold.blobs.__contains__
    pieces: Iterable[Piece] = {
        "markdown": lambda: MarkdownExport(head, words).pieces(steps),
        "html": lambda: HtmlExport(head, words, holds).pieces(steps),
        "jsonl": lambda: jsonl_pieces(head, steps, holds),
    }[export_format]()
    return b"".join(one.digest.encode() if isinstance(one, BlobText) else one for one in pieces).decode()


def text(words: str) -> list[dict[str, Any]]:
    """Content of one text."""
    return [{"type": "text", "text": words}]


#: A session as people have them: a process with reasoning, a call, a delegate and steering; then one that runs.
USUAL: list[dict[str, Any]] = [
    {"type": "session/meta", "title": "Fix the build", "agent": "tester", "model": "m-1", "cwd": "/src", "ts_ms": 0},
    {"type": "turn/start", "turn": 1, "ts_ms": 0},
    {"type": "user/message", "id": "u1", "content": text("Why does `make` fail?\n# not a heading")},
    {"type": "assistant/message", "turn": 1, "step": 1, "blocks": [
        {"type": "reasoning", "text": "I should *look*."}, *text("I look at it."),
        {"type": "tool_call", "call_id": "c1", "name": "bash", "input": {"command": "make"}}]},
    {"type": "tool/call", "turn": 1, "step": 1, "call_id": "c1", "name": "bash", "input": {"command": "make"}},
    {"type": "tool/result", "call_id": "c1", "status": "error", "output": "```\nno rule\n```", "exit_code": 2,
     "duration_ms": 1200},
    {"type": "user/steering", "id": "st", "state": "queued", "content": text("Quickly!")},
    {"type": "user/steering", "id": "st", "state": "delivered"},
    {"type": "tool/call", "turn": 1, "step": 2, "call_id": "c2", "name": "subagent", "input": {"prompt": "Fix it"}},
    *({**event, "parent_call_id": "c2"} for event in (
        {"type": "turn/start", "turn": 1}, {"type": "user/message", "id": "d1", "content": text("Fix it")},
        {"type": "assistant/message", "turn": 1, "step": 1, "blocks": [
            {"type": "diff", "path": "Makefile", "unified": "@@ -1 +1 @@\n-al:\n+all:\n"}, *text("Fixed.")]},
        {"type": "turn/end", "turn": 1, "reason": "completed"})),
    {"type": "tool/result", "call_id": "c2", "status": "ok", "output": text("Fixed.")},
    {"type": "assistant/message", "turn": 1, "step": 3, "blocks": text("It is **fixed**:\n\n- `all` was misspelt\n")},
    {"type": "turn/end", "turn": 1, "reason": "completed", "ts_ms": 65_000},
    {"type": "notice", "id": "n1", "level": "warning", "text": "The disk is nearly full."},
    {"type": "turn/start", "turn": 2},
    {"type": "user/message", "id": "u2", "content": text("And now?")},
    {"type": "interaction/request", "id": "i1", "kind": "permission", "title": "Run make install?",
     "payload": {"command": "make install"}},
    {"type": "user/steering", "id": "q", "state": "queued", "content": text("As root")},
]  # fmt: skip


@pytest.mark.parametrize(
    ("export_format", "locale", "name"),
    [
        ("markdown", "en", "usual.md"),
        ("html", "en", "usual.html"),
        ("jsonl", "en", "usual.jsonl"),
        ("markdown", "zh-CN", "usual.zh-CN.md"),
    ],
)
def test_a_usual_session_reads_as_it_should(export_format: str, locale: str, name: str) -> None:
    """Golden documents, read by eye; TURNFOLD_TEST_WRITE=1 writes them anew."""
    made = document(export_format, folded(USUAL), locale)
    path = GOLDEN / name
    if os.environ.get("TURNFOLD_TEST_WRITE"):
        path.write_text(made, encoding="utf-8")
    assert made == path.read_text(encoding="utf-8")


class Look(HTMLParser):
    """What a browser would make of a document."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self.text.append(data)


def looked_at(html: str) -> Look:
    """The document parsed."""
    look = Look()
    look.feed(html)
    look.close()
    return look


def test_hostile_session_says_something_in_every_text() -> None:
    """The corpus is whole: a new text of an event has to come into it."""
    assert hostile.unsaid() == set()


def test_html_has_no_element_that_does_anything() -> None:
    """Of a session that is hostile in every text: known elements and attributes alone, and links that lead to the
    web.
    """
    look = looked_at(document("html", folded(hostile.events())))
    assert {tag for tag, _ in look.elements} <= ELEMENTS
    for tag, attributes in look.elements:
        assert set(attributes) <= ATTRIBUTES, tag
        assert tag != "img" or re.match(r"data:image/(png|jpeg|gif|webp|avif|bmp);base64,", attributes["src"])
        assert tag == "meta" or "http-equiv" not in attributes
        href = attributes.get("href", "#")
        assert (
            re.match(r"https?://|mailto:|#blob-|data:application/octet-stream;base64,", href) or href == "#"
        )
    (policy,) = [one["content"] for tag, one in look.elements if one.get("http-equiv")]
    assert policy == POLICY
    assert len([tag for tag, _ in look.elements if tag == "style"]) == 1


def test_html_shows_what_is_hostile_as_the_text_that_it_is() -> None:
    """Nothing is dropped: each payload is there to read, its unseen characters as signs."""
    shown = "".join(looked_at(document("html", folded(hostile.events()))).text)
    for field in (
        "title",
        "user.text",
        "reasoning",
        "process",
        "input.value",
        "output",
        "summary",
        "inner",
        "ask.title",
    ):
        assert f"{field} <script>window.hit=1//{field}</script>" in shown
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    assert "⟨RLO⟩gnp.exe" in shown
    assert "␛[31mred" in shown


def test_markdown_of_a_hostile_session_is_tame() -> None:
    """Whoever draws it: no HTML, no image, no link but to the web."""
    made = document("markdown", folded(hostile.events()))
    assert tame_markdown(made[:PROSE_CHARS]) == made[:PROSE_CHARS]
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", made)


def test_lines_of_a_hostile_session_are_lines() -> None:
    """Each is one JSON object, every row is there, and each blob once."""
    fold = folded(hostile.events())
    lines = [msgspec.json.decode(line) for line in document("jsonl", fold).split("\n")[:-1]]
    assert [lines[0]["type"], lines[-1]["type"]] == ["session", "end"]
    rows = [line for line in lines if line["type"] == "row"]
    assert lines[-1]["rows"] == len(rows)
    assert {line["blob"] for line in lines if line["type"] == "blob"} == set(fold.blobs)
    assert {tuple(row["in"]) for row in rows} == {(), ("c2",)}


@pytest.mark.parametrize(
    "markdown",
    [
        "plain *text* with `<b>code</b>` and 1 < 2",
        "```html\n<script>x</script>\n```",
        "[ok](https://example.com) <https://example.com>",
    ],
)
def test_harmless_markdown_stays_as_it_was_written(markdown: str) -> None:
    """Most answers: not a character changes."""
    assert tame_markdown(markdown) == markdown


@pytest.mark.parametrize(
    "markdown",
    [
        "a <b>bold</b> word",
        "<div>\n\n*x*\n\n</div>",
        "![p](https://tracker.example/p.png)",
        "[x](javascript:alert(1))",
        "[x][r]\n\n[r]: javascript:alert(1)",
        "![x][r]\n\n[r]: https://tracker.example/p.png",
        "<!-- a comment -->",
        "> - <img src=x>",
    ],
)
def test_wild_markdown_is_tamed(markdown: str) -> None:
    """What would run or load is a text, or the whole is shown as code."""
    tame = tame_markdown(markdown)
    assert tame is None or tame_markdown(tame) == tame
    assert tame != markdown
    drawn = prose_html(markdown)
    assert drawn is not None
    assert not re.search(r"<(?!/?(p|em|strong|ul|li|blockquote|a)\b)", drawn)
    assert 'href="javascript' not in drawn


def test_great_prose_is_not_parsed() -> None:
    """Time does not grow with what a stranger sends: it is shown as it is."""
    assert prose_html("x" * (PROSE_CHARS + 1)) is None
    assert tame_markdown("*" * (PROSE_CHARS + 1)) is None


def test_delegates_are_walked_as_deep_as_a_session_holds_them() -> None:
    """Each begins and ends; what is nested deeper stands in the log alone."""
    depth = MOST_DEPTH + 20
    events: list[dict[str, Any]] = [{"type": "turn/start", "turn": 1}]
    for level in range(depth):
        above = {"parent_call_id": f"c{level - 1}"} if level else {}
        events.append(
            {"type": "tool/call", "turn": 1, "step": 1, "call_id": f"c{level}", "name": "subagent", **above}
        )
    steps = list(walk(folded(events), WebView()))
    assert sum(isinstance(step, ThreadBegins) for step in steps) == MOST_DEPTH
    assert sum(isinstance(step, ThreadEnds) for step in steps) == MOST_DEPTH


def test_json_that_nobody_can_decode_is_shown_as_its_text() -> None:
    """Nested nine hundred deep, or a number beyond all: the rest of the row is there."""
    deep = b"[" * 900 + b"7" + b"]" * 900
    fold = SessionFold()
    fold.apply(
        0,
        decode_event(
            b'{"type":"tool/call","turn":1,"step":1,"call_id":"c1","name":"bash","input":%b}' % deep
        ),
    )
    fold.apply(1, decode_event(b'{"type":"custom/x","visible":true,"payload":{"n":1e999}}'))
    for export_format in ("markdown", "html"):
        made = document(export_format, fold)
        assert "bash" in made
        assert "1e999" in made
