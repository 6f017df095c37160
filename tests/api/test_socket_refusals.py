"""What the socket refuses, how it says so, and what goes on after it: through real handshakes and frames."""

import time
from pathlib import Path
from typing import Any

import jwt
import msgspec
import pytest
from websockets.exceptions import InvalidStatus

from api.messages import Limits
from tests.api.socket_stack import Replica, SocketStack, serving_sockets
from tests.api.stack import SECRET


def token(**claims: Any) -> str:
    """A signed token."""
    return jwt.encode(claims, SECRET, algorithm="HS256")


async def refusal(service: SocketStack, **how: Any) -> dict[str, Any]:
    """The problem document of a handshake that must fail."""
    with pytest.raises(InvalidStatus) as caught:
        async with service.socket(hello=False, **how):
            pass
    problem: dict[str, Any] = msgspec.json.decode(caught.value.response.body or b"{}")
    return {"status": caught.value.response.status_code, **problem}


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ("{", "not_json"),
        ("", "not_json"),
        ("[]", "invalid_message"),
        ('{"type": "ping", "x": ' + "[" * 10_000, "not_json"),
        ('"hello"', "invalid_message"),
        ("{}", "unknown_type"),
        ('{"type": "shout"}', "unknown_type"),
        ('{"type": "subscribe", "sub": "a"}', "invalid_message"),
        ('{"type": "unsubscribe", "sub": "a"}', "no_such_sub"),
        ('{"type": "set_view", "sub": "a", "view": {"kind": "web"}}', "no_such_sub"),
        ('{"type": "load_earlier", "sub": "a"}', "no_such_sub"),
        ('{"type": "subscribe", "sub": "a", "session": "s 1", "view": {"kind": "web"}}', "invalid_message"),
        ('{"type": "subscribe", "sub": "a", "session": "s", "view": {"kind": "desk"}}', "invalid_message"),
        (
            '{"type": "subscribe", "sub": "a", "session": "s", "view": {"kind": "desktop", "mode": "compact"}}',
            "invalid_message",
        ),
        (
            '{"type": "set_view", "sub": "a", "view": {"kind": "desktop", "locale": "tlh"}}',
            "invalid_message",
        ),
        ('{"type": "set_view", "sub": "a", "view": {"kind": "tui", "phase": "open"}}', "invalid_message"),
        ('{"type": "hello"}', "unexpected_message"),
        (b"\x81\xa4type\xa4ping", "wrong_frame"),
        ('{"type": "ping", "x": "' + "x" * 70_000 + '"}', "message_too_large"),
    ],
)
async def test_rubbish_is_answered_and_the_socket_goes_on(
    tmp_path: Path, frame: str | bytes, code: str
) -> None:
    """Each refusal has its own code; the next message is served as if nothing had been."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await peer.connection.send(frame)
        error = await peer.next()
        assert (error["type"], error["code"]) == ("error", code)
        await peer.send(type="ping")
        assert (await peer.next())["type"] == "pong"


@pytest.mark.parametrize("offered", ["", "turnfold.v9.json"])
async def test_a_handshake_needs_a_subprotocol_of_ours(tmp_path: Path, offered: str) -> None:
    """It is refused over HTTP, and the answer names what may be offered."""
    async with serving_sockets(tmp_path) as service:
        problem = await refusal(service, subprotocol=offered)
        assert problem["status"] == 400
        assert "turnfold.v1.json" in problem["detail"]


async def test_a_handshake_from_a_foreign_page_is_refused(tmp_path: Path) -> None:
    """W-8: a page of another origin cannot use the reader's own service."""
    async with serving_sockets(tmp_path) as service:
        problem = await refusal(service, origin="https://elsewhere.example")
        assert (problem["status"], problem["code"]) == (403, "origin_not_allowed")
        async with service.socket(origin=f"http://127.0.0.1:{service.port}"):
            pass


async def test_a_stranger_must_say_hello_in_time(tmp_path: Path) -> None:
    """Without a valid `hello` the socket is closed, and coming back is right."""
    limits = Limits(hello_timeout_ms=50)
    async with (
        serving_sockets(tmp_path, secret=SECRET, limits=limits) as service,
        service.socket(hello=False) as peer,
    ):
        assert await peer.closed_with() == 4001


async def test_a_request_before_hello_is_refused(tmp_path: Path) -> None:
    """A stranger gets nothing but the chance to say who it is."""
    async with serving_sockets(tmp_path, secret=SECRET) as service, service.socket(hello=False) as peer:
        await peer.subscribe("a", "s1")
        error = await peer.next()
        assert (error["code"], error["sub"]) == ("unexpected_message", "a")
        await peer.send(type="hello", token=token())
        assert (await peer.next())["type"] == "welcome"


async def test_a_wrong_token_closes_the_socket_for_good(tmp_path: Path) -> None:
    """The close code is final: the same token will not do better."""
    async with serving_sockets(tmp_path, secret=SECRET) as service, service.socket(hello=False) as peer:
        await peer.send(type="hello", token="wrong")
        assert (await peer.next())["code"] == "unauthenticated"
        assert await peer.closed_with() == 4500


async def test_a_token_in_the_handshake_needs_no_hello(tmp_path: Path) -> None:
    """`welcome` comes before the answer to whatever is said first."""
    async with serving_sockets(tmp_path, secret=SECRET) as service:
        bearer = {"Authorization": f"Bearer {token()}"}
        async with service.socket(hello=False, headers=bearer) as peer:
            await peer.send(type="ping")
            assert [(await peer.next())["type"], (await peer.next())["type"]] == ["welcome", "pong"]


async def test_a_session_that_the_token_does_not_cover_is_forbidden(tmp_path: Path) -> None:
    """W-6: each subscription is checked by itself, and the list shows the covered sessions alone."""
    async with serving_sockets(tmp_path, secret=SECRET) as service:
        service.stack.client.headers["Authorization"] = f"Bearer {token(scope='write')}"
        for session in ("mine.1", "theirs.1"):
            await service.stack.post(session, {"type": "turn/start", "turn": 1})
        async with service.socket(token=token(sessions=["mine.*"])) as peer:
            await peer.subscribe("a", "theirs.1")
            assert (await peer.next())["code"] == "forbidden"
            await peer.subscribe("a", "mine.1")
            await Replica("a").live(peer)
            await peer.send(type="subscribe_sessions", sub="list")
            listed = (await peer.next_of("sessions"))["sessions"]
            assert [one["session"] for one in listed] == ["mine.1"]


async def test_an_expired_token_ends_subscriptions_and_a_fresh_one_goes_on(tmp_path: Path) -> None:
    """A warning, then `token_expired`; after `refresh` the client resumes by position, without a snapshot."""
    async with serving_sockets(tmp_path, secret=SECRET) as service:
        service.stack.client.headers["Authorization"] = f"Bearer {token(scope='write')}"
        await service.stack.post("s1", {"type": "turn/start", "turn": 1})
        async with service.socket(token=token(exp=int(time.time()) + 6)) as peer:
            assert (await peer.next())["code"] == "token_expiring"
            await peer.subscribe("a", "s1")
            held = await Replica("a").live(peer)
            assert (await peer.next_of("error", sub="a"))["code"] == "token_expired"
            await peer.send(type="refresh", token=token())
            assert (await peer.next_of("welcome"))["token_expires_at_ms"] is None
            await peer.subscribe("a", "s1", position=held.position)
            assert (await peer.next_of("snapshot", "caught_up"))["type"] == "caught_up"


async def test_messagepack_sockets_speak_the_same_messages(tmp_path: Path) -> None:
    """The other subprotocol: binary frames of the same structs."""
    async with (
        serving_sockets(tmp_path) as service,
        service.socket(hello=False, subprotocol="turnfold.v1.msgpack") as peer,
    ):
        await peer.connection.send(msgspec.msgpack.encode({"type": "hello"}))
        assert msgspec.msgpack.decode(await peer.connection.recv(decode=False))["type"] == "welcome"
        await peer.connection.send('{"type": "ping"}')
        assert msgspec.msgpack.decode(await peer.connection.recv(decode=False))["code"] == "wrong_frame"
