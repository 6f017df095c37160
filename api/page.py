"""Edge stage: the reference page at `/` and its files below `/assets`, from `clients/web`.

1. The files are listed once, at the start; a request names one of the list or gets 404. No path of a request
   is ever joined to a directory, so there is nothing to traverse.
2. The page may load from its own origin alone (Content-Security-Policy); no type is guessed (nosniff).
"""

import hashlib
from pathlib import Path
from typing import Any, Final

from litestar import Request, Response, get
from litestar.params import FromPath

from api.answers import not_modified
from api.problems import ProblemError

SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_TYPES: Final = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/vnd.microsoft.icon",
    ".woff2": "font/woff2",
    ".webmanifest": "application/manifest+json",
}
#: Development files of the client, never served.
_HIDDEN: Final = frozenset(
    {
        "node_modules",
        "test",
        "tests",
        "ambient",
        "package.json",
        "prepack.js",
        "tsconfig.json",
        "tsconfig.types.json",
        "types",
    }
)


def web_directory() -> Path | None:
    """Where the browser client lies: in the installed package, else in the checkout; None: nowhere."""
    here = Path(__file__).resolve().parent
    found = (one for one in (here / "web", here.parent / "clients" / "web") if (one / "index.html").is_file())
    return next(found, None)


class PageFiles:
    """The files of the page by the path that a request names; read anew where they changed on disk."""

    def __init__(self, directory: Path | None) -> None:
        self._files: dict[str, Path] = {}
        if directory is None:
            return
        for path in sorted(directory.rglob("*")):
            name = path.relative_to(directory)
            if path.suffix in _TYPES and path.is_file() and not _HIDDEN.intersection(name.parts):
                self._files[name.as_posix()] = path

    def find(self, name: str) -> tuple[bytes, str] | None:
        """The bytes and the content type of a file; None where there is none of that name."""
        path = self._files.get(name)
        if path is None:
            return None
        try:
            return path.read_bytes(), _TYPES[path.suffix]
        except OSError:
            return None


@get("/", include_in_schema=False)
async def index(request: Request[Any, Any, Any]) -> Response[bytes]:
    """The page."""
    return _file(request, "index.html")


@get("/assets/{name:path}", include_in_schema=False)
async def asset(request: Request[Any, Any, Any], name: FromPath[str]) -> Response[bytes]:
    """A file of the page."""
    return _file(request, name.lstrip("/"))


def _file(request: Request[Any, Any, Any], name: str) -> Response[bytes]:
    files: PageFiles = request.app.state.page_files
    found = files.find(name)
    if found is None:
        raise ProblemError("not_found", f"The page has no file {name[:200]!r}.", where="path")
    body, content_type = found
    etag = f'"{hashlib.sha256(body).hexdigest()[:24]}"'
    response = not_modified(request, etag) or Response(
        content=body, media_type=content_type, headers={"ETag": etag, "Cache-Control": "no-cache"}
    )
    response.headers["Content-Security-Policy"] = SECURITY_POLICY
    return response
