"""Edge stage: images and files of a session over HTTP, out of the events that brought them (`projections.blobs`).

What is served was sent by a producer, who may pass on what strangers wrote. So nothing runs in our origin: no type is
guessed (nosniff), a document is sandboxed and may load nothing, and what browsers would run is a download.
"""

import re
from typing import Annotated, Any, Final

from litestar import Request, Response, get
from litestar.params import PathParameter

from api.answers import IMMUTABLE, not_modified
from api.openapi import SESSION, given, problems
from api.parts import Parts, allowed_session, known_summary, parts_of
from api.problems import ProblemError
from projections.blobs import Blob, blobs_of
from projections.decode import decode_event
from projections.events import Malformed
from service.keys import SessionId

OCTETS: Final = "application/octet-stream"
SANDBOX: Final = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
#: What a browser shows and never runs. SVG is missing on purpose: opened by itself it is a document with scripts.
_SHOWN: Final = re.compile(r"image/(png|jpeg|gif|webp|avif|bmp)|audio/[a-z0-9.+-]+|video/[a-z0-9.+-]+")
#: Types that a download may keep; any other is octets.
_NAMED: Final = re.compile(
    r"(image|audio|video|font)/[a-z0-9.+-]+|application/(pdf|json|zip)|text/(plain|csv)"
)

Digest = Annotated[
    str,
    PathParameter(
        description="The SHA-256 of the content, as the block's `blob` says.", pattern="^[0-9a-f]{64}$"
    ),
]


@get(
    "/v1/sessions/{session:str}/blobs/{digest:str}",
    operation_id="getBlob",
    summary="An image or file of the session",
    tags=["transcripts"],
    responses={
        200: given(None, "The content.", OCTETS),
        304: given(None, "The client holds it."),
        **problems(400, 401, 403, 404, 410, 503),
    },
)
async def get_blob(request: Request[Any, Any, Any], session: SESSION, digest: Digest) -> Response[bytes]:
    """The content that a block's `blob` names; an address has one content for good, until the session is deleted."""
    parts = parts_of(request)
    known = allowed_session(request, session)
    summary = await known_summary(parts, known)
    fold, _ = await parts.transcripts.look(known, summary.version)
    seq = fold.blobs.get(digest)
    found = None if seq is None else await read_blob(parts, known, seq, digest)
    if found is None:
        raise ProblemError(
            "blob_unknown", "No event of the session brought it.", where="path parameter digest"
        )
    return not_modified(request, f'"{digest}"') or _answer(found)


async def read_blob(parts: Parts, session: SessionId, seq: int, digest: str) -> Blob | None:
    """The content of a digest out of the event that brought it; None where it did not."""
    for batch in (await parts.reader.read_log(session, seq - 1, 1)).batches:
        at = seq - batch.first_seq
        event = decode_event(batch.events[at]) if 0 <= at < len(batch.events) else None
        if event is not None and not isinstance(event, Malformed):
            return next((blob for blob in blobs_of(event) if blob.sha256 == digest), None)
    return None


def _answer(blob: Blob) -> Response[bytes]:
    kind = blob.media_type or OCTETS
    headers = {
        "Cache-Control": IMMUTABLE,
        "Content-Security-Policy": SANDBOX,
        "Cross-Origin-Resource-Policy": "same-origin",
        "ETag": f'"{blob.sha256}"',
        "X-Content-Type-Options": "nosniff",
    }
    if _SHOWN.fullmatch(kind) is None:
        headers["Content-Disposition"] = f'attachment; filename="{blob.sha256[:16]}"'
        kind = kind if _NAMED.fullmatch(kind) else OCTETS
    return Response(content=blob.content, media_type=kind, headers=headers)
