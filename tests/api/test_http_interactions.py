"""Answers of readers, forwarded to a real receiver on loopback (E-16, docs/interactions.md, ADR 0019)."""

import asyncio
import base64
import json
import re
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import jwt
import pytest
import websockets
from websockets.typing import Subprotocol

from api.http_interactions import MAX_ANSWER_BYTES
from service.answers_http import HttpAnswers
from service.signing import signature
from tests.api.stack import SECRET, Stack, serving
from tests.api.test_serve import environment, served

KEY = bytes(range(32))
WRITTEN = "whsec_" + base64.b64encode(KEY).decode()
DOCS = (Path(__file__).parents[2] / "docs" / "interactions.md").read_text(encoding="utf-8")

ASKED: list[dict[str, Any]] = [
    {"type": "turn/start", "turn": 1},
    {"type": "tool/call", "turn": 1, "step": 1, "call_id": "c1", "name": "subagent"},
    {"type": "interaction/request", "id": "a/b?c", "kind": "permission", "title": "Run it?", "call_id": "c1"},
    {"type": "interaction/request", "id": "inner", "kind": "question", "title": "Which?", "parent_call_id": "c1"},
]  # fmt: skip


class Receiver:
    """An HTTP server that answers as it is told, and remembers what it got.

    It answers `stalls_s` late, or as soon as somebody sets `goes_on`.
    """

    def __init__(self) -> None:
        self.got: list[tuple[str, dict[str, str], bytes]] = []
        self.status = 204
        self.headers: dict[str, str] = {}
        self.stalls_s = 0.0
        self.goes_on = Event()
        self.drips = False
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                outer.got.append(
                    (self.path, {name.lower(): value for name, value in self.headers.items()}, body)
                )
                outer.goes_on.wait(outer.stalls_s)
                self.send_response(outer.status)
                for name, value in outer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                while outer.drips:
                    self.wfile.write(b"x" * 65536)

            def do_GET(self) -> None:
                outer.got.append((self.path, {}, b""))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            # The library's five drop whoever comes sixth while the thread that accepts has to wait for a core.
            request_queue_size = 64

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server.server_port}/answers?for=us"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver that runs."""
    made = Receiver()
    running = Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.05})
    running.start()
    yield made
    made.drips = False
    made.goes_on.set()
    made.server.shutdown()
    made.server.server_close()
    running.join()


@asynccontextmanager
async def forwarding(
    directory: Path, url: str, *, secret: str | None = None, timeout_ms: int = 20_000
) -> AsyncIterator[Stack]:
    """A service that forwards answers there."""
    answers = HttpAnswers(url, KEY, timeout_ms)
    try:
        async with serving(directory, secret=secret, answers=answers) as stack:
            yield stack
    finally:
        await answers.close()


def token(**claims: object) -> dict[str, str]:
    """The header of a token."""
    return {"authorization": "Bearer " + jwt.encode(claims, SECRET, "HS256")}


async def answered(
    stack: Stack, ident: str = "a/b?c", *, headers: Mapping[str, str] | None = None, **body: object
) -> tuple[int, dict[str, Any]]:
    """Status and document of an answer."""
    path = f"/v1/sessions/s1/interactions/{ident.replace('?', '%3F')}"
    answer = await stack.client.post(path, json=body or {"outcome": "allow"}, headers=headers)
    return answer.status_code, answer.json()


async def test_an_answer_reaches_the_receiver_signed(tmp_path: Path, receiver: Receiver) -> None:
    """Who, what, to which interaction of which session; the documented check takes it, and refuses another."""
    async with forwarding(tmp_path / "data", receiver.url) as stack:
        await stack.post("s1", *ASKED)
        status, document = await answered(stack, outcome="allow", payload={"always": True, "n": 1.5})
        position = (await stack.client.get("/v1/sessions/s1")).json()["position"]
    ((path, headers, body),) = receiver.got
    assert (status, path) == (202, "/answers?for=us")
    assert document == {"session": "s1", "id": "a/b?c", "delivery": headers["webhook-id"]}
    sent = json.loads(body)
    assert sent["type"] == "interaction.answered"
    assert abs(sent["timestamp_ms"] / 1000 - time.time()) < 60
    assert sent["data"] == {
        "session": "s1", "interaction": "a/b?c", "inside": [], "kind": "permission", "call_id": "c1",
        "outcome": "allow", "payload": {"always": True, "n": 1.5}, "subject": "", "position": position,
    }  # fmt: skip
    documented: dict[str, Any] = {}
    exec(re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)[0], documented)  # noqa: S102 - the page's own example
    is_genuine = documented["is_genuine"]
    assert is_genuine(headers, body, WRITTEN)
    assert not is_genuine(headers, body + b" ", WRITTEN)
    assert not is_genuine({**headers, "webhook-id": "msg_other"}, body, WRITTEN)
    assert not is_genuine({**headers, "webhook-timestamp": "1"}, body, WRITTEN)
    assert not is_genuine(headers, body, "whsec_" + base64.b64encode(b"x" * 32).decode())
    assert set(headers) == {
        "host", "accept", "accept-encoding", "connection", "content-length", "content-type", "user-agent",
        "webhook-id", "webhook-timestamp", "webhook-signature",
    }  # fmt: skip


async def test_the_documented_body_has_the_fields_that_are_sent(tmp_path: Path, receiver: Receiver) -> None:
    """docs/interactions.md shows what comes."""
    async with forwarding(tmp_path / "data", receiver.url) as stack:
        await stack.post("s1", *ASKED)
        await answered(stack)
    shown = json.loads(re.findall(r"```json\n(.*?)```", DOCS, re.DOTALL)[0])
    sent = json.loads(receiver.got[0][2])
    assert list(shown) == list(sent)
    assert list(shown["data"]) == list(sent["data"])


async def test_what_waits_in_a_delegate_is_answered_there(tmp_path: Path, receiver: Receiver) -> None:
    """Named by the calls on the way; without them there is none of that id."""
    async with forwarding(tmp_path / "data", receiver.url) as stack:
        await stack.post("s1", *ASKED)
        status, _ = await answered(stack, "inner?in=c1".replace("?", "%3F"))
        assert status == 404
        answer = await stack.client.post(
            "/v1/sessions/s1/interactions/inner", params={"in": "c1"}, json={"outcome": "b"}
        )
        assert answer.status_code == 202
    assert json.loads(receiver.got[0][2])["data"]["inside"] == ["c1"]


async def test_the_interaction_waits_until_its_producer_says_what_became_of_it(
    tmp_path: Path, receiver: Receiver
) -> None:
    """An answer changes nothing here; one that comes after the resolution is refused and not sent."""
    async with forwarding(tmp_path / "data", receiver.url) as stack:
        await stack.post("s1", *ASKED)
        before = (await stack.client.get("/v1/sessions/s1/transcript")).content
        assert (await answered(stack))[0] == 202
        assert (await stack.client.get("/v1/sessions/s1/transcript")).content == before
        await stack.post("s1", {"type": "interaction/resolve", "id": "a/b?c", "outcome": "allow"})
        status, problem = await answered(stack)
        assert (status, problem["code"]) == (409, "interaction_over")
        assert "resolved: allow" in problem["detail"]
    assert len(receiver.got) == 1


@pytest.mark.parametrize(
    ("status", "code", "may_repeat"),
    [(400, "answer_refused", False), (404, "answer_refused", False), (302, "answer_refused", False),
     (429, "answer_undelivered", True), (500, "answer_undelivered", True), (503, "answer_undelivered", True)],
)  # fmt: skip
async def test_what_the_receiver_does_not_take_is_told(
    tmp_path: Path, receiver: Receiver, status: int, code: str, may_repeat: bool
) -> None:
    """502 with whether to repeat it; a redirect is not followed, wherever it leads."""
    receiver.status = status
    receiver.headers = {"location": f"http://127.0.0.1:{receiver.server.server_port}/elsewhere"}
    async with forwarding(tmp_path / "data", receiver.url) as stack:
        await stack.post("s1", *ASKED)
        answer, problem = await answered(stack)
    assert (answer, problem["code"], problem["retry"]) == (502, code, may_repeat)
    assert [path for path, _, _ in receiver.got] == ["/answers?for=us"]
    assert str(receiver.server.server_port) not in json.dumps(problem)


async def test_a_receiver_that_stalls_holds_nobody(tmp_path: Path, receiver: Receiver) -> None:
    """The whole exchange has one limit."""
    receiver.stalls_s = 30
    async with forwarding(tmp_path / "data", receiver.url, timeout_ms=500) as stack:
        await stack.post("s1", *ASKED)
        began = time.monotonic()
        status, problem = await answered(stack)
        took_s = time.monotonic() - began
    assert (status, problem["code"]) == (502, "answer_undelivered")
    assert "within 0.5 s" in problem["detail"]
    assert took_s < 15


async def test_an_endless_answer_of_the_receiver_is_not_read(tmp_path: Path, receiver: Receiver) -> None:
    """Its status counts; what follows is nobody's."""
    receiver.status = 200
    receiver.drips = True
    async with forwarding(tmp_path / "data", receiver.url) as stack:
        await stack.post("s1", *ASKED)
        assert (await answered(stack))[0] == 202


async def test_a_receiver_that_is_away_is_told_without_its_address(tmp_path: Path) -> None:
    """The reader need not know what the deployment's network looks like."""
    async with forwarding(tmp_path / "data", "http://127.0.0.1:9/secret-path") as stack:
        await stack.post("s1", *ASKED)
        status, problem = await answered(stack)
    assert (status, problem["code"], problem["retry"]) == (502, "answer_undelivered", True)
    assert "secret-path" not in json.dumps(problem)
    assert "127.0.0.1" not in json.dumps(problem)


@pytest.mark.parametrize(
    ("body", "content_type", "status", "code"),
    [
        (b"{}", "application/json", 400, "malformed_body"),
        (b"[]", "application/json", 400, "malformed_body"),
        (b'{"outcome": ""}', "application/json", 400, "malformed_body"),
        (b'{"outcome": 5}', "application/json", 400, "malformed_body"),
        (b'{"outcome": "\xff"}', "application/json", 400, "malformed_body"),
        (b'{"outcome": "' + b"x" * 257 + b'"}', "application/json", 400, "malformed_body"),
        (b'{"outcome": "' + b"x" * MAX_ANSWER_BYTES + b'"}', "application/json", 413, "answer_too_large"),
        (b"\x81\xa7outcome\xa1a", "application/msgpack", 415, "content_type_unsupported"),
        (b"outcome=allow", "application/x-www-form-urlencoded", 415, "content_type_unsupported"),
    ],
)  # fmt: skip
async def test_what_is_no_answer_is_refused_and_not_sent(
    tmp_path: Path, receiver: Receiver, *, body: bytes, content_type: str, status: int, code: str
) -> None:
    """What and why."""
    async with forwarding(tmp_path / "data", receiver.url) as stack:
        await stack.post("s1", *ASKED)
        path = "/v1/sessions/s1/interactions/a/b%3Fc"
        refused = await stack.client.post(path, content=body, headers={"content-type": content_type})
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert receiver.got == []


async def test_other_pages_and_readers_without_the_scope_cannot_answer(
    tmp_path: Path, receiver: Receiver
) -> None:
    """W-6, W-8: the scope `write` on the session; a foreign origin is refused before anything else."""
    async with forwarding(tmp_path / "data", receiver.url, secret=SECRET) as stack:
        stack.client.headers.update(token(sub="ada", scope="read write"))
        await stack.post("s1", *ASKED)
        foreign = {"origin": "https://evil.example"}
        assert (await answered(stack, headers=foreign))[1]["code"] == "origin_not_allowed"
        assert (await answered(stack, headers=token(scope="read")))[1]["code"] == "scope_missing"
        other = token(scope="write", sessions=["s2"])
        assert (await answered(stack, headers=other))[1]["code"] == "session_forbidden"
        assert receiver.got == []
        assert (await answered(stack))[0] == 202
    assert json.loads(receiver.got[0][2])["data"]["subject"] == "ada"


async def test_a_deployment_without_a_receiver_says_so(stack: Stack) -> None:
    """501, and what to do."""
    await stack.post("s1", *ASKED)
    status, problem = await answered(stack)
    assert (status, problem["code"], problem["retry"]) == (501, "answers_not_configured", False)


async def test_proxies_of_the_environment_are_not_asked(
    tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The configured address is the only one that is ever called."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with forwarding(tmp_path / "data", receiver.url) as stack:
        await stack.post("s1", *ASKED)
        assert (await answered(stack))[0] == 202


async def test_many_answers_at_once_all_arrive(tmp_path: Path, receiver: Receiver) -> None:
    """Each with a delivery of its own."""
    async with forwarding(tmp_path / "data", receiver.url) as stack:
        await stack.post("s1", *ASKED)
        given = await asyncio.gather(*(answered(stack) for _ in range(20)))
    assert {status for status, _ in given} == {202}
    assert len({document["delivery"] for _, document in given}) == 20


async def test_the_service_forwards_as_it_is_configured_and_says_so(
    tmp_path: Path, receiver: Receiver
) -> None:
    """From the variables to the signed request; `welcome` tells a page that it may offer answers."""
    configured = {"TURNFOLD_ANSWERS_URL": receiver.url, "TURNFOLD_ANSWERS_SECRET": WRITTEN}
    async with served(environment(tmp_path, **configured)) as (client, _):
        await client.post("/v1/sessions/s1/events", params={"wait": "projected"}, json=ASKED)
        socket_url = str(client.base_url).replace("http", "ws", 1) + "/v1/ws"
        async with websockets.connect(socket_url, subprotocols=[Subprotocol("turnfold.v1.json")]) as socket:
            await socket.send('{"type": "hello"}')
            welcome = json.loads(await socket.recv())
        answer = await client.post("/v1/sessions/s1/interactions/a/b%3Fc", json={"outcome": "deny"})
    assert welcome["limits"]["max_answer_bytes"] == MAX_ANSWER_BYTES
    assert answer.status_code == 202
    ((_, headers, body),) = receiver.got
    timestamp_s = int(headers["webhook-timestamp"])
    assert headers["webhook-signature"] == signature(KEY, headers["webhook-id"], timestamp_s, body)
