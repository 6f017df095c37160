"""What each event of the harness log means in native terms (`events.md`, last section)."""

import json
from typing import Any

import pytest

from tests.service.importers.harness_log import Json, answer, bodies, chunk, event, native, natives, said


def test_turn_and_step_boundaries_keep_their_numbers() -> None:
    """Boundaries are what everything else is counted by."""
    log = [
        event("turn/start", turn=3),
        event("step/start", turn=3, step=2),
        event("step/end", turn=3, step=2),
    ]
    assert natives(log) == [
        {"type": "turn/start", "turn": 3},
        {"type": "step/start", "turn": 3, "step": 2},
        {"type": "step/end", "turn": 3, "step": 2},
    ]


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("completed", "completed"),
        ("aborted", "aborted"),
        ("error", "failed"),
        ("max-tokens", "max_tokens"),
        ("interrupted", "interrupted"),
        ("blocked", "blocked"),
        ("sunset", "sunset"),
    ],
)
def test_turn_end_kinds_become_reasons(kind: str, reason: str) -> None:
    """`error` and `max-tokens` are renamed, every other kind is kept as given."""
    assert native(event("turn/end", turn=1, reason={"kind": kind}))["reason"] == reason


def test_turn_end_keeps_the_recorded_error() -> None:
    """The reader sees why a turn failed."""
    failed = event(
        "turn/end", turn=1, reason={"kind": "error", "error": {"code": "AUTH", "message": "no key"}}
    )
    assert native(failed)["error"] == {"code": "AUTH", "message": "no key"}


def test_request_header_is_the_system_prompt() -> None:
    """`data.header.system` is the prompt; the reason says whether it is the first."""
    header = event("request/header", header={"system": "Be brief.", "config": {}}, reason="initial")
    assert native(header) == {"type": "system/prompt", "text": "Be brief.", "reason": "initial"}


def test_request_header_without_system_shows_nothing() -> None:
    """No prompt, no row, but the event stays in its place."""
    assert native(event("request/header", header={"tools": []}))["type"] == "custom/request/header"


@pytest.mark.parametrize("wrapped", [False, True])
def test_user_messages_are_read_in_both_shapes(wrapped: bool) -> None:
    """v0 has `data.content`, later versions have `data.message.content`."""
    message = said("u1", "Hello")
    record = event("user/message", message=message) if wrapped else event("user/message", **message)
    assert native(record) == {
        "type": "user/message",
        "id": "u1",
        "content": [{"type": "text", "text": "Hello"}],
    }


def test_user_message_without_id_is_named_by_its_place() -> None:
    """Old logs know a message by its place alone, and two of them must not be one row."""
    message = event("user/message", content=[{"type": "text", "text": "Hello"}])
    ids = [found["id"] for found in natives([message, message])]
    assert len(set(ids)) == 2


def test_message_of_another_source_is_context() -> None:
    """Only the source kind `user` is a human (rule 11)."""
    message = said("p1", "cwd is /srv", source="plugin")
    message["source"]["plugin"] = "runtime"
    found = native(event("user/message", **message))
    assert (found["type"], found["source"], found["title"]) == ("context/injection", "plugin", "runtime")


def test_replacement_is_marked_for_the_model_alone() -> None:
    """A `surfaceOp` other than append is a copy that changes nothing here."""
    record = event("user/message", **said("u1", "shorter")) | {
        "surfaceOp": {"op": "replace", "startSeq": 1, "endSeq": 4}
    }
    assert native(record)["surface"] == "replace"


@pytest.mark.parametrize("operation", [{}, {"surfaceOp": "append"}, {"surfaceOp": {"op": "append"}}])
def test_append_is_not_marked(operation: Json) -> None:
    """Append and a missing operation are the same."""
    assert "surface" not in native(event("user/message", **said("u1", "Hello")) | operation)


def test_replacing_message_of_a_compaction_is_its_row() -> None:
    """Start and end are the phase; the first replacement between them is the compaction, the next a copy."""
    replace = {"surfaceOp": {"op": "replace", "startSeq": 0, "endSeq": 9}}
    found = natives(
        [
            event("compaction/start", trigger="auto"),
            event("user/message", **said("k1", "So far: two files.", source="compaction")) | replace,
            event("user/message", **said("u1", "Hello")) | replace,
            event("compaction/end"),
        ]
    )
    assert found[0] == {"type": "phase/start", "phase": "compacting"}
    assert found[1] == {
        "type": "compaction",
        "id": "k1",
        "status": "done",
        "trigger": "auto",
        "summary": "So far: two files.",
    }
    assert (found[2]["type"], found[2]["surface"]) == ("user/message", "replace")
    assert found[3] == {"type": "phase/end", "phase": "compacting"}


def test_chunks_keep_block_index_and_kind() -> None:
    """The pieces of a step, in the harness's words and in ours."""
    found = natives(
        [
            chunk("block-start", index=0, blockType="reasoning"),
            chunk("reasoning-delta", index=0, text="Hm"),
            chunk("block-start", index=1, blockType="tool-call"),
            chunk("tool-call-delta", index=1, id="c1", name="read", argumentsDelta='{"p'),
            chunk("tool-call-delta", index=1, argumentsDelta='":1}'),
            chunk("text-delta", index=2, text="Yes"),
            chunk("usage", usage={"outputTokens": 3}),
            chunk("finish", reason={"kind": "tool-calls"}),
        ]
    )
    kinds = [(fields["kind"], fields.get("index")) for fields in found]
    assert kinds == [
        ("block_start", 0),
        ("reasoning", 0),
        ("block_start", 1),
        ("tool_input", 1),
        ("tool_input", 1),
        ("text", 2),
        ("usage", None),
        ("finish", None),
    ]
    assert found[2]["block_type"] == "tool_call"
    assert found[4]["call_id"] == "c1"
    assert found[7]["reason"] == "tool-calls"


def test_block_end_holds_the_native_block() -> None:
    """A call's arguments become the JSON they spell."""
    block = {"type": "tool-call", "id": "c1", "name": "read", "arguments": '{"path": "a"}'}
    found = native(chunk("block-end", index=0, block=block))
    assert found["block"] == {"type": "tool_call", "call_id": "c1", "name": "read", "input": {"path": "a"}}


def test_unknown_chunk_is_kept_and_shows_nothing() -> None:
    """A newer harness may stream what we do not know."""
    assert native(chunk("citation-delta", index=0))["type"] == "custom/assistant/chunk"


def test_assistant_message_keeps_blocks_in_order() -> None:
    """Order, id, usage and the mark of a cut message."""
    content = [
        {"type": "reasoning", "text": "Hm"},
        {"type": "text", "text": "Yes"},
        {"type": "image", "attachment": {"attachmentId": "sha256:1", "mediaType": "image/png", "width": 2}},
        {"type": "chart", "points": [1]},
    ]
    record = event(
        "assistant/message",
        turn=1,
        step=1,
        message={"id": "a1", "content": content},
        interrupted=True,
        usage={"n": 1},
    )
    assert native(record) == {
        "type": "assistant/message",
        "turn": 1,
        "step": 1,
        "id": "a1",
        "interrupted": True,
        "usage": {"n": 1},
        "blocks": [
            {"type": "reasoning", "text": "Hm"},
            {"type": "text", "text": "Yes"},
            {"type": "image", "blob": "sha256:1", "mime": "image/png", "width": 2},
            {"type": "chart", "points": [1]},
        ],
    }


def test_block_that_lacks_its_field_is_an_unknown_block() -> None:
    """The decoder would refuse a text block without text, and with it the whole message."""
    record = event("assistant/message", turn=1, step=1, content=[{"type": "text", "value": 1}])
    assert native(record)["blocks"] == [{"type": "harness/text", "value": 1}]


@pytest.mark.parametrize(
    ("arguments", "given"),
    [('{"a": 1}', {"a": 1}), ('{"a": ', '{"a": '), ("", ""), ("[1]", "[1]"), ({"a": 1}, {"a": 1})],
)
def test_tool_call_input_is_json_where_it_is_json(arguments: object, given: object) -> None:
    """Arguments cut in mid-call stay text."""
    call = native(event("tool/call", turn=1, step=1, callId="c1", name="read", arguments=arguments))
    assert call == {
        "type": "tool/call",
        "turn": 1,
        "step": 1,
        "call_id": "c1",
        "name": "read",
        "input": given,
    }


def test_multi_line_arguments_stay_on_one_line() -> None:
    """Events travel one a line."""
    (found,) = bodies(event("tool/call", turn=1, step=1, callId="c1", name="x", arguments='{\n "a": 1\n}'))
    assert b"\n" not in found


def result(
    *, error: Json | None = None, is_error: bool = False, output: str = "ok", call: str = "c1"
) -> Json:
    """A tool's result in the present shape."""
    block = {
        "type": "tool-result",
        "toolCallId": call,
        "isError": is_error,
        "content": [{"type": "text", "text": output}],
    }
    more: dict[str, Any] = {} if error is None else {"error": error}
    return event("tool/result", turn=1, step=1, message={"content": [block]}, **more)


def test_tool_result_is_read_in_both_shapes() -> None:
    """v0 names the call in the data, later versions in the message's block."""
    old = event(
        "tool/result", turn=1, step=1, callId="c1", content=[{"type": "text", "text": "ok"}], isError=False
    )
    assert native(old) == native(result())
    assert native(old)["output"] == "ok"


@pytest.mark.parametrize(
    ("record", "status"),
    [
        (result(), "ok"),
        (result(is_error=True), "error"),
        (result(is_error=True, error={"code": "ABORTED"}), "canceled"),
        (result(is_error=True, error={"code": "ABORTED_BEFORE_DISPATCH"}), "canceled"),
        (result(is_error=True, error={"code": "PERMISSION_DENIED"}), "denied"),
        (result(is_error=True, error={"code": "ETIMEDOUT"}), "error"),
    ],
)
def test_tool_result_status_follows_error_code_and_flag(record: Json, status: str) -> None:
    """An abort is no failure."""
    assert native(record)["status"] == status


def test_shell_exit_code_is_read_from_the_end_of_the_output() -> None:
    """The harness records it nowhere else; in the middle of a text it means nothing."""
    assert native(result(output="no such file\n[exit code: 2]"))["exit_code"] == 2
    assert "exit_code" not in native(result(output="[exit code: 2] was seen"))


def test_result_of_a_denied_call_is_denied() -> None:
    """The decision names the request, the request names the call."""
    found = natives(
        [
            event("approval/asked", id="p1", toolName="bash", callId="c1", reason="rm -rf build"),
            event("approval/decided", id="p1", outcome="denied"),
            result(is_error=True),
        ]
    )
    assert found[0]["type"] == "interaction/request"
    assert (found[0]["kind"], found[0]["call_id"], found[0]["title"]) == ("permission", "c1", "rm -rf build")
    assert (found[1]["type"], found[1]["id"], found[1]["outcome"]) == ("interaction/resolve", "p1", "denied")
    assert found[2]["status"] == "denied"


def test_host_commands_keep_their_name_when_done() -> None:
    """`command/done` names the command's id alone."""
    found = natives(
        [
            event("command/run", commandId="k1", name="permission", args=" read-only"),
            event("command/done", commandId="k1", kind="success", text="Set."),
        ]
    )
    assert found == [
        {"type": "command/run", "id": "k1", "name": "permission", "input": "read-only"},
        {"type": "command/done", "id": "k1", "name": "permission", "output": "Set.", "status": "success"},
    ]


def test_retries_keep_chain_and_count() -> None:
    """The chain's id is what makes one row of many attempts."""
    failure = {"code": "TRANSPORT", "message": "reset"}
    found = natives(
        [
            event("llm/retry", retryId="r1", turn=1, step=1, retry=2, delayMs=50, failure=failure),
            event("llm/retry-started", retryId="r1", turn=1, step=1, retry=2),
        ]
    )
    assert found[0] == {
        "type": "llm/retry",
        "turn": 1,
        "step": 1,
        "retry_id": "r1",
        "retry": 2,
        "delay_ms": 50,
        "failure": failure,
    }
    assert found[1]["type"] == "llm/retry_started"


def test_title_is_a_fact_of_the_session() -> None:
    """It is merged into the session's meta."""
    assert native(event("session/title", title="Fix it")) == {"type": "session/meta", "title": "Fix it"}


@pytest.mark.parametrize(
    "kind", ["todo/write", "goal/change", "plan/mode", "hook/invoked", "session/end-seed", "quantum/leap"]
)
def test_event_without_native_meaning_is_kept_invisible(kind: str) -> None:
    """Nothing is lost, and every later `seq` stays the log's own."""
    assert native(event(kind, a=1)) == {"type": f"custom/{kind}", "visible": False, "payload": {"a": 1}}


def test_ignorable_mark_is_kept() -> None:
    """A reader that does not know the type may skip it."""
    assert native(event("quantum/leap") | {"ignorable": True})["ignorable"] is True


def test_event_with_wrong_fields_is_kept_invisible() -> None:
    """Wrong shapes of known types are no reason to lose them or to stop."""
    wrong: list[Json] = [
        {"type": "tool/result"},
        {"type": "tool/call", "data": None},
        {"type": "assistant/chunk", "data": {"chunk": 7}},
        {"type": "turn/end", "data": []},
        {"type": "approval/asked", "data": {"id": 4}},
        {"type": "agent/inbox/spliced", "data": {"inserted": "x", "start": -3, "removedCount": 1e99}},
    ]
    assert [found["type"] for found in natives(wrong)] == [f"custom/{record['type']}" for record in wrong]


def test_time_zero_is_unknown() -> None:
    """Snapshots write 0 where the time was taken out; unknown is absent, never 0 (A-7)."""
    assert "ts_ms" not in native(answer("Yes") | {"time": 0})
    assert native(answer("Yes") | {"time": 1700000000000})["ts_ms"] == 1700000000000


def test_half_a_surrogate_pair_reaches_the_fold_as_it_is() -> None:
    """The other half may be in the next chunk, and the fold joins them."""
    (body,) = bodies(chunk("text-delta", index=0, text="\ud83d"))
    assert rb"\ud83d" in body
    assert json.loads(body)["text"] == "\ud83d"
