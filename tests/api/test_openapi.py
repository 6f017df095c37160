"""The OpenAPI document: complete, self-consistent and true to the answers."""

from typing import Any

import jsonschema

from tests.api.stack import Stack

CALLS = {
    "/v1/preferences": {"get", "patch"},
    "/livez": {"get"},
    "/metrics": {"get"},
    "/readyz": {"get"},
    "/v1/admin/quarantine": {"get"},
    "/v1/admin/status": {"get"},
    "/v1/sessions": {"get"},
    "/v1/sessions/{session}": {"get", "delete"},
    "/v1/sessions/{session}/blobs/{digest}": {"get"},
    "/v1/sessions/{session}/export": {"get"},
    "/v1/sessions/{session}/interactions/{ident}": {"post"},
    "/v1/sessions/{session}/search": {"get"},
    "/v1/sessions/{session}/events": {"get", "post"},
    "/v1/sessions/{session}/rows/{key}": {"get"},
    "/v1/sessions/{session}/transcript": {"get"},
    "/v1/sessions/{session}/turns/{turn}": {"get"},
    "/v1/sessions/{session}/turns/{turn}/spec": {"get"},
    "/v1/tickets": {"post"},
}


async def document(stack: Stack) -> dict[str, Any]:
    """The document as the service gives it."""
    response = await stack.client.get("/schema")
    assert response.headers["content-type"].startswith("application/vnd.oai.openapi+json")
    found: dict[str, Any] = response.json()
    return found


def references(value: Any) -> set[str]:
    """Every `$ref` in a document."""
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*(references(one) for one in value.values()))
    return set().union(*(references(one) for one in value)) if isinstance(value, list) else set()


async def test_every_call_is_described(stack: Stack) -> None:
    """Paths and methods, each with problem answers and, for values, JSON and MessagePack."""
    found = await document(stack)
    assert found["openapi"].startswith("3.1")
    assert {path: set(calls) for path, calls in found["paths"].items()} == CALLS
    for calls in found["paths"].values():
        for call in calls.values():
            assert call["operationId"]
            assert call["summary"]
            problems = [answer for status, answer in call["responses"].items() if int(status) >= 400]
            assert all("application/problem+json" in answer["content"] for answer in problems)


async def test_every_reference_leads_somewhere(stack: Stack) -> None:
    """No dangling `$ref`."""
    found = await document(stack)
    names = {f"#/components/schemas/{name}" for name in found["components"]["schemas"]}
    assert references(found) <= names


async def test_answers_are_valid_under_their_schemas(stack: Stack) -> None:
    """The document is true: transcript, session, list, turn, spec, row text, events and problems."""
    found = await document(stack)
    await stack.post(
        "s1",
        {"type": "turn/start", "turn": 1},
        {"type": "user/message", "id": "u", "content": [{"type": "text", "text": "x"}]},
        {"type": "assistant/message", "turn": 1, "step": 1, "blocks": [{"type": "text", "text": "y"}]},
        {"type": "turn/end", "turn": 1, "reason": "completed"},
    )
    for path in (path for path, methods in CALLS.items() if "get" in methods):
        if path.endswith(("/events", "/blobs/{digest}", "/export", "/metrics")):
            continue  # no JSON
        asked = {"q": "x"} if path.endswith("/search") else {}
        response = await stack.client.get(path.format(session="s1", turn=1, key="user:u"), params=asked)
        described = found["paths"][path]["get"]["responses"][str(response.status_code)]
        schema = described["content"]["application/json"]["schema"]
        jsonschema.validate(response.json(), {**schema, "components": found["components"]})
    problem = (await stack.client.get("/v1/sessions/none")).json()
    jsonschema.validate(problem, {"$ref": "#/components/schemas/Problem", "components": found["components"]})
