"""The compact turn process on a real page: E-1 to E-6 of the clients' rules, S001."""

from playwright.sync_api import expect

from tests.browser.service import Event
from tests.browser.transcript_page import TranscriptPage, text, turn_end, turn_with_tool


def test_an_open_turn_shows_all_and_folds_when_it_ends(transcript: TranscriptPage) -> None:
    """An open turn never folds; at its end the process closes and the answer stays."""
    transcript.append(*turn_with_tool())
    transcript.open()
    expect(transcript.row("tool:call-1")).to_be_visible()
    expect(transcript.control()).to_be_hidden()
    expect(transcript.page.locator(".turn-status")).to_contain_text("Working")
    transcript.append(turn_end())
    expect(transcript.control()).to_have_text("1 tool call · 1 message")
    expect(transcript.control()).to_have_attribute("aria-expanded", "false")
    expect(transcript.row("tool:call-1")).to_have_attribute("hidden", "until-found")
    expect(transcript.row("step:1:2")).to_contain_text("There are 42 rows.")
    expect(transcript.row("step:1:2").locator(".thinking")).to_have_attribute("hidden", "until-found")
    expect(transcript.row("user:u1")).to_be_visible()
    expect(transcript.page.locator(".turn-status")).to_be_hidden()


def test_the_control_opens_and_closes_its_process(transcript: TranscriptPage) -> None:
    """The control shows what it hid and hides it again, and names what it controls."""
    transcript.append(*turn_with_tool(), turn_end())
    transcript.open()
    transcript.control().click()
    expect(transcript.control()).to_have_attribute("aria-expanded", "true")
    expect(transcript.row("tool:call-1")).to_be_visible()
    expect(transcript.row("step:1:2").locator(".thinking")).to_be_visible()
    named = transcript.control().get_attribute("aria-controls") or ""
    assert transcript.row("tool:call-1").get_attribute("id") in named.split()
    transcript.control().press("Enter")
    expect(transcript.control()).to_have_attribute("aria-expanded", "false")
    expect(transcript.control()).to_be_focused()
    expect(transcript.row("tool:call-1")).to_have_attribute("hidden", "until-found")


def test_no_seat_is_made_anew_by_a_fold_or_a_mode(transcript: TranscriptPage) -> None:
    """Closing a turn, opening its group and switching modes change what shows, no element (E-1)."""
    transcript.append(*turn_with_tool())
    transcript.open()
    transcript.mark_seats()
    transcript.append(turn_end())
    expect(transcript.control()).to_be_visible()
    transcript.control().click()
    transcript.prefer(transcript_view="normal")
    expect(transcript.control()).to_be_hidden()
    transcript.prefer(transcript_view="compact")
    expect(transcript.control()).to_have_attribute("aria-expanded", "true")
    assert transcript.unmarked_seats() == ["tail:1"]


def test_a_tools_own_disclosure_survives_the_fold(transcript: TranscriptPage) -> None:
    """A detail that the reader opened is still open after its group was closed and opened."""
    transcript.append(*turn_with_tool(), turn_end())
    transcript.open()
    transcript.control().click()
    detail = transcript.row("tool:call-1").get_by_role("button", name="bash")
    detail.click()
    expect(transcript.row("tool:call-1")).to_contain_text("42 needle")
    transcript.control().click()
    transcript.control().click()
    expect(detail).to_have_attribute("aria-expanded", "true")


def test_the_browsers_search_opens_the_group(transcript: TranscriptPage) -> None:
    """`beforematch` on a hidden member opens its group (E-2)."""
    transcript.append(*turn_with_tool(), turn_end())
    transcript.open()
    expect(transcript.control()).to_be_visible()
    transcript.row("tool:call-1").dispatch_event("beforematch", {"bubbles": True})
    expect(transcript.control()).to_have_attribute("aria-expanded", "true")
    expect(transcript.row("tool:call-1")).to_be_visible()


def test_a_fold_never_hides_the_focus(transcript: TranscriptPage) -> None:
    """An automatic collapse that would hide the focused element opens the group instead (E-4)."""
    transcript.append(*turn_with_tool())
    transcript.open()
    detail = transcript.row("tool:call-1").get_by_role("button", name="bash")
    detail.focus()
    transcript.append(turn_end())
    expect(transcript.control()).to_have_attribute("aria-expanded", "true")
    expect(detail).to_be_focused()


def test_a_turn_without_answer_keeps_everything_visible(transcript: TranscriptPage) -> None:
    """A closed turn without an answer shows its process, its error and no control."""
    failed = {
        "type": "turn/end",
        "turn": 1,
        "reason": "failed",
        "error": {"code": "overloaded", "message": "Try later"},
    }
    transcript.append(*turn_with_tool()[:-1], failed)
    transcript.open()
    expect(transcript.row("error:1")).to_contain_text("Try later")
    expect(transcript.row("tool:call-1")).to_be_visible()
    expect(transcript.control()).to_be_hidden()


def test_the_answer_stands_near_its_closed_control(transcript: TranscriptPage) -> None:
    """8 px below a closed control, 16 px between all other visible neighbours (E-6)."""
    transcript.append(*turn_with_tool(), turn_end())
    transcript.open()
    expect(transcript.control()).to_be_visible()
    gap = "(seat) => getComputedStyle(seat).marginTop"
    assert transcript.row("step:1:2").evaluate(gap) == "8px"
    assert transcript.row("process:1").evaluate(gap) == "16px"
    assert transcript.row("tool:call-1").evaluate("(seat) => seat.getBoundingClientRect().height") == 0
    assert transcript.row("tool:call-1").evaluate(gap) == "0px"
    transcript.control().click()
    assert transcript.row("step:1:2").evaluate(gap) == "16px"
    assert transcript.row("tool:call-1").evaluate(gap) == "16px"


def test_what_was_opened_survives_another_session_and_no_reload(transcript: TranscriptPage) -> None:
    """Expansion is kept by session while the page lives, and a reload frees it (E-3)."""
    page, other = transcript.page, f"{transcript.session}-other"
    transcript.append(*turn_with_tool(), turn_end())
    transcript.service.append(other, *turn_with_tool(), turn_end())
    transcript.open()
    transcript.control().click()
    expect(transcript.row("tool:call-1")).to_be_visible()
    page.locator(f'[data-session="{other}"]').click()
    expect(page.locator(".pane-title")).to_have_text(other)
    expect(transcript.control()).to_have_attribute("aria-expanded", "false")
    page.locator(f'[data-session="{transcript.session}"]').click()
    expect(page.locator(".pane-title")).to_have_text(transcript.session)
    expect(transcript.control()).to_have_attribute("aria-expanded", "true")
    page.reload()
    expect(transcript.control()).to_have_attribute("aria-expanded", "false")


def test_a_process_inside_a_delegate_is_opened_on_its_own(transcript: TranscriptPage) -> None:
    """A delegate's turn 1 is not the session's: it has an entry of its own, which its parent's close keeps (E-3)."""
    inside: list[Event] = [
        {"type": "turn/start", "turn": 1},
        {"type": "tool/call", "turn": 1, "step": 1, "call_id": "inner", "name": "read", "input": {}},
        {"type": "tool/result", "call_id": "inner", "status": "ok", "output": "found"},
        {"type": "assistant/message", "turn": 1, "step": 2, "blocks": text("Done inside.")},
        turn_end(),
    ]
    outer = turn_with_tool()
    inside = [{**event, "parent_call_id": "call-1"} for event in inside]
    transcript.append(*outer[:4], *inside, *outer[4:], turn_end())
    transcript.open()
    transcript.control().click()
    inner = transcript.row("tool:call-1").locator('.nested [data-key="process:1"]').get_by_role("button")
    expect(inner).to_have_attribute("aria-expanded", "false")
    inner.click()
    expect(inner).to_have_attribute("aria-expanded", "true")
    transcript.control().click()
    expect(transcript.control()).to_have_attribute("aria-expanded", "false")
    transcript.control().click()
    expect(inner).to_have_attribute("aria-expanded", "true")


def test_the_control_has_a_divider_over_the_whole_width(transcript: TranscriptPage) -> None:
    """Full width below the label (E-6)."""
    transcript.append(*turn_with_tool(), turn_end())
    transcript.open()
    expect(transcript.control()).to_be_visible()
    width, column, line = transcript.control().evaluate(
        """(one) => [one.offsetWidth, one.closest('.thread').clientWidth, getComputedStyle(one).borderBottom]"""
    )
    assert width == column
    assert line.startswith("1px solid")


def test_context_has_its_own_disclosure_inside_the_process(transcript: TranscriptPage) -> None:
    """Folded with the process; opened, it is a closed row with its own label (E-6)."""
    begin = turn_with_tool()
    told = {
        "type": "context/injection",
        "turn": 1,
        "id": "x1",
        "source": "file",
        "content": text("The file says so."),
    }
    transcript.append(*begin[:2], told, *begin[2:], turn_end())
    transcript.open()
    row = transcript.row("context:x1")
    expect(row).to_have_attribute("hidden", "until-found")
    transcript.control().click()
    own = row.locator(".disclosure").first
    expect(own).to_contain_text("Context")
    expect(own).to_have_attribute("aria-expanded", "false")
    own.click()
    expect(row).to_contain_text("The file says so.")


def test_a_selection_leaves_closed_members_out(transcript: TranscriptPage) -> None:
    """Compact alone: in `normal` everything that shows is selected (E-6)."""
    transcript.append(*turn_with_tool(), turn_end())
    transcript.open()
    expect(transcript.control()).to_be_visible()
    select = """() => { getSelection().selectAllChildren(document.querySelector('.thread'));
      return String(getSelection()); }"""
    assert "Counting." not in transcript.page.evaluate(select)
    transcript.prefer(transcript_view="normal")
    expect(transcript.control()).to_be_hidden()
    assert "Counting." in transcript.page.evaluate(select)
