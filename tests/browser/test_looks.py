"""How the main states look, in a form that holds on every machine.

1. *Live looks like afresh*: a page that followed a session and one that is loaded now are the same picture, pixel by
   pixel. Both are drawn by one browser on one machine, so that fonts and smoothing are the same.
2. *The drawing*: what shows, in which order, how far from the left and from the one above, in which colours. Pixels of
   another machine differ by its fonts; these do not. They are kept in `looks/`; `WRITE_LOOKS=1` writes them
   anew, to be read line by line before they are committed.
"""

import base64
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import quiet_context
from tests.browser.states import STATES, failed, folded, opened, stopped, thousand, waiting, worked
from tests.browser.transcript_page import TranscriptPage

LOOKS = Path(__file__).parent / "looks"
State = Callable[[TranscriptPage], None]
# As many parts of a drawing at either end are kept.
MOST = 8


@dataclass(frozen=True, kw_only=True)
class Look:
    """A state as one reader sees it: with these preferences, in a window of this width, in light or dark."""

    state: State
    name: str
    prefers: Mapping[str, object] = field(default_factory=dict)
    width_px: int = 1100
    scheme: Literal["light", "dark"] = "light"


def _desktop(mode: str) -> dict[str, object]:
    return {"presentation": "desktop", "transcript_display_mode": mode}


SEEN = (
    *(Look(state=state, name=state.__name__) for state in STATES),
    Look(state=stopped, name="stopped"),
    Look(state=thousand, name="thousand"),
    *(Look(state=state, name=f"{state.__name__}_narrow", width_px=360) for state in (opened, waiting)),
    *(Look(state=state, name=f"{state.__name__}_dark", scheme="dark") for state in (opened, failed, waiting)),
    Look(state=folded, name="folded_zh", prefers={"language": "zh-CN"}),
    *(
        Look(state=worked, name=f"desktop_{mode.replace('-', '_')}", prefers=_desktop(mode))
        for mode in ("fully-folded", "command-first", "flat")
    ),
    Look(state=worked, name="desktop_narrow", prefers=_desktop("fully-folded"), width_px=360),
    Look(state=worked, name="desktop_dark", prefers=_desktop("fully-folded"), scheme="dark"),
    Look(state=worked, name="desktop_zh", prefers={**_desktop("fully-folded"), "language": "zh-CN"}),
    *(
        Look(state=state, name=f"desktop_{state.__name__}", prefers=_desktop("flat"))
        for state in (failed, waiting)
    ),
)
# Rounding of borders and of device pixels; a gap or an indent that somebody changed differs by 2 px at least.
TOLERANCE_PX = 1
# What differs by nature: seconds that run, the place of the pointer, the focus.
_STILL = """* { animation: none !important; transition: none !important; caret-color: transparent !important; }
.elapsed, .nav-link time { visibility: hidden !important; } :focus-visible { outline: none !important; }"""
_DRAWING = """() => {
  const column = document.querySelector('.pane-body .column').getBoundingClientRect();
  const parts = document.querySelectorAll('.pane-body :is(.seat, .level, .turn-status, .queue, .block[data-part])');
  const shown = [...parts].filter((one) => one.checkVisibility() && one.getBoundingClientRect().height > 0);
  const top = (one) => one.getBoundingClientRect().top;
  if (document.querySelector('.thread').dataset.view === 'desktop') shown.sort((one, other) => top(one) - top(other));
  let bottom = null;
  return shown.map((one) => {
    const box = one.getBoundingClientRect();
    const nested = one.parentElement.closest('.seat:not([data-kind=assistant_step])') !== null;
    const gap = bottom === null || nested ? null : Math.round(box.top - bottom);
    if (!nested) bottom = box.bottom;
    const { color, backgroundColor } = getComputedStyle(one.querySelector('.bubble, .request, .notice') ?? one);
    const indent = parseFloat(getComputedStyle(one).paddingLeft);
    const words = one.innerText.replace(/\\s+/g, ' ').trim().slice(0, 60);
    const left = Math.round(box.left + indent - column.left);
    const block = one.matches('.block') ? `${one.closest('.seat').dataset.key} ${one.dataset.part}` : one.className;
    const part = one.dataset.key ?? block;
    return { part, left, gap, words, color, backgroundColor };
  });
}"""
_DIFFERING = """async ([one, other]) => {
  const read = async (url) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  };
  const [a, b] = [await read(one), await read(other)];
  if (a.width !== b.width || a.height !== b.height) return a.width * a.height;
  let count = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    const off = [0, 1, 2].some((part) => Math.abs(a.data[at + part] - b.data[at + part]) > 8);
    if (off) count += 1;
  }
  return count;
}"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page without its policy, since what moves is held still by a style of ours."""
    with quiet_context(browser, bypass_csp=True) as context:
        yield context.new_page()


def picture(page: Page) -> str:
    """The transcript as it is drawn, at its beginning, as a data address."""
    page.add_style_tag(content=_STILL)
    page.mouse.move(0, 0)
    page.locator(".scroll").evaluate("(one) => { one.scrollTop = 0 }")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    taken = page.locator(".pane-body").screenshot(animations="disabled")
    return "data:image/png;base64," + base64.b64encode(taken).decode()


def differing(page: Page, one: str, other: str) -> int:
    """How many pixels of two pictures differ by more than a shade."""
    blank = page.context.new_page()
    count: int = blank.evaluate(_DIFFERING, [one, other])
    blank.close()
    return count


def drawing(page: Page) -> list[dict[str, Any]]:
    """What shows, in order, where it stands, and in which colours; of very much the beginning and the end."""
    found: list[dict[str, Any]] = page.evaluate(_DRAWING)
    if len(found) <= 2 * MOST:
        return found
    return [*found[:MOST], {"part": f"{len(found) - 2 * MOST} more"}, *found[-MOST:]]


def differences(kept: list[dict[str, Any]], now: list[dict[str, Any]]) -> list[str]:
    """Where a drawing is not the one that was kept."""
    if [one["part"] for one in kept] != [one["part"] for one in now]:
        return [f"{[one['part'] for one in now]} instead of {[one['part'] for one in kept]}"]
    found = []
    for old, new in zip(kept, now, strict=True):
        for name, value in old.items():
            near = (
                isinstance(value, int)
                and isinstance(new[name], int)
                and abs(value - new[name]) <= TOLERANCE_PX
            )
            if not near and value != new[name]:
                found.append(f"{old['part']}: {name} {new[name]!r} instead of {value!r}")
    return found


@pytest.mark.parametrize("look", SEEN, ids=lambda look: look.name)
def test_a_state_is_drawn_as_it_was(transcript: TranscriptPage, look: Look) -> None:
    """Order, indents, gaps, words and colours."""
    page = transcript.page
    page.set_viewport_size({"width": look.width_px, "height": 800})
    page.emulate_media(color_scheme=look.scheme, reduced_motion="reduce")
    transcript.prefer(**look.prefers)
    look.state(transcript)
    path, now = LOOKS / f"{look.name}.json", drawing(page)
    if os.environ.get("WRITE_LOOKS") == "1":
        lines = ",\n  ".join(json.dumps(one, ensure_ascii=False) for one in now)
        path.write_text(f"[\n  {lines}\n]\n", encoding="utf-8")
    assert differences(json.loads(path.read_text(encoding="utf-8")), now) == []


def test_each_state_has_a_drawing_and_none_is_left_over() -> None:
    """A state that is gone leaves no file behind."""
    assert {path.stem for path in LOOKS.glob("*.json")} == {look.name for look in SEEN}


def test_a_difference_is_found() -> None:
    """In what shows, in a gap, in a colour, in the words; a rounding is none."""
    one = {"part": "a", "left": 0, "gap": 16, "words": "w", "color": "c", "backgroundColor": "b"}
    assert differences([one], [{**one, "left": 1}]) == []
    for changed in ({"part": "b"}, {"left": 2}, {"gap": 8}, {"words": "x"}, {"color": "d"}, {"gap": None}):
        assert differences([one], [{**one, **changed}])
    assert differences([one], [])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "state", [one for one in STATES if one.__name__ in ("running", "failed", "waiting", "prose")]
)
def test_live_looks_like_afresh(transcript: TranscriptPage, state: State, scheme: str) -> None:
    """What came piece by piece is drawn as what came at once: no pixel but those of smoothed edges differs."""
    page = transcript.page
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    state(transcript)
    live = picture(page)
    page.reload()
    page.wait_for_selector(".pane-body .turn")
    page.wait_for_function("() => document.querySelectorAll('.pane-body .seat').length > 1")
    page.wait_for_timeout(300)
    afresh = picture(page)
    assert differing(page, live, afresh) < 50
    page.locator(".pane-body .turn").first.evaluate("(one) => { one.style.opacity = '0.2' }")
    assert differing(page, live, picture(page)) > 50
