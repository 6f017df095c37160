"""Screens of a real session, kept as text: whoever changes how one looks sees it in the difference.

`TURNFOLD_TEST_KEEP_SCREENS=1` writes them anew; look at them before they are committed.
"""

import os
from pathlib import Path

import pytest

from service.importers import open_session_file
from tests.api.socket_stack import SocketStack, serving_sockets
from tests.tui.driving import settled, terminal
from tests.tui.test_app import url_of

SAMPLES = Path(__file__).parents[2] / "service" / "samples"
KEPT = Path(__file__).parent / "screens_kept"
SCREENS = [
    ("flaky-test", "collapsed", "en", (80, 40), ("g",)),
    ("flaky-test", "expanded", "en", (80, 40), ("g",)),
    ("flaky-test", "hidden", "en", (80, 40), ("g",)),
    ("flaky-test", "collapsed", "en", (40, 30), ()),
    ("flaky-test", "hidden", "en", (40, 30), ()),
    ("csv-export-zh", "collapsed", "zh-CN", (80, 40), ("g",)),
    ("csv-export-zh", "hidden", "zh-CN", (40, 30), ()),
    ("object-storage", "expanded", "en", (200, 40), ()),
]


async def sent(service: SocketStack, name: str) -> None:
    """A sample as the importer sends it."""
    events = [
        native.body for native in open_session_file(SAMPLES / f"{name}.jsonl", "auto", leave_open=False)
    ]
    answer = await service.stack.client.post(
        f"/v1/sessions/{name}/events",
        params={"wait": "projected"},
        content=b"\n".join(events),
        headers={"content-type": "application/x-ndjson"},
    )
    assert answer.is_success, answer.text


@pytest.mark.parametrize(
    "screen_kept",
    SCREENS,
    ids=[f"{name}-{phase}-{size[0]}" for name, phase, _, size, _ in SCREENS],
)
async def test_a_screen_looks_as_it_was_kept(
    tmp_path: Path, screen_kept: tuple[str, str, str, tuple[int, int], tuple[str, ...]]
) -> None:
    """Each phase, narrow and wide, in both languages."""
    name, phase, locale, size, keys = screen_kept
    async with serving_sockets(tmp_path) as service:
        await sent(service, name)
        async with terminal(url_of(service), name, size=size, phase=phase, locale=locale) as screen:
            await screen.shows("—")
            await screen.press(*keys)
            await settled(screen, screen.text)
            assert screen.widths() == {size[0]}
            shown = screen.text().rstrip("\n") + "\n"
    kept = KEPT / f"{name}-{phase}-{size[0]}.txt"
    if os.environ.get("TURNFOLD_TEST_KEEP_SCREENS"):
        kept.write_text(shown, encoding="utf-8")
    assert shown == kept.read_text(encoding="utf-8")


def test_no_kept_screen_is_left_over() -> None:
    """Each file has its case."""
    assert {path.stem for path in KEPT.glob("*.txt")} == {
        f"{name}-{phase}-{size[0]}" for name, phase, _, size, _ in SCREENS
    }
