"""The desktop and the terminal view as text, made of the wire's JSON as `turnfold show` gets it."""

from typing import Any

from api.text_desktop import desktop_lines
from api.text_tui import tui_lines
from projections.view import DesktopView, TuiPhase, TuiView
from tests.projections.folding import Event, call, end, fold, message, result, say, start, transcript, user

TURN = [start(), user("How many?"), call("c", name="bash", input={"command": "ls"}), result("c", "3")]
DONE = [*TURN, say("Three.", step=2), end()]
BUSY = [
    start(),
    message([{"type": "reasoning", "text": "hm"}]),
    *(event for event in TURN if event["type"].startswith("tool/")),
    call("a", name="Read"),
    call("b", name="Read"),
]


def desktop(log: list[Event], *, expand: bool = False, **preferences: Any) -> list[str]:
    """A log as lines of the desktop view."""
    view = DesktopView(**preferences)
    return list(desktop_lines(transcript(fold(*log), view), locale=view.locale, expand=expand))


def tui(log: list[Event], phase: TuiPhase = "collapsed", *, expand: bool = False) -> list[str]:
    """A log as lines of the terminal view."""
    return list(tui_lines(transcript(fold(*log), TuiView(phase=phase)), locale="en", expand=expand))


def test_a_closed_turn_is_its_header_and_its_answer() -> None:
    """The disclosure of a running one is open; `expand` opens any."""
    assert desktop(DONE) == ["You: How many?", "▸ Completed · 1 tool call", "Three.", ""]
    assert desktop(DONE, expand=True, locale="zh-CN") == [
        "你: How many?", "▾ 已完成 · 1 次工具调用", "  ⚙ bash ls", "    → 3", "Three.", "",
    ]  # fmt: skip
    assert desktop(TURN) == ["You: How many?", "▾ Working · 1 tool call", "  ⚙ bash ls", "● running", ""]


def test_each_preference_shows_in_the_text() -> None:
    """Groups by mode, thinking and what is open of it."""
    assert desktop(BUSY)[1:-2] == [
        "  ▾ Thought, ran commands, and read files · 3 operations",
        "    ~ Thinking", "    ⚙ bash ls", "    ⚙ Read [running]", "    ⚙ Read [running]",
    ]  # fmt: skip
    assert desktop(BUSY, thinking=False)[1] == "  ▾ Ran commands and read files · 3 operations"
    assert desktop(BUSY, collapse_thinking=False)[2:4] == ["    ~ Thinking", "      hm"]
    flat = ["  ~ Thinking", "  ⚙ bash ls", "  ⚙ Read [running]", "  ⚙ Read [running]"]
    assert desktop(BUSY, mode="flat")[1:-2] == flat
    assert desktop(BUSY, mode="command-first")[2:4] == ["  ⚙ bash ls", "  ▾ Read files · 2 operations"]


def test_errors_stand_above_and_what_waits_below_the_answer() -> None:
    """Outside of everything that closes (C-1)."""
    queued = {"type": "user/steering", "turn": 1, "id": "s", "state": "queued"}
    also = {**queued, "content": [{"type": "text", "text": "also"}]}
    ask = {"type": "interaction/request", "turn": 1, "id": "p", "kind": "question", "title": "which?"}
    assert desktop([start(), say("so"), ask, also]) == [
        "so", "? question: which? — waits for you", "… to be sent: also", "● running · waits for you (1)", "",
    ]  # fmt: skip
    assert desktop([start(), say("so"), end("failed", error={"message": "broke"})])[:2] == ["✗ broke", "so"]


def test_each_phase_shows_as_much_of_tools_as_it_says() -> None:
    """Cards as titles, cards with input and output, no cards and one header."""
    assert tui(DONE) == [
        "You: How many?",
        "Assistant",
        "  ⚙ bash ls",
        "Assistant",
        "Three.",
        "— completed",
        "",
    ]
    assert tui(DONE, "expanded")[2:4] == tui(DONE, expand=True)[2:4] == ["  ⚙ bash ls", "    → 3"]
    assert tui(DONE, "hidden") == ["You: How many?", "Assistant", "Three.", "— completed", ""]


def test_a_step_without_any_row_still_has_its_header_and_footer() -> None:
    """In order, before the step that came after it (D-3, D-5)."""
    log = [
        start(),
        {"type": "step/start", "turn": 1, "step": 1, "ts_ms": 1_000},
        {"type": "step/end", "turn": 1, "step": 1, "ts_ms": 3_500},
        say("Three.", step=2),
    ]
    assert tui(log) == ["Assistant", "  ⏱ 2s", "Assistant", "Three.", "● running", ""]
    assert tui(log, "hidden") == ["  ⏱ 2s", "Assistant", "Three.", "● running", ""]


def test_what_could_steer_a_terminal_is_shown_as_a_sign_in_every_view() -> None:
    """No text of a log reaches the terminal as it is."""
    bad = "a\x1b[2Jb"
    log = [start(), user(bad), call("c", name=bad), result("c", bad), say(bad, step=2), end(bad)]
    for lines in (desktop(log, expand=True), tui(log, "expanded")):
        assert "\x1b" not in "".join(lines)


def test_a_call_is_known_by_what_it_is_about() -> None:
    """Its command, path or query, not all that it was given; where none of these is there, the JSON."""
    inputs: list[tuple[Any, str]] = [
        ({"description": "Run them", "command": "make test"}, "make test"),
        ({"path": "src", "pattern": "def x"}, "def x"),
        ({"only": "text"}, "text"),
        ({"todos": [{"a": "é"}]}, '{"todos": [{"a": "é"}]}'),
        ("as text", "as text"),
        ({}, ""),
    ]
    for given, said in inputs:
        log = [start(), call("c", name="x", input=given), result("c", "out"), end()]
        assert tui(log, "expanded")[1] == f"  ⚙ x {said}".rstrip()
        closed = "" if said.startswith("{") else said
        assert tui(log)[1] == f"  ⚙ x {closed}".rstrip()


def test_a_reader_of_chinese_reads_no_english_states() -> None:
    """States, kinds and levels are words of the client; names and texts are the log's."""
    log = [
        start(),
        call("c", name="x"),
        {"type": "notice", "turn": 1, "id": "n", "level": "warning", "text": "!"},
        {"type": "interaction/request", "turn": 1, "id": "p", "kind": "permission", "title": "?"},
        {"type": "compaction", "turn": 1, "id": "k", "status": "failed"},
        {"type": "llm/retry", "turn": 1, "step": 1, "retry_id": "r", "retry": 2},
    ]
    shown = transcript(fold(*log), TuiView())
    assert list(tui_lines(shown, locale="zh-CN", expand=False))[1:-2] == [
        "  ⚙ x [运行中]", "! 警告: !", "? 权限: ? — 等待你", "──── 上下文压缩 · 失败 ────", "  ↻ 重试 2",
    ]  # fmt: skip


def test_the_end_of_a_turn_is_said_at_its_end() -> None:
    """The row of the outcome stands behind the last text (A-10); as text it would part the work that came after it."""
    log = [start(), say("I build."), call("c"), result("c"), end("failed", error={"message": "broke"})]
    assert tui(log)[-3:] == ["✗ broke", "— failed", ""]


def test_a_plain_answer_that_was_cut_says_so() -> None:
    """It has no header that would (C-3)."""
    half = {"type": "assistant/chunk", "turn": 1, "step": 1, "index": 0, "kind": "text", "text": "half"}
    assert desktop([start(), half, end("aborted")]) == ["half", "(interrupted)", ""]


INSIDE = {"parent_call_id": "c"}
DELEGATED = [
    start(),
    call("c", name="Task", input={"description": "look"}),
    {"type": "notice", "id": "n", "level": "warning", "text": "slow disk", **INSIDE},
    *({**event, **INSIDE} for event in (start(), message([{"type": "reasoning", "text": "secret"}]))),
    *({**event, **INSIDE} for event in (call("d", name="bash", input={"command": "ls"}), result("d", "3"))),
    *({**event, **INSIDE} for event in (say("three", step=2), end())),
    result("c", "3"),
    say("Three.", step=2),
    end(),
]


def test_a_delegate_is_drawn_as_the_transcript_around_it_is() -> None:
    """Entries and groups in the desktop view, headers in the terminal's; rows of no turn are there as well."""
    assert desktop(DELEGATED, expand=True) == [
        "▾ Completed · 1 tool call",
        "  ⚙ Task look",
        "    → 3",
        "  │ ! warning: slow disk",
        "  │ ▾ Completed · 1 tool call",
        "  │   ▾ Thought and ran commands · 1 operation",
        "  │     ~ Thinking",
        "  │       secret",
        "  │     ⚙ bash ls",
        "  │       → 3",
        "  │ three",
        "Three.",
        "",
    ]
    inner = [line for line in tui(DELEGATED, "expanded") if "│" in line]
    assert inner == [
        "  │ ! warning: slow disk", "  │ Assistant", "  │   ~ secret", "  │   ⚙ bash ls", "  │     → 3",
        "  │ Assistant", "  │ three", "  │ — completed",
    ]  # fmt: skip


def test_thinking_that_is_not_shown_is_not_shown_in_a_delegate_either() -> None:
    """C-7 and D-1, at any depth."""
    assert not [line for line in desktop(DELEGATED, expand=True, thinking=False) if "secret" in line]
    assert [line for line in tui(DELEGATED, "expanded") if "secret" in line]
    shown = transcript(fold(*DELEGATED), TuiView(phase="expanded", reasoning=False))
    assert not [line for line in tui_lines(shown, locale="en", expand=True) if "secret" in line]
