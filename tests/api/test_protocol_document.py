"""docs/protocol.md is the protocol: its tables are the tables of the code, and its client works."""

import asyncio
import re
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from api import messages
from api.codes import CLOSES, ERRORS, CloseCode, ErrorCode, may_reconnect
from projections import deltas
from projections.desktop_values import (
    DesktopPresentation,
    Disclosure,
    Entry,
    Group,
    Header,
    Item,
    Title,
    Topology,
)
from projections.rows import Row
from projections.tui import TuiFooter, TuiPresentation, TuiStep
from projections.web import WebPresentation
from tests.api.socket_stack import canonical, serving_sockets
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "protocol.md").read_text()
EVERY_ROW_HAS = {"key", "turn", "step", "anchor", "bytes", "truncated", "heads"}


def tag_of(kind: type[msgspec.Struct]) -> str:
    """The name of a message, op or row on the wire."""
    return str(kind.__struct_config__.tag)


def section(title: str) -> str:
    """The text below a heading, to the next one."""
    return DOCUMENT.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


@pytest.mark.parametrize(
    "kind", [*get_args(messages.ClientMessage), *get_args(messages.ServerMessage)], ids=tag_of
)
def test_every_message_is_documented_with_its_fields(kind: type[msgspec.Struct]) -> None:
    """A stranger finds each message and each of its fields."""
    line = next(line for line in section("Messages").splitlines() if line.startswith(f"| `{tag_of(kind)}` |"))
    named = set(re.findall(r"`([a-z_]+)\??`", line))
    assert set(kind.__struct_encode_fields__) <= named


@pytest.mark.parametrize("kind", get_args(deltas.Op), ids=tag_of)
def test_every_op_is_documented_with_its_fields(kind: type[msgspec.Struct]) -> None:
    """`in` is described once, for all of them."""
    line = next(line for line in section("Applying").splitlines() if line.startswith(f"| `{tag_of(kind)}` |"))
    named = set(re.findall(r"`([a-z_]+)\??`", line))
    assert set(kind.__struct_encode_fields__) - {"in"} <= named


@pytest.mark.parametrize("kind", get_args(Row), ids=tag_of)
def test_every_row_is_documented_with_its_fields(kind: type[msgspec.Struct]) -> None:
    """What every row has is described once."""
    table = section("Turns and rows").splitlines()
    line = next(line for line in table if line.startswith(f"| `{tag_of(kind)}` |"))
    named = set(re.findall(r"`([a-z_]+)\??`", line))
    assert set(kind.__struct_encode_fields__) - EVERY_ROW_HAS <= named


@pytest.mark.parametrize("code", ErrorCode)
def test_every_error_code_is_in_the_table(code: ErrorCode) -> None:
    """With whether to try again, and whether the subscription is over."""
    entry = ERRORS[code]
    retry, ends = ("yes" if flag else "no" for flag in (entry.retry, entry.ends_subscription))
    assert f"| `{code}` | {retry} | {ends} | {entry.meaning} |" in section("Errors")


def test_close_codes_are_the_same_in_the_service_the_document_and_the_browser() -> None:
    """W-5: one table, code by code; `turnfold tail` reads the service's own."""
    ours = [(str(int(code)), CLOSES[code]) for code in CloseCode]
    assert re.findall(r"^\| (\d+) \| (.*) \|$", section("Close codes"), re.MULTILINE) == ours
    browser = (ROOT / "clients" / "web" / "src" / "close_codes.js").read_text()
    assert re.findall(r'^  (\d+): "(.*)",$', browser, re.MULTILINE) == ours


@pytest.mark.parametrize("code", CloseCode)
def test_a_close_code_says_by_its_number_whether_to_come_back(code: CloseCode) -> None:
    """W-5: 4000 to 4499 connect again, 4500 to 4999 do not; what a person has to change is among the latter."""
    assert 4000 <= code <= 4999
    assert may_reconnect(code) is (code < 4500)
    final = {CloseCode.UNAUTHENTICATED, CloseCode.NO_SUBPROTOCOL}
    assert may_reconnect(code) is (code not in final)


@pytest.mark.parametrize("code", CloseCode)
def test_a_close_frame_has_room_for_the_reason(code: CloseCode) -> None:
    """RFC 6455, 5.5: 125 bytes, two of them for the code."""
    assert len(CLOSES[code].encode()) <= 123


SHAPES = (
    WebPresentation, DesktopPresentation, Entry, Disclosure, Header, Item, Group, Topology, Title, TuiPresentation,
    TuiStep, TuiFooter,
)  # fmt: skip


@pytest.mark.parametrize("kind", SHAPES, ids=lambda kind: kind.__name__)
def test_every_shape_of_a_presentation_is_documented_with_its_fields(kind: type[msgspec.Struct]) -> None:
    """A stranger can draw each view from the document."""
    named = set(re.findall(r"`([a-z_]+)\??`", section("Presentations")))
    assert set(kind.__struct_encode_fields__) <= named


@pytest.mark.parametrize("view", ["web", "desktop", "tui"])
async def test_the_client_of_the_document_follows_a_session(tmp_path: Path, view: str) -> None:
    """It holds what the transcript shows: from the first snapshot, by deltas, and after a lost connection."""
    source = re.search(r"```python\n(.*?)```", section("A client"), re.DOTALL)
    assert source is not None
    client: dict[str, Any] = {}
    exec(source[1], client)  # noqa: S102 - running the document's example is what this test is for
    seen: dict[str, Any] = {"version": 0}

    def show(held: dict[str, Any], position: dict[str, Any] | None) -> None:
        seen.update(held=held, version=(position or {}).get("version", 0))

    async with serving_sockets(tmp_path) as service:
        url = f"ws://127.0.0.1:{service.port}/v1/ws"
        following = asyncio.create_task(client["follow"](url, "s1", show, {"kind": view}))
        for number, events in enumerate(EVENTS, 1):
            await service.stack.post("s1", *events)
            await wait_until(lambda number=number: seen["version"] == number, f"the client is at {number}")
            shown = (
                await service.stack.client.get("/v1/sessions/s1/transcript", params={"view": view})
            ).json()
            wanted = {"turns": shown["turns"], "session_rows": shown["session_rows"]}
            assert canonical(seen["held"]) == canonical(wanted)
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


def _in_turn(kind: str, /, **fields: object) -> dict[str, object]:
    return {"type": kind, "turn": 1, "step": 1, **fields}


EVENTS: list[list[dict[str, object]]] = [
    [
        {"type": "turn/start", "turn": 1},
        {"type": "user/message", "id": "u", "turn": 1, "content": [{"type": "text", "text": "?"}]},
    ],
    [
        _in_turn("assistant/chunk", index=0, kind="text", text="look"),
        {"type": "notice", "id": "n", "level": "info", "text": "!"},
    ],
    [_in_turn("assistant/chunk", index=0, kind="text", text="ing")],
    [_in_turn("tool/call", call_id="c", name="subagent", input={"a": 1})],
    [{"type": "tool/progress", "call_id": "c", "output": "half"}],
    [
        {"type": "turn/start", "turn": 1, "parent_call_id": "c"},
        _in_turn("assistant/message", blocks=[{"type": "text", "text": "inner"}], parent_call_id="c"),
    ],
    [{"type": "tool/progress", "call_id": "c", "output": "0123456789" * 2000}],
    [{"type": "tool/progress", "call_id": "c", "output": "more"}],
    [{"type": "tool/result", "call_id": "c", "status": "ok", "output": "done"}],
    [{"type": "assistant/message", "turn": 1, "step": 2, "blocks": [{"type": "text", "text": "answer"}]}],
    [{"type": "turn/end", "turn": 1, "reason": "completed"}],
    [{"type": "turn/start", "turn": 2}, {"type": "session/rewind", "before_turn": 2}],
]
