"""How much of a great text travels, and that the rest can be had (`wire.md`, *Size*)."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.fold import Fold
from projections.heads import head_of
from projections.row_text import page_of, texts_of
from projections.session import SessionFold
from projections.transcript import great_texts_of, row_of, whole_row
from tests.projections.folding import call, chunk, end, fold, message, more, result, row, say, start, user
from tests.projections.logs import LOGS
from tests.projections.test_properties import fold_all

LIMIT = 32
GREAT = "0123456789abcdef" * 4


def small(*events: dict[str, Any]) -> SessionFold:
    """Fold a log for a wire on which 32 bytes of a text travel."""
    session = SessionFold()
    session.inline_bytes = LIMIT
    return more(session, *events)


def rest_of(session: SessionFold, key: str, field: str | None = None, path: tuple[str, ...] = ()) -> str:
    """A text read in pages of seven bytes, as a client would."""
    texts = texts_of(session, path, key)
    assert texts is not None
    found = texts.find(field)
    assert found is not None
    parts, offset = [], 0
    while True:
        page = page_of(found.text, offset, 7)
        assert page is not None
        parts.append(page.text)
        if page.next_offset is None:
            return "".join(parts)
        offset = page.next_offset


def test_a_great_text_travels_as_its_head() -> None:
    """The head, the size of the whole in bytes, and that it is one."""
    session = small(start(), user(GREAT), {"type": "notice", "id": "n", "level": "info", "text": GREAT})
    assert row(session, "notice:n")["text"] == GREAT[:LIMIT]
    assert (row(session, "notice:n")["truncated"], row(session, "notice:n")["bytes"]) == (True, 64)
    assert row(session, "user:u1")["content"] == [
        {"type": "text", "text": GREAT[:LIMIT], "bytes": 64, "truncated": True}
    ]
    assert rest_of(session, "notice:n") == rest_of(session, "user:u1") == GREAT


def test_a_text_of_just_the_limit_travels_whole() -> None:
    """Nothing is said of it, and the fields are absent."""
    session = small(start(), {"type": "notice", "id": "n", "level": "info", "text": "x" * LIMIT})
    assert row(session, "notice:n")["text"] == "x" * LIMIT
    assert not {"truncated", "bytes", "heads"} & row(session, "notice:n").keys()


def test_without_a_limit_everything_travels_whole() -> None:
    """What prints a file has no wire to spare."""
    assert row(fold(start(), user(GREAT)), "user:u1")["content"] == [{"type": "text", "text": GREAT}]


def test_an_answer_that_streamed_is_never_cut() -> None:
    """What stood before the reader stays there, settled or interrupted; its reasoning travels as a head."""
    streamed = [start(), chunk(GREAT, kind="reasoning"), chunk(GREAT, index=1)]
    running = row(small(*streamed), "step:1:1")
    assert [block["text"] for block in running["blocks"]] == [GREAT, GREAT]
    both = [{"type": "reasoning", "text": GREAT}, {"type": "text", "text": GREAT}]
    for last in (message(both), end("aborted")):
        settled = row(small(*streamed, last), "step:1:1")
        assert settled["status"] != "running"
        assert [block["text"] for block in settled["blocks"]] == [GREAT[:LIMIT], GREAT]
        assert "truncated" not in settled["blocks"][1]


def test_a_message_that_came_at_once_travels_as_its_head() -> None:
    """Nobody has read it yet; the step's other attempt, which was taken back, does not count."""
    retried = {"type": "llm/retry", "turn": 1, "step": 1, "retry_id": "r"}
    for before in ([], [chunk("lost"), retried]):
        session = small(start(), *before, say(GREAT))
        assert row(session, "step:1:1")["blocks"][0]["text"] == GREAT[:LIMIT]
        assert rest_of(session, "step:1:1", "/blocks/0/text") == GREAT


def test_a_running_output_stops_at_its_head() -> None:
    """What comes beyond only makes `bytes` grow; the result's own output takes its place."""
    progress = {"type": "tool/progress", "call_id": "c1", "output": GREAT}
    session = small(start(), call(), progress, progress)
    shown = row(session, "tool:c1")
    assert (shown["progress"], shown["bytes"], shown["truncated"]) == (GREAT[:LIMIT], 128, True)
    assert rest_of(session, "tool:c1") == GREAT * 2
    more(session, result(output="short"))
    assert (row(session, "tool:c1")["output"], "truncated" in row(session, "tool:c1")) == ("short", False)


def test_great_json_stays_what_it_is() -> None:
    """An object is cut member by member, and `heads` names what was cut; the rest keeps its bytes."""
    given_input = {"path": "a", "content": GREAT, "lines": list(range(20)), "n": 1.5}
    session = small(start(), call(input=given_input))
    shown = row(session, "tool:c1")
    lines = json.dumps(given_input["lines"])
    assert shown["input"] == {"path": "a", "content": GREAT[:LIMIT], "lines": lines[:LIMIT], "n": 1.5}
    assert shown["heads"] == [
        {"field": "/input/content", "bytes": 64},
        {"field": "/input/lines", "bytes": len(lines), "json": True},
    ]
    assert rest_of(session, "tool:c1") == GREAT
    assert json.loads(rest_of(session, "tool:c1", "/input/lines")) == list(range(20))


@pytest.mark.parametrize("great", [list(range(50)), {f"field {n}": n for n in range(50)}])
def test_great_json_that_cannot_be_cut_by_member_travels_as_text(great: object) -> None:
    """The head of its JSON, and the mark that it is JSON."""
    session = small(start(), call(input=great))
    shown = row(session, "tool:c1")
    assert isinstance(shown["input"], str)
    assert [head["json"] for head in shown["heads"]] == [True]
    assert json.loads(rest_of(session, "tool:c1")) == great


def test_every_block_says_that_it_is_cut() -> None:
    """A diff, a call and a block of another type, each in its own words."""
    blocks: list[dict[str, Any]] = [
        {"type": "diff", "path": "p", "unified": GREAT},
        {"type": "tool_call", "call_id": "c1", "name": "n", "input": {"a": GREAT}},
        {"type": "weird", "a": GREAT},
    ]
    session = small(start(), message(blocks))
    shown = row(session, "step:1:1")["blocks"]
    assert [block["truncated"] for block in shown] == [True, True, True]
    assert shown[0]["unified"] == GREAT[:LIMIT]
    assert (shown[1]["input"], shown[1]["json"]) == (json.dumps(blocks[1]["input"])[:LIMIT], True)
    assert (shown[2]["type"], shown[2]["json"]) == ("weird", True)
    assert rest_of(session, "step:1:1", "/blocks/0/unified") == GREAT
    assert json.loads(rest_of(session, "step:1:1", "/blocks/2")) == blocks[2]


def test_a_row_of_many_great_blocks_is_bounded() -> None:
    """They share eight limits; the last ones still have a beginning where the limit leaves one."""
    session = SessionFold()
    session.inline_bytes = 1024
    more(session, start(), message([{"type": "text", "text": "x" * 5000}] * 200))
    shown = row(session, "step:1:1")["blocks"]
    assert sum(len(block["text"]) for block in shown) < 9 * 1024 + 200 * 16
    assert all(block["truncated"] and block["bytes"] == 5000 and block["text"] for block in shown)


def test_a_text_in_a_delegate_is_named_by_its_way() -> None:
    """The same key may stand in the parent as well."""
    inside = {"parent_call_id": "c1"}
    session = small(start(), call(), {**start(), **inside}, {**say(GREAT), **inside}, say(GREAT[::-1]))
    assert rest_of(session, "step:1:1", path=("c1",)) == GREAT
    assert rest_of(session, "step:1:1") == GREAT[::-1]
    assert texts_of(session, ("c2",), "step:1:1") is None


def test_queued_steering_can_be_read_whole() -> None:
    """It waits beside the rows, and its head says so as theirs do."""
    content = [{"type": "text", "text": GREAT}]
    session = small(start(), {"type": "user/steering", "id": "s", "content": content, "state": "queued"})
    assert rest_of(session, "steering:s", "/content/0/text") == GREAT


def test_a_great_title_is_short_in_the_list() -> None:
    """Everybody who follows the list gets every title; the ellipsis says that there is more."""
    session = fold({"type": "session/meta", "title": "T" * 5_000, "cwd": "/short"})
    facts = session.facts()
    assert (facts.title, facts.cwd) == ("T" * 1_024 + "\u2026", "/short")


def test_what_is_not_there_is_not_made_up() -> None:
    """No row, no such field, no offset inside a character."""
    session = small(start(), user("\u00e9\u00e9"))
    texts = texts_of(session, (), "user:u1")
    assert texts_of(session, (), "user:u2") is None
    assert texts is not None
    assert [texts.find(field) for field in ("/content/9/text", "content", "/content/x", "/key/0")] == [
        None
    ] * 4
    assert page_of("\u00e9", 1, 10) is None
    assert page_of("\u00e9", 3, 10) is None
    end_page = page_of("\u00e9", 2, 10)
    assert end_page is not None
    assert (end_page.text, end_page.next_offset) == ("", None)


@pytest.mark.parametrize(
    ("text", "limit", "head"),
    [
        ("a\u00e9", 2, "a"),
        ("cafe\u0301", 5, "caf"),
        ("a\U0001f468\u200d\U0001f469\u200d\U0001f467b", 12, "a"),
        ("a\U0001f44d\U0001f3fd", 6, "a"),
        ("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", 12, "\U0001f1e9\U0001f1ea"),
        ("a\r\nb", 2, "a"),
        ("a" + "\u0301" * 500, 301, "a" + "\u0301" * 150),
    ],
)
def test_a_head_ends_between_characters_as_readers_see_them(text: str, limit: int, head: str) -> None:
    """Not inside a code point, a letter with its accent, a family, a flag; a heap of marks is cut somewhere."""
    assert head_of(text, limit) == head


@given(st.text(), st.integers(0, 40))
def test_a_head_is_the_beginning_of_its_text(text: str, limit: int) -> None:
    """Of at most the limit, and whole where the text fits."""
    head = head_of(text, limit)
    assert text.startswith(head)
    assert len(head.encode()) <= limit
    assert head == text or len(text.encode()) > limit


def folds(outer: Fold) -> list[Fold]:
    """A transcript and those of its delegates."""
    return [outer, *(inner for below in outer.delegates.values() for inner in folds(below))]


@given(LOGS, st.sampled_from([1, 4, 12]))
def test_nothing_is_cut_without_a_word(log: list[dict[str, Any]], limit: int) -> None:
    """A row that differs from the whole one names each text that was cut, and each can be had whole."""
    session = fold_all(log, limit=limit)
    for held in folds(session.main):
        for turn in (*held.turns.values(), held.none):
            for slot in turn.rows:
                cut, whole = row_of(held, turn, slot), whole_row(turn, slot)
                fields = great_texts_of(held, turn, slot)
                assert (cut == whole) == (fields == ())
                texts = texts_of(session, held.path, slot.key)
                assert texts is not None
                assert all(texts.find(field) is not None for field in fields)
                said = msgspec.json.encode(cut).count(b'"truncated":true') + len(cut.heads or ())
                assert said == len(fields)
