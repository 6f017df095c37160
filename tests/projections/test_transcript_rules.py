"""Rules of the folded transcript that no harness vector shows (`views.md` A and B)."""

import json

import msgspec
import pytest

from projections.deltas import facts
from projections.presenter import Presenter
from projections.replica import apply_ops
from projections.saved import encode_head, encode_turns, restore
from projections.session import MOST_DEPTH
from projections.view import WebView
from tests.projections.folding import (
    Event,
    call,
    chunk,
    end,
    fold,
    keys,
    message,
    more,
    result,
    row,
    say,
    start,
    transcript,
    user,
)

INSIDE = {"parent_call_id": "c1"}


def test_a_delegate_is_a_transcript_under_its_call_and_counts_nowhere_above() -> None:
    """A-8: never rows, counts, answers or outcomes of the parent."""
    inner = [
        {**event, **INSIDE}
        for event in (start(), user("task"), call("d1"), result("d1"), say("found"), end("failed"))
    ]
    session = fold(
        start(), user(), call("c1", name="subagent"), *inner, result("c1"), say("answer", step=2), end()
    )
    shown = transcript(session)["turns"]
    assert len(shown) == 1
    assert shown[0]["outcome"] == "completed"
    assert shown[0]["spec"]["tool_call_count"] == 0
    assert shown[0]["spec"]["subagent_count"] == 1
    below = row(session, "tool:c1")["delegate"]["turns"]
    assert [(one["turn"], one["outcome"], one["spec"]["tool_call_count"]) for one in below] == [
        (1, "failed", 1)
    ]


def test_a_delegate_of_a_delegate_hangs_below_it() -> None:
    """A-8, by the same rules all the way down."""
    deeper = {**start(), "parent_call_id": "d1"}
    session = fold(start(), call("c1"), {**start(), **INSIDE}, {**call("d1"), **INSIDE}, deeper)
    outer = row(session, "tool:c1")["delegate"]["turns"][0]["rows"]
    inner = next(one for one in outer if one["key"] == "tool:d1")
    assert inner["delegate"]["turns"][0]["turn"] == 1


def test_a_delegate_that_comes_before_its_call_is_found_when_the_call_comes() -> None:
    """A-8 and rule 3: nothing is lost, and the disorder is counted."""
    session = fold(start(), {**start(), **INSIDE}, {**user("task"), **INSIDE}, call("c1"))
    assert row(session, "tool:c1")["delegate"]["turns"][0]["rows"][0]["key"] == "user:u1"
    assert session.anomalies == {"delegate_before_call": 1}


def test_a_delegate_of_a_delegate_waits_for_both_calls() -> None:
    """A-8 and rule 3: whatever of it came before the outer call hangs in its place once that comes."""
    inside, deeper = {"parent_call_id": "c1"}, {"parent_call_id": "d1"}
    session = fold(
        start(),
        {**start(), **inside},
        {**call("d1"), **inside},
        {**start(), **deeper},
        {**user("task"), **deeper},
        call("c1"),
    )
    outer = row(session, "tool:c1")["delegate"]["turns"][0]["rows"]
    inner = next(one for one in outer if one["key"] == "tool:d1")
    assert inner["delegate"]["turns"][0]["rows"][0]["key"] == "user:u1"
    assert session.anomalies == {"delegate_before_call": 1}


@pytest.mark.parametrize("calls_first", [True, False], ids=["calls first", "delegates first"])
def test_delegates_are_held_to_a_depth(calls_first: bool) -> None:
    """Deeper ones are counted, and stay in the log: no stack and no JSON parser meets them."""
    depth = 3 * MOST_DEPTH
    calls = [{**call(f"c{level}"), **_inside(level)} for level in range(depth)]
    starts = [{**start(), **_inside(level + 1)} for level in range(depth)]
    both = (
        zip(calls, starts, strict=True) if calls_first else [(one, None) for one in reversed(starts + calls)]
    )
    session = fold(start(), *(event for pair in both for event in pair if event is not None))
    below, levels = session.main, 0
    while below.delegates:
        (below,), levels = below.delegates.values(), levels + 1
    assert levels == MOST_DEPTH if calls_first else 0 < levels <= MOST_DEPTH
    assert session.anomalies["delegate_too_deep"] >= 1
    restored = restore(encode_head(session), encode_turns(session))
    assert transcript(restored) == transcript(session)


def _inside(level: int) -> dict[str, str]:
    return {"parent_call_id": f"c{level - 1}"} if level else {}


def test_a_delegate_ends_with_its_call() -> None:
    """A-8: its producer is over, so nothing in it runs on; a result says how the call went."""
    session = fold(start(), call("c1"), {**start(), **INSIDE}, {**call("d1"), **INSIDE}, result("c1"))
    assert row(session, "tool:d1")["status"] == "unknown"
    assert row(session, "tool:c1")["delegate"]["turns"][0]["outcome"] == "completed"


def test_what_waits_in_a_delegate_is_counted_for_the_turn_that_it_holds_up() -> None:
    """Situation 61: the reader must see that somebody waits."""
    asked = {
        "type": "interaction/request",
        "turn": 1,
        "id": "p",
        "kind": "permission",
        "title": "?",
        **INSIDE,
    }
    session = fold(start(), call("c1"), {**start(), **INSIDE}, asked)
    assert transcript(session)["turns"][0]["waiting"] == 1
    assert session.facts().waiting == 1


def test_a_rewind_in_a_delegate_takes_what_waited_there_from_the_turn_above() -> None:
    """W-1: who follows live is told so, as the next snapshot tells it."""
    asked = {"type": "interaction/request", "turn": 1, "id": "p", "kind": "permission", "title": "?"}
    session = fold(start(), call("c1"), {**start(), **INSIDE}, {**asked, **INSIDE})
    client, presenter = transcript(session), Presenter(WebView())
    session.drain()
    presenter.tell_all(session)
    more(session, {"type": "session/rewind", "before_turn": 1, **INSIDE})
    for one in facts(session.drain()):
        apply_ops(client, json.loads(msgspec.json.encode(presenter.ops(one))))
    assert client["turns"][0]["waiting"] == 0
    assert client == transcript(session)


def test_a_rewind_takes_turns_back_and_a_number_used_again_is_told_apart() -> None:
    """`session/rewind`: they leave the projection; keys and generation carry `~2`."""
    session = fold(
        start(),
        user(),
        say("one"),
        end(),
        {"type": "session/rewind", "before_turn": 1},
        start(),
        user(ident="u2"),
        say("two"),
        end(),
    )
    assert keys(session) == ["user:u2", "process:1~2", "step:1~2:1", "tail:1~2"]
    assert transcript(session)["turns"][0]["presentation"]["generation"] == "1~2|1"


def test_an_optimistic_copy_its_echo_and_the_log_are_one_row() -> None:
    """Situation 31: reconciled by the submission's local id; the row's key stays."""
    session = fold(
        user("q", turn=None, ident="local", client_id="x"),
        start(),
        user("q!", ident="srv", client_id="x"),
        user("q!", ident="srv"),
    )
    assert keys(session) == ["user:local"]
    assert transcript(session)["session_rows"] == []
    assert row(session, "user:local")["content"] == [{"type": "text", "text": "q!"}]


def test_queued_steering_is_no_row_until_it_is_delivered() -> None:
    """`user/steering`: it waits beside the rows and stands where it was delivered."""
    queued = {
        "type": "user/steering",
        "id": "s",
        "state": "queued",
        "content": [{"type": "text", "text": "x"}],
    }
    delivered = {"type": "user/steering", "id": "s", "state": "delivered", "content": []}
    waiting = fold(start(), user(), queued)
    assert transcript(waiting)["turns"][0]["queued"] == [{"id": "s", "content": queued["content"]}]
    session = fold(start(), user(), queued, chunk("t"), delivered)
    assert keys(session) == ["user:u1", "process:1", "step:1:1", "steering:s"]
    assert transcript(session)["turns"][0]["queued"] == []
    assert row(session, "steering:s")["content"] == queued["content"]


def test_canceled_steering_makes_no_row() -> None:
    """`user/steering`."""
    states = [{"type": "user/steering", "id": "s", "state": state} for state in ("queued", "canceled")]
    session = fold(start(), *states)
    assert keys(session) == []
    assert transcript(session)["turns"][0]["queued"] == []


def test_a_retry_takes_back_what_was_streamed_but_not_the_control_nor_the_counts() -> None:
    """A-5: the row hides, and starts again at another place."""
    retry = {"type": "llm/retry", "turn": 1, "step": 1, "retry_id": "r", "retry": 1}
    session = fold(start(), chunk("first"), call(), retry)
    assert keys(session) == ["process:1", "tool:c1", "retry:r"]
    again = fold(start(), chunk("first"), call(), retry, chunk("second"))
    assert keys(again) == ["process:1", "tool:c1", "retry:r", "step:1:1"]
    assert row(again, "process:1")["anchor"] == 0.9
    assert row(again, "step:1:1")["blocks"] == [{"type": "text", "text": "second"}]


def test_a_pending_question_stands_outside_and_a_resolved_one_is_process() -> None:
    """B-4."""
    asked = {"type": "interaction/request", "turn": 1, "id": "p", "kind": "question", "title": "?"}
    decided = {"type": "interaction/resolve", "id": "p", "outcome": "yes"}
    open_turn = transcript(fold(start(), user(), call(), asked))["turns"][0]
    assert open_turn["waiting"] == 1
    session = fold(start(), user(), call(), asked, decided, result(), say("done", step=2), end())
    assert "interaction:p" in transcript(session)["turns"][0]["presentation"]["members"]


def test_rows_after_the_answer_are_no_members() -> None:
    """B-6."""
    session = fold(
        start(),
        user(),
        chunk("think", kind="reasoning"),
        say("answer"),
        {"type": "notice", "turn": 1, "id": "n", "level": "info", "text": "x"},
        end(),
    )
    assert transcript(session)["turns"][0]["presentation"]["members"] == []


@pytest.mark.parametrize("reason", ["aborted", "interrupted", "failed", "max_tokens", "blocked", "odd"])
def test_every_way_to_end_folds_alike(reason: str) -> None:
    """B-12: the presentation is that of a completed turn; error, max-tokens and tail stand outside of it."""
    log = [start(), user(), call(), result(), say("answer", step=2)]
    completed, other = (transcript(fold(*log, end(one)))["turns"][0] for one in ("completed", reason))
    assert other["outcome"] == reason
    assert (other["presentation"], other["spec"]) == (completed["presentation"], completed["spec"])
    assert other["presentation"]["members"] == ["tool:c1"]


@pytest.mark.parametrize(
    ("block", "is_answer"),
    [
        ({"type": "text", "text": "so"}, True),
        ({"type": "image", "url": "u"}, True),
        ({"type": "of tomorrow", "text": "?"}, True),
        ({"type": "text", "text": " \n"}, False),
        ({"type": "reasoning", "text": "hm"}, False),
    ],
)
@pytest.mark.parametrize("beside_a_call", [False, True])
def test_reply_content_without_a_call_is_an_answer(
    block: Event, is_answer: bool, beside_a_call: bool
) -> None:
    """B-2: text, image or a block that nobody knows; whatever stands beside a call is none."""
    called = {"type": "tool_call", "call_id": "c2", "name": "read"}
    blocks = [block, called] if beside_a_call else [block]
    session = fold(start(), user(), call(), result(), message(blocks, step=2), end())
    shown = transcript(session)["turns"][0]["presentation"]
    if is_answer and not beside_a_call:
        assert (shown["answer"], shown["members"], shown["foldable"]) == ("step:1:2", ["tool:c1"], True)
    else:
        assert (shown["answer"], shown["members"], shown["foldable"]) == (None, [], False)


def test_context_is_process_that_no_label_counts() -> None:
    """B-2, B-4: a member beside the call, and the label speaks of the call alone."""
    context: Event = {"type": "context/injection", "turn": 1, "id": "k", "source": "s", "content": []}
    session = fold(
        start(), user(), context, call(), result(), {**context, "id": "l"}, say("a", step=2), end()
    )
    shown = transcript(session)["turns"][0]["presentation"]
    assert shown["members"] == ["context:k", "tool:c1", "context:l"]
    assert shown["label"]["text"] == "1 tool call"


def test_normal_mode_folds_nothing() -> None:
    """B-1: no member, no answer flag, the label still says what it would hold."""
    session = fold(start(), user(), call(), result(), say("answer", step=2), end())
    shown = transcript(session, WebView(mode="normal"))["turns"][0]["presentation"]
    assert (shown["foldable"], shown["answer"], shown["members"]) == (False, None, [])
    assert shown["label"]["text"] == "1 tool call"


def test_a_system_prompt_stands_where_its_request_shows_it() -> None:
    """A-11: in the first step at the turn's start, later at its step's start; a repeated text makes no row."""

    def prompt(text: str, reason: str = "initial") -> dict[str, object]:
        return {"type": "system/prompt", "text": text, "reason": reason}

    step = {"type": "step/start", "turn": 1}
    session = fold(
        start(),
        {**step, "step": 1},
        user(),
        prompt("A"),
        prompt("A"),
        say("x"),
        {"type": "step/end", "turn": 1, "step": 1},
        {**step, "step": 2},
        chunk("y", step=2),
        prompt("B", "change"),
    )
    assert [(key, row(session, key)["anchor"]) for key in keys(session) if key.startswith("prompt")] == [
        ("prompt:3", 0), ("prompt:9", 7),
    ]  # fmt: skip
    alone = fold(start(), prompt("A", "change"))
    assert row(alone, "prompt:1")["anchor"] == 1


def test_a_compaction_in_mid_turn_is_a_row_when_it_is_done() -> None:
    """Situation 64: web, one turn; the row stands at its end, never at its start."""
    started = {"type": "compaction", "turn": 1, "id": "k", "status": "started"}
    done = {"type": "compaction", "turn": 1, "id": "k", "status": "done", "summary": "s"}
    session = fold(start(), user(), call(), started, result(), done, say("a", step=2), end())
    assert row(session, "compaction:k")["anchor"] == 5
    assert keys(session).index("compaction:k") > keys(session).index("tool:c1")


def test_an_equal_spec_keeps_its_identity() -> None:
    """B-3: an event that changes no field publishes nothing new."""
    session = fold(start(), user(), chunk("a"))
    turn = session.main.turns[1]
    first = turn.spec
    assert first is not None
    more(session, chunk("b"), chunk("c"))
    assert turn.spec is first
    more(session, say("abc"))
    settled = turn.spec
    assert settled is not first
    more(session, {"type": "step/end", "turn": 1, "step": 1}, {"type": "phase/start", "phase": "recovering"})
    assert turn.spec is settled


def test_a_change_tells_of_its_own_turn_alone() -> None:
    """B-3: a turn that did not change publishes nothing."""
    session = fold(
        start(), user(), call(), result(), say("a", step=2), end(), start(2), user(turn=2, ident="u2")
    )
    presenter = Presenter(WebView())
    session.drain()
    presenter.tell_all(session)
    more(
        session, {**call("c2"), "turn": 2}, {**result("c2"), "turn": 2}, say("b", turn=2, step=2), end(turn=2)
    )
    ops = [op for one in facts(session.drain()) for op in json.loads(msgspec.json.encode(presenter.ops(one)))]
    assert "presentation" in {op["op"] for op in ops}
    assert {op["turn"] for op in ops} == {2}


def test_negative_and_unknown_times_are_absent() -> None:
    """A-7: never 0, never a guess."""
    session = fold({**start(), "ts_ms": -5}, call(duration_ms=None), result(duration_ms=-1))
    assert transcript(session)["turns"][0]["started_at_ms"] is None
    assert "duration_ms" not in row(session, "tool:c1")
    assert "started_at_ms" not in row(session, "tool:c1")
