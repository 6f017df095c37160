"""Bodies of append requests: to events as their bytes came, or to the first fault, named."""

import json

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from api.event_bodies import IncomingEvent, is_json, read_events
from api.problems import KIND_BY_CODE, Refusal

JSON, NDJSON, MSGPACK = "application/json", "application/x-ndjson", "application/msgpack"
TURN = b'{"type":"turn/start","turn":1}'
ODD = b'{ "type":"custom/x", "payload" : {"n":1.50, "deep":[1 ,2]} }'


def raws(body: bytes, media_type: str = JSON) -> tuple[bytes, ...]:
    """The events' bytes of a body that is accepted."""
    found = read_events(body, media_type, max_event_bytes=1000)
    assert not isinstance(found, Refusal), found
    return tuple(event.raw for event in found)


def refused(body: bytes, media_type: str = JSON) -> Refusal:
    """The refusal of a body that is not accepted."""
    found = read_events(body, media_type, max_event_bytes=1000)
    assert isinstance(found, Refusal), found
    return found


def test_events_keep_the_bytes_that_came() -> None:
    """Spaces, number forms and the order of fields are the producer's."""
    assert raws(ODD) == (ODD,)
    assert raws(b" [ " + TURN + b" ,\n" + ODD + b"]\n") == (TURN, ODD)
    assert raws(TURN + b"\r\n\n  " + ODD + b"\n", NDJSON) == (TURN, ODD)


def test_half_of_a_surrogate_pair_is_json() -> None:
    """The fold repairs it; the bytes stay, in an object, an array and a line."""
    lone = b'{"type":"tool/progress","call_id":"c","output":"\\ud83d"}'
    assert raws(lone) == (lone,)
    assert raws(b"[" + TURN + b", " + lone + b"]") == (TURN, lone)
    assert raws(lone, NDJSON) == (lone,)


def test_messagepack_becomes_json() -> None:
    """One map or an array of maps."""
    event = {"type": "turn/start", "turn": 1}
    assert json.loads(raws(msgspec.msgpack.encode(event), MSGPACK)[0]) == event
    assert len(raws(msgspec.msgpack.encode([event, event]), MSGPACK)) == 2


@pytest.mark.parametrize("value", [b"bytes", float("nan"), {1: 2}, msgspec.msgpack.Ext(5, b"x")])
def test_messagepack_without_a_json_form_is_refused(value: object) -> None:
    """Nothing is turned into something else in silence."""
    body = msgspec.msgpack.encode({"type": "custom/x", "payload": [value]})
    assert refused(body, MSGPACK).code == "invalid_event"


def test_unknown_type_is_accepted() -> None:
    """Rule 1 of the fold: it is kept, projected as nothing and counted."""
    assert raws(b'{"type":"from/the/future"}') == (b'{"type":"from/the/future"}',)


def test_event_id_is_read() -> None:
    """Append deduplicates by it."""
    found = read_events(b'{"type":"turn/start","turn":1,"event_id":"e1"}', JSON, max_event_bytes=1000)
    assert isinstance(found, tuple)
    assert [type(event) for event in found] == [IncomingEvent]
    assert found[0].event_id == "e1"


def test_bad_event_is_named_with_its_field() -> None:
    """One bad event refuses the request, and says which, where and why."""
    fault = refused(b"[" + TURN + b',{"type":"turn/start"}]')
    assert (fault.code, fault.where) == ("invalid_event", "event 1")
    assert "turn" in fault.detail
    fault = refused(TURN + b"\n\n" + b'{"type":"turn/start","turn":"x"}\n', NDJSON)
    assert (fault.code, fault.where) == ("invalid_event", "line 3")


@pytest.mark.parametrize("body", [b"", b"  ", b"[]"])
def test_body_without_events_is_refused(body: bytes) -> None:
    """An empty append is a mistake, not a success."""
    assert refused(body).code == "no_events"


@pytest.mark.parametrize(
    "body",
    [
        b"1",
        b'"x"',
        b"[1,",
        b"{",
        b"nonsense",
        b"\xff",
        TURN + TURN,
        b"[" * 100_000,
        b"[" + TURN + b' {"a":"\\ud800"}]',
    ],
)
def test_body_that_is_no_json_is_refused(body: bytes) -> None:
    """With the place of the fault, and never an exception."""
    assert refused(body).code == "malformed_body"


def test_event_over_the_limit_is_named() -> None:
    """413, with both numbers."""
    big = b'{"type":"notice","id":"n","level":"info","text":"' + b"x" * 1000 + b'"}'
    fault = refused(b"[" + TURN + b"," + big + b"]")
    assert (fault.code, fault.where) == ("event_too_large", "event 1")
    assert "1000" in fault.detail


@given(st.binary(max_size=200), st.sampled_from([JSON, NDJSON, MSGPACK]))
@example(b"\x91\xc1", MSGPACK)
@example(b"\xcf" + b"\xff" * 8, MSGPACK)
def test_rubbish_is_events_or_a_refusal(body: bytes, media_type: str) -> None:
    """No bytes make the reader raise."""
    found = read_events(body, media_type, max_event_bytes=100)
    assert isinstance(found, tuple) or found.code in KIND_BY_CODE


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    )
)
def test_payload_bytes_survive_in_every_form(payload: object) -> None:
    """What the standard library writes comes out as the same bytes, alone, in an array and in a line."""
    raw = json.dumps({"type": "custom/x", "payload": payload}).encode()
    for body, kind in ((raw, JSON), (b"[" + raw + b"]", JSON), (raw + b"\n", NDJSON)):
        found = read_events(body, kind, max_event_bytes=10**6)
        assert isinstance(found, tuple)
        assert found[0].raw == raw


@pytest.mark.parametrize(
    ("raw", "verdict"),
    [
        (b'{"a":"\\ud800"}', True),
        (b'{"a":NaN}', False),
        (b'{"a":"\xff"}', False),
        (b'{"a":"\\ud800",}', False),
        (b"7", True),
    ],
)
def test_json_is_told_from_other_bytes(raw: bytes, verdict: bool) -> None:
    """Half of a surrogate pair is JSON; NaN, broken UTF-8 and a trailing comma are not."""
    assert is_json(raw) is verdict
