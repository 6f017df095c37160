"""The page in Chromium: what applying a delta costs as the transcript grows, and the longest task of a fast turn.

A session streams into the running page; what the main thread did is told by the browser itself: its task time (scripts,
style, layout, paint) for the cost of a delta, its trace for the length of each task.
"""

import json
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any, Final

import httpx
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.command import run
from benchmarks.results import Figure, figure
from benchmarks.serving import Service, served_afresh

Event = dict[str, Any]
_ARGUMENTS: Final = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
_FEW, _MANY = 50, 2_000
# Longer than a flush tick, so that each post is a delta of its own.
_PAUSE_S: Final = 0.045
_RATE: Final = 300
_BATCHES_PER_S: Final = 30
# What the page has drawn and said, before anything is measured.
_SETTLE_MS: Final = 1_000
_QUIET_SHARE: Final = 0.1
_TRACE: Final = ("disabled-by-default-devtools.timeline", "__metadata")
_numbers = count(1)


def measure(short: bool) -> Sequence[Figure]:
    """Applying deltas at 50 and at 2,000 rows, in turns; then a turn of 300 events/s, traced."""
    rounds, deltas, seconds = (1, 40, 3) if short else (5, 120, 10)
    with served_afresh() as service, _chromium() as browser:
        pairs = [
            (_cost_ms(browser, service, _FEW, deltas), _cost_ms(browser, service, _MANY, deltas))
            for _ in range(rounds)
        ]
        tasks = [_tasks_ms(browser, service, seconds) for _ in range(rounds)]
    return (
        figure("browser.growth", "", [many / few for few, many in pairs]),
        figure("browser.delta_at_50", "ms", [few for few, _ in pairs]),
        figure("browser.delta_at_2000", "ms", [many for _, many in pairs]),
        figure("browser.longest_task", "ms", [one[-1] for one in tasks]),
        figure("browser.task_p99", "ms", [one[int(len(one) * 0.99)] for one in tasks]),
        figure("browser.busy", "", [sum(one) / (seconds * 1000) for one in tasks]),
    )


@contextmanager
def _chromium() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        raise SystemExit("benchmarks.browser needs Chromium on PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        yield browser
        browser.close()


class _Session:
    """A session of its own, and the page that shows it."""

    def __init__(self, browser: Browser, service: Service) -> None:
        self._name = f"browser-{next(_numbers)}"
        self._address = f"http://127.0.0.1:{service.port}"
        self._client = httpx.Client(base_url=self._address, timeout=30)
        self._context = browser.new_context(viewport={"width": 1100, "height": 800})
        self.page: Page = self._context.new_page()
        self._devtools = self._context.new_cdp_session(self.page)
        self._devtools.send("Performance.enable")

    def post(self, events: Sequence[Event]) -> None:
        """Append events."""
        self._client.post(f"/v1/sessions/{self._name}/events", json=list(events)).raise_for_status()

    def open(self, rows: int) -> None:
        """Show the session, and wait until all its rows are drawn, which comes in slices, and the page is quiet."""
        self.page.goto(f"{self._address}/#{self._name}")
        script = "(rows) => document.querySelectorAll('.seat').length >= rows"
        self.page.wait_for_function(script, arg=rows, timeout=120_000)
        before, now = 0.0, self.task_s()
        while now - before > _QUIET_SHARE * _SETTLE_MS / 1000:
            self.page.wait_for_timeout(_SETTLE_MS)
            before, now = now, self.task_s()

    def task_s(self) -> float:
        """How long the main thread worked since the page began."""
        metrics = self._devtools.send("Performance.getMetrics")["metrics"]
        return next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration")

    def seen(self, key: str) -> None:
        """Wait until a row stands there."""
        self.page.wait_for_selector(f'[data-key="{key}"]', state="attached", timeout=60_000)

    def close(self) -> None:
        """Take page and client away."""
        self._context.close()
        self._client.close()


def _opening(rows: int) -> list[Event]:
    """An open turn with so many rows: steps of reasoning and text, each with a call and its result."""
    log: list[Event] = [{"type": "turn/start", "turn": 1}]
    for step in range(1, rows // 2 + 1):
        log += _step(step)
    return log


def _step(step: int) -> list[Event]:
    blocks = [
        {"type": "reasoning", "text": "I look at the next one."},
        {"type": "text", "text": f"Part {step} of it."},
    ]
    place = {"turn": 1, "step": step}
    called = {
        "type": "tool/call",
        **place,
        "call_id": f"c{step}",
        "name": "read",
        "input": {"path": f"src/{step}.py"},
    }
    done = {"type": "tool/result", "call_id": f"c{step}", "status": "ok", "output": f"{step} lines"}
    return [{"type": "assistant/message", **place, "blocks": blocks}, called, done]


def _deltas(first_step: int, wanted: int) -> Iterator[list[Event]]:
    """One delta each: text that grows, mostly; now and then a step with a call."""
    step = first_step
    for number in range(wanted):
        if number % 10 == 9:
            yield _step(step)
            step += 1
        else:
            yield [_chunk(step, 0, f"and then the word {number} ")]


def _chunk(step: int, index: int, text: str, kind: str = "text") -> Event:
    return {"type": "assistant/chunk", "turn": 1, "step": step, "index": index, "kind": kind, "text": text}


def _cost_ms(browser: Browser, service: Service, rows: int, wanted: int) -> float:
    """Main-thread time for one delta, at so many rows."""
    session = _Session(browser, service)
    try:
        opening = _opening(rows)
        for at in range(0, len(opening), 1_000):
            session.post(opening[at : at + 1_000])
        steps = rows // 2
        session.open(rows)
        before = session.task_s()
        for events in _deltas(steps + 1, wanted):
            session.post(events)
            time.sleep(_PAUSE_S)
        session.seen(f"tool:c{steps + wanted // 10}")
        return (session.task_s() - before) * 1000 / wanted
    finally:
        session.close()


def _tasks_ms(browser: Browser, service: Service, seconds: int) -> list[float]:
    """The lengths of the main thread's tasks while a turn streams at 300 events/s, shortest first."""
    session = _Session(browser, service)
    try:
        session.post(_opening(_FEW))
        session.open(_FEW)
        browser.start_tracing(page=session.page, categories=list(_TRACE))
        began, per_batch, step = time.perf_counter(), _RATE // _BATCHES_PER_S, _FEW
        for batch in range(seconds * _BATCHES_PER_S):
            # A paragraph of Markdown a second, in steps of five seconds with a call between.
            if batch % (_BATCHES_PER_S * 5) == 0:
                step += 1
                session.post(_step(step))
                step += 1
            words = ["word " if number % 40 else "**so**\n\n- item `x`\n" for number in range(per_batch)]
            session.post([_chunk(step, 0, text) for text in words])
            ahead = began + (batch + 1) / _BATCHES_PER_S - time.perf_counter()
            time.sleep(max(0.0, ahead))
        session.page.wait_for_timeout(200)
        return _main_thread_tasks(json.loads(browser.stop_tracing()))
    finally:
        session.close()


def _main_thread_tasks(trace: dict[str, Any]) -> list[float]:
    """Every task of the page's renderer: the thread that ran most of them is the page's own."""
    mains = {
        (one["pid"], one["tid"])
        for one in trace["traceEvents"]
        if one["name"] == "thread_name" and one["args"]["name"] == "CrRendererMain"
    }
    by_thread: dict[tuple[int, int], list[float]] = {}
    for one in trace["traceEvents"]:
        thread = (one["pid"], one["tid"])
        if one["name"] == "RunTask" and thread in mains:
            by_thread.setdefault(thread, []).append(one.get("dur", 0) / 1000)
    longest: list[float] = []
    for tasks in by_thread.values():
        longest = tasks if len(tasks) > len(longest) else longest
    return sorted(longest)


if __name__ == "__main__":
    run("browser", measure)
