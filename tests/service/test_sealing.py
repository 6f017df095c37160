"""Closed turns are packed behind the projector (R-5), and nobody who reads can tell."""

from msgspec.structs import replace

from api.hub_loading import load
from projections.decode import decode_event
from projections.saved import encode_head, encode_turns
from projections.session import SessionFold
from service.connection_redis import ask
from service.live_session import SEAL_CLOSED_BYTES
from service.partition_batch import FoldLimits
from service.sealing import SealLimits
from tests.deployments import NOW_MS, Deployment
from tests.service.projecting import (
    LIMITS,
    S1,
    SetClock,
    TickingClock,
    append,
    notice,
    one_turn,
    projected,
    projecting,
)
from tests.waiting import wait_until

AT_ONCE = replace(LIMITS, seal=SealLimits(rest_ms=0, check_ms=5))


async def test_a_closed_turn_is_sealed_and_the_session_goes_on(deployment: Deployment) -> None:
    """The stream is emptied after a turn's end; later turns follow it, through cold starts too."""
    for turn in range(1, 4):
        async with projecting(deployment, limits=AT_ONCE):
            await append(deployment, *one_turn(turn, 60))
            await projected(deployment, 62 * turn)
            await wait_until(lambda: is_sealed(deployment), f"turn {turn} is sealed")
    log = await deployment.logged("s1")
    assert len(log) == 3 * 62
    assert await size_of_log(deployment) < sum(map(len, log)) / 3


async def test_the_fold_of_a_sealed_log_is_the_fold_of_its_events(deployment: Deployment) -> None:
    """Live, restored and replayed states are equal byte for byte, whatever is sealed and saved."""
    limits = replace(AT_ONCE, fold=FoldLimits(save_first_bytes=9_000))
    async with projecting(deployment, clock=TickingClock(), limits=limits):
        for turn in range(1, 6):
            await append(deployment, *one_turn(turn, 60))
            await projected(deployment, 62 * turn)
        await wait_until(lambda: is_sealed(deployment), "everything is sealed")
        await append(deployment, {"type": "turn/start", "turn": 6}, notice("last"))
        await projected(deployment, 62 * 5 + 2)
    whole = SessionFold()
    for seq, raw in enumerate(await deployment.logged("s1")):
        whole.apply(seq, decode_event(raw))
    loaded = await load(deployment.reader, S1)
    assert (encode_head(loaded.fold), encode_turns(loaded.fold)) == (encode_head(whole), encode_turns(whole))
    await ask(deployment.raw, "DEL", deployment.keys.of_session("s1").state("s1"))
    replayed = await load(deployment.reader, S1)
    assert encode_turns(replayed.fold) == encode_turns(whole)
    assert [end[0] for end in replayed.ends] == list(range(1, loaded.version + 1))


async def test_a_log_rests_before_it_is_sealed(deployment: Deployment) -> None:
    """Whoever follows the session reads its newest batches from the stream."""
    clock = SetClock()
    limits = replace(LIMITS, seal=SealLimits(rest_ms=1_000, check_ms=5))
    async with projecting(deployment, clock=clock, limits=limits):
        await append(deployment, *one_turn(1, 60))
        await projected(deployment, 62)
        clock.ms = NOW_MS + 999
        await append(deployment, notice("other"), session="s2")
        await projected(deployment, 1, session="s2")
        assert not await is_sealed(deployment)
        clock.ms = NOW_MS + 1_000
        await wait_until(lambda: is_sealed(deployment), "the log is sealed after its rest")


async def test_small_turns_are_sealed_together(deployment: Deployment) -> None:
    """Below some size a segment costs more than it saves: the log waits until it is worth it."""
    keys = deployment.keys.of_session("s1")
    async with projecting(deployment, limits=AT_ONCE):
        size_bytes = turn = 0
        while size_bytes < SEAL_CLOSED_BYTES:
            assert await ask(deployment.raw, "XLEN", keys.segments("s1")) == 0
            turn += 1
            await append(deployment, *one_turn(turn, 5))
            await projected(deployment, 7 * turn)
            size_bytes = sum(map(len, await deployment.logged("s1")))
        await wait_until(lambda: is_sealed(deployment), "the turns are sealed")
    assert await ask(deployment.raw, "XLEN", keys.segments("s1")) == 1


async def is_sealed(deployment: Deployment) -> bool:
    """Whether nothing of the session is left in the stream."""
    key = deployment.keys.of_session("s1").log("s1")
    return bool(await ask(deployment.raw, "EXISTS", key)) and await ask(deployment.raw, "XLEN", key) == 0


async def size_of_log(deployment: Deployment) -> int:
    """Bytes of memory that the engine gives to the session's log, both parts of it."""
    keys = deployment.keys.of_session("s1")
    names = (keys.log("s1"), keys.segments("s1"))
    return sum([int(await ask(deployment.raw, "MEMORY", "USAGE", name, "SAMPLES", 0)) for name in names])
