"""Rubbish at every place of a request: always a problem document, never a 500, nothing appended."""

import string
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import jwt
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.auth import Authenticator
from api.door import DoorRules
from api.edge import Edge
from api.metrics_prometheus import meters
from api.parts import Readiness
from api.problems import KIND_BY_CODE, Problem
from service.stored import START
from tests.api.stack import SECRET, Stack, serving

EVENT = {"type": "turn/start", "turn": 1}
SCOPED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def problem_in(response: httpx.Response) -> Problem:
    """The problem document of an answer, checked against the table."""
    assert response.headers["content-type"] == "application/problem+json", response.text
    problem = msgspec.json.decode(response.content, type=Problem)
    kind = KIND_BY_CODE[problem.code]
    assert response.status_code == problem.status == kind.status
    assert response.status_code != 500, response.text
    assert "Traceback" not in response.text
    assert response.headers["server"] == "turnfold"
    assert response.headers["x-content-type-options"] == "nosniff"
    return problem


async def code(sending: Any) -> str:
    """The code that a request is refused with."""
    return problem_in(await sending).code


async def nothing_was_appended(stack: Stack) -> bool:
    """Whether the ingest stream is as empty as at the start."""
    entries = await stack.parts.source.read(0, START, 10, 0)
    return not entries


async def test_what_is_not_there_is_a_problem(stack: Stack) -> None:
    """Litestar's own refusals are of the same form: no route, no method, no such path value."""
    client = stack.client
    assert await code(client.get("/nothing/here")) == "not_found"
    assert await code(client.get("/v1/sessions/a/b/c")) == "not_found"
    assert await code(client.put("/v1/sessions/s1", json={})) == "method_not_allowed"
    assert "GET" in (await client.put("/v1/sessions/s1", json={})).headers["allow"]
    assert await code(client.get("/v1/sessions/s1/turns/one")) in ("not_found", "invalid_parameter")
    assert await code(client.get("/v1/sessions/unknown")) == "session_unknown"
    assert await code(client.get("/v1/sessions/unknown/transcript")) == "session_unknown"


@pytest.mark.parametrize("session", ["a b", "ü", "a" * 257, "%00", "a?", "<script>", "a\nb", "{p0}"])
async def test_session_id_outside_its_alphabet_is_refused(stack: Stack, session: str) -> None:
    """400 with the rule, for reads and writes alike."""
    url = f"/v1/sessions/{quote(session, safe='')}"
    assert await code(stack.client.get(url)) == "invalid_session_id"
    assert await code(stack.client.get(url + "/transcript")) == "invalid_session_id"
    assert await code(stack.client.post(url + "/events", json=EVENT)) == "invalid_session_id"
    assert await nothing_was_appended(stack)


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/v1/sessions", {"limit": "0"}),
        ("/v1/sessions", {"limit": "x"}),
        ("/v1/sessions", {"limit": "99999999999999999999"}),
        ("/v1/sessions", {"limit": ""}),
        ("/v1/sessions/s1/transcript", {"limit": "-1"}),
        ("/v1/sessions/s1/transcript", {"mode": "loud"}),
        ("/v1/sessions/s1/transcript", {"view": "vr"}),
        ("/v1/sessions/s1/transcript", {"locale": "fr"}),
        ("/v1/sessions/s1/transcript", {"min_version": "1.5"}),
        ("/v1/sessions/s1/turns/1", {"at": "-1"}),
        ("/v1/sessions/s1/turns/1", {"at": "NaN"}),
        ("/v1/sessions/s1/events", {"after": "first"}),
        ("/v1/admin/quarantine", {"limit": "501"}),
    ],
)
async def test_parameter_out_of_range_is_named(stack: Stack, path: str, query: dict[str, str]) -> None:
    """400, with the parameter's name as `where`."""
    await stack.post("s1", EVENT)
    problem = problem_in(await stack.client.get(path, params=query))
    assert problem.code == "invalid_parameter"
    assert next(iter(query)) in (problem.where or "")


@SCOPED
@given(cursor=st.text(st.characters(codec="utf-8"), min_size=1, max_size=60))
async def test_rubbish_cursor_is_refused_or_finds_a_page(stack: Stack, cursor: str) -> None:
    """Cursors are opaque: what was not given out is refused, never a failure."""
    for path in ("/v1/sessions", "/v1/admin/quarantine", "/v1/sessions/s1/transcript"):
        name = "before" if path.endswith("transcript") else "cursor"
        response = await stack.client.get(path, params={name: cursor})
        if response.status_code != 200:
            assert problem_in(response).code in ("invalid_cursor", "session_unknown")


@SCOPED
@given(
    body=st.binary(max_size=100),
    kind=st.sampled_from(
        ["application/json", "application/x-ndjson", "application/msgpack", "text/plain", "x"]
    ),
)
async def test_rubbish_body_is_refused_and_appends_nothing(stack: Stack, body: bytes, kind: str) -> None:
    """No bytes under any content type get past the validation, and none make it fail."""
    response = await stack.client.post("/v1/sessions/s1/events", content=body, headers={"content-type": kind})
    assert problem_in(response).status in (400, 415)
    assert await nothing_was_appended(stack)


@SCOPED
@given(
    name=st.sampled_from(
        ["host", "origin", "content-type", "accept", "if-none-match", "authorization", "accept-language"]
    ),
    value=st.text(string.printable.strip(), max_size=60),
)
async def test_rubbish_header_never_fails_a_read(stack: Stack, name: str, value: str) -> None:
    """An answer or a problem, whatever stands in a header."""
    response = await stack.client.get("/v1/sessions", headers={name: value})
    if response.status_code != 200:
        assert problem_in(response).code in ("host_not_allowed", "bad_request")


async def test_other_hosts_origins_and_types_are_refused(stack: Stack) -> None:
    """The door stands before every route, the page and the probes."""
    client = stack.client
    assert await code(client.get("/", headers={"host": "evil.example"})) == "host_not_allowed"
    assert await code(client.get("/livez", headers={"host": "evil.example"})) == "host_not_allowed"
    foreign = {"origin": "http://evil.example"}
    assert (
        await code(client.post("/v1/sessions/s1/events", json=EVENT, headers=foreign)) == "origin_not_allowed"
    )
    assert await code(client.delete("/v1/sessions/s1", headers=foreign)) == "origin_not_allowed"
    assert await code(client.post("/v1/sessions/s1/events", content="{}")) == "content_type_unsupported"
    assert await code(client.post("/v1/sessions/s1/events", data={"a": "b"})) == "content_type_unsupported"
    assert await nothing_was_appended(stack)


async def test_allowed_origin_gets_cors_headers(tmp_path: Path) -> None:
    """Preflight and answer for the listed origin; nothing for another."""
    door = DoorRules(loopback_only=True, allowed_origins=("https://app.example",))
    asked = {"origin": "https://app.example", "access-control-request-method": "POST"}
    async with serving(tmp_path, door=door) as stack:
        preflight = await stack.client.options("/v1/sessions/s1/events", headers=asked)
        assert preflight.status_code == 204
        assert preflight.headers["access-control-allow-origin"] == "https://app.example"
        assert "POST" in preflight.headers["access-control-allow-methods"]
        answer = await stack.client.get("/v1/sessions", headers={"origin": "https://app.example"})
        assert answer.headers["access-control-allow-origin"] == "https://app.example"
        assert "Origin" in answer.headers["vary"]
        other = await stack.client.get("/v1/sessions", headers={"origin": "https://evil.example"})
        assert "access-control-allow-origin" not in other.headers


async def test_everything_lives_below_the_base_path(tmp_path: Path) -> None:
    """Outside of it there is nothing."""
    async with serving(tmp_path, door=DoorRules(loopback_only=True, base_path="/turnfold")) as stack:
        assert (await stack.client.get("/turnfold/v1/sessions")).status_code == 200
        assert await code(stack.client.get("/v1/sessions")) == "not_found"
        assert (await stack.client.get("/turnfold")).headers["location"] == "/turnfold/"
        schema = (await stack.client.get("/turnfold/schema")).json()
        assert schema["servers"] == [{"url": "/turnfold"}]


def bearer(**claims: Any) -> dict[str, str]:
    """The header of a signed token."""
    return {"authorization": f"Bearer {jwt.encode(claims, SECRET, algorithm='HS256')}"}


async def test_every_call_needs_a_token_when_a_secret_is_set(tmp_path: Path) -> None:
    """But the probes; a refusal says how to authenticate."""
    async with serving(tmp_path, secret=SECRET) as stack:
        for path in ("/v1/sessions", "/v1/sessions/s1", "/metrics", "/schema", "/nothing"):
            response = await stack.client.get(path)
            assert problem_in(response).code == "token_missing"
            assert response.headers["www-authenticate"] == "Bearer"
        assert await code(stack.client.post("/v1/sessions/s1/events", json=EVENT)) == "token_missing"
        assert (
            await code(stack.client.get("/v1/sessions", headers={"authorization": "Bearer x"}))
            == "token_invalid"
        )
        assert await code(stack.client.get("/v1/sessions", headers=bearer(exp=1))) == "token_expired"
        assert (await stack.client.get("/livez")).status_code == 200
        assert (await stack.client.get("/readyz")).status_code == 200
        assert (
            await stack.client.get("/v1/sessions", headers={"host": "any.example", **bearer()})
        ).status_code == 200


async def test_scopes_and_patterns_bound_what_a_token_does(tmp_path: Path) -> None:
    """W-6 on every call: reads, writes, deletion, admin calls and the list."""
    async with serving(tmp_path, secret=SECRET) as stack:
        writer = bearer(scope="read write", sessions=["a:*"])
        for session in ("a:1", "b:1"):
            admin = bearer(scope="admin")
            await stack.client.post(
                f"/v1/sessions/{session}/events", params={"wait": "projected"}, json=EVENT, headers=admin
            )
        listed = (await stack.client.get("/v1/sessions", headers=writer)).json()
        assert [one["session"] for one in listed["sessions"]] == ["a:1"]
        for path in ("", "/transcript", "/events", "/turns/1", "/turns/1/spec"):
            assert (await stack.client.get(f"/v1/sessions/a:1{path}", headers=writer)).status_code == 200
            assert (
                await code(stack.client.get(f"/v1/sessions/b:1{path}", headers=writer)) == "session_forbidden"
            )
        url = "/v1/sessions/b:1/events"
        assert await code(stack.client.post(url, json=EVENT, headers=writer)) == "session_forbidden"
        reader = bearer(scope="read")
        assert await code(stack.client.post(url, json=EVENT, headers=reader)) == "scope_missing"
        assert await code(stack.client.delete("/v1/sessions/b:1", headers=reader)) == "scope_missing"
        assert await code(stack.client.get("/v1/admin/quarantine", headers=writer)) == "scope_missing"


async def test_bug_is_an_incident_and_shows_nothing_of_itself() -> None:
    """500 with an id that finds the log record; neither the message nor a traceback reaches the client."""

    async def broken(*_: Any) -> None:
        raise RuntimeError("the password is hunter2")

    app: Any = Edge(
        broken,
        None,
        DoorRules(loopback_only=True),
        Authenticator(None),
        metrics=meters("test").edge,
        readiness=Readiness(),
    )
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        response = await client.get("/v1/sessions")
    problem = msgspec.json.decode(response.content, type=Problem)
    assert (response.status_code, problem.code) == (500, "internal_error")
    assert problem.incident
    assert problem.incident in problem.detail
    assert "hunter2" not in response.text
    assert "Traceback" not in response.text
