"""The contract of `ports.Store.seal`: a sealed log is read as if it had never been touched (R-5)."""

import pytest

from service.connection_redis import ask
from service.errors import KeyRefused
from service.keys import SessionId
from service.log_codec import entry_ids
from service.stored import LogBatch, Sealable
from tests.deployments import NOW_MS, Chain, Deployment, part_of

S1 = SessionId("s1")
DUE = Sealable(session=S1, due_ms=NOW_MS)


async def test_a_sealed_log_is_read_as_before_from_any_seq(deployment: Deployment, chain: Chain) -> None:
    """The same batches with the same versions, ids and bytes, whether the question begins in a segment or behind."""
    await _grow(chain, batches=5)
    before = [await _read(deployment, after_seq) for after_seq in range(-1, 10)]
    assert not await deployment.store.seal(DUE)
    assert await _unsealed_count(deployment) == 0
    await _grow(chain, batches=2, from_batch=5)
    after = [await _read(deployment, after_seq) for after_seq in range(-1, 10)]
    assert [[one for one in page if one.version <= 5] for page in after] == before
    assert [entry_ids(one)[0] for one in after[0]] == [f"{NOW_MS}-0"] * 7


async def test_versions_of_a_sealed_log_are_known_as_before(deployment: Deployment, chain: Chain) -> None:
    """A client that comes back resumes from a position inside a segment (W-2)."""
    await _grow(chain, batches=4)
    await deployment.store.seal(DUE)
    await _grow(chain, batches=2, from_batch=4)
    await deployment.store.seal(DUE)
    await _grow(chain, batches=1, from_batch=6)
    everything = [(version, 2 * version - 1) for version in range(1, 8)]
    for after_version in range(8):
        ends = await deployment.reader.log_versions(S1, after_version, 10)
        assert [(one.version, one.last_seq) for one in ends] == everything[after_version:]
    newest = await deployment.reader.log_versions(S1, 0, 3)
    assert [one.version for one in newest] == [5, 6, 7]


async def test_commits_go_on_behind_a_log_that_is_sealed_whole(deployment: Deployment, chain: Chain) -> None:
    """The log's head is checked also where the stream holds no entry: a wrong seq is refused, the right one fits."""
    await _grow(chain, batches=2)
    await deployment.store.seal(DUE)
    for wrong in (3, 5):
        outcome = await chain.commit(part_of("s1", [b"z"], first_seq=wrong, version=3))
        assert outcome.status == "bad_key"
    assert (await chain.commit(part_of("s1", [b"e"], first_seq=4, version=3))).status == "committed"
    assert await deployment.logged("s1") == [b"0", b"0+", b"1", b"1+", b"e"]


async def test_only_logs_that_rested_are_due_and_each_once(deployment: Deployment, chain: Chain) -> None:
    """A commit marks its session; sealing takes the mark away, unless a later commit renewed it."""
    await chain.commit(part_of("s1", [b"a"], sealable=True), at_ms=NOW_MS)
    await chain.commit(part_of("s2", [b"a"], sealable=True), part_of("s3", [b"a"]), at_ms=NOW_MS + 1)
    assert await _due(deployment, chain, NOW_MS - 1) == []
    assert await _due(deployment, chain, NOW_MS) == [DUE]
    assert [one.session for one in await _due(deployment, chain, NOW_MS + 1)] == ["s1", "s2"]
    await chain.commit(part_of("s1", [b"b"], first_seq=1, version=2, sealable=True), at_ms=NOW_MS + 2)
    await deployment.store.seal(DUE)
    renewed = Sealable(session=S1, due_ms=NOW_MS + 2)
    assert await _due(deployment, chain, NOW_MS + 2) == [
        Sealable(session=SessionId("s2"), due_ms=NOW_MS + 1),
        renewed,
    ]
    await deployment.store.seal(renewed)
    assert [one.session for one in await _due(deployment, chain, NOW_MS + 2)] == ["s2"]


async def test_a_great_log_is_sealed_in_several_segments(deployment: Deployment, chain: Chain) -> None:
    """Readers of a few events unpack a bounded piece; whole batches are kept together."""
    events = [b"%06d" % index * 20_000 for index in range(4)]
    for index, event in enumerate(events):
        await chain.commit(part_of("s1", [event], first_seq=index, version=index + 1))
    rounds = 1
    while await deployment.store.seal(DUE):
        rounds += 1
    assert rounds == 2
    assert await ask(deployment.raw, "XLEN", deployment.keys.of_session("s1").segments("s1")) == 2
    assert await deployment.logged("s1") == events
    assert (await deployment.reader.read_log(S1, -1, 10)).more


async def test_a_deleted_session_leaves_nothing_sealed_and_no_mark(
    deployment: Deployment, chain: Chain
) -> None:
    """A delete removes the segments too; a sealer that comes later finds nothing to do."""
    await chain.commit(part_of("s1", [b"a"], sealable=True))
    await deployment.store.seal(DUE)
    await chain.commit(part_of("s1", [b"b"], first_seq=1, version=2, sealable=True))
    assert await deployment.reader.delete(S1, NOW_MS)
    assert await _due(deployment, chain, NOW_MS) == []
    assert not await deployment.store.seal(DUE)
    keys = deployment.keys.of_session("s1")
    assert await ask(deployment.raw, "EXISTS", keys.log("s1"), keys.segments("s1")) == 0


@pytest.mark.parametrize("name", ["segments:s1", "sealable"])
async def test_a_key_of_another_type_is_refused_and_nothing_is_sealed(
    deployment: Deployment, chain: Chain, name: str
) -> None:
    """Atomicity: every key is looked at before the first write."""
    await _grow(chain, batches=2)
    key = f"{deployment.keys.partitions[chain.partition].prefix}{name}"
    await ask(deployment.raw, "SET", key, "planted")
    before = await deployment.keys_with_content()
    with pytest.raises(KeyRefused) as refused:
        await deployment.store.seal(DUE)
    assert refused.value.key == key
    assert await deployment.keys_with_content() == before


async def _grow(chain: Chain, *, batches: int, from_batch: int = 0) -> None:
    for index in range(from_batch, from_batch + batches):
        events = [b"%d" % index, b"%d+" % index]
        await chain.commit(part_of("s1", events, first_seq=2 * index, version=index + 1))


async def _read(deployment: Deployment, after_seq: int) -> list[LogBatch]:
    found: list[LogBatch] = []
    more = True
    while more:
        page = await deployment.reader.read_log(S1, after_seq, 2)
        found += page.batches
        more = page.more
        if found:
            after_seq = found[-1].first_seq + len(found[-1].events) - 1
    return found


async def _unsealed_count(deployment: Deployment) -> int:
    return int(await ask(deployment.raw, "XLEN", deployment.keys.of_session("s1").log("s1")))


async def _due(deployment: Deployment, chain: Chain, before_ms: int) -> list[Sealable]:
    return list(await deployment.store.sealable_sessions(chain.partition, before_ms, before_ms, 10))
