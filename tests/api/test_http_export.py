"""The export over HTTP: whole, of one position, as a file, and nobody's way is blocked by it (`docs/export.md`)."""

import asyncio
import base64
import json
import time
from pathlib import Path
from typing import Any

import pytest

from api.export_style import POLICY
from api.parts import EdgeLimits
from tests.api.stack import SECRET, Stack, serving
from tests.hostile import PIXEL
from tests.waiting import wait_until

GREAT = "line of a great output\n" * 20_000


def text(words: str) -> list[dict[str, Any]]:
    """Content of one text."""
    return [{"type": "text", "text": words}]


def turn(number: int, answer: str = "Done.") -> list[dict[str, Any]]:
    """A turn with a call."""
    call = {"turn": number, "step": 1, "call_id": f"c{number}", "name": "bash", "input": {"command": "ls"}}
    return [
        {"type": "turn/start", "turn": number},
        {"type": "user/message", "id": f"u{number}", "content": text(f"question {number}")},
        {"type": "tool/call", **call},
        {"type": "tool/result", "call_id": f"c{number}", "status": "ok", "output": f"output {number}"},
        {"type": "assistant/message", "turn": number, "step": 2, "blocks": text(answer)},
        {"type": "turn/end", "turn": number, "reason": "completed"},
    ]


@pytest.mark.parametrize(
    ("export_format", "media_type", "name"),
    [
        ("markdown", "text/markdown; charset=utf-8", "turnfold-a_b.c.md"),
        ("html", "text/html; charset=utf-8", "turnfold-a_b.c.html"),
        ("jsonl", "application/x-ndjson", "turnfold-a_b.c.jsonl"),
    ],
)
async def test_an_export_is_a_file(stack: Stack, export_format: str, media_type: str, name: str) -> None:
    """Typed, named, an attachment, and sandboxed should a browser show it all the same."""
    await stack.post("a:b.c", *turn(1))
    answer = await stack.client.get("/v1/sessions/a:b.c/export", params={"format": export_format})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == media_type
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    assert answer.headers["content-security-policy"].startswith(f"{POLICY}; sandbox")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "question 1" in answer.text


async def test_great_texts_are_whole_and_preferences_change_nothing(stack: Stack) -> None:
    """What travels as heads elsewhere is there to its end, reasoning that the reader hides too."""
    thought = [{"type": "reasoning", "text": "hidden thought"}, *text("Answer")]
    await stack.post(
        "s1",
        *turn(1)[:3],
        {"type": "tool/result", "call_id": "c1", "status": "ok", "output": GREAT},
        {"type": "assistant/message", "turn": 1, "step": 2, "blocks": thought},
    )
    before = await stack.client.get("/v1/sessions/s1/export")
    await stack.client.patch("/v1/preferences", json={"transcript_view": "normal", "show_thinking": False})
    for export_format in ("markdown", "html", "jsonl"):
        answer = await stack.client.get("/v1/sessions/s1/export", params={"format": export_format})
        assert answer.text.count("line of a great output") >= 20_000
        assert "hidden thought" in answer.text
    assert (await stack.client.get("/v1/sessions/s1/export")).content == before.content


async def test_the_same_position_gives_the_same_bytes(stack: Stack) -> None:
    """Its validator spares sending them; another position, format or language has another."""
    await stack.post("s1", *turn(1))
    first = await stack.client.get("/v1/sessions/s1/export")
    again = await stack.client.get("/v1/sessions/s1/export", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = await stack.client.get("/v1/sessions/s1/export", params={"format": "jsonl"})
    spoken = await stack.client.get("/v1/sessions/s1/export", params={"locale": "zh-CN"})
    await stack.post("s1", *turn(2))
    later = await stack.client.get("/v1/sessions/s1/export")
    tags = {one.headers["etag"] for one in (first, other, spoken, later)}
    assert len(tags) == 4
    assert "第 1 轮" in spoken.text


async def test_who_holds_the_file_needs_no_place(stack: Stack) -> None:
    """Its validator is told by the session's position: nothing is folded, and nobody is waited for."""
    await stack.post("s1", *turn(1))
    tag = (await stack.client.get("/v1/sessions/s1/export")).headers["etag"]
    places = stack.parts.exports
    while not places.locked():
        await places.acquire()
    again = await stack.client.get("/v1/sessions/s1/export", headers={"if-none-match": tag})
    assert (again.status_code, again.headers["etag"]) == (304, tag)
    assert (await stack.client.get("/v1/sessions/none/export")).status_code == 404


async def test_pictures_and_files_are_part_of_the_file(stack: Stack) -> None:
    """In HTML and JSON lines by their content; in Markdown by their names."""
    data = base64.b64encode(PIXEL).decode()
    picture = {"type": "image", "mime": "image/png", "data": data}
    notes = {
        "type": "file",
        "mime": "text/plain",
        "name": "../notes.txt",
        "data": base64.b64encode(b"hi").decode(),
    }
    await stack.post("s1", {"type": "user/message", "id": "u", "content": [picture, picture, notes]})
    html = (await stack.client.get("/v1/sessions/s1/export", params={"format": "html"})).text
    assert html.count(f'src="data:image/png;base64,{data}"') == 1
    assert 'download="notes.txt"' in html
    assert "data:application/octet-stream;base64,aGk=" in html
    lines = (await stack.client.get("/v1/sessions/s1/export", params={"format": "jsonl"})).text.splitlines()
    blobs = [one for line in lines if (one := json.loads(line))["type"] == "blob"]
    assert [base64.b64decode(one["data"]) for one in blobs] == [PIXEL, b"hi"]
    assert "image/png" in (await stack.client.get("/v1/sessions/s1/export")).text


async def test_an_export_is_of_one_position(stack: Stack) -> None:
    """What is committed while it is sent is not in it: the fold is its own."""
    await stack.post("s1", *(event for number in range(1, 400) for event in turn(number, "x" * 2_000)))
    taken: list[bytes] = []
    added = False
    async with stack.client.stream("GET", "/v1/sessions/s1/export", params={"format": "jsonl"}) as answer:
        async for chunk in answer.aiter_bytes():
            if not added:
                await stack.post("s1", {"type": "session/rewind", "before_turn": 2})
                added = True
            taken.append(chunk)
    lines = [json.loads(line) for line in b"".join(taken).splitlines()]
    assert lines[-1] == {"type": "end", "turns": 399, "rows": lines[-1]["rows"]}
    now = (await stack.client.get("/v1/sessions/s1/export", params={"format": "jsonl"})).text.splitlines()
    assert json.loads(now[-1])["turns"] == 1


async def test_others_work_while_an_export_is_made(stack: Stack) -> None:
    """A text of ten megabytes and a thousand turns hold the loop for no great time.

    By the processor's time of the loop's thread: what the machine does beside it is not the export's.
    """
    events = [event for number in range(1, 1_000) for event in turn(number)]
    await stack.post("s1", *events, {"type": "notice", "id": "n", "level": "info", "text": "y" * 10_000_000})
    longest = 0.0

    async def watch() -> None:
        nonlocal longest
        while True:
            began = time.thread_time()
            await asyncio.sleep(0.001)
            longest = max(longest, time.thread_time() - began)

    watching = asyncio.create_task(watch())
    answer = await stack.client.get("/v1/sessions/s1/export", params={"format": "html"})
    watching.cancel()
    assert answer.text.endswith("</html>\n")
    assert len(answer.content) > 10_000_000
    assert 0 < longest < 1.0


@pytest.mark.parametrize(
    ("session", "asked", "status", "code"),
    [
        ("none", {}, 404, "session_unknown"),
        ("b%20ad", {}, 400, "invalid_session_id"),
        ("s1", {"format": "pdf"}, 400, "invalid_parameter"),
        ("s1", {"locale": "xx"}, 400, "invalid_parameter"),
    ],
)
async def test_what_cannot_be_exported_says_why(
    stack: Stack, session: str, asked: dict[str, str], status: int, code: str
) -> None:
    """A problem document, before a byte of any file."""
    await stack.post("s1", *turn(1))
    refused = await stack.client.get(f"/v1/sessions/{session}/export", params=asked)
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert "content-disposition" not in refused.headers


async def test_a_deleted_session_is_gone(stack: Stack) -> None:
    """410, as everywhere."""
    await stack.post("s1", *turn(1))
    await stack.client.delete("/v1/sessions/s1")
    assert (await stack.client.get("/v1/sessions/s1/export")).json()["code"] == "session_gone"


async def test_an_export_needs_a_token_that_covers_the_session(tmp_path: Path) -> None:
    """W-6: the same rule as for reading it."""
    async with serving(tmp_path / "data", secret=SECRET) as stack:
        assert (await stack.client.get("/v1/sessions/s1/export")).json()["code"] == "token_missing"


class Reader:
    """A client over bare ASGI that takes the beginning and then nothing, or goes away."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self.began = asyncio.Event()
        self.leaves = asyncio.Event()
        self.sent = 0
        self.ended = False

    async def read(self, session: str) -> None:
        """Ask for an export and stall."""
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
            "path": f"/v1/sessions/{session}/export", "raw_path": b"", "query_string": b"format=jsonl",
            "root_path": "", "headers": [(b"host", b"localhost")], "client": ("127.0.0.1", 1),
            "server": ("localhost", 80), "state": {},
        }  # fmt: skip
        asked = False

        async def receive() -> dict[str, Any]:
            nonlocal asked
            if not asked:
                asked = True
                return {"type": "http.request", "body": b"", "more_body": False}
            await self.leaves.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.body":
                self.sent += 1
                self.ended = self.ended or not message.get("more_body")
                self.began.set()
                await asyncio.Event().wait()

        await self._stack.app(scope, receive, send)


async def test_a_client_that_takes_nothing_is_given_up(tmp_path: Path) -> None:
    """Its place is free again, and what it got has no end."""
    async with serving(tmp_path / "data", limits=EdgeLimits(stall_ms=100)) as stack:
        await stack.post("s1", *turn(1))
        reader = Reader(stack)
        async with asyncio.timeout(10):
            await reader.read("s1")
        assert (reader.sent, reader.ended) == (1, False)
        assert not stack.parts.exports.locked()
        assert (await stack.client.get("/v1/sessions/s1/export")).status_code == 200


async def test_a_client_that_leaves_gives_its_place_back(stack: Stack) -> None:
    """At once, in the middle."""
    await stack.post("s1", *turn(1))
    reader = Reader(stack)
    reading = asyncio.create_task(reader.read("s1"))
    await reader.began.wait()
    reader.leaves.set()
    async with asyncio.timeout(10):
        await reading
    assert stack.parts.exports._value == 4


async def test_more_exports_than_there_are_places_wait_and_are_told(tmp_path: Path) -> None:
    """429 with a time to come back; when a place is free, it goes on."""
    async with serving(tmp_path / "data", limits=EdgeLimits(wait_ms=200)) as stack:

        async def is_there() -> bool:
            return (await stack.client.get("/v1/sessions/s1")).status_code == 200

        # The short wait would hold for the events as well.
        await stack.post("s1", *turn(1), wait=False)
        await wait_until(is_there, "the session is there")
        readers = [Reader(stack) for _ in range(4)]
        reading = [asyncio.create_task(one.read("s1")) for one in readers]
        await asyncio.gather(*(one.began.wait() for one in readers))
        refused = await stack.client.get("/v1/sessions/s1/export")
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
        assert refused.headers["retry-after"] == "5"
        for one in readers:
            one.leaves.set()
        await asyncio.gather(*reading)
        assert (await stack.client.get("/v1/sessions/s1/export")).status_code == 200
