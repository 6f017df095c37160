"""Edge stage: a whole session as one file over HTTP, to keep or to hand on (wire, *export*).

1. It is whole: every turn, every text to its end, the transcripts of delegates, whatever the reader's preferences say.
2. It is of one position: a fold of its own, up to the last event committed when it was asked for, and so the same bytes
   whenever it is asked for at that position.
3. It costs memory for that fold, so few run at once.
"""

from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Annotated, Any, Final

from litestar import Request, Response, get
from litestar.params import QueryParameter

from api.answers import REVALIDATE, not_modified, weak_etag
from api.export_jsonl import jsonl_pieces
from api.export_pieces import ExportFormat, ExportHead, Piece, head_of
from api.export_stream import ExportStream, LoadBlob, chunks
from api.export_style import POLICY
from api.export_words import Words
from api.http_blobs import read_blob
from api.hub_loading import HistoryChanged, load_at
from api.openapi import NDJSON, SESSION, given, problems
from api.parts import Parts, access_of, allowed_session, known_summary, parts_of
from api.problems import ProblemError
from api.view_parameters import LocaleName, known_locale
from projections.languages import Locale
from projections.position import Position
from projections.session import SessionFold
from projections.view import WebView
from projections.walk import walk
from service.keys import SessionId
from service.stored import Summary

Anyone = Request[Any, Any, Any]
_MARKDOWN: Final = "text/markdown"
_HTML: Final = "text/html"
_TYPES: Final[dict[ExportFormat, tuple[str, str]]] = {
    "markdown": (_MARKDOWN, "md"),
    "html": (_HTML, "html"),
    "jsonl": (NDJSON, "jsonl"),
}
#: The answer's policy adds to the file's own: opened in place, it has no origin to speak for.
_SANDBOX: Final = f"{POLICY}; sandbox allow-downloads; frame-ancestors 'none'"
_MAX_ATTEMPTS: Final = 3
_NAME_CHARS: Final = 100

Format = Annotated[
    ExportFormat,
    QueryParameter(
        name="format",
        description="`markdown` to read, `html` to read with pictures and folds, `jsonl` for programs.",
    ),
]


@get(
    "/v1/sessions/{session:str}/export",
    operation_id="exportSession",
    summary="The whole transcript as a file",
    tags=["transcripts"],
    responses={
        200: given(None, "The file: Markdown, HTML or one JSON object a line.", _MARKDOWN),
        304: given(None, "The client holds this very file."),
        **problems(400, 401, 403, 404, 410, 429, 503),
    },
)
async def export_session(
    request: Anyone, session: SESSION, export_format: Format = "markdown", locale: LocaleName = None
) -> Response[Any]:
    """Everything that the session says, at the position of its last commit, whatever the caller's preferences.

    The file comes as it is made. One that was broken off has no end: a closing line in Markdown and HTML, the line
    `end` in `jsonl`.
    """
    parts = parts_of(request)
    known = allowed_session(request, session)
    spoken = known_locale(request, locale)

    def etag_of(position: Position) -> str:
        facts = (known, position.epoch, str(position.version), export_format, spoken)
        return weak_etag(request, access_of(request), "export", *facts)

    # A client that holds the file costs neither a place nor a fold.
    held = not_modified(request, etag_of(_position_of(await known_summary(parts, known))))
    if held is not None:
        return held
    await _admitted(parts)
    try:
        fold, position = await _whole(parts, known)
        pieces = _pieces(export_format, head_of(known, position, fold), fold, spoken)
        content = chunks(pieces, _blobs_of(parts, known, fold))
        return _stream(parts, content, _TYPES[export_format], file_name(known), etag_of(position))
    except BaseException:
        parts.exports.release()
        raise


def _stream(
    parts: Parts, content: AsyncGenerator[bytes, None], kind: tuple[str, str], name: str, etag: str
) -> ExportStream:
    media_type, ending = kind
    return ExportStream(
        content,
        released=parts.exports.release,
        stall_s=parts.limits.stall_ms / 1000,
        media_type=media_type,
        headers={
            "Cache-Control": REVALIDATE,
            "Content-Disposition": f'attachment; filename="{name}.{ending}"',
            "Content-Security-Policy": _SANDBOX,
            "ETag": etag,
        },
    )


def _blobs_of(parts: Parts, session: SessionId, fold: SessionFold) -> LoadBlob:
    async def load_blob(digest: str) -> bytes:
        seq = fold.blobs.get(digest)
        found = None if seq is None else await read_blob(parts, session, seq, digest)
        return b"" if found is None else found.content

    return load_blob


def _pieces(
    export_format: ExportFormat, head: ExportHead, fold: SessionFold, locale: Locale
) -> Iterator[Piece]:
    steps = walk(fold, WebView(locale=locale))
    holds: Callable[[str], bool] = fold.blobs.__contains__
    match export_format:
        # Loaded by the first export that needs it. The parser of Markdown is 80 ms of every start, which misses its aim
        # already (quality.md: ready in 0.7 s); tests/api/test_cli_start.py holds it out of there.
        case "markdown":
            from api.export_markdown import MarkdownExport  # noqa: PLC0415 - the start's budget, see above

            return MarkdownExport(head, Words(locale)).pieces(steps)
        case "html":
            from api.export_html import HtmlExport  # noqa: PLC0415 - the start's budget, see above

            return HtmlExport(head, Words(locale), holds).pieces(steps)
        case "jsonl":
            return jsonl_pieces(head, steps, holds)


def file_name(session: str) -> str:
    """A name without its ending that every file system takes.

    >>> file_name("claude:a/b")
    'turnfold-claude_a_b'
    """
    kept = "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "_" for char in session)
    return f"turnfold-{kept[:_NAME_CHARS]}"


async def _admitted(parts: Parts) -> None:
    """Take one of the places for exports; raises `too_many_requests` when none becomes free in time."""
    try:
        async with parts.readiness.waiting(parts.limits.wait_ms):
            await parts.exports.acquire()
    except TimeoutError:
        detail = "Others are being exported, and none was done in time."
        raise ProblemError("too_many_requests", detail, headers=(("Retry-After", "5"),)) from None


async def _whole(parts: Parts, session: SessionId) -> tuple[SessionFold, Position]:
    """A fold of the session as it is now, with whole texts, that nobody else holds."""
    for _ in range(_MAX_ATTEMPTS):
        summary = await known_summary(parts, session)
        fold = await load_at(parts.reader, session, summary.next_seq - 1)
        after = await known_summary(parts, session)
        if after.epoch == summary.epoch:
            return fold, _position_of(summary)
    raise HistoryChanged(session)


def _position_of(summary: Summary) -> Position:
    return Position(epoch=summary.epoch, version=summary.version)
