"""What a row holds a part of, over HTTP: great texts page by page (`wire.md`, *Size*)."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jwt
import pytest

from api.parts import EdgeLimits
from tests.api.stack import SECRET, Stack, serving

GREAT = "".join(f"{number:05} caf\u00e9 \U0001f600\n" for number in range(200))
CALL = {
    "type": "tool/call",
    "turn": 1,
    "step": 1,
    "call_id": "a/b",
    "name": "write",
    "input": {"content": GREAT},
}
TURN: tuple[dict[str, Any], ...] = (
    {"type": "turn/start", "turn": 1},
    {"type": "user/message", "id": "u1", "content": [{"type": "text", "text": GREAT}]},
    CALL,
    {"type": "tool/result", "call_id": "a/b", "status": "ok", "output": GREAT},
)


@pytest.fixture
async def stack(tmp_path: Path) -> AsyncIterator[Stack]:
    """A service that sends a kilobyte of each text."""
    async with serving(tmp_path, limits=EdgeLimits(inline_bytes=1024)) as running:
        yield running


async def rest(stack: Stack, key: str, head: str, **query: Any) -> str:
    """A head and what follows it, as a client reads it on."""
    text = head
    offset: int | None = len(head.encode())
    while offset is not None:
        answer = await stack.client.get(
            f"/v1/sessions/s1/rows/{key}", params={"offset": offset, "limit": 700, **query}
        )
        assert answer.status_code == 200, answer.text
        part = answer.json()
        assert (part["offset"], part["bytes"]) == (offset, len(GREAT.encode()))
        text += part["text"]
        offset = part["next_offset"]
    return text


async def test_every_great_text_of_a_row_can_be_read_on(stack: Stack) -> None:
    """By the pointer that stands beside its head; the row's first one is the default."""
    await stack.post("s1", *TURN)
    shown = (await stack.client.get("/v1/sessions/s1/transcript")).json()["turns"][0]["rows"]
    rows = {row["key"]: row for row in shown}
    block = rows["user:u1"]["content"][0]
    assert block["truncated"] is True
    assert block["bytes"] == len(GREAT.encode())
    assert await rest(stack, "user:u1", block["text"]) == GREAT
    tool = rows["tool:a/b"]
    assert tool["truncated"] is True
    assert await rest(stack, "tool%3Aa%2Fb", tool["output"], field="/output") == GREAT
    (head,) = tool["heads"]
    assert await rest(stack, "tool:a/b", tool["input"]["content"], field=head["field"]) == GREAT


async def test_a_turn_of_the_past_is_cut_as_well(stack: Stack) -> None:
    """Time travel folds anew, and shows the same row."""
    await stack.post("s1", *TURN)
    now = (await stack.client.get("/v1/sessions/s1/turns/1")).json()["rows"]
    then = (await stack.client.get("/v1/sessions/s1/turns/1", params={"at": 3})).json()["rows"]
    assert now == then


async def test_a_row_of_a_delegate_is_found_by_its_way(stack: Stack) -> None:
    """`in` names the calls that lead to it."""
    inside = {"type": "user/message", "id": "u9", "turn": 1, "parent_call_id": "a/b"}
    await stack.post("s1", *TURN, {**inside, "content": [{"type": "text", "text": GREAT}]})
    assert await rest(stack, "user:u9", "", **{"in": "a/b"}) == GREAT
    lost = await stack.client.get("/v1/sessions/s1/rows/user:u9")
    assert (lost.status_code, lost.json()["code"]) == (404, "row_unknown")


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("s1/rows/user:u2", 404, "row_unknown"),
        ("s1/rows/user:u1?field=/content/7/text", 404, "text_unknown"),
        ("s1/rows/user:u1?field=content", 404, "text_unknown"),
        ("s1/rows/process:1", 404, "text_unknown"),
        ("s1/rows/user:u1?offset=10", 400, "invalid_parameter"),
        ("s1/rows/user:u1?offset=999999", 400, "invalid_parameter"),
        ("s1/rows/user:u1?offset=-1", 400, "invalid_parameter"),
        ("s1/rows/user:u1?in=c9", 404, "row_unknown"),
        ("s9/rows/user:u1", 404, "session_unknown"),
    ],
)
async def test_what_is_not_there_is_a_problem_of_its_own(
    stack: Stack, path: str, status: int, code: str
) -> None:
    """Row, text, offset and session each have a code."""
    await stack.post("s1", *TURN)
    answer = await stack.client.get(f"/v1/sessions/{path}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_a_text_is_read_under_the_session_s_own_rules(tmp_path: Path) -> None:
    """A token for another session opens nothing here."""
    async with serving(tmp_path, secret=SECRET) as stack:
        token = jwt.encode({"sessions": ["other"]}, SECRET, algorithm="HS256")
        answer = await stack.client.get(
            "/v1/sessions/s1/rows/user:u1", headers={"authorization": f"Bearer {token}"}
        )
        assert (answer.status_code, answer.json()["code"]) == (403, "session_forbidden")
