"""Turns longer than a shelf: rows on several look and behave as if there were none (E-1, ADR 0026)."""

from itertools import pairwise

from playwright.sync_api import expect

from tests.browser.desktop_turns import call, calls, message, result, start
from tests.browser.service import Event
from tests.browser.transcript_page import TranscriptPage, text, turn_end

ROW_COUNT = 230
_SHELVES = """() => [...document.querySelectorAll('.pane-body .turn > .shelf')].map((shelf) => ({
  seats: shelf.querySelectorAll(':scope > .seat').length,
  display: getComputedStyle(shelf).display,
}))"""
# Tops of what shows, in the order of the log: rows by their keys.
_TOPS = """() => [...document.querySelectorAll('.pane-body .turn .seat')]
  .filter((one) => one.getClientRects().length > 0 && one.getBoundingClientRect().height > 0)
  .map((one) => [one.dataset.key, one.getBoundingClientRect().top, one.getBoundingClientRect().bottom])"""
_SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def names(count: int, *, since: int = 0) -> list[str]:
    """Call ids in the order of the log."""
    return [f"c{at}" for at in range(since, count)]


def open_long(transcript: TranscriptPage, *before: Event) -> None:
    """A running turn of many calls, drawn to its first row."""
    transcript.append(*start(), *before, *calls(*names(ROW_COUNT)), call("open"))
    transcript.open()
    expect(transcript.row("tool:open")).to_be_visible()
    expect(transcript.row("tool:c0").locator(".name")).to_have_text("read")
    transcript.page.evaluate(_SETTLED)


def shelves(transcript: TranscriptPage) -> list[tuple[int, str]]:
    """How many seats each shelf of the turn holds, and what box it has."""
    found = transcript.page.evaluate(_SHELVES)
    return [(one["seats"], one["display"]) for one in found]


def tops(transcript: TranscriptPage) -> list[tuple[str, float, float]]:
    """Where the rows are that show."""
    return [(key, top, bottom) for key, top, bottom in transcript.page.evaluate(_TOPS)]


def assert_in_order(transcript: TranscriptPage) -> None:
    """The calls show from top to bottom as the log has them, each below the one before."""
    shown = [one for one in tops(transcript) if one[0].startswith("tool:c")]
    assert [key for key, _, _ in shown] == [f"tool:{name}" for name in names(ROW_COUNT)]
    assert [(one[0], other[0]) for one, other in pairwise(shown) if other[1] < one[2]] == []


def test_a_gap_is_the_same_from_shelf_to_shelf(transcript: TranscriptPage) -> None:
    """Margins go through a shelf: rows of one kind are as far apart on one as between two."""
    open_long(transcript)
    counts = [count for count, _ in shelves(transcript)]
    assert len(counts) == 5
    assert max(counts) == 50
    shown = [one for one in tops(transcript) if one[0].startswith("tool:c")]
    assert len(shown) == ROW_COUNT
    gaps = {round(other[1] - one[2], 1) for one, other in pairwise(shown)}
    assert len(gaps) == 1


def test_the_desktops_shelves_are_boxes_but_for_the_first_and_the_last(transcript: TranscriptPage) -> None:
    """The first has the header that sticks, the last one grows; the order is the log's all the same."""
    transcript.prefer(presentation="desktop")
    open_long(transcript)
    assert [display for _, display in shelves(transcript)] == ["contents", "flex", "flex", "flex", "contents"]
    assert_in_order(transcript)
    header = transcript.page.locator(".level-entry")
    transcript.row("tool:c120").evaluate("(one) => one.scrollIntoView({ block: 'center' })")
    edge = transcript.page.locator(".scroll").evaluate("(one) => one.getBoundingClientRect().top")
    assert header.evaluate("(one) => one.getBoundingClientRect().top") == edge
    transcript.prefer(presentation="web")
    expect(transcript.page.locator(".level")).to_have_count(0)
    assert {display for _, display in shelves(transcript)} == {"block"}
    assert_in_order(transcript)


def test_a_shelf_whose_rows_show_apart_is_no_box(transcript: TranscriptPage) -> None:
    """What waits in the midst of the log shows at the end: its shelf is passed over row by row (C-3)."""
    request = {"type": "interaction/request", "id": "i1", "kind": "permission", "title": "Run make?"}
    transcript.prefer(presentation="desktop")
    transcript.append(
        *start(), *calls(*names(70)), request, *calls(*names(ROW_COUNT, since=70)), call("open")
    )
    transcript.open()
    expect(transcript.row("tool:c0").locator(".name")).to_have_text("read")
    expect(transcript.row("interaction:i1")).to_be_visible()
    transcript.page.evaluate(_SETTLED)
    assert [display for _, display in shelves(transcript)] == [
        "contents",
        "contents",
        "flex",
        "flex",
        "contents",
    ]
    assert_in_order(transcript)
    last = transcript.row("tool:open").evaluate("(one) => one.getBoundingClientRect().bottom")
    assert transcript.row("interaction:i1").evaluate("(one) => one.getBoundingClientRect().top") >= last
    answered = {"type": "interaction/resolve", "id": "i1", "outcome": "allowed"}
    transcript.append(answered, result("open"), message(2, *text("Done.")), turn_end())
    expect(transcript.page.locator(".level-entry > .level-button")).to_contain_text("Completed")


def test_a_shelf_that_becomes_a_box_keeps_what_the_reader_has_in_it(transcript: TranscriptPage) -> None:
    """Focus, selection and scroll of a row survive it, and no seat is another one (E-1)."""
    transcript.prefer(presentation="desktop")
    transcript.append(*start(), *calls(*names(60)), call("long"), result("long", "line\n" * 80), call("open"))
    transcript.open()
    row = transcript.row("tool:long")
    row.locator(".disclosure").first.click()
    output = row.locator("pre").last
    output.evaluate("(one) => { one.scrollTop = 120; getSelection().selectAllChildren(one); }")
    row.locator(".disclosure").first.focus()
    transcript.mark_seats()
    assert [display for _, display in shelves(transcript)] == ["contents", "contents"]
    transcript.append(*calls(*names(120, since=60)))
    expect(transcript.row("tool:c119")).to_be_visible()
    transcript.page.wait_for_function(
        "() => getComputedStyle(document.querySelectorAll('.pane-body .turn > .shelf')[1]).display === 'flex'"
    )
    expect(row.locator(".disclosure").first).to_be_focused()
    assert output.evaluate("(one) => one.scrollTop") == 120
    assert transcript.page.evaluate("() => String(getSelection()).length") > 300
    assert "tool:long" not in transcript.unmarked_seats()


def test_a_fold_bar_is_as_high_as_its_group_over_all_shelves(transcript: TranscriptPage) -> None:
    """It is above the rows of other shelves while it shows, and a click on it there closes the group (E-11)."""
    transcript.prefer(presentation="desktop")
    # A word between the first rows and the group, so that the group's header stands on a shelf that is a box.
    open_long(transcript, *calls(*[f"b{at}" for at in range(60)]), message(2, *text("Next.")))
    page = transcript.page
    header = page.locator(".level-group").last
    assert header.evaluate("(one) => getComputedStyle(one.closest('.shelf')).display") == "flex"
    far = transcript.row("tool:c150")
    far.evaluate("(one) => one.scrollIntoView({ block: 'center' })")
    box = far.bounding_box()
    assert box
    page.mouse.move(box["x"] + 4, box["y"] + 8)
    bar = header.locator(".fold-bar")
    expect(bar).to_have_attribute("data-shown", "")
    at = [box["x"] + 4, box["y"] + 8]
    page.wait_for_function(
        "([x, y]) => document.elementFromPoint(x, y).classList.contains('fold-bar')", arg=at
    )
    page.mouse.click(*at)
    expect(header.locator(".level-button")).to_have_attribute("aria-expanded", "false")
    expect(page.locator(".shelf[data-bar]")).to_have_count(0)


def test_a_shelf_cuts_off_nothing_of_a_row_in_use(transcript: TranscriptPage) -> None:
    """At rest a shelf is clipped, so that a far one is passed over; the ring around the focus stands out of it."""
    open_long(transcript)
    clips = """() => [...document.querySelectorAll('.pane-body .turn > .shelf')]
      .map((shelf) => getComputedStyle(shelf).overflowY)"""
    transcript.page.mouse.move(0, 0)
    assert transcript.page.evaluate(clips) == ["clip"] * 5
    focused = transcript.row("tool:c100").locator(".disclosure").first
    focused.focus()
    assert transcript.page.evaluate(clips) == ["clip", "clip", "visible", "clip", "clip"]
    focused.evaluate("(one) => one.blur()")
    assert transcript.page.evaluate(clips) == ["clip"] * 5
    # Nothing sticks out to the side for which the reader would have to scroll, in a narrow window neither.
    for width in (1100, 390):
        transcript.page.set_viewport_size({"width": width, "height": 800})
        wide = transcript.page.locator(".scroll").evaluate("(one) => one.scrollWidth - one.clientWidth")
        assert wide == 0
