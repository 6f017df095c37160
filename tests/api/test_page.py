"""The page and its files: typed, bounded by a policy, and nothing beside them."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urljoin

import pytest

from api.page import SECURITY_POLICY
from tests.api.stack import Stack, serving

REFERENCE = r'(?:src|href)="([^"]+)"|from "(\.[^"]+)"|import\("(\.[^"]+)"\)|@import url\("([^"]+)"\)'


@pytest.fixture
async def paged(tmp_path: Path) -> AsyncIterator[Stack]:
    """A service over a page of three files, with a secret beside it."""
    page = tmp_path / "web"
    (page / "src").mkdir(parents=True)
    (page / "index.html").write_text("<!doctype html>")
    (page / "src" / "main.js").write_text("export {}")
    (page / "style.css").write_text("a {}")
    (page / "package.json").write_text("{}")
    (tmp_path / "secret.html").write_text("secret")
    async with serving(tmp_path / "data", page=page) as running:
        yield running


async def test_page_comes_with_its_policy(paged: Stack) -> None:
    """The exact Content-Security-Policy, nosniff, and the right type."""
    response = await paged.client.get("/")
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["content-security-policy"] == SECURITY_POLICY
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.text == "<!doctype html>"


async def test_files_come_with_their_types_and_validators(paged: Stack) -> None:
    """Modules as JavaScript; an unchanged file is not sent again."""
    script = await paged.client.get("/assets/src/main.js")
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert (await paged.client.get("/assets/style.css")).headers["content-type"] == "text/css; charset=utf-8"
    held = await paged.client.get("/assets/src/main.js", headers={"if-none-match": script.headers["etag"]})
    assert held.status_code == 304


@pytest.mark.parametrize(
    "name",
    [
        "../secret.html",
        "..%2fsecret.html",
        "src/../../secret.html",
        "%2e%2e/secret.html",
        "/etc/passwd",
        "src",
        "",
        "package.json",
        "src/main.js%00.html",
        "..\\secret.html",
    ],
)
async def test_nothing_else_can_be_fetched(paged: Stack, name: str) -> None:
    """No path leads out of the list of files."""
    response = await paged.client.get(f"/assets/{name}")
    assert response.status_code in (404, 405)
    assert "secret" not in response.text.replace("secret.html", "")


async def test_service_without_a_page_says_so(tmp_path: Path) -> None:
    """An API without the client is still an API."""
    empty = tmp_path / "empty"
    empty.mkdir()
    async with serving(tmp_path / "data", page=empty) as stack:
        assert (await stack.client.get("/")).json()["code"] == "not_found"


async def test_shipped_page_names_only_files_that_are_served(stack: Stack) -> None:
    """Every script, style sheet and module of the client comes with its type."""
    waiting, seen = ["/"], set[str]()
    while waiting:
        url = waiting.pop()
        seen.add(url)
        response = await stack.client.get(url)
        assert response.status_code == 200, url
        found = re.findall(REFERENCE, response.text)
        named = {urljoin(url, next(filter(None, groups))) for groups in found}
        waiting += [one for one in named - seen - set(waiting) if one.startswith("/assets/")]
    assert any(url.endswith("/page.js") for url in seen)
    assert any(url.endswith("/rows.css") for url in seen)
