"""Preferences over HTTP: durable, per subject, normalised on read, refused when invalid on write (B-1, C-4)."""

from pathlib import Path

import jwt
import msgspec
import pytest

from tests.api.stack import Stack, serving

SECRET = "preferences-test-secret-of-32-bytes!"
DEFAULTS = {
    "presentation": "web",
    "transcript_view": "compact",
    "transcript_display_mode": "fully-folded",
    "show_thinking": True,
    "auto_collapse_settled_groups": True,
    "auto_collapse_thinking": True,
    "language": "auto",
}


async def test_preferences_are_the_defaults_until_they_are_changed(stack: Stack) -> None:
    """And a change is answered with all of them."""
    assert (await stack.client.get("/v1/preferences")).json() == DEFAULTS
    changed = await stack.client.patch("/v1/preferences", json={"show_thinking": False})
    assert (changed.status_code, changed.json()) == (200, {**DEFAULTS, "show_thinking": False})
    assert (await stack.client.get("/v1/preferences")).json() == {**DEFAULTS, "show_thinking": False}


async def test_an_invalid_value_is_refused_with_the_reason_and_nothing_is_kept(stack: Stack) -> None:
    """C-4: what, where and what to do."""
    asked = {"show_thinking": False, "transcript_display_mode": "folded"}
    refused = await stack.client.patch("/v1/preferences", json=asked)
    problem = refused.json()
    assert (refused.status_code, problem["code"]) == (400, "invalid_preference")
    assert problem["where"] == "field transcript_display_mode"
    assert "flat, command-first, fully-folded" in problem["detail"]
    assert (await stack.client.get("/v1/preferences")).json() == DEFAULTS


@pytest.mark.parametrize("body", [b"", b"[]", b"1", b"{", b'{"show_thinking":}', b"\xff", b"[" * 5_000])
async def test_a_body_that_is_no_object_is_refused(stack: Stack, body: bytes) -> None:
    """Whatever comes."""
    headers = {"content-type": "application/json"}
    refused = await stack.client.patch("/v1/preferences", content=body, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (400, "malformed_body")


async def test_preferences_are_offered_as_messagepack(stack: Stack) -> None:
    """Both ways."""
    kind = "application/msgpack"
    answer = await stack.client.patch(
        "/v1/preferences",
        content=msgspec.msgpack.encode({"transcript_view": "normal", "show_thinking": None}),
        headers={"content-type": kind, "accept": kind},
    )
    assert msgspec.msgpack.decode(answer.content) == {**DEFAULTS, "transcript_view": "normal"}


async def test_each_subject_has_its_own(tmp_path: Path) -> None:
    """The token says whose they are; without one nothing is told."""
    async with serving(tmp_path, secret=SECRET) as stack:
        ann, bob = (
            {"authorization": f"Bearer {jwt.encode({'sub': name}, SECRET, algorithm='HS256')}"}
            for name in ("ann", "bob")
        )
        await stack.client.patch("/v1/preferences", json={"show_thinking": False}, headers=ann)
        assert (await stack.client.get("/v1/preferences", headers=ann)).json()["show_thinking"] is False
        assert (await stack.client.get("/v1/preferences", headers=bob)).json()["show_thinking"] is True
        assert (await stack.client.get("/v1/preferences")).status_code == 401


async def test_a_view_takes_what_was_not_asked_for_from_the_preferences(stack: Stack) -> None:
    """A missing parameter is the preference, one that is given wins; no event and no row changes (`wire.md`)."""
    turn = {"type": "turn/start", "turn": 1}
    await stack.post("s1", turn)
    chosen = {
        "presentation": "desktop",
        "transcript_view": "normal",
        "transcript_display_mode": "flat",
        "show_thinking": False,
        "auto_collapse_settled_groups": False,
        "auto_collapse_thinking": False,
        "language": "zh-CN",
    }
    plain = (await stack.client.get("/v1/sessions/s1/transcript")).json()
    log = (await stack.client.get("/v1/sessions/s1/events")).content
    assert (await stack.client.patch("/v1/preferences", json=chosen)).json() == chosen
    assert (await stack.client.get("/v1/sessions/s1/events")).content == log

    async def view_of(**parameters: str) -> dict[str, object]:
        answer = await stack.client.get("/v1/sessions/s1/transcript", params=parameters)
        transcript = answer.json()
        assert [one["rows"] for one in transcript["turns"]] == [one["rows"] for one in plain["turns"]]
        found: dict[str, object] = transcript["view"]
        return found

    assert (await view_of())["mode"] == "normal"
    assert (await view_of(mode="compact"))["mode"] == "compact"
    assert await view_of(view="desktop") == {
        "kind": "desktop",
        "mode": "flat",
        "thinking": False,
        "collapse_groups": False,
        "collapse_thinking": False,
        "locale": "en",
    }
    given = await view_of(view="desktop", mode="command-first", thinking="true", locale="zh-CN")
    assert (given["mode"], given["thinking"], given["collapse_groups"]) == ("command-first", True, False)
    assert await view_of(view="tui") == {"kind": "tui", "phase": "collapsed", "reasoning": True}


async def test_a_changed_preference_is_another_answer(stack: Stack) -> None:
    """The validator of before does not fit any more."""
    await stack.post("s1", {"type": "turn/start", "turn": 1})
    tag = (await stack.client.get("/v1/sessions/s1/transcript")).headers["etag"]
    await stack.client.patch("/v1/preferences", json={"transcript_view": "normal"})
    again = await stack.client.get("/v1/sessions/s1/transcript", headers={"if-none-match": tag})
    assert (again.status_code, again.json()["view"]["mode"]) == (200, "normal")
