"""Random session logs for the property tests: plausible enough to build something, disordered enough to hurt."""

from hypothesis import strategies as st

# The last two are the halves of a pair: a stream that JavaScript cut between them.
_TEXTS = st.sampled_from(["a", "b c", " ", "\n\n", "", "word ", "\U0001f600", "\u4e2d", "x\ud83d", "\ude00y"])
_JSON = st.sampled_from(
    [{}, {"a": 1}, {"path": "x", "content": "great enough to be cut"}, [1, 2, 3, 4, 5], "as text"]
)
_IDS = st.sampled_from(["x1", "x2", "x3", "x4"])
_TURNS = st.sampled_from([1, 1, 2, 3])
_STEPS = st.sampled_from([1, 1, 2, 3])


def _event(kind: str, /, **fields: st.SearchStrategy[object]) -> st.SearchStrategy[dict[str, object]]:
    return st.fixed_dictionaries({"type": st.just(kind), **fields})


def _maybe(strategy: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.one_of(st.just("absent"), strategy)


_BLOCK = st.one_of(
    st.fixed_dictionaries({"type": st.sampled_from(["text", "reasoning"]), "text": _TEXTS}),
    st.fixed_dictionaries(
        {"type": st.just("tool_call"), "call_id": _IDS, "name": st.just("read"), "input": _JSON}
    ),
    st.fixed_dictionaries({"type": st.sampled_from(["image", "weird"]), "url": st.just("u")}),
    st.fixed_dictionaries({"type": st.just("image"), "data": st.sampled_from(["aGVhZA==", "bm8=", "no"])}),
)
_CONTENT = st.lists(_BLOCK, max_size=2)
_PLACE = {"turn": _maybe(st.one_of(_TURNS, st.none())), "step": _maybe(_STEPS)}
_CHUNK = st.one_of(
    _event(
        "assistant/chunk",
        kind=st.sampled_from(["text", "reasoning"]),
        index=st.integers(0, 2),
        text=_TEXTS,
        **_PLACE,
    ),
    _event(
        "assistant/chunk",
        kind=st.just("block_start"),
        index=st.integers(0, 2),
        block_type=st.sampled_from(["text", "reasoning", "tool_call", "image", "weird"]),
        **_PLACE,
    ),
    _event("assistant/chunk", kind=st.just("block_end"), index=st.integers(0, 2), block=_BLOCK, **_PLACE),
    _event(
        "assistant/chunk",
        kind=st.just("tool_input"),
        index=st.integers(0, 2),
        text=_TEXTS,
        call_id=_IDS,
        name=st.just("read"),
        **_PLACE,
    ),
    _event("assistant/chunk", kind=st.just("usage"), usage=st.just({"n": 1}), **_PLACE),
)
_OTHER = st.one_of(
    _event("turn/start", turn=_TURNS),
    _event(
        "turn/end",
        turn=_maybe(_TURNS),
        synthetic=st.booleans(),
        reason=st.sampled_from(["completed", "aborted", "failed", "max_tokens", "blocked", "odd"]),
    ),
    _event("step/start", turn=_maybe(_TURNS), step=_STEPS),
    _event("step/end", turn=_maybe(_TURNS), step=_STEPS),
    _event("system/prompt", text=_TEXTS, reason=st.sampled_from(["initial", "change"]), **_PLACE),
    _event("user/message", id=_IDS, content=_CONTENT, client_id=_maybe(_IDS), **_PLACE),
    _event(
        "user/steering",
        id=_IDS,
        content=_CONTENT,
        state=st.sampled_from(["queued", "delivered", "canceled"]),
        **_PLACE,
    ),
    _event("context/injection", id=_IDS, source=st.just("s"), content=_CONTENT, **_PLACE),
    _event("assistant/message", blocks=st.lists(_BLOCK, max_size=3), interrupted=st.booleans(), **_PLACE),
    _event(
        "tool/call",
        call_id=_IDS,
        name=st.sampled_from(["read", "Bash", "Grep", "Task", "subagent", "subagent_x"]),
        input=_JSON,
        **_PLACE,
    ),
    _event("tool/progress", call_id=_IDS, output=_TEXTS, **_PLACE),
    _event(
        "tool/result",
        call_id=_IDS,
        status=st.sampled_from(["ok", "error", "denied", "canceled"]),
        output=_maybe(st.one_of(_TEXTS, _CONTENT)),
        exit_code=_maybe(st.integers(0, 1)),
        **_PLACE,
    ),
    _event(
        "search/round",
        search_id=_IDS,
        round_id=_IDS,
        status=st.sampled_from(["searching", "completed", "failed"]),
        **_PLACE,
    ),
    _event("llm/retry", retry_id=_IDS, retry=st.integers(1, 3), **_PLACE),
    _event("llm/retry_started", retry_id=_IDS, retry=st.integers(1, 3), **_PLACE),
    _event("interaction/request", id=_IDS, kind=st.just("permission"), title=st.just("?"), **_PLACE),
    _event("interaction/resolve", id=_IDS, outcome=st.just("yes"), **_PLACE),
    _event("compaction", id=_IDS, status=st.sampled_from(["started", "done", "failed"]), **_PLACE),
    _event("notice", id=_IDS, level=st.just("info"), text=_TEXTS, **_PLACE),
    _event("command/run", id=_IDS, name=st.just("/x"), input=_maybe(_JSON), **_PLACE),
    _event("command/done", id=_IDS, output=_maybe(st.one_of(_TEXTS, _JSON)), **_PLACE),
    _event("session/rewind", before_turn=_TURNS),
    _event("session/meta", title=_TEXTS),
    _event("custom/thing", visible=st.booleans(), payload=_JSON, **_PLACE),
    _event("phase/start", phase=st.sampled_from(["compacting", "recovering"]), **_PLACE),
    _event("phase/end", phase=st.sampled_from(["compacting", "recovering"]), **_PLACE),
)
_PLAIN = st.one_of(_CHUNK, _OTHER)


def _clean(event: dict[str, object], parent: str | None, ms: int | None) -> dict[str, object]:
    fields = {name: value for name, value in event.items() if value != "absent"}
    extra: dict[str, object] = {} if parent is None else {"parent_call_id": parent}
    return fields | extra | ({} if ms is None else {"ts_ms": ms})


EVENTS = st.builds(
    _clean,
    _PLAIN,
    st.one_of(st.none(), st.none(), st.none(), _IDS),
    st.one_of(st.none(), st.integers(0, 10_000)),
)
LOGS = st.lists(EVENTS, max_size=40)
# A delegate at work: nearly everything happens below one call.
DELEGATES = st.lists(
    st.builds(_clean, _PLAIN, st.sampled_from(["x1", "x1", "x1", None]), st.none()), max_size=40
).map(
    lambda events: [
        {"type": "turn/start", "turn": 1},
        {"type": "tool/call", "turn": 1, "step": 1, "call_id": "x1", "name": "Task", "input": {}},
        *events,
    ]
)
# Families of delegates: calls of one id stand in several of them, and whole branches are taken back.
_KIN = st.one_of(
    _event("turn/start", turn=_TURNS),
    _event("tool/call", call_id=_IDS, name=st.just("Task"), input=_JSON, turn=_maybe(_TURNS)),
    _event("tool/call", call_id=_IDS, name=st.just("Task"), input=_JSON, turn=_maybe(st.none())),
    _event("tool/result", call_id=_IDS, status=st.just("ok")),
    _event("user/message", id=_IDS, content=_CONTENT, turn=_maybe(_TURNS)),
    _event("session/rewind", before_turn=_TURNS),
)
FAMILIES = st.lists(st.builds(_clean, _KIN, st.one_of(st.none(), _IDS), st.none()), min_size=12, max_size=40)
