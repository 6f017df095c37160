"""Content of strangers on the screen: no escape, no control, no turned order, no markup, no torn row."""

import re
from pathlib import Path
from typing import Any

import pytest

from clients.tui.harmless import harmless
from tests.api.socket_stack import serving_sockets
from tests.tui.driving import terminal
from tests.tui.test_app import url_of

BAD = (
    "a\x1b[2J\x1b]0;title\x07\x9b31m b\u202ecod\u2066x \r\x00\x08 [red]m[/red] :smile: "
    "\u200d\ufe0f \u0301\u0301 e\u2028f"
)
FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
LOG: list[dict[str, Any]] = [
    {"type": "session/meta", "title": BAD},
    {"type": "turn/start", "turn": 1},
    {"type": "user/message", "turn": 1, "id": "u", "content": [{"type": "text", "text": BAD}, {"type": BAD}]},
    {"type": "context/inject", "turn": 1, "id": "x", "source": BAD, "content": [{"type": "text", "text": BAD}]},
    {"type": "tool/call", "turn": 1, "step": 1, "call_id": BAD, "name": BAD, "input": {BAD: [BAD]}},
    {"type": "tool/result", "call_id": BAD, "status": "error", "output": BAD, "error": {BAD: BAD}},
    {"type": "command/run", "turn": 1, "id": "k", "name": BAD, "input": BAD},
    {"type": "interaction/request", "turn": 1, "id": "p", "kind": "question", "title": BAD, "payload": {BAD: BAD}},
    {"type": "notice", "id": "n", "level": "error", "text": BAD},
    {"type": "llm/retry", "turn": 1, "step": 2, "retry_id": "r", "retry": 1, "failure": {"message": BAD}},
    {"type": "compaction", "turn": 1, "id": "z", "status": "done", "summary": BAD},
    {"type": "odd/type", "turn": 1, "visible": True, "title": BAD, "payload": BAD},
    {"type": "user/steering", "turn": 1, "id": "q", "state": "queued", "content": [{"type": "text", "text": BAD}]},
    {
        "type": "assistant/message", "turn": 1, "step": 3,
        "blocks": [{"type": "reasoning", "text": BAD}, {"type": "text", "text": BAD + "\n```\n" + BAD}],
    },
]  # fmt: skip
END = {"type": "turn/end", "turn": 1, "reason": BAD, "error": {"code": BAD, "message": BAD}}


@pytest.mark.parametrize("width", [40, 200])
async def test_nothing_of_a_stranger_reaches_the_terminal_as_it_is(tmp_path: Path, width: int) -> None:
    """In every field, every phase, and the search and the help line as well; each row is as wide as the screen."""
    async with serving_sockets(tmp_path) as service:
        for event in [*LOG, END]:
            await service.stack.post("s", event)
        async with terminal(url_of(service), "s", size=(width, 120)) as screen:
            for _ in range(3):
                await screen.shows("␛[2J")
                await screen.shows("[red]m[/red]")
                for row in screen.rows():
                    assert FORBIDDEN.search(row) is None, repr(row)
                assert screen.widths() == {width}
                await screen.press("ctrl+o")
                await screen.pilot.pause(0.2)


async def test_a_line_of_megabytes_is_shown_row_by_row(tmp_path: Path) -> None:
    """Without a space, and streamed: the screen answers all the while."""
    chunk = {
        "type": "assistant/chunk",
        "turn": 1,
        "step": 1,
        "index": 0,
        "kind": "text",
        "text": "x" * 200_000,
    }
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s", {"type": "turn/start", "turn": 1})
        async with terminal(url_of(service), "s") as screen:
            for _ in range(10):
                await service.stack.post("s", chunk)
            await service.stack.post("s", {**chunk, "text": " the end"})
            await screen.shows("the end", within_s=30)
            await screen.press("pageup")
            assert screen.rows()[5].startswith("  xxxxxxxxxx")


def test_signs_stand_for_what_steers() -> None:
    """One sign for one character, and what is harmless stays."""
    assert harmless("a\x1bb\x9bc\u202ed") == "a␛b\ufffdc\ufffdd"
    assert harmless("één 三 \U0001f600\n") == "één 三 \U0001f600\n"
    assert harmless("a\r\nb\tc") == "a\nb    c"
