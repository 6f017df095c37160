"""Great and strange content on the page: heads with the rest behind a button, pictures, unseen characters."""

import base64

from playwright.sync_api import expect

from tests.browser.service import Event
from tests.browser.transcript_page import TranscriptPage, text, turn_end

# The smallest picture there is: one pixel.
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
LINES = "\n".join(f"line {number}" for number in range(100_000))


def call(output: object, call_id: str = "c1", **fields: object) -> list[Event]:
    """A call in the first turn, with its result."""
    called = {"type": "tool/call", "turn": 1, "step": 1, "call_id": call_id, "name": "bash", **fields}
    return [called, {"type": "tool/result", "call_id": call_id, "status": "ok", "output": output}]


def open_turn() -> list[Event]:
    """A question that waits for its answer."""
    return [{"type": "turn/start", "turn": 1}, {"type": "user/message", "id": "u1", "content": text("Go")}]


def test_a_great_output_shows_its_head_and_all_of_it_on_demand(transcript: TranscriptPage) -> None:
    """100,000 lines: the page goes on working while they come, and the last one is there."""
    transcript.append(*open_turn(), *call(LINES), turn_end())
    transcript.open()
    tool = transcript.row("tool:c1")
    tool.get_by_role("button", name="bash").click()
    expect(tool).to_contain_text("line 100\n")
    expect(tool).not_to_contain_text("line 99999")
    tool.get_by_role("button", name="Show all").click()
    expect(tool.locator(".piece").last).to_contain_text("line 99999", timeout=30_000)
    expect(tool.get_by_role("button", name="Show all")).to_have_count(0)
    shown = tool.locator(".great").evaluate(
        "(one) => [...one.children].map((piece) => piece.textContent).join('\\n')"
    )
    assert shown.split("\n") == LINES.split("\n")


def test_a_great_input_keeps_its_form(transcript: TranscriptPage) -> None:
    """The file that is written is shortened in its field; the path beside it is not."""
    content = "".join(f"print({number})\n" for number in range(2_000))
    transcript.append(*open_turn(), *call("done", input={"path": "a.py", "content": content}), turn_end())
    transcript.open()
    tool = transcript.row("tool:c1")
    tool.get_by_role("button", name="bash").click()
    field = tool.locator("dd").nth(1)
    expect(tool.locator("dd").first).to_have_text("a.py")
    expect(field).not_to_contain_text("print(1999)")
    field.get_by_role("button", name="Show all").click()
    expect(field).to_contain_text("print(1999)")


def test_a_great_text_inside_a_delegate_is_found(transcript: TranscriptPage) -> None:
    """Its row is named by the calls around it."""
    inside: Event = {
        "type": "user/message", "id": "u9", "turn": 1, "parent_call_id": "c1", "content": text("x" * 20_000 + "end")
    }  # fmt: skip
    called, _ = call("", name="subagent")
    transcript.append(*open_turn(), called, inside)
    transcript.open()
    row = transcript.page.locator('[data-key="user:u9"]')
    row.get_by_role("button", name="Show all").click()
    expect(row).to_contain_text("xend")


def test_reasoning_that_streamed_stays_whole_before_its_reader(transcript: TranscriptPage) -> None:
    """Settling makes it a head on the wire, not on the page; a reload shows the head and a button."""
    thought = "thinking hard " * 2_000
    streamed = {
        "type": "assistant/chunk",
        "turn": 1,
        "step": 1,
        "index": 0,
        "kind": "reasoning",
        "text": thought + "!end!",
    }
    transcript.append(*open_turn(), streamed)
    transcript.open()
    step = transcript.row("step:1:1")
    step.locator(".thinking > button").click()
    expect(step).to_contain_text("!end!")
    blocks = [{"type": "reasoning", "text": thought + "!end!"}, *text("Answer")]
    transcript.append({"type": "assistant/message", "turn": 1, "step": 1, "blocks": blocks})
    expect(step).to_contain_text("Answer")
    expect(step).to_contain_text("!end!")
    expect(step.get_by_role("button", name="Show all")).to_have_count(0)
    transcript.page.reload()
    step.locator(".thinking > button").click()
    expect(step).not_to_contain_text("!end!")
    step.get_by_role("button", name="Show all").click()
    expect(step).to_contain_text("!end!")


def test_a_running_output_says_how_much_there_is(transcript: TranscriptPage) -> None:
    """Beyond the head only the size grows, and all of it so far can be had."""
    called, _ = call("")
    transcript.append(*open_turn(), called, progress("x" * 16_000))
    transcript.open()
    tool = transcript.row("tool:c1")
    tool.get_by_role("button", name="bash").click()
    transcript.append(progress("y" * 30_000))
    expect(tool).to_contain_text("of 46 kB")
    transcript.append(progress("z" * 10_000))
    expect(tool).to_contain_text("of 56 kB")
    tool.get_by_role("button", name="Show all").click()
    expect(tool).to_contain_text("yzz")


def progress(output: str) -> Event:
    """More of a call's output."""
    return {"type": "tool/progress", "call_id": "c1", "output": output}


def test_a_picture_is_loaded_by_its_reference(transcript: TranscriptPage) -> None:
    """It came inline, and is shown from the service's own address."""
    picture = {"type": "image", "mime": "image/png", "data": base64.b64encode(PIXEL).decode()}
    question: Event = {"type": "user/message", "id": "u1", "content": [picture]}
    transcript.append({"type": "turn/start", "turn": 1}, question)
    transcript.open()
    image = transcript.row("user:u1").locator("img")
    expect(image).to_have_js_property("naturalWidth", 1)
    assert "/blobs/" in str(image.get_attribute("src"))


def test_unseen_characters_show_as_signs(transcript: TranscriptPage) -> None:
    """Terminal escapes, NUL and changes of direction, in words, in code and in a title."""
    odd = "a\x00b \x1b[31mred\x1b[0m \u202egnp.exe"
    shown = "a\u2400b \u241b[31mred\u241b[0m \u27e8RLO\u27e9gnp.exe"
    question: Event = {"type": "user/message", "id": "u1", "content": text(odd)}
    transcript.append(
        {"type": "turn/start", "turn": 1}, question, *call(odd), {"type": "session/meta", "title": odd}
    )
    transcript.open()
    expect(transcript.row("user:u1")).to_contain_text(shown)
    tool = transcript.row("tool:c1")
    tool.get_by_role("button", name="bash").click()
    expect(tool).to_contain_text(shown)
    expect(transcript.page.get_by_role("heading", level=1)).to_contain_text(shown)
    assert "\u202e" not in transcript.page.inner_text("body")


def test_a_turn_of_many_calls_is_drawn_to_its_first_row(transcript: TranscriptPage) -> None:
    """Its rows come over several frames of the screen, and what a frame left out follows, late changes included."""
    calls = [event for at in range(400) for event in call(f"out {at}", f"c{at}", title=f"call {at}")]
    transcript.append(*open_turn(), *calls)
    transcript.open()
    expect(transcript.row("tool:c399")).to_contain_text("call 399")
    expect(transcript.row("tool:c0")).to_contain_text("call 0")
    expect(transcript.page.locator(".seat .row:empty")).to_have_count(0, timeout=20_000)
    transcript.append(turn_end(reason="aborted"))
    expect(transcript.row("tail:1")).to_contain_text("Stopped", timeout=20_000)
