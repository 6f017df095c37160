"""Native JSONL: events pass as they are."""

import json
from typing import Any

from service.importers.accounting import Ledger
from service.importers.emit import NativeEvent
from service.importers.lines import Line
from service.importers.native import read_native_lines


def read(*lines: bytes | dict[str, Any], leave_open: bool = True) -> list[NativeEvent]:
    """The events of a file with these lines."""
    raws = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    numbered = [Line(number=number, raw=raw) for number, raw in enumerate(raws, start=1)]
    return list(read_native_lines(numbered, Ledger(), leave_open=leave_open))


def test_event_with_its_own_id_passes_byte_for_byte() -> None:
    """Arbitrary JSON is kept as the bytes it came in, its spaces and number forms too."""
    raw = b'{ "type":"tool/call", "event_id":"e1", "input":{"n":1.50,  "m":1E2} }'
    assert read(raw)[0].body == raw


def test_event_without_id_gets_one_in_front() -> None:
    """The rest of its bytes is untouched."""
    raw = b'{ "type":"tool/call", "input":{"n":1.50} }'
    body = read(raw)[0].body
    assert body.endswith(b'"type":"tool/call", "input":{"n":1.50} }')
    assert json.loads(body)["event_id"].startswith("import:")


def test_ids_are_stable_and_distinct() -> None:
    """A repeated import is dropped by the service, two equal lines of one file are not."""
    line = {"type": "tool/progress", "call_id": "c1", "output": "."}
    ids = [json.loads(event.body)["event_id"] for event in read(line, line)]
    assert len(set(ids)) == 2
    assert ids == [json.loads(event.body)["event_id"] for event in read(line, line)]


def test_wrong_fields_are_not_judged_here() -> None:
    """The service quarantines such an event under its own `seq`, where it can be repaired."""
    assert json.loads(read({"type": "tool/call"})[0].body)["type"] == "tool/call"


def test_pauses_come_from_the_recorded_times() -> None:
    """A clock that steps back, or an event without time, gives no pause."""
    times = [1000, 1250, 1200, None, 1300]
    events = read(*({"type": "notice"} | ({} if ts is None else {"ts_ms": ts}) for ts in times))
    assert [event.pause_ms for event in events] == [0, 250, 0, 0, 100]


START = {"type": "turn/start", "turn": 1}
CALL = {"type": "tool/call", "turn": 1, "step": 1, "call_id": "c1", "name": "read"}
RESULT = {"type": "tool/result", "call_id": "c1", "status": "ok"}


def message(*blocks: dict[str, Any], step: int = 1) -> dict[str, Any]:
    """A settled message."""
    return {"type": "assistant/message", "turn": 1, "step": step, "blocks": list(blocks)}


TEXT = {"type": "text", "text": "Done."}
TOOL_CALL = {"type": "tool_call", "call_id": "c1", "name": "read"}


def end_of(*lines: dict[str, Any]) -> dict[str, Any] | None:
    """The synthetic end that a finished file of these lines gets."""
    fields: dict[str, Any] = json.loads(read(*lines, leave_open=False)[-1].body)
    return fields if fields.get("synthetic") else None


def test_open_turn_with_an_answer_is_completed() -> None:
    """An importer of a finished file ends its last turn (rule 9)."""
    found = end_of(START, message(TEXT))
    assert found is not None
    assert (found["type"], found["turn"], found["reason"]) == ("turn/end", 1, "completed")


def test_open_turn_with_an_open_call_is_interrupted() -> None:
    """Text beside a call that never came back is no end."""
    found = end_of(START, message(TEXT, TOOL_CALL), CALL)
    assert found is not None
    assert found["reason"] == "interrupted"


def test_answer_counts_only_in_the_latest_step() -> None:
    """A step that began behind it has taken it back (B-2)."""
    found = end_of(START, message(TEXT), {"type": "step/start", "turn": 1, "step": 2})
    assert found is not None
    assert found["reason"] == "interrupted"


def test_blank_text_and_reasoning_are_no_answer() -> None:
    """Only reply content is."""
    found = end_of(START, message({"type": "text", "text": " \n"}, {"type": "reasoning", "text": "Hm"}))
    assert found is not None
    assert found["reason"] == "interrupted"


def test_result_before_its_call_closes_it_too() -> None:
    """The call completes it later (rule 3)."""
    found = end_of(START, RESULT, CALL, message(TEXT, step=2))
    assert found is not None
    assert found["reason"] == "completed"


def test_delegates_neither_open_nor_answer() -> None:
    """They are never outcomes of the parent (A-8)."""
    inner = message(TEXT) | {"parent_call_id": "c1"}
    found = end_of(START, CALL, inner)
    assert found is not None
    assert found["reason"] == "interrupted"


def test_closed_turn_gets_no_end() -> None:
    """Late events of a closed turn do not open it again (rule 8)."""
    end = {"type": "turn/end", "turn": 1, "reason": "aborted"}
    assert end_of(START, CALL, end, RESULT | {"turn": 1}) is None


def test_rewound_turn_gets_no_end() -> None:
    """It has left the projection."""
    assert end_of(START, message(TEXT), {"type": "session/rewind", "before_turn": 1}) is None


def test_growing_file_keeps_its_turn_open() -> None:
    """Its producer may still be at work."""
    assert len(read(START, message(TEXT), leave_open=True)) == 2
