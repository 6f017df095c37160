"""Preferences over sockets: told at the welcome and at each change, and shown at once (B-1, C-4)."""

import asyncio
from pathlib import Path
from typing import Any

import jwt

from api.socket_preferences import SubjectPreferences
from service.connection_redis import ask, connect
from tests.api.socket_stack import SocketPeer, serving_sockets
from tests.api.stack import SECRET, Stack
from tests.api.test_socket_live import turn_of

DESKTOP = {"kind": "desktop", "mode": "fully-folded"}
DEFAULTS = {
    "presentation": "web",
    "transcript_view": "compact",
    "transcript_display_mode": "fully-folded",
    "show_thinking": True,
    "auto_collapse_settled_groups": True,
    "auto_collapse_thinking": True,
    "language": "auto",
}


async def shown(peer: SocketPeer, sub: str) -> dict[str, Any]:
    """The next whole snapshot of a subscription."""
    while True:
        snapshot = await peer.next_of("snapshot", sub=sub)
        if snapshot["last"]:
            return snapshot


async def test_a_change_is_shown_at_once_to_whoever_left_it_to_the_preferences(tmp_path: Path) -> None:
    """A new `view_rev` and a snapshot, without any event; a view that was asked for whole stays as it is."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await service.stack.post("s1", *turn_of(1))
        await peer.subscribe("left", "s1")
        await peer.subscribe("whole", "s1", view={"kind": "web", "mode": "compact"})
        assert (await shown(peer, "left"))["view"]["mode"] == "compact"
        assert (await shown(peer, "whole"))["view"]["mode"] == "compact"
        await service.stack.client.patch("/v1/preferences", json={"transcript_view": "normal"})
        told = await peer.next_of("preferences")
        assert told["preferences"] == {**DEFAULTS, "transcript_view": "normal"}
        again = await shown(peer, "left")
        assert (again["view"]["mode"], again["view_rev"]) == ("normal", 2)
        assert again["turns"][0]["presentation"]["answer"] is None
        await service.stack.post("s1", *turn_of(2))
        delta = await peer.next_of("delta", sub="whole")
        assert delta["view_rev"] == 1


async def test_a_preference_of_another_view_changes_nothing_that_is_shown(tmp_path: Path) -> None:
    """The client is told, and no snapshot follows."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await service.stack.post("s1", *turn_of(1))
        await peer.subscribe("a", "s1")
        await shown(peer, "a")
        await service.stack.client.patch("/v1/preferences", json={"show_thinking": False})
        assert (await peer.next_of("preferences"))["preferences"]["show_thinking"] is False
        await peer.send(type="ping")
        assert (await peer.next())["type"] == "pong"


async def test_the_welcome_tells_what_is_preferred_and_a_view_begins_by_it(tmp_path: Path) -> None:
    """Before anything is shown."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s1", *turn_of(1))
        chosen = {"show_thinking": False, "transcript_display_mode": "flat"}
        await service.stack.client.patch("/v1/preferences", json=chosen)
        async with service.socket(hello=False) as peer:
            await peer.send(type="hello")
            assert (await peer.next())["preferences"] == {**DEFAULTS, **chosen}
            await peer.subscribe("a", "s1", view={"kind": "desktop"})
            view = (await shown(peer, "a"))["view"]
            assert (view["mode"], view["thinking"], view["collapse_groups"]) == ("flat", False, True)


async def test_a_position_counts_only_for_the_view_it_was_reached_in(tmp_path: Path) -> None:
    """W-2: a preference that changed while the client was away gives a snapshot, not deltas of another view."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s1", *turn_of(1))
        async with service.socket() as peer:
            await peer.subscribe("a", "s1")
            held = await shown(peer, "a")
        coming_back = {"position": held["position"], "shown": held["view"]}
        async with service.socket() as peer:
            await peer.subscribe("a", "s1", **coming_back)
            assert (await peer.next())["type"] == "caught_up"
        await service.stack.client.patch("/v1/preferences", json={"transcript_view": "normal"})
        async with service.socket() as peer:
            await peer.subscribe("a", "s1", **coming_back)
            assert (await shown(peer, "a"))["view"]["mode"] == "normal"


async def test_subjects_are_told_of_their_own_alone(tmp_path: Path) -> None:
    """And a token that comes with `hello` counts from the welcome on."""
    async with serving_sockets(tmp_path, secret=SECRET) as service:
        ann, bob = (jwt.encode({"sub": name}, SECRET, algorithm="HS256") for name in ("ann", "bob"))
        async with service.socket(token=ann) as hers, service.socket(token=bob) as his:
            headers = {"authorization": f"Bearer {bob}"}
            await service.stack.client.patch(
                "/v1/preferences", json={"show_thinking": False}, headers=headers
            )
            assert (await his.next_of("preferences"))["preferences"]["show_thinking"] is False
            await hers.send(type="ping")
            assert (await hers.next())["type"] == "pong"


async def test_a_change_that_was_missed_is_told_when_the_store_is_back(tmp_path: Path) -> None:
    """The watch's connection is cut; what changed meanwhile is read again."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        client = connect(service.stack.url)
        await ask(client, "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        key = "turnfold:{preferences}:of:"
        await ask(client, "HSET", key, "show_thinking", "false")
        assert (await peer.next_of("preferences"))["preferences"]["show_thinking"] is False
        await client.aclose()


async def test_a_view_rev_of_before_is_void_for_set_view_too(tmp_path: Path) -> None:
    """A view that is set leaves out what it likes; the next change of a preference concerns what it left out."""
    async with serving_sockets(tmp_path) as service, service.socket() as peer:
        await service.stack.post("s1", *turn_of(1))
        await peer.subscribe("a", "s1", view=DESKTOP)
        await shown(peer, "a")
        await peer.send(type="set_view", sub="a", view={"kind": "desktop", "thinking": True})
        assert (await shown(peer, "a"))["view_rev"] == 2
        await service.stack.client.patch("/v1/preferences", json={"show_thinking": False})
        await peer.next_of("preferences")
        await service.stack.client.patch("/v1/preferences", json={"transcript_display_mode": "flat"})
        again = await shown(peer, "a")
        assert (again["view_rev"], again["view"]["mode"], again["view"]["thinking"]) == (3, "flat", True)


async def test_a_watch_ends_at_whatever_moment_it_is_cancelled(stack: Stack) -> None:
    """A cancellation that the Redis client loses must not keep a stopping service for ever."""
    followed = SubjectPreferences(stack.parts.preferences, lambda: [""], lambda *_: None)
    for moment in range(40):
        watching = asyncio.create_task(followed.watch())
        await asyncio.sleep(moment / 4_000)
        watching.cancel()
        async with asyncio.timeout(20):
            await asyncio.wait({watching})
