"""`/metrics` of a running service: each number is what happened, and nobody sees it who should not (R-15)."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from prometheus_client.parser import text_string_to_metric_families

from api.app import build_app
from api.hub_session import LiveSession
from api.metrics import EXPOSITION_TYPE
from projections.session import SessionFold
from service.connection_redis import ask
from service.keys import KeySpace, SessionId
from service.reader_redis import RedisReader
from service.source_redis import RedisSource
from service.stored import FeedEntry
from tests.api.socket_stack import Replica, SocketStack, serving_sockets
from tests.api.stack import SECRET, Stack, serving
from tests.waiting import wait_until

TURN = {"type": "turn/start", "turn": 1}


def notice(text: str, **more: object) -> dict[str, object]:
    """The simplest event that makes a row."""
    return {"type": "notice", "turn": 1, "id": text, "level": "info", "text": text, **more}


def bearer(**claims: Any) -> dict[str, str]:
    """The header of a signed token."""
    return {"authorization": f"Bearer {jwt.encode(claims, SECRET, algorithm='HS256')}"}


async def stream_entry(stack: Stack, *fields: str | bytes) -> None:
    """Write to the ingest stream as any client of the engine could."""
    source = stack.parts.source
    assert isinstance(source, RedisSource)
    await ask(source._client, "XADD", KeySpace(1).partitions[0].ingest, "*", *fields)


class Scrape:
    """One page of metrics."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.samples = [
            sample for family in text_string_to_metric_families(text) for sample in family.samples
        ]

    def __call__(self, name: str, **labels: str) -> float:
        """The value of the one sample with these labels; fails where there is none."""
        (found,) = [one.value for one in self.samples if one.name == name and one.labels == labels]
        return float(found)

    def has(self, name: str) -> bool:
        """Whether any sample has this name."""
        return any(one.name == name for one in self.samples)


async def scrape(stack: Stack, **headers: str) -> Scrape:
    """What the service says now."""
    answer = await stack.client.get("/metrics", headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == EXPOSITION_TYPE + "; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    return Scrape(answer.text)


async def socket_scrape(service: SocketStack) -> Scrape:
    """What the service with the sockets says now: on its own port, where they are."""
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{service.port}", timeout=50) as client:
        return Scrape((await client.get("/metrics")).text)


async def test_every_entry_of_the_stream_is_counted_once(stack: Stack) -> None:
    """Committed, duplicate, quarantined by reason, or dropped: the sum is what was appended."""
    await stack.post("gone", TURN)
    await stack.client.delete("/v1/sessions/gone")
    source = stack.parts.source
    bad = [b"\xff", b'{"type":', b'{"type":"turn/start"}', b'{"no":"type"}']
    # Past the door, as a producer of its own may: no event id is looked at there, and nothing is checked.
    await source.append(SessionId("s1"), bad, [None] * 4)
    raw = b'{"type":"notice","id":"n","level":"info","text":"x","event_id":"e"}'
    await source.append(SessionId("s1"), [raw, raw], [None, None])
    await stream_entry(stack, "e", raw)
    await stream_entry(stack, "s", "gone", "e", raw)
    await stack.post("s1", TURN)
    found = await scrape(stack)
    assert found("turnfold_committed_events_total") == 1 + 4 + 1 + 1
    assert found("turnfold_duplicate_events_total") == 1
    assert found("turnfold_dropped_events_total") == 1
    reasons = {"not_utf8": 1, "not_json": 1, "not_an_event": 2, "unaddressed": 1}
    for reason, count in reasons.items():
        assert found("turnfold_quarantined_events_total", reason=reason) == count
    assert found("turnfold_quarantined_entries") == 5
    assert found("turnfold_sessions") == 1


async def test_commits_are_counted_and_timed(stack: Stack) -> None:
    """As many as the store answered to; each with the time that folding it took."""
    for number in range(3):
        await stack.post("s1", notice(f"n{number}"))
    found = await scrape(stack)
    count = found("turnfold_commits_total", outcome="committed")
    assert count == 3
    assert found("turnfold_commit_seconds_count") == found("turnfold_fold_seconds_count") == count
    assert 0 < found("turnfold_commit_seconds_sum") < 10
    assert found("turnfold_commits_total", outcome="fenced") == 0


async def test_a_session_is_counted_as_parked_once(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-9: at the event where its fold raised; its later events park nothing more."""
    await stack.post("s1", TURN)

    def broken(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(SessionFold, "apply", broken)
    await stack.post("s1", notice("a"), wait=False)
    await stack.post("s1", notice("b"), wait=False)

    async def committed() -> bool:
        return (await scrape(stack))("turnfold_committed_events_total") == 3

    await wait_until(committed, "all three events are in the log")
    assert (await scrape(stack))("turnfold_parked_sessions_total") == 1


async def test_lag_is_what_waits_for_a_projector(tmp_path: Path) -> None:
    """In events and in seconds, for each partition."""
    async with serving(tmp_path, projecting=False) as stack:
        await stack.parts.store.take_ownership(0)
        assert (await scrape(stack))("turnfold_lag_events", partition="0") == 0
        await stack.post("s1", TURN, notice("a"), wait=False)

        async def older() -> bool:
            return (await scrape(stack))("turnfold_lag_seconds", partition="0") >= 0.01

        await wait_until(older, "the events are 10 ms old")
        assert (await scrape(stack))("turnfold_lag_events", partition="0") == 2


async def test_metrics_are_there_without_the_store(stack: Stack) -> None:
    """What is not known is left out; what was counted stays."""
    await stack.post("s1", TURN)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(
            app=build_app(  # type: ignore[arg-type]  # httpx and Litestar name the same protocol
                replace(stack.parts, reader=RedisReader("redis://127.0.0.1:1", KeySpace(1)))
            )
        ),
        base_url="http://localhost",
    ) as client:
        found = Scrape((await client.get("/metrics")).text)
        assert (await client.get("/readyz")).status_code == 503
    assert (found("turnfold_ready"), found("turnfold_store_up")) == (0, 0)
    assert not found.has("turnfold_lag_events")
    assert not found.has("turnfold_sessions")
    assert found("turnfold_committed_events_total") == 1


async def test_a_draining_process_is_not_ready(stack: Stack) -> None:
    """R-14: it still answers the scraper, and its store is well."""
    assert (await scrape(stack))("turnfold_ready") == 1
    stack.parts.readiness.drain()
    found = await scrape(stack)
    assert (found("turnfold_ready"), found("turnfold_store_up")) == (0, 1)
    assert found("turnfold_lag_events", partition="0") == 0


async def test_requests_are_counted_by_pattern_and_status(stack: Stack) -> None:
    """Never by path: label values stay few, and no session's name is among them."""
    for path in ("secret-name-1", "secret-name-2"):
        await stack.client.get(f"/v1/sessions/{path}")
    await stack.client.get("/secret-name-3")
    await stack.client.get("/livez", headers={"host": "secret-name-4.example"})
    await stack.client.request("SECRET-NAME-5", "/livez")
    found = await scrape(stack)
    route = "/v1/sessions/{session}"
    assert found("turnfold_http_requests_total", method="GET", route=route, status="404") == 2
    assert found("turnfold_http_requests_total", method="GET", route="none", status="404") == 1
    assert found("turnfold_http_requests_total", method="GET", route="none", status="421") == 1
    assert found("turnfold_http_requests_total", method="other", route="none", status="405") == 1
    assert found("turnfold_http_request_seconds_count", route=route) == 2
    assert "secret-name" not in found.text.lower()


async def test_two_services_of_one_process_count_for_themselves(tmp_path: Path) -> None:
    """No registry is shared."""
    async with serving(tmp_path / "a") as one, serving(tmp_path / "b") as other:
        await one.post("s1", TURN)
        assert (await scrape(one))("turnfold_committed_events_total") == 1
        assert (await scrape(other))("turnfold_committed_events_total") == 0


async def test_only_an_admin_sees_metrics_and_status(tmp_path: Path) -> None:
    """W-8, R-16: they tell of all sessions; a scraper's token covers none and sees no quarantine."""
    scraper = bearer(scope="admin", sessions=[])
    async with serving(tmp_path, secret=SECRET) as stack:
        for path in ("/metrics", "/v1/admin/status"):
            assert (await stack.client.get(path)).json()["code"] == "token_missing"
            reader = await stack.client.get(path, headers=bearer(scope="read write"))
            assert reader.json()["code"] == "scope_missing"
            assert (await stack.client.get(path, headers=scraper)).status_code == 200
        for query in ({}, {"session": "s1"}):
            refused = await stack.client.get("/v1/admin/quarantine", params=query, headers=scraper)
            assert refused.json()["code"] == "session_forbidden"


async def test_subscriptions_are_counted_by_how_they_begin(tmp_path: Path) -> None:
    """W-2: resumed, or a snapshot and why."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await service.stack.post("s1", TURN)
        await peer.subscribe("a", "s1")
        held = await Replica("a").live(peer)
        asked: tuple[dict[str, Any], ...] = (
            {"position": held.position},
            {"position": {**held.position, "epoch": "another"}},
            {"position": {**held.position, "version": 99}},
            {"position": held.position, "from_turn": 7},
        )
        for number, fields in enumerate(asked):
            await peer.subscribe(f"b{number}", "s1", **fields)
            await peer.next_of("snapshot", "caught_up", sub=f"b{number}")
        found = await socket_scrape(service)
        assert found("turnfold_resumes_total", outcome="resumed", reason="") == 1
        for reason in ("no_position", "epoch", "ahead", "window"):
            assert found("turnfold_resumes_total", outcome="snapshot", reason=reason) == 1
        assert (found("turnfold_sockets"), found("turnfold_subscriptions")) == (1, 5)
        assert found("turnfold_held_sessions") == 1
        route = "/v1/ws"
        assert found("turnfold_http_requests_total", method="GET", route=route, status="101") == 1


async def test_a_delta_counts_for_each_subscriber_and_its_frame_once(tmp_path: Path) -> None:
    """W-3: encoded once, shared by all of a view; the broadcast is timed once."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await service.stack.post("s1", TURN)
        replicas = []
        for sub in ("a", "b", "c"):
            await peer.subscribe(sub, "s1")
            replicas.append(await Replica(sub).live(peer))
        await service.stack.post("s1", notice("ü"))
        delta = await peer.next_of("delta", sub="c")
        assert delta["to"] == 2
        found = await socket_scrape(service)
        assert found("turnfold_deliveries_total") == 3
        assert found("turnfold_broadcast_seconds_count") == 1
        assert found("turnfold_frame_bytes_count", type="delta") == 1
        assert found("turnfold_frame_bytes_count", type="snapshot") == 1
        tail = len(str(delta["ops"]).encode())
        assert tail / 2 < found("turnfold_frame_bytes_sum", type="delta") < tail * 2


@pytest.mark.parametrize("is_known", [True, False], ids=["the feed repeats a commit", "the session appears"])
async def test_a_broadcast_is_timed_from_its_own_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_known: bool
) -> None:
    """Not from one before it that the feed repeated, or that came as a snapshot: idle time is no delay."""
    told: list[tuple[LiveSession, FeedEntry]] = []
    announce = LiveSession.announce

    def noted(self: LiveSession, entry: FeedEntry) -> None:
        announce(self, entry)
        told.append((self, entry))

    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        if is_known:
            await service.stack.post("s1", notice("a"))
        await peer.subscribe("a", "s1")
        held = await Replica("a").live(peer)
        before = held.version
        monkeypatch.setattr(LiveSession, "announce", noted)
        await service.stack.post("s1", notice("b"))
        await held.until(peer, before + 1)
        announce(*told[-1])  # as the feed does that comes late
        count = 1 if is_known else 0
        found = await socket_scrape(service)
        assert found("turnfold_broadcast_seconds_count") == count
        earlier_s = found("turnfold_broadcast_seconds_sum")
        await asyncio.sleep(0.5)
        began = time.perf_counter()
        await service.stack.post("s1", notice("c"))
        await held.until(peer, before + 2)
        took_s = time.perf_counter() - began
        found = await socket_scrape(service)
        assert found("turnfold_broadcast_seconds_count") == count + 1
        assert 0 < found("turnfold_broadcast_seconds_sum") - earlier_s <= took_s


async def test_a_client_that_does_not_read_is_counted_as_slow(tmp_path: Path) -> None:
    """W-4: skipped to a snapshot, which `reset` announces; and each close of ours by its code."""
    async with serving_sockets(tmp_path, flush_ms=1) as service, service.socket() as slow:
        await service.stack.post("s1", TURN)
        await slow.subscribe("a", "s1")
        held = await Replica("a").live(slow)
        slow.connection.transport.pause_reading()
        posted = 0
        while (await socket_scrape(service))("turnfold_slow_clients_total", reaction="skipped") == 0:
            posted += 1
            assert posted < 200, "the bound of unsent bytes was never reached"
            await service.stack.post("s1", notice(f"{posted}" + "y" * 200_000))
        slow.connection.transport.resume_reading()
        await held.until(slow, posted + 1)
        found = await socket_scrape(service)
        assert found("turnfold_slow_clients_total", reaction="skipped") == 1
        assert found("turnfold_resets_total", reason="slow") == 1
        await service.live.drain(within_s=2)
        assert (await socket_scrape(service))("turnfold_socket_closes_total", code="4000") == 1
