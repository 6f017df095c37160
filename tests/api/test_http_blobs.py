"""Images and files: references in rows, content over HTTP, nothing that runs (`wire.md`, *Size*; ADR 0013)."""

import base64
import hashlib
from typing import Any

import pytest

from tests.api.stack import Stack

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"


def inline(content: bytes, mime: str | None = "image/png", kind: str = "image") -> dict[str, Any]:
    """A block with its content inside."""
    found = {"type": kind, "data": base64.b64encode(content).decode()}
    return found if mime is None else {**found, "mime": mime}


def digest(content: bytes) -> str:
    """The name of a content."""
    return hashlib.sha256(content).hexdigest()


def turn(*blocks: dict[str, Any]) -> list[dict[str, Any]]:
    """A turn whose question holds blocks."""
    return [{"type": "turn/start", "turn": 1}, {"type": "user/message", "id": "u1", "content": list(blocks)}]


async def test_inline_content_travels_as_a_reference_and_is_served_as_it_was(stack: Stack) -> None:
    """In a question, a step, a tool's output; the log keeps the event."""
    step = {"type": "assistant/message", "turn": 1, "step": 1, "blocks": [inline(PNG + b"2")]}
    result = {"type": "tool/result", "call_id": "c", "status": "ok", "output": [inline(PNG + b"3")]}
    await stack.post("s1", *turn({**inline(PNG), "width": 3}), step, result)
    text = (await stack.client.get("/v1/sessions/s1/transcript")).text
    for content in (PNG, PNG + b"2", PNG + b"3"):
        assert digest(content) in text
        assert base64.b64encode(content).decode() not in text
        answer = await stack.client.get(f"/v1/sessions/s1/blobs/{digest(content)}")
        assert (answer.status_code, answer.content) == (200, content)
        assert answer.headers["content-type"] == "image/png"
    assert base64.b64encode(PNG).decode() in (await stack.client.get("/v1/sessions/s1/events")).text
    shown = (await stack.client.get("/v1/sessions/s1/transcript")).json()["turns"][0]["rows"][0]["content"]
    assert shown == [
        {"type": "image", "blob": digest(PNG), "bytes": len(PNG), "mime": "image/png", "width": 3}
    ]


async def test_an_address_can_be_kept_and_runs_nothing(stack: Stack) -> None:
    """Immutable, not sniffed, sandboxed; 304 for who holds it."""
    await stack.post("s1", *turn(inline(PNG)))
    url = f"/v1/sessions/s1/blobs/{digest(PNG)}"
    answer = await stack.client.get(url)
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["cache-control"].startswith("private")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]
    assert "content-disposition" not in answer.headers
    held = await stack.client.get(url, headers={"if-none-match": answer.headers["etag"]})
    assert (held.status_code, held.content) == (304, b"")


@pytest.mark.parametrize(
    ("mime", "served_as"),
    [
        ("image/svg+xml", "image/svg+xml"),
        ("text/html", "application/octet-stream"),
        ("application/xhtml+xml", "application/octet-stream"),
        ("text/html; charset=utf-8\r\nx: y", "application/octet-stream"),
        (None, "application/octet-stream"),
    ],
)
async def test_what_a_browser_would_run_is_an_attachment(
    stack: Stack, mime: str | None, served_as: str
) -> None:
    """SVG keeps its type, so that `<img>` can show it; a page is octets."""
    await stack.post("s1", *turn(inline(SVG, mime)))
    answer = await stack.client.get(f"/v1/sessions/s1/blobs/{digest(SVG)}")
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["content-type"] == served_as
    assert answer.content == SVG


async def test_data_addresses_and_files_count_as_inline(stack: Stack) -> None:
    """An image by a `data:` URL, a file of a type that is not ours, base64 in lines."""
    lines = base64.encodebytes(PNG).decode()
    url = f"data:image/png;base64,{base64.b64encode(PNG + b'u').decode()}"
    file = {**inline(b"%PDF-1", "application/pdf", "file"), "name": "a.pdf"}
    await stack.post("s1", *turn({"type": "image", "data": lines}, {"type": "image", "url": url}, file))
    shown = (await stack.client.get("/v1/sessions/s1/transcript")).json()["turns"][0]["rows"][0]["content"]
    assert [block["blob"] for block in shown] == [digest(PNG), digest(PNG + b"u"), digest(b"%PDF-1")]
    assert [block["mime"] for block in shown] == ["image/png", "image/png", "application/pdf"]
    assert shown[2]["name"] == "a.pdf"
    assert "url" not in shown[1]


async def test_what_is_no_base64_stays_as_it_came(stack: Stack) -> None:
    """It is nobody's picture, and nothing is lost."""
    odd = {"type": "image", "data": "*** no base64 ***", "mime": "image/png"}
    await stack.post("s1", *turn(odd))
    shown = (await stack.client.get("/v1/sessions/s1/transcript")).json()["turns"][0]["rows"][0]["content"]
    assert shown == [odd]


async def test_unknown_deleted_and_ill_named_blobs_are_problems(stack: Stack) -> None:
    """Each with its code; a session serves its own blobs alone, and none once it is deleted."""
    await stack.post("s1", *turn(inline(PNG)))
    await stack.post("s2", *turn())
    other = await stack.client.get(f"/v1/sessions/s2/blobs/{digest(PNG)}")
    assert (other.status_code, other.json()["code"]) == (404, "blob_unknown")
    odd = await stack.client.get("/v1/sessions/s1/blobs/..%2Fetc")
    assert odd.status_code in (400, 404)
    await stack.client.delete("/v1/sessions/s1")
    gone = await stack.client.get(f"/v1/sessions/s1/blobs/{digest(PNG)}")
    assert (gone.status_code, gone.json()["code"]) == (410, "session_gone")
