"""The harness's files: header, packed rows, transports, and the log's own numbers."""

import json
from typing import Any

import pytest

from service.importers.accounting import Ledger, Tally
from service.importers.harness import read_harness
from tests.service.importers.harness_log import Json, account, answer, event, natives, said

HEADER: Json = {"type": "session", "version": 3, "id": "s1", "createdAt": 5, "cwd": "/srv/app"}


def numbered(*log: Json, first: int = 0) -> list[Json]:
    """The log with its own `seq`."""
    return [record | {"seq": seq} for seq, record in enumerate(log, start=first)]


def test_every_log_event_becomes_one_native_event() -> None:
    """So the service's `seq` is the log's own, events without meaning included; the header is no event."""
    log = numbered(event("turn/start", turn=1), event("todo/write"), event("quantum/leap"), answer("Yes"))
    read = list(read_harness([HEADER, *log]))
    assert [found.source_seq for found in read] == [0, 1, 2, 3]


def test_partial_history_tells_its_first_seq() -> None:
    """The service counts from 0: the report holds what lies between its numbers and the log's."""
    report = account(numbered(event("step/end", turn=3, step=2), answer("Yes", turn=3, step=3), first=40))
    assert report.first_seq == 40
    assert report.seq_break_count == 0


def test_partial_history_names_its_turn_by_its_first_event() -> None:
    """A result is the only event that tells in which turn the log begins."""
    found = natives([event("tool/result", turn=3, step=2, callId="c0", content=[])])
    assert (found[0]["turn"], found[0]["step"]) == (3, 2)


def test_events_without_seq_are_numbered_in_line_order() -> None:
    """Snapshots omit `seq`."""
    read = read_harness([event("turn/start", turn=1), answer("Yes")])
    assert [found.source_seq for found in read] == [0, 1]


def test_file_order_wins_over_seq() -> None:
    """A number that does not follow is counted, and moves nothing."""
    log = [event("turn/start", turn=1) | {"seq": 5}, answer("Yes") | {"seq": 2}]
    assert [found["type"] for found in natives(log)] == ["turn/start", "assistant/message"]
    assert account(log).seq_break_count == 1


def test_same_event_read_twice_counts_once() -> None:
    """After a reconnect a transport repeats what it sent."""
    log = numbered(event("turn/start", turn=1), answer("Yes"))
    assert len(natives([*log, *log])) == 2
    assert account([*log, *log]).ignored == (Tally(name="repeated_line", count=2),)


def test_same_seq_with_other_content_is_kept() -> None:
    """Nothing is dropped that was not read before."""
    assert len(natives([answer("Yes") | {"seq": 1}, answer("No") | {"seq": 1}])) == 2


def test_header_facts_are_carried_by_the_first_silent_event() -> None:
    """An event of their own would shift every `seq` of the log."""
    found = natives([HEADER, event("turn/start", turn=1), event("session/title", title="Fix it")])
    assert found[1] == {
        "type": "session/meta",
        "title": "Fix it",
        "agent": "deepseek-harness",
        "cwd": "/srv/app",
        "source_header": HEADER,
    }


def test_header_facts_that_nothing_carried_come_last() -> None:
    """Behind the last event they shift nothing."""
    log = [HEADER, event("turn/start", turn=1), event("turn/end", turn=1, reason={"kind": "completed"})]
    found = natives(log, leave_open=False)
    assert [fields["type"] for fields in found] == ["turn/start", "turn/end", "session/meta"]


def test_second_header_is_ignored_by_rule() -> None:
    """A file that was written twice into one."""
    assert account([HEADER, HEADER]).ignored == (Tally(name="repeated_header", count=1),)


def test_model_is_learned_from_the_request() -> None:
    """The first silent event after the request header tells it."""
    header = event("request/header", header={"config": {"model": "m-1"}, "system": "Be brief."})
    found = natives([header, event("request/context", model="m-1"), event("request/context", model="m-1")])
    assert found[1]["type"] == "session/meta"
    assert found[1]["model"] == "m-1"
    assert found[2]["type"] == "custom/request/context"


def packed(kind: str, **data: Any) -> Json:
    """A packed row of turn 1, step 1, block 0."""
    return event(kind, turn=1, step=1, index=0, **data)


def test_packed_row_is_as_many_events_as_it_holds_deltas() -> None:
    """One row is many `seq`s, with the times that its pauses tell."""
    row = packed("text-chunks", dt=[10, 5], texts=["A", "B", "C"]) | {"seq": 4, "time": 1000}
    read = list(read_harness([row]))
    bodies = [json.loads(found.body) for found in read]
    assert [found.source_seq for found in read] == [4, 5, 6]
    assert [body["text"] for body in bodies] == ["A", "B", "C"]
    assert [body["ts_ms"] for body in bodies] == [1000, 1010, 1015]
    assert [found.pause_ms for found in read] == [0, 10, 5]
    assert {body["kind"] for body in bodies} == {"text"}


def test_packed_row_without_time_still_tells_its_pauses() -> None:
    """Enough to replay it at the speed it had."""
    read = list(read_harness([packed("reasoning-chunks", dt=[10, 5], texts=["A", "B", "C"])]))
    assert [found.pause_ms for found in read] == [0, 10, 5]
    assert all("ts_ms" not in json.loads(found.body) for found in read)


def test_packed_arguments_name_their_call() -> None:
    """Every delta of the row belongs to the row's call."""
    found = natives([packed("tool-call-chunks", dt=[1], id="c1", name="read", args=["{", "}"])])
    assert [(fields["call_id"], fields["name"], fields["text"]) for fields in found] == [
        ("c1", "read", "{"),
        ("c1", "read", "}"),
    ]


@pytest.mark.parametrize("pauses", [[], [1], [1, 2, 3, 4, 5], ["x", None]])
def test_packed_row_with_other_pauses_loses_no_delta(pauses: list[object]) -> None:
    """The texts are what matters."""
    assert len(natives([packed("text-chunks", dt=pauses, texts=["A", "B", "C"])])) == 3


def test_packed_row_without_deltas_is_ignored_by_rule() -> None:
    """It stands for no `seq`."""
    assert account([packed("text-chunks", dt=[], texts=[])]).ignored == (
        Tally(name="empty_packed_row", count=1),
    )


def test_packed_and_single_chunks_give_the_same_events() -> None:
    """Packing is the file's affair."""
    single = [
        event("assistant/chunk", turn=1, step=1, chunk={"type": "text-delta", "index": 0, "text": text})
        for text in "AB"
    ]
    assert natives([packed("text-chunks", dt=[0], texts=["A", "B"])]) == natives(single)


def test_notifications_hold_log_events() -> None:
    """JSON-RPC `session.event` holds an event; any other method is ignored by rule."""
    log = [
        {"method": "session.event", "params": {"sessionId": "s1", "event": event("turn/start", turn=1)}},
        {"method": "session.status", "params": {"sessionId": "s1", "status": "running"}},
        {"method": "session.event", "params": {"sessionId": "s1", "event": answer("Yes")}},
    ]
    assert [found["type"] for found in natives(log)] == ["turn/start", "assistant/message"]
    assert account(log).ignored == (Tally(name="not_a_log_event", count=1),)


def test_events_of_another_session_in_a_transport_are_ignored_by_rule() -> None:
    """One file is one session."""
    log = [
        {"type": "session_event", "sessionId": "s1", "event": event("turn/start", turn=1)},
        {"type": "session_event", "sessionId": "s2", "event": event("turn/start", turn=1)},
    ]
    assert account(log).ignored == (Tally(name="other_session", count=1),)


def test_stream_json_holds_log_events_and_a_result() -> None:
    """The result repeats the answer, which the log holds."""
    log: list[Json] = [
        {"type": "session_event", "sessionId": "s1", "event": answer("Yes")},
        {"type": "result", "sessionId": "s1", "output": "Yes"},
    ]
    assert [found["type"] for found in natives(log)] == ["assistant/message"]
    assert account(log).ignored == (Tally(name="not_a_log_event", count=1),)


def test_repeated_import_gives_the_same_ids() -> None:
    """The service drops an event whose id it has seen: importing twice changes nothing."""
    log = [HEADER, event("turn/start", turn=1), answer("Yes")]
    assert list(read_harness(log)) == list(read_harness(log))


def test_grown_log_keeps_the_ids_of_what_was_read() -> None:
    """A second import of a file that has grown adds the new events alone."""
    log = [
        HEADER,
        event("turn/start", turn=1),
        answer("Yes"),
        event("turn/end", turn=1, reason={"kind": "completed"}),
    ]
    ids_of_part = [json.loads(found.body)["event_id"] for found in read_harness(log[:3], leave_open=False)]
    ids_of_all = [json.loads(found.body)["event_id"] for found in read_harness(log, leave_open=False)]
    assert ids_of_part[:2] == ids_of_all[:2]
    assert not set(ids_of_part[2:]) & set(ids_of_all[2:3])


def test_ids_of_different_files_differ() -> None:
    """Two files imported into one session must not swallow each other."""
    one, other = (list(read_harness([HEADER | {"id": name}, answer("Yes")])) for name in ("s1", "s2"))
    assert json.loads(one[0].body)["event_id"] != json.loads(other[0].body)["event_id"]


def test_unknown_types_are_counted() -> None:
    """Without `ignorable` the format asks readers not to trust the rest: the report says so."""
    assert account([event("quantum/leap"), event("todo/write")]).unknown == (
        Tally(name="quantum/leap", count=1),
    )


def test_line_that_holds_no_event_keeps_the_numbers_right() -> None:
    """A damaged line stands for one event."""
    ledger = Ledger()
    log = [
        b'{"type":"turn/start","data":{"turn":1}}',
        b'{"type":"step/st',
        b'{"type":"todo/write","data":{}}',
    ]
    read = list(read_harness(log, ledger=ledger))
    assert [json.loads(found.body)["type"] for found in read] == [
        "turn/start",
        "custom/import/unreadable",
        "custom/todo/write",
    ]
    assert read[2].source_seq == 2
    assert ledger.report().is_complete


def test_user_message_survives_a_reading_of_bytes() -> None:
    """Lines of a file and parsed events give the same."""
    record = event("user/message", **said("u1", "Grüße, 世界"))
    assert natives([record]) == natives([json.dumps(record).encode()])
