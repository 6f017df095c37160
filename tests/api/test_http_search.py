"""Search over HTTP: pages, ways in the asked view, refusals (C-16)."""

import asyncio

import pytest

from tests.api.stack import Stack

NEEDLES = (
    {"type": "turn/start", "turn": 1},
    {"type": "user/message", "turn": 1, "id": "u1", "content": [{"type": "text", "text": "needle?"}]},
    {"type": "tool/call", "turn": 1, "step": 1, "call_id": "c1", "name": "grep", "input": {"q": "needle"}},
    {"type": "tool/result", "call_id": "c1", "status": "ok", "output": "a needle"},
    {"type": "assistant/message", "turn": 1, "step": 2, "blocks": [{"type": "text", "text": "One needle."}]},
    {"type": "turn/end", "turn": 1, "reason": "completed"},
)


async def test_pages_of_hits_follow_each_other_to_the_end(stack: Stack) -> None:
    """Each hit once, in the order of the transcript, with the control that hides it."""
    await stack.post("s1", *NEEDLES)
    found, cursor = [], None
    while True:
        asked = {"q": "needle", "limit": "1"} | ({"cursor": cursor} if cursor else {})
        page = (await stack.client.get("/v1/sessions/s1/search", params=asked)).json()
        found += page["hits"]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert [(hit["key"], hit["field"]) for hit in found] == [
        ("user:u1", "content"),
        ("tool:c1", "input"),
        ("tool:c1", "output"),
        ("step:1:2", "text"),
    ]
    assert [len(hit["path"]) for hit in found] == [0, 1, 1, 0]
    assert found[1]["path"] == [{"turn": 1, "id": "process:1", "in": []}]
    assert page["position"] == (await stack.client.get("/v1/sessions/s1/transcript")).json()["position"]


async def test_the_way_is_that_of_the_asked_view(stack: Stack) -> None:
    """Desktop: the disclosure of the entry; a preference that is not given comes from the subject."""
    await stack.post("s1", *NEEDLES)
    asked = {"q": "grep", "view": "desktop"}
    (hit,) = (await stack.client.get("/v1/sessions/s1/search", params=asked)).json()["hits"]
    assert [opening["id"] for opening in hit["path"]] == ["user:u1"]
    assert hit["hidden_by"] == []


async def test_a_row_is_located_by_its_key(stack: Stack) -> None:
    """For links; one that left, or never was, is no error."""
    await stack.post("s1", *NEEDLES)
    found = (await stack.client.get("/v1/sessions/s1/search", params={"key": "tool:c1"})).json()
    assert [hit["path"] for hit in found["hits"]] == [[{"turn": 1, "id": "process:1", "in": []}]]
    gone = await stack.client.get("/v1/sessions/s1/search", params={"key": "tool:c9", "in": "c1"})
    assert gone.json()["hits"] == []


@pytest.mark.parametrize(
    ("asked", "code", "where"),
    [
        ({}, "invalid_parameter", "query parameter q"),
        ({"q": "a", "key": "b"}, "invalid_parameter", "query parameter q"),
        ({"q": "  "}, "invalid_parameter", "query parameter q"),
        ({"q": "x" * 300}, "invalid_parameter", "query parameter q"),
        ({"q": "x", "cursor": "zzz"}, "invalid_cursor", "query parameter"),
        ({"q": "x", "limit": "0"}, "invalid_parameter", "query parameter limit"),
    ],
)
async def test_a_question_that_cannot_be_answered_says_why(
    stack: Stack, asked: dict[str, str], code: str, where: str
) -> None:
    """What and where."""
    await stack.post("s1", *NEEDLES)
    refused = await stack.client.get("/v1/sessions/s1/search", params=asked)
    problem = refused.json()
    assert (refused.status_code, problem["code"], problem["where"]) == (400, code, where)


async def test_a_search_lets_others_work(stack: Stack) -> None:
    """A session of many rows does not hold the loop for the whole of its search."""
    notices = [
        {"type": "notice", "id": f"n{one}", "level": "info", "text": "hay " * 40} for one in range(6_000)
    ]
    await stack.post("s1", *notices)
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    counting = asyncio.create_task(count())
    answer = await stack.client.get("/v1/sessions/s1/search", params={"q": "needle"})
    counting.cancel()
    assert answer.json()["hits"] == []
    assert turns > 3
