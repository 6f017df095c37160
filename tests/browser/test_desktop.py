"""The desktop presentation on a real page: entries, groups, seats that stay, choices (S000, E-1 to E-12)."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.desktop_page import (
    ENTRY,
    GROUP,
    TEXT,
    THOUGHT,
    block,
    header,
    is_open,
    order,
)
from tests.browser.desktop_turns import call, calls, message, result, start, streams
from tests.browser.transcript_page import TranscriptPage, text, turn_end


@pytest.fixture(autouse=True)
def desktop(transcript: TranscriptPage) -> None:
    """Each test starts from the defaults, in this presentation."""
    transcript.prefer(presentation="desktop")


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
