"""What a row that comes costs the browser: its own style, not that of the turn that it comes to."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desktop_turns import call, calls, start
from tests.browser.transcript_page import TranscriptPage

ROW_COUNT = 300
ELEMENTS_OF_A_ROW = 60  # with its two frames: it comes, and it is over
_CATEGORIES = ["devtools.timeline"]


def styled(transcript: TranscriptPage, new: str) -> int:
    """How many elements the browser looked at the style of while a call came and ended."""
    page = transcript.page
    devtools = page.context.new_cdp_session(page)
    found: list[dict[str, Any]] = []
    over: list[bool] = []
    devtools.on("Tracing.dataCollected", lambda told: found.extend(told["value"]))
    devtools.on("Tracing.tracingComplete", lambda _: over.append(True))
    config = {"includedCategories": _CATEGORIES}
    devtools.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": config})
    transcript.append(*calls(new))
    # Playwright's own look at what is visible would have the browser lay out what is hidden.
    page.wait_for_function(
        "(key) => document.querySelector(`[data-key='${key}'] .icon-check`)", arg=f"tool:{new}"
    )
    devtools.send("Tracing.end")
    while not over:
        page.wait_for_timeout(20)
    trees = [
        one for one in found if one["name"] == "UpdateLayoutTree" and "elementCount" in one.get("args", {})
    ]
    assert trees, "the browser told of no look at any style"
    return sum(one["args"]["elementCount"] for one in trees)


@pytest.mark.parametrize("presentation", ["web", "desktop"])
def test_a_row_costs_its_own_style(transcript: TranscriptPage, presentation: str) -> None:
    """No rule makes a row's style depend on what stands beside it: 300 rows are not looked at for one."""
    transcript.prefer(presentation=presentation)
    names = [f"c{at}" for at in range(ROW_COUNT)]
    transcript.append(*start(), *calls(*names), call("open"))
    transcript.open()
    expect(transcript.row("tool:open")).to_be_visible()
    expect(transcript.row("tool:c0").locator(".name")).to_have_text("read")
    styled(transcript, "first")  # what is left of the first drawing comes with it
    count = styled(transcript, "second")
    assert count < 4 * ELEMENTS_OF_A_ROW, f"{count} elements were looked at for one row"
