"""The twelve rules of disorder (`events.md`), each with the transcript that it leads to."""

from projections.decode import decode_event
from projections.events import Malformed
from projections.saved import encode_head, encode_turns, restore
from tests.projections.folding import (
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
    tool_progress,
    transcript,
    user,
)


def test_an_unknown_type_is_counted_and_shown_only_when_visible() -> None:
    """Rule 1."""
    session = fold(start(), {"type": "later/thing"}, {"type": "later/shown", "visible": True, "title": "T"})
    assert session.anomalies == {"unknown_type": 2}
    assert keys(session) == ["custom:2"]
    assert row(session, "custom:2")["title"] == "T"


def test_an_unreadable_entry_keeps_its_seq_and_the_session_goes_on() -> None:
    """Rule 2: the anchors of what follows count it."""
    session = fold(start(), b"{", user())
    assert session.anomalies == {"malformed": 1}
    assert row(session, "user:u1")["anchor"] == 2


def test_a_missing_field_is_named_in_the_reason() -> None:
    """Rule 2: what, where, and what was expected."""
    assert decode_event(b'{"type":"tool/call","call_id":"c","name":3}') == Malformed(
        reason="Expected `str`, got `int` - at `$.name`"
    )


def test_a_result_before_its_call_gives_the_row_its_place_and_the_call_completes_it() -> None:
    """Rule 3: results never move rows, and the call is counted when it comes."""
    session = fold(start(), result("c1"), call("c2"), call("c1", name="late"))
    assert keys(session) == ["process:1", "tool:c1", "tool:c2"]
    first = row(session, "tool:c1")
    assert (first["anchor"], first["name"], first["status"], first["output"]) == (1, "late", "ok", "out")
    spec = session.main.turns[1].spec
    assert spec is not None
    assert spec.tool_call_count == 2


def test_the_first_of_two_results_wins() -> None:
    """Rule 3."""
    session = fold(start(), call(), result(output="one"), result(output="two", status="error"))
    assert (row(session, "tool:c1")["output"], row(session, "tool:c1")["status"]) == ("one", "ok")
    assert session.anomalies == {"duplicate_result": 1}


def test_two_calls_of_one_id_are_one_row_counted_once() -> None:
    """Rule 4."""
    session = fold(start(), call(name="a"), call(name="b"), end())
    spec = session.main.turns[1].spec
    assert spec is not None
    assert spec.tool_call_count == 1
    assert row(session, "tool:c1")["name"] == "b"
    assert session.anomalies == {"duplicate_call": 1}


def test_interleaved_chunks_are_paired_by_index_in_order_of_first_appearance() -> None:
    """Rule 5: also without a block's start or end, and with a call in an open block."""
    session = fold(
        start(),
        chunk("b1", 1),
        chunk("a1", 0, kind="reasoning"),
        call(),
        chunk("b2", 1),
        chunk("a2", 0, kind="reasoning"),
    )
    assert row(session, "step:1:1")["blocks"] == [
        {"type": "text", "text": "b1b2"},
        {"type": "reasoning", "text": "a1a2"},
    ]


def test_a_turn_and_a_step_that_never_started_start_at_their_first_event() -> None:
    """Rule 7."""
    session = fold(chunk("hello"))
    turn = session.main.turns[1]
    assert (turn.first_seq, turn.start_seq, turn.steps[1].first_seq) == (0, None, 0)


def test_a_turn_that_starts_closes_the_open_one_as_interrupted_there() -> None:
    """Rule 7: the boundary of what was streamed is the event that started the next turn."""
    session = fold(start(), chunk("part"), start(2))
    shown = transcript(session)["turns"]
    assert [(one["turn"], one["status"], one["outcome"]) for one in shown] == [
        (1, "closed", "interrupted"), (2, "open", None),
    ]  # fmt: skip
    assert (row(session, "step:1:1")["status"], row(session, "step:1:1")["anchor"]) == ("interrupted", 1.1)


def test_a_late_event_attaches_to_its_closed_turn_and_does_not_reopen_it() -> None:
    """Rule 8."""
    session = fold(start(), call(), end(), result(output="late"))
    assert row(session, "tool:c1")["output"] == "late"
    assert transcript(session)["turns"][0]["status"] == "closed"
    assert session.anomalies == {"late_event": 1}


def test_a_rewind_inside_a_delegate_takes_back_what_waited_there() -> None:
    """What the delegate's dropped turn waited for no longer waits in the turn above: its head changes."""
    inside = {"parent_call_id": "c1"}
    ask = {"type": "interaction/request", "turn": 1, "id": "p", "kind": "permission", "title": "?", **inside}
    session = fold(start(), call("c1"), ask)
    head_rev = session.main.turns[1].head_rev
    assert transcript(session)["turns"][0]["waiting"] == 1
    more(session, {"type": "session/rewind", "before_turn": 1, **inside})
    assert transcript(session)["turns"][0]["waiting"] == 0
    assert session.main.turns[1].head_rev > head_rev


def test_a_late_block_gives_a_step_that_was_cut_without_a_word_its_row() -> None:
    """Rule 8 with A-4: a call's block is enough for an interrupted final, also when it comes after the end."""
    late = {
        "type": "assistant/chunk",
        "turn": 1,
        "step": 1,
        "index": 0,
        "kind": "tool_input",
        "call_id": "c",
        "text": "{",
    }
    session = fold(
        start(), {"type": "step/start", "turn": 1, "step": 1}, {"type": "step/end", "turn": 1, "step": 1}
    )
    assert keys(session) == []
    more(session, late)
    assert (row(session, "step:1:1")["status"], row(session, "step:1:1")["anchor"]) == ("interrupted", 1.1)


def test_a_later_real_event_takes_a_synthetic_end_back() -> None:
    """Rule 8: everything that the end settled runs again, and its rows go."""
    session = fold(start(), chunk("part"), call(), end("interrupted", synthetic=True), chunk(" more"))
    assert transcript(session)["turns"][0]["status"] == "open"
    assert keys(session) == ["process:1", "step:1:1", "tool:c1"]
    assert row(session, "step:1:1")["status"] == "running"
    assert row(session, "step:1:1")["anchor"] == 1
    assert row(session, "tool:c1")["status"] == "running"


def test_a_synthetic_end_stands_when_the_next_turn_has_started() -> None:
    """Rules 7 and 8: two turns are never open at once."""
    session = fold(start(), call(), end("interrupted", synthetic=True), start(2), result())
    assert [one["status"] for one in transcript(session)["turns"]] == ["closed", "open"]


def test_a_second_synthetic_end_changes_nothing() -> None:
    """Rule 9: the service may say it twice."""
    session = fold(start(), end("interrupted", synthetic=True), end("interrupted", synthetic=True))
    assert transcript(session)["turns"][0]["status"] == "closed"
    assert session.anomalies == {"duplicate_turn_end": 1}


def test_a_real_end_corrects_an_end_that_the_next_turn_implied() -> None:
    """Rules 7 and 8: what really happened is known later."""
    session = fold(start(), say("A"), start(2), end("completed", turn=1))
    assert transcript(session)["turns"][0]["outcome"] == "completed"
    assert row(session, "tail:1")["outcome"] == "completed"


def test_a_turn_without_an_end_is_running() -> None:
    """Rule 9: a clean end of a transport is not the end of a turn."""
    session = fold(start(), user(), say("looks final"))
    turn = transcript(session)["turns"][0]
    assert (turn["status"], turn["outcome"], turn["presentation"]["foldable"]) == ("open", None, False)


def test_the_end_of_a_turn_settles_what_is_open() -> None:
    """Rule 10: calls as canceled after an abort, else unknown; a question nobody answered expires."""
    asked = {"type": "interaction/request", "turn": 1, "id": "p", "kind": "permission", "title": "?"}
    aborted, cut = (
        fold(start(), call(), asked, end("aborted")),
        fold(start(), call(), asked, end("interrupted")),
    )
    assert row(aborted, "tool:c1")["status"] == "canceled"
    assert row(cut, "tool:c1")["status"] == "unknown"
    assert row(cut, "interaction:p")["status"] == "expired"
    assert transcript(cut)["turns"][0]["waiting"] == 0


def test_blank_text_makes_no_row_and_is_no_answer() -> None:
    """Rule 12."""
    session = fold(start(), chunk(" \n"), say("\ufeff\n", step=1), end())
    assert keys(session) == ["tail:1"]
    assert session.main.turns[1].spec is None


def test_a_settled_step_of_calls_alone_has_no_row() -> None:
    """A-2, A-3: a tool-call block is not visible material."""
    session = fold(start(), message([{"type": "tool_call", "call_id": "c1", "name": "read"}]), call())
    assert keys(session) == ["process:1", "tool:c1"]


def test_a_surrogate_pair_split_over_two_chunks_is_joined() -> None:
    """Envelope: also byte for byte as JavaScript splits an emoji."""
    first = b'{"type":"assistant/chunk","turn":1,"step":1,"index":0,"kind":"text","text":"a\\ud83d"}'
    second = b'{"type":"assistant/chunk","turn":1,"step":1,"index":0,"kind":"text","text":"\\ude00b"}'
    session = fold(first, second)
    assert row(session, "step:1:1")["blocks"][0]["text"] == "a\U0001f600b"
    assert session.anomalies == {}


def test_half_a_pair_waits_through_a_save() -> None:
    """R-6: a save between the two chunks keeps the half, in a text and in a tool's output; the pair is joined."""
    first = fold(start(), chunk("x\ud83d"), call(), tool_progress("y\ud83d"))
    restored = restore(encode_head(first), encode_turns(first))
    for session in (first, restored):
        more(session, chunk("\ude00z"), tool_progress("\ude00"))
        assert row(session, "step:1:1")["blocks"] == [{"type": "text", "text": "x\U0001f600z"}]
        assert row(session, "tool:c1")["progress"] == "y\U0001f600"
        assert session.anomalies == {}


def test_a_lone_surrogate_becomes_the_replacement_character_and_is_counted() -> None:
    """Envelope: in a text, at a stream's end, and in arbitrary JSON."""
    lone = b'{"type":"assistant/chunk","turn":1,"step":1,"index":0,"kind":"text","text":"a\\ud83d"}'
    session = fold(lone, end())
    assert row(session, "step:1:1")["blocks"][0]["text"] == "a\ufffd"
    assert session.anomalies == {"surrogate_replaced": 1}
    shown = fold(b'{"type":"tool/call","turn":1,"step":1,"call_id":"c1","name":"n","input":{"x":"\\udc00"}}')
    assert row(shown, "tool:c1")["input"] == {"x": "\ufffd"}


def test_a_replacement_is_a_copy_for_the_model_alone() -> None:
    """Envelope: `surface: replace` changes nothing here."""
    assert fold(start(), user(surface="replace")).main.turns[1].rows == []


def test_arbitrary_json_is_kept_as_the_bytes_it_came_in() -> None:
    """Envelope: numbers, order and white space of an input are the producer's."""
    session = fold(
        b'{"type":"tool/call","turn":1,"step":1,"call_id":"c1","name":"n","input":{"b": 1.0,"a":[ 1e3 ]}}'
    )
    assert bytes(session.main.turns[1].tools["c1"].input) == b'{"b": 1.0,"a":[ 1e3 ]}'


def test_an_event_of_a_known_id_is_known() -> None:
    """`event_id`: the last 10,000 keys of a session are remembered."""
    session = fold(user(event_id="k"))
    assert session.knows("k")
    assert not session.knows("other")
    for number in range(10_000):
        session.apply(
            session.next_seq, decode_event(b'{"type":"phase/end","phase":"x","event_id":"n%d"}' % number)
        )
    assert not session.knows("k")
    assert session.knows("n0")
