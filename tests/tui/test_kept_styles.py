"""What a reader sees beside letters – colour, ground, weight – of the main states, kept as text (issue 5).

The screens of `test_kept_screens` have the letters; these have each style before the text that bears it, so that a
difference reads as the rows that look otherwise. `TURNFOLD_TEST_KEEP_SCREENS=1` writes them anew; look at them, and at
the terminal, before they are committed.
"""

import difflib
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.api.test_http_interactions import Receiver, receiver
from tests.clients.wire_service import Process
from tests.tui.driving import Terminal, settled, terminal
from tests.tui.test_answering import forwarding

__all__ = ["receiver"]

KEPT = Path(__file__).parent / "styles_kept"
THEMES = ("terminal", "dark", "light", "none")
SIZE = (72, 34)
DIFF = "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new"
LOG: list[dict[str, Any]] = [
    {"type": "session/meta", "title": "Fix the build"},
    {"type": "turn/start", "turn": 1},
    {"type": "user/message", "turn": 1, "id": "u", "content": [{"type": "text", "text": "Fix `make`, please."}]},
    {"type": "context/inject", "turn": 1, "id": "x", "source": "file", "content": [{"type": "text", "text": "notes"}]},
    {"type": "llm/retry", "turn": 1, "step": 1, "retry_id": "r", "retry": 1, "failure": {"message": "reset"}},
    {
        "type": "tool/call", "turn": 1, "step": 1, "call_id": "c1", "name": "edit", "input": {"file_path": "Makefile"},
    },
    {
        "type": "tool/result", "call_id": "c1", "status": "ok",
        "output": [{"type": "diff", "path": "Makefile", "unified": DIFF}],
    },
    {"type": "tool/call", "turn": 1, "step": 1, "call_id": "c2", "name": "bash", "input": {"command": "make"}},
    {"type": "tool/result", "call_id": "c2", "status": "error", "output": "it failed"},
    {"type": "notice", "turn": 1, "id": "n", "level": "warning", "text": "Little room is left."},
    {
        "type": "assistant/message", "turn": 1, "step": 2,
        "blocks": [
            {"type": "reasoning", "text": "What is wrong?"},
            {"type": "text", "text": "# Done\n\nIt **works** now, see `Makefile`.\n\n```\nmake all\n```"},
        ],
    },
    {"type": "turn/end", "turn": 1, "reason": "failed", "error": {"code": "e1", "message": "It broke."}},
]  # fmt: skip
OPEN: list[dict[str, Any]] = [
    {"type": "turn/start", "turn": 2},
    {"type": "tool/call", "turn": 2, "step": 1, "call_id": "c3", "name": "bash", "input": {"command": "sleep 9"}},
    {
        "type": "interaction/request", "turn": 2, "id": "p", "kind": "permission", "title": "Push it?",
        "payload": {"command": "git push", "options": [{"id": "once", "label": "Once", "description": "this"}, "No"]},
    },
]  # fmt: skip


async def _transcript(_: Process, screen: Terminal) -> None:
    await screen.shows("— failed")
    await screen.press("g")


async def _search(_: Process, screen: Terminal) -> None:
    await screen.shows("— failed")
    await screen.press("g", "/", *"make", "enter")
    await screen.shows("1 of")


async def _help(_: Process, screen: Terminal) -> None:
    await screen.shows("— failed")
    await screen.press("?")
    await screen.shows("this page")


async def _answer(service: Process, screen: Terminal) -> None:
    await service.append("s", *OPEN)
    await screen.shows("(a)")
    await screen.press("a", "down")
    await screen.shows("› 2 No")


async def _sessions(service: Process, screen: Terminal) -> None:
    await screen.shows("Fix the build")
    # All three changed a moment ago, however slow the machine is.
    await service.append("s", {"type": "notice", "id": "n2", "level": "info", "text": "on"})
    await service.append("b", {"type": "session/meta", "title": "Release"}, OPEN[0])
    await screen.shows("Release")
    await service.append("c", {"type": "session/meta", "title": "Waits"}, *OPEN)
    await screen.shows("Waits")


STATES: dict[str, tuple[str | None, str, Callable[[Process, Terminal], Awaitable[None]]]] = {
    "collapsed": ("s", "collapsed", _transcript),
    "expanded": ("s", "expanded", _transcript),
    "search": ("s", "collapsed", _search),
    "help": ("s", "collapsed", _help),
    "answer": ("s", "collapsed", _answer),
    "sessions": (None, "collapsed", _sessions),
}


@pytest.mark.timeout(240)  # six screens, one after the other
@pytest.mark.parametrize("theme", THEMES)
async def test_each_state_looks_as_it_was_kept(
    tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, theme: str
) -> None:
    """In our two themes, in the terminal's own colours, and without any."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    if theme == "none":
        monkeypatch.setenv("NO_COLOR", "1")
    seen: dict[str, str] = {}
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", *LOG)
        for name, (session, phase, reach) in STATES.items():
            shown = "terminal" if theme == "none" else theme
            async with terminal(service.url, session, size=SIZE, phase=phase, theme=shown) as screen:
                await reach(service, screen)
                seen[name] = await settled(screen, screen.styled) + "\n"
    wrong = [_difference(f"{name}-{theme}", shown) for name, shown in seen.items()]
    assert not any(wrong), "\n".join(part for part in wrong if part)


def _difference(name: str, shown: str) -> str:
    kept = KEPT / f"{name}.txt"
    if os.environ.get("TURNFOLD_TEST_KEEP_SCREENS"):
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(shown, encoding="utf-8")
    before = kept.read_text(encoding="utf-8") if kept.exists() else ""
    lines = difflib.unified_diff(before.splitlines(), shown.splitlines(), f"kept {name}", "now", lineterm="")
    return "\n".join(lines)


def test_no_kept_state_is_left_over_and_none_without_colour_has_one() -> None:
    """Each file has its case; without colours, weights alone tell things apart."""
    assert {path.stem for path in KEPT.glob("*.txt")} == {
        f"{name}-{theme}" for name in STATES for theme in THEMES
    }
    for path in KEPT.glob("*-none.txt"):
        marks = {part.split("⟩")[0] for part in path.read_text(encoding="utf-8").split("⟨")[1:]}
        weights = {"bold", "italic", "reverse", "underline", "dim"}
        assert {word for mark in marks for word in mark.split()} <= weights, path.name
