"""What stands in a desktop turn on a real page, and where: answers, thinking, calls, titles, marks (S000, S001)."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.desktop_page import ENTRY, GROUP, TEXT, block, header, is_open, order
from tests.browser.desktop_turns import call, calls, chunk, message, result, start, streams
from tests.browser.transcript_page import TranscriptPage, text, turn_end


@pytest.fixture(autouse=True)
def desktop(transcript: TranscriptPage) -> None:
    """Each test starts from the defaults, in this presentation."""
    transcript.prefer(presentation="desktop")


def test_what_stands_outside_stands_around_the_answer(transcript: TranscriptPage) -> None:
    """Errors before the partial answer, what waits behind it, all of it with the process closed (C-3)."""
    request = {"type": "interaction/request", "id": "i1", "kind": "permission", "title": "Run make?"}
    transcript.append(*start(), *calls("a"), *streams("text", "So far", step=2), request)
    transcript.open()
    header(transcript, ENTRY).click()
    is_open(header(transcript, ENTRY), yes=False)
    assert order(transcript) == ["user:u1", ENTRY, "block:So far", "interaction:i1"]
    expect(transcript.page.locator(".turn-status")).to_contain_text("Waiting for an answer")
    failed = {"code": "overloaded", "message": "Try later"}
    transcript.append({"type": "turn/end", "turn": 1, "reason": "failed", "error": failed})
    expect(header(transcript, ENTRY)).to_contain_text("Failed")
    expect(transcript.row("error:1")).to_be_visible()
    assert order(transcript)[:4] == ["user:u1", ENTRY, "error:1", "block:So far"]


def test_a_call_stands_among_the_blocks_of_its_step(transcript: TranscriptPage) -> None:
    """A call stands where its block stands, between two blocks that are in one seat of the web's (C-2, E-1)."""
    calls_a = {"type": "tool_call", "call_id": "a", "name": "read", "input": {}}
    transcript.append(*start(), message(1, *text("Before"), calls_a, *text("After")))
    transcript.append(*calls("a", "b", step=1), message(2, TEXT), turn_end())
    transcript.open()
    header(transcript, ENTRY).click()
    shown = order(transcript)
    assert (
        shown.index("block:Before")
        < shown.index("tool:a")
        < shown.index("block:After")
        < shown.index("tool:b")
    )


def test_thinking_shows_as_the_preference_says(transcript: TranscriptPage) -> None:
    """On: open while it streams, then a word; off: one word while it streams, then nothing (C-7, C-8)."""
    transcript.append(*start(), *streams("reasoning", "I will *count* them.", step=1))
    transcript.open()
    row = block(transcript, 1, 0)
    expect(row.locator("em")).to_have_text("count")
    transcript.append(chunk("text", step=1, index=0, text=""), *streams("text", "Counting.", step=1, index=1))
    is_open(row.locator(".disclosure").first, yes=False)
    expect(row).to_be_visible()
    expect(row.locator(".thinking-body")).to_be_hidden()
    expect(row).to_contain_text("Thinking")
    row.locator(".disclosure").first.click()
    expect(row.locator("em")).to_be_visible()
    transcript.prefer(show_thinking=False)
    expect(row).to_be_hidden()
    transcript.append(*streams("reasoning", "Secret", step=2))
    sign = block(transcript, 2, 0)
    expect(sign.get_by_role("button", name="Thinking")).to_be_disabled()
    expect(sign.locator(".thinking-body")).to_be_hidden()
    transcript.append(*streams("text", "Done", step=2, index=1))
    expect(sign).to_be_hidden()
    transcript.prefer(show_thinking=True)
    is_open(row.locator(".disclosure").first, yes=True)


def test_the_sign_of_thinking_is_one_sweep_and_still_where_motion_is_unwanted(
    transcript: TranscriptPage,
) -> None:
    """1.2 s, linear, a fade of 220 ms; no spinner, no dot, no letters (C-7)."""
    transcript.append(*start(), *streams("reasoning", "Hm", step=1))
    transcript.open()
    label = block(transcript, 1, 0).locator(".label")
    look = """(one) => { const look = getComputedStyle(one, '::after');
      return [look.animationDuration, look.animationTimingFunction, look.animationIterationCount,
              look.animationPlayState, look.transitionDuration, look.opacity]; }"""
    expect(label).to_be_visible()
    assert label.evaluate(look) == ["1.2s", "linear", "infinite", "running", "0.22s", "1"]
    assert label.evaluate("(one) => one.children.length") == 0
    expect(block(transcript, 1, 0).locator(".spinner")).to_have_count(0)
    transcript.page.emulate_media(reduced_motion="reduce")
    assert label.evaluate("(one) => getComputedStyle(one, '::after').content") == "none"
    expect(label).to_have_text("Thinking")


def test_thinking_that_was_followed_live_looks_like_any_other_when_it_is_over(
    transcript: TranscriptPage,
) -> None:
    """No sweep stands behind, and the word has the colour that it has on a page that is loaded now."""
    transcript.append(*start(), *streams("reasoning", "Hm", step=1))
    transcript.open()
    thinking = block(transcript, 1, 0)
    look = """(one) => [one.className, getComputedStyle(one.querySelector(".label")).color,
      getComputedStyle(one.querySelector(".label"), "::after").content]"""
    expect(thinking).to_contain_class("sweeps")
    transcript.append(*streams("text", "Done", step=1, index=1))
    expect(thinking).not_to_contain_class("sweeps")
    live = thinking.evaluate(look)
    transcript.page.reload()
    expect(thinking).to_be_visible()
    assert live == thinking.evaluate(look)


def test_the_duration_ticks_by_the_services_clock(transcript: TranscriptPage) -> None:
    """From the recorded start, whatever this machine's clock says (E-12)."""
    page = transcript.page
    began = page.evaluate("() => Date.now()")
    page.add_init_script("const now = Date.now; Date.now = () => now() - 3_600_000;")
    given = [{**one, "ts_ms": began - 62_000} for one in [*start(), call("a")]]
    transcript.append(*given)
    transcript.open()
    expect(header(transcript, ENTRY)).to_have_text(re.compile(r"^Working · 1m \d+s · 1 tool call$"))
    first = header(transcript, ENTRY).inner_text()
    expect(header(transcript, ENTRY)).not_to_have_text(first)


def test_a_title_keeps_its_count_where_it_is_cut(transcript: TranscriptPage) -> None:
    """The ellipsis takes the actions, never the number (C-13)."""
    page = transcript.page
    page.set_viewport_size({"width": 320, "height": 640})
    names = {"a": "read", "b": "web_search", "c": "edit", "d": "bash"}
    events = [one for call_id, name in names.items() for one in (call(call_id, name), result(call_id))]
    transcript.append(*start(), *events, message(2, TEXT), turn_end())
    transcript.open()
    header(transcript, ENTRY).click()
    title = header(transcript, GROUP)
    what, count = title.locator(".level-what"), title.locator(".level-count")
    assert what.evaluate("(one) => one.scrollWidth > one.clientWidth")
    expect(count).to_have_text(" · 4 operations")
    whole = count.evaluate(
        "(one) => [one.getBoundingClientRect().right, one.scrollWidth <= one.clientWidth + 1]"
    )
    assert whole[0] <= 320
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320


def test_hovering_a_header_changes_the_colour_of_its_text_alone(transcript: TranscriptPage) -> None:
    """A full row with a hairline; no background, and the chevron right behind the count (E-11)."""
    transcript.append(*start(), *calls("a", "b"), message(2, TEXT), turn_end())
    transcript.open()
    button = header(transcript, ENTRY)
    look = """(one) => { const { color, ...look } = getComputedStyle(one);
      return [color, look.backgroundColor, look.borderBottomWidth, look.boxShadow, look.textDecorationLine,
              one.offsetWidth]; }"""
    rest = button.evaluate(look)
    button.hover()
    hovered = button.evaluate(look)
    assert rest[0] != hovered[0]
    assert rest[1:] == hovered[1:]
    assert rest[2] == "1px"
    column = transcript.page.locator(".column .thread").first.bounding_box()
    assert column
    assert rest[5] == column["width"]
    gap = """(one) => one.querySelector('.icon').getBoundingClientRect().left
      - one.querySelector('.level-count').getBoundingClientRect().right"""
    assert 0 <= button.evaluate(gap) <= 8


def test_an_edit_with_its_review_is_one_row_of_the_file(transcript: TranscriptPage) -> None:
    """The file is the only title, and right below it the review; it opens as any other row does (C-15, C-8)."""
    review = {"type": "diff", "path": "src/rows.py", "unified": "@@ -1 +1 @@\n-41\n+42\n"}
    output = [*text("The file was updated."), review]
    edit = call("a", "edit", path="src/rows.py", old="41", new="42")
    given = {"type": "tool/result", "call_id": "a", "status": "ok", "output": output}
    transcript.append(*start(), edit, given, message(2, TEXT), turn_end())
    transcript.open()
    header(transcript, ENTRY).click()
    row = transcript.row("tool:a")
    expect(row.locator(".work > .name")).to_have_text("src/rows.py")
    expect(row.locator(".diff")).to_be_hidden()
    row.locator(".disclosure").first.click()
    expect(row.locator(".diff .added")).to_have_text("+42\n")
    expect(row.get_by_text("src/rows.py")).to_have_count(1)
    assert row.locator(".work-panel figure.diff + *").inner_text() == "The file was updated."
    expect(row.get_by_role("heading")).to_have_count(0)


def test_a_thinking_row_of_the_web_is_one_line_at_any_size_of_type(transcript: TranscriptPage) -> None:
    """Closed, it is as high as one line of its own font, and contained (E-7, S001)."""
    transcript.prefer(presentation="web")
    lines = "\n\n".join(f"line {n}" for n in range(20))
    transcript.append(*start(), *streams("reasoning", lines, step=1))
    transcript.open()
    body = block(transcript, 1, 0).locator(".thinking-body")
    look = """(one) => { const look = getComputedStyle(one);
      const height = one.getBoundingClientRect().height / parseFloat(look.fontSize);
      return [height, look.contain, one.innerText.includes('line 19')]; }"""
    small = body.evaluate(look)
    assert small[1:] == ["strict", True]
    assert abs(small[0] - 1.5714) < 0.01
    transcript.page.evaluate(
        "() => document.documentElement.style.setProperty('--turnfold-font-size', '22px')"
    )
    large = body.evaluate(look)
    assert abs(large[0] - small[0]) < 0.01
    assert float(body.evaluate("(one) => parseFloat(getComputedStyle(one).fontSize)")) > 20


def test_an_interrupted_step_says_so_below_what_shows_of_it(transcript: TranscriptPage) -> None:
    """Below the partial answer, with the process closed (A-4, C-3)."""
    transcript.append(*start(), *calls("a"), *streams("text", "So far", step=2))
    transcript.append({"type": "turn/end", "turn": 1, "reason": "aborted"})
    transcript.open()
    cut = transcript.row("step:1:2").locator(".cut")
    expect(header(transcript, ENTRY)).to_contain_text("Stopped")
    expect(cut).to_be_visible()
    answer, note = block(transcript, 2, 0).bounding_box(), cut.bounding_box()
    assert answer
    assert note
    assert note["y"] >= answer["y"] + answer["height"]
