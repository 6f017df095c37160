"""The page's main states, each brought about as a session would: what they are looked at for is the tests' affair."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.service import Event
from tests.browser.transcript_page import TranscriptPage, text, turn_end, turn_with_tool

DIFF = {"type": "diff", "path": "notes/list.py", "unified": "@@ -1,2 +1,2 @@\n-old line\n+new line\n same\n"}
FAILED: Event = {
    "type": "turn/end", "turn": 1, "reason": "failed", "error": {"code": "overloaded", "message": "Try later."},
}  # fmt: skip
ASKED: Event = {
    "type": "interaction/request", "turn": 1, "id": "p1", "kind": "permission", "title": "Run it?",
    "payload": {"command": "rm -r build"},
}  # fmt: skip


def call(call_id: str, output: object = "out", **fields: object) -> list[Event]:
    """A call of the first turn, with its result."""
    called = {
        "type": "tool/call",
        "turn": 1,
        "step": 1,
        "call_id": call_id,
        "name": "Edit",
        "input": {"path": "a"},
    }
    return [called, {"type": "tool/result", "call_id": call_id, "status": "ok", "output": output, **fields}]


def running(transcript: TranscriptPage) -> None:
    """A turn that streams, beside a tool that runs."""
    chunk = {"type": "assistant/chunk", "turn": 1, "step": 3, "index": 0, "kind": "reasoning", "text": "Hm."}
    transcript.append(*turn_with_tool(), call("c9")[0], chunk)
    transcript.open()
    expect(transcript.page.locator(".turn-status")).to_be_visible()


def folded(transcript: TranscriptPage) -> None:
    """Two turns that are over, closed."""
    transcript.append(*turn_with_tool(), turn_end(), *turn_with_tool(2), turn_end(2))
    transcript.open()
    expect(transcript.control(2)).to_have_attribute("aria-expanded", "false")


def opened(transcript: TranscriptPage) -> None:
    """A process that was opened, and everything in it."""
    begin = turn_with_tool()
    transcript.append(
        *begin[:5],
        *call("c2", [DIFF]),
        *call("c3", "broke", status="error", exit_code=2),
        *begin[5:],
        turn_end(),
    )
    transcript.open()
    transcript.control().click()
    for key in ("call-1", "c2", "c3"):
        transcript.row(f"tool:{key}").get_by_role("button").first.click()
    expect(transcript.row("tool:c3")).to_contain_text("broke")


def failed(transcript: TranscriptPage) -> None:
    """A turn that failed, with what led there."""
    notice = {"type": "notice", "turn": 1, "id": "n1", "level": "warning", "text": "Nearly full."}
    retry = {
        "type": "llm/retry",
        "turn": 1,
        "step": 2,
        "retry_id": "r1",
        "retry": 1,
        "failure": {"message": "no"},
    }
    transcript.append(*turn_with_tool()[:-1], notice, retry, FAILED)
    transcript.open()
    expect(transcript.row("error:1")).to_be_visible()


def waiting(transcript: TranscriptPage) -> None:
    """A request, and steering that is still to be sent."""
    steering = {"type": "user/steering", "turn": 1, "id": "s1", "state": "queued", "content": text("Faster.")}
    transcript.append(*turn_with_tool()[:-1], ASKED, steering)
    transcript.open()
    expect(transcript.row("interaction:p1")).to_be_visible()


def delegating(transcript: TranscriptPage) -> None:
    """A delegate's transcript inside a call that is open."""
    begin = turn_with_tool()
    inside = [{**event, "parent_call_id": "call-1"} for event in turn_with_tool(9)]
    transcript.append(*begin[:4], *inside, *begin[4:])
    transcript.open()
    expect(transcript.row("tool:call-1").locator(".thread.nested").first).to_be_visible()


def prose(transcript: TranscriptPage) -> None:
    """An answer with all that Markdown has."""
    answer = "# A title\n\nWords with `code`, a [link](https://example.invalid/) and **weight**.\n\n"
    answer += (
        "- one\n- two\n\n1. first\n\n> said\n\n```py\nprint(1)\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    )
    said = {"type": "assistant/message", "turn": 1, "step": 1, "blocks": text(answer)}
    transcript.append(turn_with_tool()[0], turn_with_tool()[1], said, turn_end())
    transcript.open()
    expect(transcript.row("step:1:1")).to_contain_text("A title")


def stopped(transcript: TranscriptPage) -> None:
    """A turn that the reader stopped, with what there is of an answer."""
    transcript.append(*turn_with_tool(), turn_end(reason="aborted"))
    transcript.open()
    expect(transcript.row("tail:1")).to_contain_text("Stopped")


def worked(transcript: TranscriptPage) -> None:
    """A finished turn with thinking, commands, reads, a change and an error: what display modes group in their ways."""
    begin = turn_with_tool()
    transcript.append(
        *begin[:5],
        *call("c2"),
        *call("c3", [DIFF]),
        *call("c4", "broke", status="error"),
        *begin[5:],
        turn_end(),
    )
    transcript.open()
    header = transcript.page.locator(".level-entry > button")
    header.click()
    expect(header).to_have_attribute("aria-expanded", "true")
    for group in transcript.page.locator(".level-group > .level-button").all():
        group.click()
        expect(group).to_have_attribute("aria-expanded", "true")


def thousand(transcript: TranscriptPage) -> None:
    """A turn of a thousand rows."""
    begin = turn_with_tool()
    transcript.append(*begin[:5], *[event for at in range(996) for event in call(f"c{at}")], *begin[5:])
    transcript.open()
    expect(transcript.page.locator(".seat .row:empty")).to_have_count(0)


def settings(transcript: TranscriptPage) -> None:
    """The panel with what is preferred."""
    folded(transcript)
    transcript.page.locator(".pane-head").get_by_role("button", name="Settings").click()
    expect(transcript.page.get_by_role("dialog", name="Settings")).to_be_visible()


STATES: tuple[Callable[[TranscriptPage], None], ...] = (
    running, folded, opened, failed, waiting, delegating, prose, settings,
)  # fmt: skip
