"""Edge stage: a model's Markdown in exported documents: as HTML that runs and loads nothing, or as Markdown that is
tame.

1. HTML in the Markdown is text. A link leads to http, https or mail, or is no link; an image is never loaded: it is a
   link to where it lies.
2. As Markdown the text stays as it was written, but for what a careless viewer would run or load: tags, images,
   and links of other schemes lose one character's meaning. Where even that does not help, it is shown as code.
3. A text above `PROSE_CHARS` is not parsed: what is great is no prose, and time must not grow with what a
   stranger sends.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

PROSE_CHARS: Final = 32 * 1024
_SAFE: Final = re.compile(r"(https?://|mailto:)", re.IGNORECASE)
#: Where none of these stands, nothing can run or load, and nothing has to be parsed to know it.
_SUSPECT: Final = re.compile(r"<[A-Za-z/!?]|!\[|\]\((?!https?://|mailto:)|\]:", re.IGNORECASE)
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?])")


class _Quiet(RendererHTML):
    """HTML of Markdown without images, and with links that tell nobody where the reader came from."""

    def image(self, tokens: Sequence[Token], idx: int, _options: Any, _env: Any) -> str:
        """An image's text as a link to it."""
        url, alt = str(tokens[idx].attrs.get("src", "")), tokens[idx].content
        return _link(url) + escape(alt or url) + "</a>"

    def link_open(self, tokens: Sequence[Token], idx: int, _options: Any, _env: Any) -> str:
        """The beginning of a link."""
        return _link(str(tokens[idx].attrs.get("href", "")))


def _link(url: str) -> str:
    return f'<a href="{escape(url)}" rel="noopener noreferrer nofollow">'


def _is_safe(url: str) -> bool:
    return _SAFE.match(url.strip()) is not None


def _is_any(_url: str) -> bool:
    return True


class _Prose(MarkdownIt):
    def __init__(self, is_link: Callable[[str], bool], *, html: bool) -> None:
        super().__init__("commonmark", {"html": html, "xhtmlOut": False}, renderer_cls=_Quiet)
        self.enable(["table", "strikethrough"])
        self._is_link = is_link

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the base class's name, which its rules call
        return self._is_link(url)


_STRICT: Final = _Prose(_is_safe, html=False)
#: What a careless viewer would do: a link that leads anywhere is seen as one.
_LOOSE: Final = _Prose(_is_any, html=True)


def prose_html(text: str) -> str | None:
    """The Markdown as HTML; None where it is too great to be parsed."""
    return None if len(text) > PROSE_CHARS else str(_STRICT.render(text))


def tame_markdown(text: str) -> str | None:
    """The Markdown, harmless wherever it is viewed; None where it is to be shown as code."""
    if len(text) > PROSE_CHARS:
        return None
    if _SUSPECT.search(text) is None:
        return text
    lines = text.split("\n")
    wild = list(_wild_lines(text))
    if not wild:
        return text
    for at in {at for span in wild for at in range(*span) if at < len(lines)}:
        line = _TAG.sub("&lt;", lines[at])
        lines[at] = line.replace("![", "!\\[").replace("](", "]\\(").replace("]:", "]\\:")
    tame = "\n".join(lines)
    return None if any(_wild_lines(tame)) else tame


def _wild_lines(text: str) -> Iterator[tuple[int, int]]:
    """The spans of lines in which something would be run or loaded."""
    count = text.count("\n") + 1
    for token in _LOOSE.parse(text):
        begin, end = token.map or (0, count)
        if token.type == "html_block" or any(_is_wild(inner) for inner in token.children or ()):
            # What a paragraph refers to may stand anywhere.
            refers = any(inner.type in ("link_open", "image") for inner in token.children or ())
            yield (0, count) if refers and "]:" in text else (begin, end)


def _is_wild(token: Token) -> bool:
    match token.type:
        case "html_inline" | "image":
            return True
        case "link_open":
            return not _is_safe(str(token.attrs.get("href", "")))
        case _:
            return False
