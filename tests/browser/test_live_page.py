"""The page while a session goes on: what streams, what is lost, and what a reload shows."""

from playwright.sync_api import Page, expect

from tests.browser.service import Event, Service
from tests.browser.transcript_page import TranscriptPage, text, turn_end, turn_with_tool

RUBBISH = "<script>window.hit = 1</script> <img src=x onerror='window.hit = 2'> [go](javascript:window.hit=3)"


def chunk(kind: str, **fields: object) -> Event:
    """A chunk of the first turn's first step."""
    return {"type": "assistant/chunk", "turn": 1, "step": 1, "index": 0, "kind": kind, **fields}


def start() -> list[Event]:
    """A turn whose answer begins to stream."""
    return [
        {"type": "turn/start", "turn": 1},
        {"type": "user/message", "id": "u1", "content": text("Tell me")},
        chunk("block_start", block_type="text"),
        chunk("text", text="# Title\n\nOnce **upon"),
    ]


def test_text_streams_into_its_row(transcript: TranscriptPage) -> None:
    """A streamed answer grows in place, as Markdown."""
    transcript.append(*start())
    transcript.open()
    step = transcript.row("step:1:1")
    expect(step.get_by_role("heading", name="Title")).to_be_visible()
    transcript.append(chunk("text", text=" a time**\n\n- one\n- tw"), chunk("text", text="o\n"))
    expect(step.locator("strong")).to_have_text("upon a time")
    expect(step.locator("li")).to_have_text(["one", "two"])


def test_a_reload_and_a_second_window_show_the_same(transcript: TranscriptPage) -> None:
    """In the middle of a turn, what came by deltas is what a snapshot shows."""
    transcript.append(*turn_with_tool(), turn_end(), {"type": "turn/start", "turn": 2})
    transcript.open()
    transcript.append(*turn_with_tool(2)[1:4])
    expect(transcript.row("tool:call-2")).to_be_visible()
    live = transcript.markup()
    second = TranscriptPage(transcript.page.context.new_page(), transcript.service, transcript.session)
    second.open()
    expect(second.row("tool:call-2")).to_be_visible()
    assert second.markup() == live
    transcript.page.reload()
    expect(transcript.row("tool:call-2")).to_be_visible()
    assert transcript.markup() == live


def test_content_of_a_session_is_never_markup(transcript: TranscriptPage) -> None:
    """Script tags, handlers and script links are shown as the text that they are."""
    answer = {"type": "assistant/message", "turn": 1, "step": 1, "blocks": text(RUBBISH)}
    meta = {"type": "session/meta", "title": RUBBISH}
    question = {"type": "user/message", "id": "u1", "content": text(RUBBISH)}
    transcript.append(meta, {"type": "turn/start", "turn": 1}, question, answer, turn_end())
    transcript.open()
    expect(transcript.row("user:u1")).to_contain_text(RUBBISH)
    expect(transcript.row("step:1:1")).to_contain_text(RUBBISH)
    expect(transcript.page.get_by_role("heading", level=1)).to_have_text(RUBBISH)
    assert (
        transcript.page.locator("script, a[href^='javascript'], .thread img").count() == 1
    )  # the page's own
    assert transcript.page.evaluate("() => window.hit") is None


def test_a_request_waits_in_the_transcript_and_in_the_list(transcript: TranscriptPage) -> None:
    """A pending interaction is shown as waiting, in its place and beside the session's name."""
    request = {"type": "interaction/request", "id": "i1", "kind": "permission", "title": "Run make?"}
    transcript.append(*start(), request)
    transcript.open()
    entry = transcript.page.locator(f'[data-session="{transcript.session}"]')
    expect(transcript.row("interaction:i1")).to_contain_text("Waiting for you")
    expect(entry).to_contain_text("Waiting for you")
    expect(transcript.page.locator(".turn-status")).to_contain_text("Waiting for an answer")
    transcript.append({"type": "interaction/resolve", "id": "i1", "outcome": "allowed"})
    expect(transcript.row("interaction:i1")).to_contain_text("allowed")
    expect(entry).to_contain_text("Running")


def test_a_delegates_transcript_hangs_under_its_call(transcript: TranscriptPage) -> None:
    """What happens inside a delegate is nested, and no row of the session's own turn."""
    call = {"type": "tool/call", "turn": 1, "step": 1, "call_id": "d1", "name": "subagent", "input": {}}
    inside = [{**event, "parent_call_id": "d1"} for event in turn_with_tool()]
    transcript.append(*start(), call)
    transcript.open()
    transcript.append(*inside)
    nested = transcript.row("tool:d1").locator(".thread.nested")
    expect(nested.locator('[data-key="tool:call-1"]')).to_be_visible()
    expect(transcript.row("tool:call-1")).to_have_count(0)


def test_a_tools_output_shows_while_it_runs(transcript: TranscriptPage) -> None:
    """Progress grows in the call's own disclosure and gives way to the result."""
    call = {
        "type": "tool/call",
        "turn": 1,
        "step": 1,
        "call_id": "c1",
        "name": "bash",
        "input": {"command": "make"},
    }
    transcript.append(*start(), call, {"type": "tool/progress", "call_id": "c1", "output": "one\ntw"})
    transcript.open()
    tool = transcript.row("tool:c1")
    tool.get_by_role("button").click()
    expect(tool).to_contain_text("Output so far")
    transcript.append({"type": "tool/progress", "call_id": "c1", "output": "o\n"})
    expect(tool.locator("pre").last).to_have_text("one\ntwo\n")
    transcript.append(
        {"type": "tool/result", "call_id": "c1", "status": "error", "output": "broke", "exit_code": 2}
    )
    expect(tool).to_contain_text("Exit code 2")
    expect(tool.get_by_role("heading", name="Output so far")).to_have_count(0)


def test_the_list_shows_the_newest_session_first(transcript: TranscriptPage) -> None:
    """A session that goes on moves to the top, with its title, and a click chooses it."""
    transcript.append({"type": "session/meta", "title": "The first"}, *start())
    other = f"{transcript.session}-other"
    transcript.service.append(other, {"type": "session/meta", "title": "The second"}, *start())
    transcript.open()
    first = transcript.page.locator(".nav-link").first
    expect(first).to_contain_text("The second")
    transcript.append(turn_end())
    expect(first).to_contain_text("The first")
    transcript.page.get_by_role("link", name="The second").click()
    expect(transcript.page.get_by_role("heading", level=1)).to_have_text("The second")
    assert transcript.page.url.endswith(f"#{other}")


def test_a_reader_away_from_the_tail_is_left_there(transcript: TranscriptPage) -> None:
    """The page follows the tail from the tail alone (E-13)."""
    transcript.append(*start(), chunk("text", text="**\n\n" + "line\n\n" * 80))
    transcript.open()
    scroll = transcript.page.locator(".scroll")
    rest = "(one) => one.scrollHeight - one.scrollTop - one.clientHeight"
    expect(transcript.page.get_by_role("button", name="Jump to latest")).to_be_hidden()
    assert scroll.evaluate(rest) <= 1
    scroll.evaluate("(one) => { one.scrollTop = 100 }")
    latest = transcript.page.get_by_role("button", name="Jump to latest")
    expect(latest).to_be_visible()
    transcript.append(chunk("text", text="the end\n"))
    expect(transcript.row("step:1:1")).to_contain_text("the end")
    assert scroll.evaluate("(one) => one.scrollTop") == 100
    latest.click()
    assert scroll.evaluate(rest) <= 1


def test_a_narrow_screen_shows_the_list_or_the_transcript(transcript: TranscriptPage) -> None:
    """On a phone the chosen session has the screen, nothing is wider than it, and there is a way back."""
    transcript.append(*turn_with_tool(), turn_end())
    transcript.page.set_viewport_size({"width": 360, "height": 640})
    transcript.open()
    expect(transcript.page.locator(".sidebar")).to_be_hidden()
    assert transcript.page.evaluate("() => document.documentElement.scrollWidth") == 360
    transcript.page.get_by_role("link", name="All sessions").click()
    expect(transcript.page.locator(".sidebar")).to_be_visible()


def test_labels_and_words_are_in_the_readers_language(page: Page, service: Service) -> None:
    """A reader of Chinese gets the labels of the service and the words of the page in Chinese."""
    browser = page.context.browser
    assert browser is not None
    with browser.new_context(locale="zh-CN") as context:
        transcript = TranscriptPage(context.new_page(), service, "browser-zh")
        transcript.append(*turn_with_tool(), turn_end())
        transcript.open()
        expect(transcript.control()).to_have_text("1 次工具调用 · 1 条消息")
        expect(transcript.page.locator(".pane-head").get_by_role("button", name="设置")).to_be_visible()


def test_a_screen_reader_hears_one_line_a_turn(transcript: TranscriptPage) -> None:
    """That it waits, that it ended; never the text that streams, and nothing of what the page opened with (E-17)."""
    transcript.append(*start())
    transcript.open()
    heard = transcript.page.locator('.pane-body > [aria-live="polite"]')
    transcript.page.evaluate(
        """() => {
          const said = (window.said = []);
          const line = document.querySelector('.pane-body > [aria-live="polite"]');
          new MutationObserver(() => said.push(line.textContent)).observe(line, { childList: true, subtree: true });
        }"""
    )
    transcript.append(chunk("text", text=" a time**, one word after the other.\n"))
    expect(transcript.row("step:1:1")).to_contain_text("one word after the other")
    expect(heard).to_have_text("")
    transcript.append({"type": "interaction/request", "id": "i1", "kind": "question", "title": "Which?"})
    expect(heard).to_have_text("The turn waits for an answer.")
    transcript.append({"type": "interaction/resolve", "id": "i1", "outcome": "this"}, turn_end())
    expect(heard).to_have_text("The turn has ended: Completed.")
    said = transcript.page.evaluate("() => window.said.filter(Boolean)")
    assert [line for line in said if "running" not in line] == [
        "The turn waits for an answer.",
        "The turn has ended: Completed.",
    ]
