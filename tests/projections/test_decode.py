"""Halves of surrogate pairs in any bytes: repaired where they stand, nothing else touched (`decode`, rule 4)."""

import json
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from projections import events as ev
from projections.decode import decode_event

_HALF = re.compile("[\ud800-\udfff]")
_ESCAPES = [
    r"\\",
    r"\n",
    r"\ud83d",
    r"\ude00",
    r"\uD83D\uDE00",
    r"\u001b",
    r"\"",
    r"\/",
    "a",
    "u",
    "ud800",
    "\u00e9",
]
ESCAPED = st.lists(st.sampled_from(_ESCAPES), max_size=12).map("".join)


def repaired(text: str) -> str:
    """What Python's own decoder makes of an escaped text, each half replaced."""
    return _HALF.sub("\ufffd", str(json.loads(f'"{text}"')))


@given(ESCAPED)
def test_a_half_in_a_text_becomes_a_replacement_character(text: str) -> None:
    """A pair stays a pair, an escaped backslash begins no escape."""
    event = decode_event(f'{{"type":"notice","id":"n","level":"info","text":"{text}"}}'.encode())
    assert isinstance(event, ev.Notice)
    assert event.text == repaired(text)


@given(ESCAPED)
def test_a_half_in_json_as_it_came_is_repaired_too(text: str) -> None:
    """Raw JSON is passed over by the decoder and reaches clients, who need not bear a half."""
    event = decode_event(f'{{"type":"custom/x","visible":true,"payload":["{text}"]}}'.encode())
    assert isinstance(event, ev.Custom)
    payload: list[Any] = json.loads(bytes(event.payload))
    assert payload == [repaired(text)]
    call = decode_event(f'{{"type":"tool/call","call_id":"c","name":"n","input":{{"a":"{text}"}}}}'.encode())
    assert isinstance(call, ev.ToolCall)
    assert json.loads(bytes(call.input)) == {"a": repaired(text)}
