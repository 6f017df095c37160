"""Edge stage: what a reader chose once and for all, over HTTP (B-1, C-4).

Preferences belong to the subject of the token, whatever it may do with sessions; without authentication there is one
subject, and with it one set of preferences for everybody who can reach the service.
"""

from typing import Any, Final

import msgspec
from litestar import Request, Response, get, patch

from api.answers import answer
from api.door import MSGPACK_TYPES, media_type_of
from api.openapi import given, problems
from api.parts import access_of, demand, parts_of
from api.problems import ProblemError
from projections.preferences import InvalidPreference, Preferences, changes_of

Anyone = Request[Any, Any, Any]
_decode = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_unpack = msgspec.msgpack.Decoder(dict[str, str | bool | None]).decode
_encode: Final = msgspec.json.Encoder().encode


@get(
    "/v1/preferences",
    operation_id="getPreferences",
    summary="The caller's preferences",
    tags=["preferences"],
    responses={200: given(Preferences, "All of them, defaults included."), **problems(401, 403, 503)},
)
async def get_preferences(request: Anyone) -> Response[bytes]:
    """Every preference of the token's subject; what was never set, or is not valid any more, is its default."""
    demand(request, "read")
    return answer(request, await parts_of(request).preferences.read(access_of(request).subject))


@patch(
    "/v1/preferences",
    operation_id="patchPreferences",
    summary="Change some of the caller's preferences",
    tags=["preferences"],
    responses={200: given(Preferences, "All of them, as they are now."), **problems(400, 401, 403, 415, 503)},
)
async def patch_preferences(request: Anyone) -> Response[bytes]:
    """Set the given preferences and leave the others; `null` goes back to the default. One bad value refuses all."""
    demand(request, "read")
    changes = changes_of(_asked(await request.body(), request.headers.get("content-type", "")))
    if isinstance(changes, InvalidPreference):
        raise ProblemError(
            "invalid_preference",
            f"{changes.field!r} was given as {changes.given}; {changes.expected} is expected.",
            where=f"field {changes.field}",
        )
    return answer(request, await parts_of(request).preferences.write(access_of(request).subject, changes))


def _asked(body: bytes, content_type: str) -> dict[str, msgspec.Raw]:
    try:
        if media_type_of(content_type) in MSGPACK_TYPES:
            return {name: msgspec.Raw(_encode(value)) for name, value in _unpack(body).items()}
        return _decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ProblemError("malformed_body", f"The body is not one object: {error}.", where="body") from error
