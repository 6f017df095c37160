"""The projector's loop, on a real engine: what it promises beside the store's contract."""

import asyncio
import json
from typing import Any

import pytest
from msgspec.structs import replace

from projections.decode import decode_event
from projections.saved import encode_head, encode_turns, restore
from projections.session import SessionFold
from service.connection_redis import ask
from service.errors import LeaseLost
from service.metrics import NoProjectorMetrics
from service.partition_batch import FoldLimits
from service.projector import PartitionLoop, Projector
from service.read_ahead import ReadLimits
from tests.deployments import NOW_MS, Deployment
from tests.service.projecting import (
    LIMITS,
    S1,
    SetClock,
    append,
    notice,
    one_turn,
    projected,
    projecting,
    xadd,
)
from tests.waiting import wait_until


async def test_what_was_appended_is_in_the_log_once_and_in_order(deployment: Deployment) -> None:
    """R-3, without any trouble."""
    events = [notice(f"n{index}") for index in range(1_200)]
    async with projecting(deployment):
        await append(deployment, *events[:700])
        await append(deployment, *events[700:])
        summary = await projected(deployment, 1_200)
    assert [json.loads(raw) for raw in await deployment.logged("s1")] == events
    assert summary.row_count == 1_200
    assert len(summary.epoch) == 12


async def test_a_session_goes_on_after_a_cold_start_under_the_same_epoch(deployment: Deployment) -> None:
    """R-6: state and log tail are all that is needed."""
    async with projecting(deployment):
        await append(deployment, notice("a"))
        before = await projected(deployment, 1)
    async with projecting(deployment):
        await append(deployment, notice("b"))
        after = await projected(deployment, 2)
    assert (after.epoch, after.version, after.row_count) == (before.epoch, before.version + 1, 2)
    assert [row.version for row in await deployment.reader.log_versions(S1, 0, 10)] == [1, 2]


async def test_saves_and_the_log_after_them_give_the_fold_of_the_whole_log(deployment: Deployment) -> None:
    """R-6: at every cold start, byte for byte; and saves write no more than the log itself grew by."""
    limits = replace(LIMITS, fold=FoldLimits(save_first_bytes=2_000))
    for turn in range(1, 7):
        async with projecting(deployment, limits=limits):
            await append(deployment, *one_turn(turn, 40))
            await projected(deployment, 42 * turn)
        state = await deployment.reader.load_state(S1)
        assert state is not None
        fold = restore(state.head, state.turns)
        log = await deployment.logged("s1")
        for seq in range(fold.next_seq, len(log)):
            fold.apply(seq, decode_event(log[seq]))
        whole = SessionFold()
        for seq, raw in enumerate(log):
            whole.apply(seq, decode_event(raw))
        assert (encode_head(fold), encode_turns(fold)) == (encode_head(whole), encode_turns(whole))


@pytest.mark.parametrize("damaged", ["damaged", b"\x28\xb5\x2f\xfddamaged", "[1]"])
async def test_an_unusable_save_is_replaced_by_a_replay(deployment: Deployment, damaged: str | bytes) -> None:
    """R-6: another format, or damage, costs work alone."""
    limits = replace(LIMITS, fold=FoldLimits(save_first_bytes=2_000))
    async with projecting(deployment, limits=limits):
        await append(deployment, *one_turn(1, 40))
        await projected(deployment, 42)
    key = deployment.keys.of_session("s1").state("s1")
    await ask(deployment.raw, "HSET", key, "head", damaged)
    async with projecting(deployment, limits=limits):
        await append(deployment, *one_turn(2, 40))
        summary = await projected(deployment, 84)
    assert summary.turn_count == 2
    state = await deployment.reader.load_state(S1)
    assert state is not None
    assert restore(state.head, state.turns).next_seq == state.next_seq


async def test_an_evicted_session_is_folded_as_if_it_had_stayed(deployment: Deployment) -> None:
    """R-7: memory is bounded by count; eviction costs work and changes nothing."""
    limits = replace(LIMITS, fold=FoldLimits(most_sessions=1))
    async with projecting(deployment, limits=limits):
        for number in range(1, 4):
            for name in ("x", "y", "z"):
                await append(deployment, notice(f"n{number}"), session=name)
                summary = await projected(deployment, number, session=name)
                assert (summary.version, summary.row_count) == (number, number)


async def test_an_event_id_is_dropped_before_it_gets_a_seq(deployment: Deployment) -> None:
    """events.md: also when a native producer wrote it twice, and across a restart."""
    raw = json.dumps(notice("a", event_id="id-1"))
    async with projecting(deployment):
        await xadd(deployment, "s", "s1", "e", raw)
        await xadd(deployment, "s", "s1", "e", raw)
        await append(deployment, notice("b"))
        await projected(deployment, 2)
    async with projecting(deployment):
        await xadd(deployment, "s", "s1", "e", raw)
        await append(deployment, notice("c"))
        summary = await projected(deployment, 3)
    assert (summary.next_seq, summary.duplicates) == (3, 2)
    assert len(await deployment.logged("s1")) == 3


async def test_a_malformed_event_keeps_its_seq_and_the_session_goes_on(deployment: Deployment) -> None:
    """Rule 2: its raw bytes are in the log and in the quarantine, with the reason."""
    async with projecting(deployment):
        await append(deployment, notice("a"), b'{"type":"notice"', notice("b"))
        summary = await projected(deployment, 3)
    assert (await deployment.logged("s1"))[1] == b'{"type":"notice"'
    (entry,) = (await deployment.reader.quarantine(S1, None, 10)).entries
    assert (entry.seq, entry.raw) == (1, b'{"type":"notice"')
    assert entry.reason
    assert (summary.quarantined, summary.row_count) == (1, 2)


@pytest.mark.parametrize(
    "fields", [("e", "{}"), ("s", "s1"), ("s", "no spaces", "e", "{}"), ("s", "", "e", "{}"), ("x", "y")]
)
async def test_an_entry_without_session_or_event_is_quarantined_alone(
    deployment: Deployment, fields: tuple[str, ...]
) -> None:
    """It has no seq; what stands around it is projected."""
    async with projecting(deployment):
        await append(deployment, notice("a"))
        await xadd(deployment, *fields)
        await append(deployment, notice("b"))
        await projected(deployment, 2)
    (entry,) = (await deployment.reader.quarantine(None, None, 10)).entries
    assert (entry.session, entry.seq) == ("", -1)


async def test_a_fold_that_raises_parks_its_session_and_no_other(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-9: later events still reach the log; after a fix a cold start goes on from the log."""
    apply = SessionFold.apply

    def with_bug(self: SessionFold, seq: int, event: Any) -> None:
        if getattr(event, "text", "") == "poison":
            raise ZeroDivisionError("a bug")
        apply(self, seq, event)

    monkeypatch.setattr(SessionFold, "apply", with_bug)
    async with projecting(deployment):
        await append(deployment, notice("a"), notice("poison"), notice("b", event_id="b"))
        await append(deployment, notice("fine"), session="s2")
        parked = await projected(deployment, 3)
        await xadd(deployment, "s", "s1", "e", json.dumps(notice("b", event_id="b")))
        await append(deployment, notice("c"))
        parked = await projected(deployment, 4)
        other = await projected(deployment, 1, session="s2")
    assert parked.parked is not None
    assert (parked.parked.seq, parked.row_count) == (1, 1)
    assert other.parked is None
    monkeypatch.undo()
    async with projecting(deployment):
        await append(deployment, notice("d"))
        fixed = await projected(deployment, 5)
    assert (fixed.parked, fixed.row_count) == (None, 5)


async def test_a_silent_open_turn_is_ended_once(deployment: Deployment) -> None:
    """Rule 9: through the ingest stream, so that replay is deterministic."""
    clock = SetClock()
    async with projecting(deployment, clock=clock):
        await append(deployment, {"type": "turn/start", "turn": 1})
        await projected(deployment, 1)
        clock.ms += 899_000
        await append(deployment, notice("elsewhere"), session="s2")
        await projected(deployment, 1, session="s2")
        assert (await projected(deployment, 1)).next_seq == 1
        clock.ms += 1_000
        summary = await projected(deployment, 2)
        clock.ms += 1_000_000
        await append(deployment, notice("more"), session="s2")
        await projected(deployment, 2, session="s2")
    assert summary.turn is not None
    assert (summary.turn.status, summary.turn.outcome) == ("closed", "interrupted")
    event = json.loads((await deployment.logged("s1"))[1])
    assert (event["type"], event["synthetic"], event["reason"]) == ("turn/end", True, "interrupted")
    assert len(await deployment.logged("s1")) == 2


async def test_the_clock_stands_still_while_something_waits(deployment: Deployment) -> None:
    """Rule 9: a pending interaction is the reader's silence, not the producer's."""
    clock = SetClock()
    request = {"type": "interaction/request", "id": "i", "kind": "question", "title": "Go on?"}
    async with projecting(deployment, clock=clock):
        await append(deployment, {"type": "turn/start", "turn": 1}, request)
        await projected(deployment, 2)
        clock.ms += 2_000_000
        await append(deployment, {"type": "turn/start", "turn": 1}, session="s2")
        await projected(deployment, 1, session="s2")
        clock.ms += 2_000_000
        await projected(deployment, 2, session="s2")
    assert len(await deployment.logged("s1")) == 2


async def test_events_of_a_deleted_session_are_dropped_and_counted(deployment: Deployment) -> None:
    """Also those that were in the stream when it was deleted, while its fold was in memory."""
    async with projecting(deployment):
        await append(deployment, notice("a"))
        await projected(deployment, 1)
        await deployment.reader.delete(S1, NOW_MS)
        await xadd(deployment, "s", "s1", "e", json.dumps(notice("late")))
        other = deployment.neighbour("s1")
        await append(deployment, notice("b"), session=other)
        await projected(deployment, 1, session=other)
    assert await deployment.reader.summary(S1) is None
    dropped = await ask(deployment.raw, "HGET", deployment.keys.of_session("s1").checkpoint, "dropped")
    assert dropped == b"1"


async def test_the_ingest_stream_is_trimmed_behind_the_checkpoint(deployment: Deployment) -> None:
    """R-10: with a safety margin, never past what was consumed."""
    limits = replace(LIMITS, fold=FoldLimits(keep_count=300), read=ReadLimits(block_ms=20, most_count=500))
    async with projecting(deployment, limits=limits):
        for start in range(0, 3_000, 500):
            await append(deployment, *(notice(f"n{index}") for index in range(start, start + 500)))
            await projected(deployment, start + 500)
    left = await ask(deployment.raw, "XLEN", deployment.keys.of_session("s1").ingest)
    assert 300 <= left < 2_000


async def test_a_batch_is_cut_where_events_are_great(deployment: Deployment) -> None:
    """One command has a bound: a batch of great events becomes several commits."""
    limits = replace(LIMITS, read=ReadLimits(block_ms=20, most_bytes=1_000_000))
    await append(deployment, *(notice(f"{index}" * 200_000) for index in range(6)))
    async with projecting(deployment, limits=limits) as projector:
        summary = await projected(deployment, 6)
        # The reply comes to the projector after the commit is there for all to see.
        await wait_until(
            lambda: sum(one.commit_count for one in projector.progress()) == 3, "it knows of three commits"
        )
    assert (summary.version, summary.next_seq) == (3, 6)


async def test_a_stopped_projector_leaves_no_read_behind(deployment: Deployment) -> None:
    """Also one that stops while it sends: the client may swallow a cancellation then."""
    limits = replace(LIMITS, read=ReadLimits(block_ms=10_000))
    before = asyncio.all_tasks()
    async with projecting(deployment, limits=limits) as projector:
        await wait_until(_is_reading, "a read is under way")
        assert not projector.progress()[0].consumed_count
    assert asyncio.all_tasks() == before


def _is_reading() -> bool:
    return any(getattr(task.get_coro(), "__name__", "") == "read" for task in asyncio.all_tasks())


async def test_a_partition_taken_over_stops_its_projector(deployment: Deployment) -> None:
    """R-4: the loop ends with LeaseLost, and what it had not committed is another's work."""
    projector = Projector(deployment.store, deployment.source, [0, 1], SetClock(), limits=LIMITS)
    task = asyncio.create_task(projector.run())
    await append(deployment, notice("a"))
    await projected(deployment, 1)
    await deployment.store.take_ownership(deployment.partition("s1"))
    await append(deployment, notice("b"))
    with pytest.raises(LeaseLost):
        await task
    async with projecting(deployment):
        await projected(deployment, 2)


async def test_a_planted_key_stops_its_partition_until_it_is_removed(
    deployment: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing moves and nothing is lost; the log names the key, once."""
    key = deployment.keys.of_session("s1").log("s1")
    await ask(deployment.raw, "SET", key, "planted")
    async with projecting(deployment) as projector:
        await append(deployment, notice("a"))
        await wait_until(
            lambda: sum(one.refused_count for one in projector.progress()) >= 3,
            "the commit was refused three times",
        )
        assert not all(one.available for one in projector.progress())
        assert await deployment.reader.summary(S1) is None
        await ask(deployment.raw, "DEL", key)
        await projected(deployment, 1)
    said = capsys.readouterr().out
    assert said.count(key) == 1
    assert "store_recovered" in said


async def test_wiped_data_is_a_new_beginning(deployment: Deployment) -> None:
    """R-12: the partition is taken again, and no fold in memory is trusted."""
    async with projecting(deployment):
        await append(deployment, notice("a"), notice("b"))
        before = await projected(deployment, 2)
        await ask(deployment.raw, "FLUSHDB")
        await append(deployment, notice("c"))
        after = await projected(deployment, 1)
    assert after.next_seq == 1
    assert after.epoch != before.epoch


@pytest.mark.parametrize("clock_jump_ms", [0, -3_600_000, 3_600_000])
async def test_a_checkpoint_that_went_back_gets_a_new_epoch(
    deployment: Deployment, clock_jump_ms: int
) -> None:
    """R-12: an old number must never resume into another history, whatever the clock says meanwhile."""
    keys = deployment.keys.of_session("s1")
    clock = SetClock()
    async with projecting(deployment, clock=clock):
        await append(deployment, notice("a"))
        first = await projected(deployment, 1)
        clock.ms += clock_jump_ms
        stored = await ask(deployment.raw, "HMGET", keys.checkpoint, "id", "count")
        kept = {key: await ask(deployment.raw, "DUMP", key) for key in (keys.log("s1"), keys.sessions)}
        await append(deployment, notice("b"))
        await projected(deployment, 2)
        async with deployment.raw.pipeline(transaction=True) as pipe:
            for key, content in kept.items():
                pipe.restore(key, 0, content, replace=True)
            pipe.hset(keys.checkpoint, mapping={"id": stored[0], "count": stored[1]})
            await pipe.execute()
        await append(deployment, notice("c"))
        after = await projected(deployment, 3)
    assert after.epoch != first.epoch
    assert [json.loads(raw)["text"] for raw in await deployment.logged("s1")] == ["a", "b", "c"]


async def test_other_tasks_get_their_turn_during_a_great_batch(deployment: Deployment) -> None:
    """The loop of the same process stays responsive."""
    await append(deployment, *(notice(f"n{index}") for index in range(8_000)))
    loop = PartitionLoop(
        deployment.store,
        deployment.source,
        deployment.partition("s1"),
        clock=SetClock(),
        limits=replace(LIMITS, read=ReadLimits(first_count=8_000, block_ms=20)),
        make_epoch=lambda: "e",
        metrics=NoProjectorMetrics(),
        tell=lambda _: None,
    )
    task = asyncio.create_task(loop.run())
    turns = 0
    while loop.progress().event_count == 0:
        await asyncio.sleep(0)
        turns += 1
    assert turns > 16
    loop.stop()
    await task
