"""Wire stage 5, requests: what a client asks for over HTTP beside the socket."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TypeVar
from urllib.parse import quote

import httpx
import msgspec

from clients.wire.address import Address, RefusedError, WireError
from clients.wire.messages import Json, Window

_TIMEOUT_S = 30.0
_TRIES = 3
_Value = TypeVar("_Value")


class _Problem(msgspec.Struct, frozen=True):
    detail: str
    code: str = ""
    advice: str = ""


class _TextPage(msgspec.Struct, frozen=True):
    text: str
    next_offset: int | None


class SearchHit(msgspec.Struct, frozen=True, kw_only=True):
    """A row that has what was searched for; `hidden_by` says what keeps it from being shown."""

    turn: int | None = None
    key: str
    within: tuple[str, ...] = msgspec.field(name="in", default=())
    hidden_by: tuple[str, ...] = ()


class SessionsPage(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions, newest first; no cursor: there are no others."""

    sessions: tuple[dict[str, Json], ...] = ()
    cursor: str | None = None


class _Found(msgspec.Struct, frozen=True):
    hits: tuple[SearchHit, ...]


_PROBLEM = msgspec.json.Decoder(_Problem)
_WINDOW = msgspec.json.Decoder(Window)
_TEXT = msgspec.json.Decoder(_TextPage)
_FOUND = msgspec.json.Decoder(_Found)
_SESSIONS = msgspec.json.Decoder(SessionsPage)


def problem_of(status: int, body: bytes) -> str:
    """Give the service's own words for a refusal; the bare status of somebody else's."""
    try:
        problem = _PROBLEM.decode(body)
    except (msgspec.DecodeError, UnicodeError):
        return f"HTTP {status}"
    return f"{problem.detail} {problem.advice}".strip()


class Service:
    """The service over HTTP; every call raises WireError with the reason where it does not do what was asked."""

    def __init__(self, address: Address, client: httpx.AsyncClient) -> None:
        self._address = address
        self._client = client

    async def knows(self, session: str) -> bool:
        """Ask whether there is such a session, and whether this reader may see it."""
        return await self._get(f"/v1/sessions/{_quoted(session)}") is not None

    async def window(self, session: str, view: Json, before: str | None) -> Window | None:
        """Give the newest turns, or those before a cursor; None where there is no such session."""
        asked = _asked_of(view)
        if before is not None:
            asked["before"] = before
        body = await self._get(f"/v1/sessions/{_quoted(session)}/transcript", asked)
        return None if body is None else self._read(_WINDOW, body)

    async def whole(self, session: str, view: Json) -> list[Window]:
        """Give all pages of a session, oldest first; none where there is no such session."""
        for _ in range(_TRIES):
            pages = [page async for page in self._pages(session, view)]
            if len({page.position.epoch for page in pages}) <= 1:
                return pages[::-1]
            # Between two pages the history became another one.
        raise WireError(f"the history of session {session!r} keeps changing: try again later")

    async def _pages(self, session: str, view: Json) -> AsyncIterator[Window]:
        before = None
        while True:
            page = await self.window(session, view, before)
            if page is None:
                return
            yield page
            if page.history_complete or page.before is None:
                return
            before = page.before

    async def text(self, session: str, path: tuple[str, ...], key: str, field: str) -> str:
        """Give a great text whole (`docs/protocol.md`, *Great texts*)."""
        found, offset = [], 0
        while True:
            asked: dict[str, str | list[str]] = {"field": field, "offset": str(offset), "in": list(path)}
            body = await self._get(f"/v1/sessions/{_quoted(session)}/rows/{_quoted(key)}", asked)
            if body is None:
                raise WireError("that text is not there any more")
            page = self._read(_TEXT, body)
            found.append(page.text)
            if page.next_offset is None:
                return "".join(found)
            offset = page.next_offset

    async def search(self, session: str, view: Json, query: str, limit: int = 200) -> tuple[SearchHit, ...]:
        """Give the rows that have all words of a query, also what is hidden or not loaded; at most `limit`."""
        asked = _asked_of(view) | {"q": query, "limit": str(limit)}
        body = await self._get(f"/v1/sessions/{_quoted(session)}/search", asked)
        return () if body is None else self._read(_FOUND, body).hits

    async def sessions(self, cursor: str | None, limit: int = 200) -> SessionsPage:
        """Give the newest sessions, or those after a cursor."""
        asked = {"limit": str(limit)} | ({} if cursor is None else {"cursor": cursor})
        return self._read(_SESSIONS, await self._ask("GET", "/v1/sessions", asked))

    async def answer(
        self, session: str, path: tuple[str, ...], ident: str, outcome: str, payload: Json = None
    ) -> None:
        """Answer what waits below the calls of `path` (`docs/interactions.md`).

        Raises:
            RefusedError: it was not taken, and why.
        """
        where = f"/v1/sessions/{_quoted(session)}/interactions/{_quoted(ident)}"
        said = {"outcome": outcome} | ({} if payload is None else {"payload": payload})
        await self._ask("POST", where, {"in": list(path)}, said)

    async def _get(self, path: str, asked: Mapping[str, str | list[str]] | None = None) -> bytes | None:
        """Ask; None for a session that is not there."""
        try:
            return await self._ask("GET", path, asked)
        except RefusedError as refused:
            if refused.code == "session_unknown":
                return None
            raise

    async def _ask(
        self, method: str, path: str, asked: Mapping[str, str | list[str]] | None, said: Json = None
    ) -> bytes:
        try:
            answer = await self._client.request(
                method, f"{self._address.url}{path}", params=asked, json=said, headers=self._address.headers
            )
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            why = str(error) or type(error).__name__
            raise WireError(f"the service at {self._address.url} does not answer: {why}") from None
        if answer.is_success:
            return answer.content
        words, code = problem_of(answer.status_code, answer.content), _code_of(answer.content)
        raise RefusedError(self._address.url, code, words)

    def _read(self, decoder: msgspec.json.Decoder[_Value], body: bytes) -> _Value:
        try:
            return decoder.decode(body)
        except (msgspec.DecodeError, UnicodeError):
            raise WireError(f"what answers at {self._address.url} is no Turnfold service") from None


@asynccontextmanager
async def reaching(address: Address) -> AsyncIterator[Service]:
    """Open the way to a service for a while."""
    async with httpx.AsyncClient(timeout=_TIMEOUT_S) as client:
        yield Service(address, client)


def _quoted(text: str) -> str:
    return quote(text, safe="")


def _asked_of(view: Json) -> dict[str, str]:
    """A view as the fields of a query."""
    return {"view" if name == "kind" else name: _text(value) for name, value in view.items()}


def _text(value: Json) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _code_of(body: bytes) -> str:
    try:
        return _PROBLEM.decode(body).code
    except (msgspec.DecodeError, UnicodeError):
        return ""
