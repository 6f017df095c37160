"""The desktop presentation on a real page: entries, groups, seats that stay, choices (S000, E-1 to E-12)."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.desktop_turns import call, calls, chunk, message, result, start, streams
from tests.browser.transcript_page import TranscriptPage, text, turn_end

ENTRY, GROUP = "user:u1", "group:tool:a"
TEXT = {"type": "text", "text": "There are **42** rows."}
THOUGHT = {"type": "reasoning", "text": "I will *count* them."}
_ORDER = """() => [...document.querySelectorAll('.thread .level, .thread [data-part]')]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height > 0)
  .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
  .map((one) => one.dataset.level ?? one.dataset.key ?? 'block:' + one.textContent.trim().slice(0, 12))"""


@pytest.fixture(autouse=True)
def desktop(transcript: TranscriptPage) -> None:
    """Each test starts from the defaults, in this presentation."""
    transcript.prefer(
        presentation="desktop",
        transcript_display_mode=None,
        show_thinking=None,
        auto_collapse_settled_groups=None,
        auto_collapse_thinking=None,
        language=None,
    )


def header(transcript: TranscriptPage, level: str) -> Locator:
    """The button of a level."""
    kind = "group" if level.startswith("group:") else "topology" if level.startswith("tasks:") else "entry"
    return transcript.page.locator(f'.level-{kind}[data-level="{level}"] > .level-button').first


def order(transcript: TranscriptPage) -> list[str]:
    """What shows, from top to bottom."""
    found: list[str] = transcript.page.evaluate(_ORDER)
    return found


def block(transcript: TranscriptPage, step: int, at: int) -> Locator:
    """A block of a step."""
    return transcript.row(f"step:1:{step}").locator(".block").nth(at)


def is_open(button: Locator, *, yes: bool) -> None:
    """What a header says."""
    expect(button).to_have_attribute("aria-expanded", "true" if yes else "false")


def test_a_finished_turn_is_its_header_and_its_answer(transcript: TranscriptPage) -> None:
    """Boundary row, one disclosure that is closed, the answer (C-1, C-3, C-8)."""
    transcript.append(*start(), *calls("a", "b"), message(1, THOUGHT), message(2, TEXT), turn_end())
    transcript.open()
    is_open(header(transcript, ENTRY), yes=False)
    expect(header(transcript, ENTRY)).to_have_text(re.compile(r"^Completed( · \S+)? · 2 tool calls$"))
    expect(block(transcript, 2, 0)).to_contain_text("There are 42 rows.")
    assert order(transcript) == ["user:u1", ENTRY, "block:There are 42"]
    expect(transcript.row("tool:a")).to_have_attribute("hidden", "until-found")
    expect(transcript.row("tail:1")).to_be_hidden()


def test_each_header_opens_its_own_level_alone(transcript: TranscriptPage) -> None:
    """The process shows a closed group, the group its rows, a row its detail (E-8, S000)."""
    transcript.append(*start(), *calls("a", "b"), message(2, TEXT), turn_end())
    transcript.open()
    header(transcript, ENTRY).click()
    is_open(header(transcript, GROUP), yes=False)
    expect(transcript.row("tool:a")).to_be_hidden()
    header(transcript, GROUP).click()
    expect(transcript.row("tool:a")).to_be_visible()
    detail = transcript.row("tool:a").locator(".disclosure").first
    is_open(detail, yes=False)
    detail.click()
    expect(transcript.row("tool:a")).to_contain_text("42 needle")
    header(transcript, ENTRY).click()
    expect(header(transcript, GROUP)).to_be_hidden()
    expect(transcript.row("tool:a")).to_be_hidden()
    header(transcript, ENTRY).click()
    is_open(header(transcript, GROUP), yes=True)
    is_open(detail, yes=True)


def test_a_turn_collapses_by_itself_when_it_is_done(transcript: TranscriptPage) -> None:
    """Running work is open; untouched, the process and its group close at the end, and the answer stays (C-8)."""
    transcript.append(*start(), *calls("a"), call("b"))
    transcript.open()
    is_open(header(transcript, ENTRY), yes=True)
    is_open(header(transcript, GROUP), yes=True)
    expect(header(transcript, ENTRY)).to_contain_text("Working")
    expect(transcript.row("tool:b")).to_be_visible()
    transcript.append(result("b"), *streams("text", "There are", step=2))
    is_open(header(transcript, GROUP), yes=False)
    is_open(header(transcript, ENTRY), yes=True)
    transcript.append(message(2, TEXT), turn_end())
    is_open(header(transcript, ENTRY), yes=False)
    expect(header(transcript, ENTRY)).to_contain_text("Completed")
    assert order(transcript) == ["user:u1", ENTRY, "block:There are 42"]


def test_what_the_reader_opened_stays_open_at_the_end(transcript: TranscriptPage) -> None:
    """An opened row holds what is above it open, and keeps its scroll and selection (E-8, E-9, E-1)."""
    transcript.append(*start(), call("a"), result("a", "line\n" * 80), call("b"))
    transcript.open()
    row = transcript.row("tool:a")
    row.locator(".disclosure").first.click()
    output = row.locator("pre").last
    output.evaluate("(one) => { one.scrollTop = 120; getSelection().selectAllChildren(one); }")
    transcript.mark_seats()
    transcript.append(result("b"), message(2, TEXT), turn_end())
    expect(header(transcript, ENTRY)).to_contain_text("Completed")
    is_open(header(transcript, ENTRY), yes=True)
    is_open(header(transcript, GROUP), yes=True)
    expect(output).to_be_visible()
    assert output.evaluate("(one) => one.scrollTop") == 120
    assert transcript.page.evaluate("() => String(getSelection()).length") > 300
    assert set(transcript.unmarked_seats()) <= {"step:1:2", "tail:1", "process:1"}


def test_a_completion_never_hides_the_focus(transcript: TranscriptPage) -> None:
    """A focused row keeps its process open; focus in the answer keeps nothing (E-4, E-8)."""
    transcript.append(*start(), *calls("a"), call("b"))
    transcript.open()
    focused = transcript.row("tool:b").locator(".disclosure").first
    focused.focus()
    transcript.append(result("b"), message(2, TEXT), turn_end())
    expect(header(transcript, ENTRY)).to_contain_text("Completed")
    is_open(header(transcript, ENTRY), yes=True)
    expect(focused).to_be_focused()


def test_a_manual_close_moves_the_focus_to_its_header_first(transcript: TranscriptPage) -> None:
    """By the header or by the fold bar, whatever had the focus (E-4, E-11)."""
    transcript.append(*start(), *calls("a", "b"), message(2, TEXT), turn_end())
    transcript.open()
    header(transcript, ENTRY).click()
    header(transcript, GROUP).click()
    transcript.row("tool:a").locator(".disclosure").first.focus()
    header(transcript, GROUP).evaluate("(one) => one.click()")
    expect(header(transcript, GROUP)).to_be_focused()
    expect(transcript.row("tool:a")).to_be_hidden()
    header(transcript, GROUP).press("Enter")
    transcript.row("tool:a").locator(".disclosure").first.focus()
    bar = transcript.page.locator(".fold-bar")
    bar.focus()
    bar.press("Enter")
    is_open(header(transcript, GROUP), yes=False)
    expect(header(transcript, GROUP)).to_be_focused()


def test_the_fold_bar_stands_in_the_gutter(transcript: TranscriptPage) -> None:
    """Rows are 12 px in; the bar is unseen at rest, 2 px under the pointer, and a click closes (E-11)."""
    transcript.append(*start(), *calls("a", "b", "c"), message(2, TEXT), turn_end())
    transcript.open()
    header(transcript, ENTRY).click()
    header(transcript, GROUP).click()
    box = transcript.row("tool:b").bounding_box()
    head, inner = (
        header(transcript, GROUP).bounding_box(),
        transcript.row("tool:b").locator(".row").bounding_box(),
    )
    assert box
    assert head
    assert inner
    assert inner["x"] - head["x"] == 12
    above = header(transcript, ENTRY).bounding_box()
    assert above
    assert head["x"] == above["x"]
    bar = transcript.page.locator(".fold-bar")
    look = "(one) => { const look = getComputedStyle(one, '::before'); return [look.opacity, look.width]; }"
    assert bar.evaluate(look) == ["0", "2px"]
    transcript.page.mouse.move(box["x"] + 4, box["y"] + 8)
    expect(bar).to_have_attribute("data-shown", "")
    assert bar.evaluate(look) == ["1", "2px"]
    shown = bar.bounding_box()
    last = transcript.row("tool:c").bounding_box()
    assert shown
    assert last
    assert abs(shown["y"] + shown["height"] - last["y"] - last["height"]) < 1
    transcript.page.mouse.click(box["x"] + 4, box["y"] + 8)
    is_open(header(transcript, GROUP), yes=False)


def test_no_seat_is_made_anew_whatever_is_shown_how(transcript: TranscriptPage) -> None:
    """End of turn, groups, modes, thinking, and the other presentation: the same elements, never moved (E-1)."""
    transcript.append(*start(), *streams("reasoning", "Hm.", step=1), message(1, THOUGHT, *text("Counting.")))
    transcript.append(call("a", "bash", command="wc"), result("a"))
    transcript.open()
    watch = """() => {
      window.moved = [];
      const seats = (nodes) => [...nodes].filter((node) => node instanceof Element && node.matches('.seat, .block'));
      new MutationObserver((changes) => {
        for (const { removedNodes } of changes) for (const one of seats(removedNodes)) window.moved.push(one.className);
      }).observe(document.querySelector('.pane-body .thread'), { childList: true, subtree: true });
    }"""
    transcript.page.evaluate(watch)
    transcript.mark_seats()
    transcript.append(*calls("b", "c", step=2))
    expect(transcript.row("tool:c")).to_be_visible()
    transcript.append(message(3, TEXT), turn_end())
    is_open(header(transcript, ENTRY), yes=False)
    header(transcript, ENTRY).click()
    for mode in ("command-first", "flat", "fully-folded"):
        transcript.prefer(transcript_display_mode=mode)
        visible = {"command-first": "tool:a", "flat": "tool:c", "fully-folded": None}[mode]
        if visible:
            expect(transcript.row(visible)).to_be_visible()
        else:
            expect(transcript.row("tool:c")).to_be_hidden()
    transcript.prefer(show_thinking=False)
    expect(block(transcript, 1, 0)).to_be_hidden()
    transcript.prefer(presentation="web")
    expect(transcript.control()).to_be_visible()
    expect(transcript.page.locator(".level")).to_have_count(0)
    transcript.prefer(presentation="desktop", show_thinking=True)
    expect(header(transcript, ENTRY)).to_be_visible()
    assert set(transcript.unmarked_seats()) == {"tool:b", "tool:c", "step:1:3", "tail:1"}
    assert transcript.page.evaluate("() => window.moved") == []


def test_a_single_row_becomes_a_group_and_stays_open(transcript: TranscriptPage) -> None:
    """The group that forms around an opened row is open, and the row is the same (C-6, E-9)."""
    transcript.append(*start(), *calls("a"))
    transcript.open()
    expect(transcript.page.locator(".level-group")).to_have_count(0)
    detail = transcript.row("tool:a").locator(".disclosure").first
    detail.click()
    transcript.mark_seats()
    transcript.append(*calls("b"))
    is_open(header(transcript, GROUP), yes=True)
    transcript.append(message(2, TEXT), turn_end())
    expect(header(transcript, ENTRY)).to_contain_text("Completed")
    is_open(header(transcript, GROUP), yes=True)
    is_open(detail, yes=True)
    assert "tool:a" not in transcript.unmarked_seats()


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


def test_the_browsers_search_opens_all_that_is_above(transcript: TranscriptPage) -> None:
    """`beforematch` inside a row's detail opens the row, its group and its process (E-2)."""
    transcript.append(*start(), *calls("a", "b"), message(2, TEXT), turn_end())
    transcript.open()
    panel = transcript.row("tool:a").locator(".work-panel")
    panel.dispatch_event("beforematch", {"bubbles": True})
    is_open(header(transcript, ENTRY), yes=True)
    is_open(header(transcript, GROUP), yes=True)
    is_open(transcript.row("tool:a").locator(".disclosure").first, yes=True)
    expect(transcript.row("tool:a")).to_contain_text("42 needle")


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


def test_choices_outlive_another_session_and_another_mode(transcript: TranscriptPage) -> None:
    """They are kept by stable names, in the page alone (E-8, S000)."""
    page, other = transcript.page, f"{transcript.session}-other"
    transcript.append(*start(), *calls("a", "b"), message(2, TEXT), turn_end())
    transcript.service.append(other, *start(), *calls("a", "b"), message(2, TEXT), turn_end())
    transcript.open()
    header(transcript, ENTRY).click()
    header(transcript, GROUP).click()
    transcript.prefer(transcript_display_mode="flat")
    expect(page.locator(".level-group")).to_have_count(0)
    page.locator(f'[data-session="{other}"]').click()
    expect(page.locator(".pane-title")).to_have_text(other)
    is_open(header(transcript, ENTRY), yes=False)
    transcript.prefer(transcript_display_mode="fully-folded")
    page.locator(f'[data-session="{transcript.session}"]').click()
    expect(page.locator(".pane-title")).to_have_text(transcript.session)
    is_open(header(transcript, ENTRY), yes=True)
    is_open(header(transcript, GROUP), yes=True)
    page.reload()
    is_open(header(transcript, ENTRY), yes=False)


def test_a_delegates_turns_are_entries_inside_their_task(transcript: TranscriptPage) -> None:
    """Closed with their task, with choices of their own; using one claims what is around it (C-5, A-8, E-9)."""
    inside = [*start(), call("inner"), result("inner"), message(2, *text("Done inside.")), turn_end()]
    nested = [{**one, "parent_call_id": "task"} for one in inside]
    transcript.append(*start(), call("task", "subagent"), *nested, result("task"))
    transcript.open()
    task = transcript.row("tool:task")
    is_open(task.locator(".disclosure").first, yes=False)
    inner = task.locator('.nested .level-entry[data-level="user:u1"] > .level-button')
    expect(inner).to_be_hidden()
    task.locator(".disclosure").first.click()
    is_open(inner, yes=False)
    inner.click()
    is_open(inner, yes=True)
    expect(task.locator('.nested [data-key="tool:inner"]')).to_be_visible()
    transcript.append(message(2, TEXT), turn_end())
    expect(header(transcript, ENTRY)).to_contain_text("Completed")
    is_open(header(transcript, ENTRY), yes=True)
    is_open(inner, yes=True)


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
