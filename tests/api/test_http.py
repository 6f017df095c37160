"""The HTTP API over a real engine, projector and application: what each call answers."""

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from api.parts import EdgeLimits
from service.keys import SessionId
from tests.api.stack import Stack, serving

JSON = {"content-type": "application/json"}
TURN: tuple[dict[str, Any], ...] = (
    {"type": "session/meta", "title": "A title"},
    {"type": "turn/start", "turn": 1},
    {"type": "user/message", "id": "u1", "content": [{"type": "text", "text": "Why?"}]},
    {"type": "tool/call", "turn": 1, "step": 1, "call_id": "c1", "name": "read", "input": {"n": 1.50}},
    {"type": "tool/result", "call_id": "c1", "status": "ok", "output": "42"},
    {"type": "assistant/message", "turn": 1, "step": 2, "blocks": [{"type": "text", "text": "Because."}]},
    {"type": "turn/end", "turn": 1, "reason": "completed"},
)


async def test_append_answers_an_entry_per_event(stack: Stack) -> None:
    """202 with the ids in the request's order; nothing is a duplicate."""
    response = await stack.post("s1", *TURN, wait=False)
    assert response.status_code == 202
    answer = response.json()
    assert answer["session"] == "s1"
    assert [one["duplicate"] for one in answer["events"]] == [False] * len(TURN)
    assert len({one["entry_id"] for one in answer["events"]}) == len(TURN)


async def test_event_id_seen_before_is_reported_as_duplicate(stack: Stack) -> None:
    """With its first entry; the log holds it once."""
    event = {"type": "notice", "id": "n", "level": "info", "text": "x", "event_id": "e1"}
    first = (await stack.post("s1", event)).json()["events"][0]
    again = (await stack.post("s1", event)).json()["events"][0]
    assert again == {"entry_id": first["entry_id"], "duplicate": True}
    assert (await stack.client.get("/v1/sessions/s1")).json()["event_count"] == 1


async def test_append_that_waits_can_be_read_at_once(stack: Stack) -> None:
    """R-11: 200 with the position, and the transcript at that position has the events."""
    response = await stack.post("s1", *TURN)
    assert response.status_code == 200
    position = response.json()["position"]
    transcript = (await stack.client.get("/v1/sessions/s1/transcript")).json()
    assert transcript["position"] == position
    assert transcript["turns"][0]["spec"]["tool_call_count"] == 1
    assert transcript["turns"][0]["outcome"] == "completed"


async def test_append_that_waits_without_projector_says_that_nothing_is_lost(tmp_path: Path) -> None:
    """504 after the wait; the events are in the stream."""
    async with serving(tmp_path, projecting=False, limits=EdgeLimits(wait_ms=50)) as stack:
        response = await stack.client.post(
            "/v1/sessions/s1/events", params={"wait": "projected"}, json={"type": "turn/start", "turn": 1}
        )
        assert response.status_code == 504
        assert response.json()["code"] == "wait_timeout"


async def test_raw_log_gives_the_bytes_back(stack: Stack) -> None:
    """Folding changed nothing: number forms, blanks, unknown types; a line break becomes a blank."""
    odd = b'{"type":"from/the/future",\n "n": 1.50e0, "lone":"\\ud83d"}'
    body = b"[" + odd + b',{"type":"turn/start","turn":1}]'
    await stack.client.post(
        "/v1/sessions/s1/events", params={"wait": "projected"}, content=body, headers=JSON
    )
    response = await stack.client.get("/v1/sessions/s1/events")
    assert response.headers["content-type"].startswith("application/x-ndjson")
    lines = response.content.splitlines()
    assert odd.replace(b"\n", b" ") in lines[0]
    assert [json.loads(line)["seq"] for line in lines] == [0, 1]
    later = await stack.client.get("/v1/sessions/s1/events", params={"after": 0})
    assert [json.loads(line)["event"]["type"] for line in later.content.splitlines()] == ["turn/start"]
    assert (await stack.client.get("/v1/sessions/s1/events", params={"after": 99})).content == b""


async def test_entry_that_is_no_json_is_shown_with_its_reason(stack: Stack) -> None:
    """What a producer wrote past the API: in the log as text, and in the quarantine."""
    await stack.parts.source.append(
        SessionId("s1"), [b'{"type":\xff', b'{"type":"turn/start","turn":1}'], [None, None]
    )
    await stack.post("s1", {"type": "notice", "id": "n", "level": "info", "text": "x"})
    first = json.loads((await stack.client.get("/v1/sessions/s1/events")).content.splitlines()[0])
    assert first["raw"] == '{"type":\ufffd'
    assert "UTF-8" in first["reason"]
    held = (await stack.client.get("/v1/admin/quarantine", params={"session": "s1"})).json()
    assert [(one["seq"], one["raw_base64"]) for one in held["entries"]] == [(0, "eyJ0eXBlIjr/")]
    assert held["cursor"] is None
    assert (await stack.client.get("/v1/sessions/s1")).json()["quarantined"] == 1


async def test_sessions_are_listed_newest_first_and_paged(stack: Stack) -> None:
    """Every session once, in pages of the asked size, to a null cursor."""
    for number in range(5):
        await stack.post(f"s{number}", {"type": "session/meta", "title": f"Number {number}"})
    seen: list[str] = []
    cursor: str | None = None
    while True:
        query: dict[str, Any] = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        page = (await stack.client.get("/v1/sessions", params=query)).json()
        seen += [one["title"] for one in page["sessions"]]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert sorted(seen) == [f"Number {number}" for number in range(5)]
    assert seen[0] == "Number 4"


async def test_session_is_described_with_its_position(stack: Stack) -> None:
    """Title, counts, the last turn and the position of the list; an ETag spares sending it again."""
    position = (await stack.post("s1", *TURN)).json()["position"]
    response = await stack.client.get("/v1/sessions/s1")
    entry = response.json()
    assert entry["position"] == position
    assert entry["title"] == "A title"
    assert entry["turn"] == {"turn": 1, "status": "closed", "outcome": "completed"}
    held = await stack.client.get("/v1/sessions/s1", headers={"if-none-match": response.headers["etag"]})
    assert (held.status_code, held.content) == (304, b"")


async def test_deleted_session_is_gone_and_stays_gone(stack: Stack) -> None:
    """204, then 410 for reads and later events."""
    await stack.post("s1", *TURN)
    assert (await stack.client.delete("/v1/sessions/s1")).status_code == 204
    for path in ("", "/transcript", "/events", "/turns/1"):
        response = await stack.client.get(f"/v1/sessions/s1{path}")
        assert (response.status_code, response.json()["code"]) == (410, "session_gone")
    late = await stack.client.post("/v1/sessions/s1/events", json=TURN[0])
    assert (late.status_code, late.json()["code"]) == (410, "session_gone")
    assert (await stack.client.delete("/v1/sessions/s1")).status_code == 410
    assert (await stack.client.delete("/v1/sessions/never")).status_code == 404


async def test_transcript_is_revalidated_by_position_view_and_language(stack: Stack) -> None:
    """Weak ETag: the same question gets 304, another view or another version a new answer."""
    await stack.post("s1", *TURN)
    url = "/v1/sessions/s1/transcript"
    first = await stack.client.get(url)
    etag = first.headers["etag"]
    assert etag.startswith('W/"')
    assert first.headers["cache-control"] == "private, no-cache"
    held = {"if-none-match": f'"other", {etag}'}
    assert (await stack.client.get(url, headers=held)).status_code == 304
    assert (await stack.client.get(url, headers=held, params={"mode": "normal"})).status_code == 200
    assert (await stack.client.get(url, headers=held, params={"locale": "zh-CN"})).status_code == 200
    await stack.post("s1", {"type": "turn/start", "turn": 2})
    assert (await stack.client.get(url, headers=held)).status_code == 200


async def test_labels_speak_the_readers_language(stack: Stack) -> None:
    """Accept-Language picks, `locale` decides."""
    await stack.post("s1", *TURN)
    url = "/v1/sessions/s1/transcript"

    async def label(headers: dict[str, str], **query: str) -> str:
        answer = (await stack.client.get(url, headers=headers, params=query)).json()
        return str(answer["turns"][0]["presentation"]["label"]["text"])

    assert await label({}) == "1 tool call"
    assert await label({"accept-language": "zh-CN,en;q=0.8"}) == "1 次工具调用"
    assert await label({"accept-language": "zh"}, locale="en") == "1 tool call"


async def test_transcript_is_paged_by_whole_turns(stack: Stack) -> None:
    """`limit` turns from the newest, then those before the cursor, to the beginning."""
    for turn in (1, 2, 3):
        await stack.post(
            "s1",
            {"type": "turn/start", "turn": turn},
            {"type": "turn/end", "turn": turn, "reason": "completed"},
        )
    url = "/v1/sessions/s1/transcript"
    newest = (await stack.client.get(url, params={"limit": 2})).json()
    assert [turn["turn"] for turn in newest["turns"]] == [2, 3]
    assert not newest["history_complete"]
    older = (await stack.client.get(url, params={"limit": 2, "before": newest["before"]})).json()
    assert [turn["turn"] for turn in older["turns"]] == [1]
    assert older["history_complete"]
    assert older["before"] is None


async def test_transcript_waits_for_a_version(stack: Stack) -> None:
    """`min_version`: the answer comes once it is committed."""
    await stack.post("s1", {"type": "turn/start", "turn": 1})
    waiting = asyncio.create_task(stack.client.get("/v1/sessions/s1/transcript", params={"min_version": 2}))
    await stack.post("s1", {"type": "turn/end", "turn": 1, "reason": "completed"})
    answer = (await waiting).json()
    assert answer["position"]["version"] >= 2
    assert answer["turns"][0]["status"] == "closed"


async def test_turn_can_be_seen_as_of_an_earlier_event(stack: Stack) -> None:
    """Time travel: `at` is the fold of the events 0..at; with the epoch too, caches may keep it for good."""
    epoch = (await stack.post("s1", *TURN)).json()["position"]["epoch"]
    url = "/v1/sessions/s1/turns/1"
    now = (await stack.client.get(url)).json()
    assert (now["status"], now["as_of_seq"]) == ("closed", 6)
    past = await stack.client.get(url, params={"at": 3})
    assert (past.json()["status"], past.json()["as_of_seq"], past.json()["position"]) == ("open", 3, None)
    assert past.json()["rows"][-1]["status"] == "running"
    assert past.headers["cache-control"] == "private, no-cache"
    spec = await stack.client.get(url + "/spec", params={"at": 3, "epoch": epoch})
    assert spec.json()["spec"]["answer_step"] is None
    assert "immutable" in spec.headers["cache-control"]
    assert (await stack.client.get(url + "/spec")).json()["spec"]["answer_step"] == 2
    assert (await stack.client.get(url, params={"at": 0})).json()["code"] == "turn_unknown"
    assert (await stack.client.get(url, params={"at": 7})).json()["code"] == "beyond_log"
    assert (await stack.client.get(url, params={"epoch": "other"})).json()["code"] == "epoch_changed"


async def test_answers_come_as_messagepack_where_asked(stack: Stack) -> None:
    """The same structs, raw JSON inside rows included."""
    await stack.post("s1", *TURN)
    for path in ("/v1/sessions", "/v1/sessions/s1", "/v1/sessions/s1/transcript", "/v1/sessions/s1/turns/1"):
        plain = await stack.client.get(path)
        packed = await stack.client.get(path, headers={"accept": "application/msgpack"})
        assert packed.headers["content-type"] == "application/msgpack"
        assert msgspec.msgpack.decode(packed.content) == plain.json()
        assert packed.headers.get("etag") != plain.headers.get("etag", "none")


async def test_events_are_taken_as_messagepack_and_ndjson(stack: Stack) -> None:
    """By content type; one line an event."""
    packed = msgspec.msgpack.encode({"type": "turn/start", "turn": 1})
    lines = b'{"type":"turn/end","turn":1,"reason":"completed"}\n\n{"type":"turn/start","turn":2}'
    for body, kind in ((packed, "application/msgpack"), (lines, "application/x-ndjson")):
        response = await stack.client.post(
            "/v1/sessions/s1/events",
            params={"wait": "projected"},
            content=body,
            headers={"content-type": kind},
        )
        assert response.status_code == 200, response.text
    assert (await stack.client.get("/v1/sessions/s1")).json()["event_count"] == 3


async def test_bad_event_refuses_the_whole_request(stack: Stack) -> None:
    """Nothing is half accepted."""
    response = await stack.client.post("/v1/sessions/s1/events", json=[TURN[1], {"type": "turn/start"}])
    assert response.status_code == 400
    problem = response.json()
    assert (problem["code"], problem["where"]) == ("invalid_event", "event 1")
    assert (await stack.client.get("/v1/sessions/s1")).json()["code"] == "session_unknown"


async def test_event_and_request_over_the_limit_are_refused(tmp_path: Path) -> None:
    """413 with a code each."""
    async with serving(tmp_path, limits=EdgeLimits(max_event_bytes=200, max_request_bytes=1000)) as stack:
        event = {"type": "notice", "id": "n", "level": "info", "text": "x" * 200}
        response = await stack.client.post("/v1/sessions/s1/events", json=event)
        assert (response.status_code, response.json()["code"]) == (413, "event_too_large")
        response = await stack.client.post("/v1/sessions/s1/events", json=[event] * 10)
        assert (response.status_code, response.json()["code"]) == (413, "request_too_large")


async def test_each_view_presents_the_same_rows(stack: Stack) -> None:
    """The presentation is the view's; rows and specs are facts."""
    await stack.post("s1", *TURN)
    url = "/v1/sessions/s1/transcript"
    shown = [
        (await stack.client.get(url, params=query)).json()
        for query in (
            {"view": "web"},
            {"view": "desktop", "mode": "flat"},
            {"view": "tui", "phase": "hidden"},
        )
    ]
    assert [answer["view"]["kind"] for answer in shown] == ["web", "desktop", "tui"]
    assert shown[1]["view"] == {
        "kind": "desktop", "mode": "flat", "thinking": True, "collapse_groups": True,
        "collapse_thinking": True, "locale": "en",
    }  # fmt: skip
    turns = [answer["turns"][0] for answer in shown]
    presentations = [turn.pop("presentation") for turn in turns]
    assert turns[0] == turns[1] == turns[2]
    assert [set(one) & {"members", "entries", "steps"} for one in presentations] == [
        {"members"}, {"entries"}, {"steps"},
    ]  # fmt: skip
    one = (
        await stack.client.get("/v1/sessions/s1/turns/1", params={"view": "desktop", "mode": "flat"})
    ).json()
    assert one["presentation"] == presentations[1]


async def test_views_have_validators_of_their_own(stack: Stack) -> None:
    """Every preference is part of the question."""
    await stack.post("s1", *TURN)
    questions = [
        {"view": "desktop"},
        {"view": "desktop", "mode": "flat"},
        {"view": "desktop", "thinking": "false"},
        {"view": "desktop", "collapse_groups": "false"},
        {"view": "desktop", "collapse_thinking": "false"},
        {"view": "tui"},
        {"view": "tui", "phase": "hidden"},
        {"view": "tui", "reasoning": "false"},
        {"view": "web"},
    ]
    answers = [await stack.client.get("/v1/sessions/s1/transcript", params=one) for one in questions]
    assert len({answer.headers["etag"] for answer in answers}) == len(questions)


@pytest.mark.parametrize(
    "query",
    [
        {"view": "desktop", "mode": "compact"},
        {"view": "web", "mode": "flat"},
        {"view": "desktop", "thinking": "perhaps"},
        {"view": "tui", "phase": "open"},
        {"view": "desktop", "mode": "folded"},
    ],
)
async def test_preference_that_a_view_does_not_have_is_refused(stack: Stack, query: dict[str, str]) -> None:
    """A clear problem that names the parameter, never another view than the one asked for."""
    await stack.post("s1", *TURN)
    response = await stack.client.get("/v1/sessions/s1/transcript", params=query)
    assert (response.status_code, response.json()["code"]) == (400, "invalid_parameter")
    assert response.json()["where"].startswith("query parameter")


async def test_probes_tell_life_from_readiness(stack: Stack) -> None:
    """Ready with the lag of each partition; draining is alive and not ready."""
    assert (await stack.client.get("/livez")).json() == {"status": "alive"}
    await stack.post("s1", *TURN)
    ready = (await stack.client.get("/readyz")).json()
    assert [(one["partition"], one["lag_ms"]) for one in ready["partitions"]] == [(0, 0)]
    stack.parts.readiness.drain()
    assert (await stack.client.get("/livez")).status_code == 200
    response = await stack.client.get("/readyz")
    assert (response.status_code, response.json()["code"]) == (503, "not_ready")
    assert response.headers["retry-after"] == "1"


async def test_projection_that_falls_behind_is_not_ready(tmp_path: Path) -> None:
    """An entry that waits longer than allowed takes the process out of the balance."""
    async with serving(tmp_path, projecting=False, limits=EdgeLimits(lag_ms=-1)) as stack:
        await stack.post("s1", *TURN, wait=False)
        response = await stack.client.get("/readyz")
        assert response.status_code == 503
        assert "behind" in response.json()["detail"]
