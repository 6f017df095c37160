"""Rules of the terminal view that no harness vector shows (`views.md` D)."""

from projections.session import SessionFold
from projections.view import TuiPhase, TuiView
from tests.projections.folding import (
    Event,
    call,
    chunk,
    end,
    fold,
    message,
    more,
    say,
    start,
    transcript,
    user,
)

BEGIN = [start(), user()]


def steps(session: SessionFold, phase: TuiPhase = "hidden", *, reasoning: bool = True) -> list[Event]:
    """The steps of the first turn, as a client gets them."""
    shown = transcript(session, TuiView(phase=phase, reasoning=reasoning))
    found: list[Event] = shown["turns"][0]["presentation"]["steps"]
    return found


def headers(session: SessionFold, phase: TuiPhase = "hidden") -> list[int]:
    """Numbers of the steps that have a header."""
    return [step["step"] for step in steps(session, phase) if step["header"]]


def test_a_retraction_hands_the_header_to_the_next_step() -> None:
    """D-4: and when the step speaks again, it takes the header back, since it is the first."""
    retry = {"type": "llm/retry", "turn": 1, "step": 1, "retry_id": "r", "retry": 1}
    session = fold(*BEGIN, chunk("one"), chunk("two", step=2))
    assert headers(session) == [1]
    more(session, retry)
    assert headers(session) == [2]
    more(session, chunk("again"))
    assert headers(session) == [1]


def test_every_phase_but_hidden_gives_each_step_its_header() -> None:
    """D-3: a step that only calls tools too."""
    session = fold(*BEGIN, call("c1"), say("done", step=2), end())
    assert headers(session, "collapsed") == headers(session, "expanded") == [1, 2]
    assert headers(session, "hidden") == [2]


def test_reasoning_is_a_body_only_while_it_is_displayed() -> None:
    """D-2: so the header moves with the display."""
    session = fold(*BEGIN, message([{"type": "reasoning", "text": "hm"}]), say("done", step=2), end())
    assert [one["header"] for one in steps(session)] == [True, False]
    without = steps(session, reasoning=False)
    assert [one["header"] for one in without] == [False, True]
    assert [one["body"] for one in without] == [[], ["text"]]


def test_images_unknown_blocks_and_blank_text_are_no_body() -> None:
    """D-2: what a terminal cannot say in words."""
    blocks = [{"type": "image", "url": "u"}, {"type": "odd"}, {"type": "text", "text": "\n"}]
    (step,) = steps(fold(*BEGIN, message(blocks), end()))
    assert (step["body"], step["renders"], step["header"]) == ([], False, False)


def test_a_footer_stays_with_its_step_also_where_nothing_is_rendered() -> None:
    """D-5: known times alone."""
    called = {"type": "tool_call", "call_id": "c", "name": "x"}
    session = fold(
        start(),
        {"type": "step/start", "turn": 1, "step": 1, "ts_ms": 10},
        message([called], ts_ms=30, duration_ms=15, usage={"n": 1}),
        say("done", step=2),
        end(),
    )
    first, second = steps(session)
    assert first["renders"] is False
    assert first["footer"] == {"started_at_ms": 10, "ended_at_ms": 30, "duration_ms": 15, "usage": {"n": 1}}
    assert second["footer"] == {}


def test_text_that_was_cut_and_never_settled_is_kept() -> None:
    """D-4: live equals replay."""
    (step,) = steps(fold(*BEGIN, chunk("half"), end("interrupted")))
    assert (step["body"], step["header"]) == (["text"], True)
