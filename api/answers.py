"""Edge stage: a value to the bytes that the client asked for, with the validators that spare sending them."""

import hashlib
from typing import Any, Final

import msgspec
from litestar import Request, Response
from litestar.datastructures import ResponseHeader

from api.auth import Access
from api.door import MSGPACK_TYPES, media_type_of
from api.problems import ProblemError

JSON: Final = "application/json"
MSGPACK: Final = "application/msgpack"
REVALIDATE: Final = "private, no-cache"
#: A year, the longest that RFC 9111 caches are expected to respect.
IMMUTABLE: Final = "private, max-age=31536000, immutable"
VARY_HEADER: Final = ResponseHeader(name="Vary", value="Accept, Authorization, Origin")

_encode_json = msgspec.json.Encoder().encode
_decode_json = msgspec.json.Decoder().decode
_encode_msgpack = msgspec.msgpack.Encoder().encode


def wants_msgpack(accept: str) -> bool:
    """Whether an Accept header prefers MessagePack over JSON; at equal weight JSON wins.

    >>> wants_msgpack("application/msgpack")
    True
    >>> wants_msgpack("application/json, application/msgpack;q=0.5")
    False
    """
    msgpack = json = 0.0
    for offer in accept.split(","):
        kind, weight = media_type_of(offer), _weight(offer)
        if kind in MSGPACK_TYPES:
            msgpack = max(msgpack, weight)
        elif kind in (JSON, "application/*", "*/*"):
            json = max(json, weight)
    return msgpack > json or (msgpack == json > 0 and JSON not in accept)


def answer(
    request: Request[Any, Any, Any],
    value: msgspec.Struct | msgspec.Raw,
    *,
    status: int = 200,
    cache: str = REVALIDATE,
    etag: str | None = None,
) -> Response[bytes]:
    """The value as JSON, or as MessagePack where the client asked for that."""
    body = bytes(value) if isinstance(value, msgspec.Raw) else _encode_json(value)
    packs = wants_msgpack(request.headers.get("accept", ""))
    headers = {"Cache-Control": cache}
    if etag is not None:
        headers["ETag"] = etag
    return Response(
        content=_repacked(body) if packs else body,
        status_code=status,
        media_type=MSGPACK if packs else JSON,
        headers=headers,
    )


def weak_etag(request: Request[Any, Any, Any], access: Access, *facts: str) -> str:
    """A weak validator over the facts, the form asked for, and what the caller may see."""
    form = MSGPACK if wants_msgpack(request.headers.get("accept", "")) else JSON
    seen = (form, *sorted(access.scopes), "|", *(access.sessions or ("*",)))
    digest = hashlib.sha256("\0".join((*facts, *seen)).encode(errors="replace")).hexdigest()
    return f'W/"{digest[:24]}"'


def not_modified(request: Request[Any, Any, Any], etag: str) -> Response[bytes] | None:
    """The 304 for a client that holds this very answer; None where it has to be sent."""
    held = request.headers.get("if-none-match")
    if held is None:
        return None
    tags = {tag.strip().removeprefix("W/") for tag in held.split(",")}
    if etag.removeprefix("W/") not in tags and "*" not in tags:
        return None
    return Response(content=b"", status_code=304, headers={"ETag": etag, "Cache-Control": REVALIDATE})


def _repacked(body: bytes) -> bytes:
    """JSON bytes as MessagePack. Rows hold JSON as it came, so the whole goes by way of JSON."""
    try:
        return _encode_msgpack(_decode_json(body))
    except (msgspec.DecodeError, OverflowError, RecursionError) as error:
        raise ProblemError(
            "not_acceptable",
            f"The answer holds JSON that MessagePack cannot say: {error}.",
            where="header Accept",
        ) from error


def _weight(offer: str) -> float:
    for parameter in offer.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "q":
            try:
                return min(max(float(value), 0.0), 1.0)
            except ValueError:
                return 0.0
    return 1.0
