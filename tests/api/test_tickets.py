"""Tickets (R-16): a browser opens a socket with one, and what the token may not see the ticket does not see either."""

import time
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest

from tests.api.socket_stack import SocketStack, serving_sockets
from tests.api.stack import SECRET
from tests.waiting import wait_until


def token(**claims: Any) -> str:
    """A signed token."""
    return jwt.encode(claims, SECRET, algorithm="HS256")


async def ask(service: SocketStack, bearer: str | None = None, **headers: str) -> httpx.Response:
    """Ask for a ticket."""
    sent = {"content-type": "application/json", **headers}
    if bearer is not None:
        sent["authorization"] = f"Bearer {bearer}"
    return await service.stack.client.post("/v1/tickets", content="{}", headers=sent)


async def ticket_of(service: SocketStack, bearer: str) -> str:
    """A ticket for a token."""
    answer = await ask(service, bearer)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["ticket"])


async def test_a_ticket_opens_one_socket(tmp_path: Path) -> None:
    """Without a token; the second socket that shows it is closed for good, and the answer says why."""
    async with serving_sockets(tmp_path, secret=SECRET) as service:
        ticket = await ticket_of(service, token(sub="ann"))
        async with service.socket(hello=False) as peer:
            await peer.send(type="hello", ticket=ticket)
            assert (await peer.next())["type"] == "welcome"
            await peer.subscribe("a", "s1")
            await peer.next_of("snapshot", sub="a")
        async with service.socket(hello=False) as thief:
            await thief.send(type="hello", ticket=ticket)
            refused = await thief.next()
            assert (refused["code"], refused["retry"]) == ("unauthenticated", False)
            assert "used before" in refused["message"]
            assert await thief.closed_with() == 4500


async def test_the_answer_is_nobodys_to_keep(tmp_path: Path) -> None:
    """It says how long the ticket is good, and no cache may hold it."""
    async with serving_sockets(tmp_path, secret=SECRET) as service:
        answer = await ask(service, token())
        assert answer.json()["expires_in_ms"] == 30_000
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("bearer", "status", "code"),
    [(None, 401, "token_missing"), ("x", 401, "token_invalid"), (token(scope="write"), 403, "scope_missing")],
)
async def test_who_may_not_read_gets_no_ticket(
    tmp_path: Path, bearer: str | None, status: int, code: str
) -> None:
    """A ticket is no way around a token."""
    async with serving_sockets(tmp_path, secret=SECRET) as service:
        answer = await ask(service, bearer)
        assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_a_page_of_a_foreign_origin_gets_no_ticket(tmp_path: Path) -> None:
    """W-8: nor does a form, which can say no JSON."""
    async with serving_sockets(tmp_path) as service:
        answer = await ask(service, origin="https://elsewhere.example")
        assert answer.json()["code"] == "origin_not_allowed"
        posted = await service.stack.client.post("/v1/tickets", data={"a": "b"})
        assert posted.json()["code"] == "content_type_unsupported"


async def test_a_ticket_sees_what_its_token_sees(tmp_path: Path) -> None:
    """Session patterns and the end of the token come along; a grander scope does not."""
    ends_s = int(time.time()) + 3_600
    async with serving_sockets(tmp_path, secret=SECRET) as service, service.socket(hello=False) as peer:
        ticket = await ticket_of(
            service, token(sub="ann", scope="read admin", sessions=["mine-*"], exp=ends_s)
        )
        await peer.send(type="hello", ticket=ticket)
        assert (await peer.next())["token_expires_at_ms"] == ends_s * 1000
        await peer.subscribe("a", "mine-1")
        await peer.next_of("snapshot", sub="a")
        await peer.subscribe("b", "yours-1")
        assert (await peer.next_of("error", sub="b"))["code"] == "forbidden"


async def test_a_ticket_ends_with_its_token(tmp_path: Path) -> None:
    """A token that expired meanwhile is not made longer by a ticket."""
    async with serving_sockets(tmp_path, secret=SECRET) as service, service.socket(hello=False) as peer:
        ends_s = int(time.time()) + 6
        ticket = await ticket_of(service, token(exp=ends_s))
        await wait_until(lambda: time.time() >= ends_s, "the token has expired", within_s=20)
        await peer.send(type="hello", ticket=ticket)
        assert "is over" in (await peer.next())["message"]


async def test_a_ticket_renews_an_open_socket(tmp_path: Path) -> None:
    """`refresh` takes one too: subscriptions stay, and a used one is refused without ending anything."""
    async with serving_sockets(tmp_path, secret=SECRET) as service, service.socket(hello=False) as peer:
        await peer.send(type="hello", ticket=await ticket_of(service, token(exp=int(time.time()) + 600)))
        await peer.next()
        await peer.subscribe("a", "s1")
        await peer.next_of("snapshot", sub="a")
        ends_s = int(time.time()) + 3_600
        fresh = await ticket_of(service, token(exp=ends_s))
        await peer.send(type="refresh", ticket=fresh)
        assert (await peer.next_of("welcome"))["token_expires_at_ms"] == ends_s * 1000
        await peer.send(type="refresh", ticket=fresh)
        assert (await peer.next_of("error"))["code"] == "unauthenticated"
        await service.stack.client.post(
            "/v1/sessions/s1/events",
            json={"type": "notice", "id": "n", "level": "info", "text": "still here"},
            headers={"authorization": f"Bearer {token(scope='write')}"},
        )
        assert (await peer.next_of("snapshot", "delta", sub="a"))["sub"] == "a"


@pytest.mark.parametrize(
    "said", [{"token": "a", "ticket": "b"}, {"ticket": ""}, {"ticket": 1}, {"ticket": "x" * 9_000}]
)
async def test_a_hello_that_says_two_things_or_none_is_refused(tmp_path: Path, said: dict[str, Any]) -> None:
    """The socket goes on, and the right `hello` is taken."""
    async with serving_sockets(tmp_path, secret=SECRET) as service, service.socket(hello=False) as peer:
        await peer.send(type="hello", **said)
        assert (await peer.next())["code"] == "invalid_message"
        await peer.send(type="hello", token=token())
        assert (await peer.next())["type"] == "welcome"


async def test_where_nobody_is_asked_a_ticket_is_as_good_as_none(tmp_path: Path) -> None:
    """Without authentication a client that uses tickets works as it is."""
    async with serving_sockets(tmp_path) as service, service.socket(hello=False) as peer:
        assert (await ask(service)).status_code == 201
        await peer.send(type="hello", ticket="whatever")
        assert (await peer.next())["type"] == "welcome"


async def test_a_ticket_is_in_no_log_and_no_metric(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Neither a good one nor a refused one."""
    async with serving_sockets(tmp_path, secret=SECRET) as service:
        ticket = await ticket_of(service, token(scope="read admin"))
        async with service.socket(hello=False) as peer:
            await peer.send(type="hello", ticket=ticket)
            await peer.next()
        headers = {"authorization": f"Bearer {token(scope='admin')}"}
        assert ticket not in (await service.stack.client.get("/metrics", headers=headers)).text
    captured = capfd.readouterr()
    assert ticket not in captured.out + captured.err
