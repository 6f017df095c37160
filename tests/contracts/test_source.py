"""The contract of `ports.Source`: order, loss, duplicates, atomicity, concurrency."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from service.connection_redis import ask
from service.errors import DurabilityMissing, KeyRefused, SessionGone, StoreUnavailable
from service.keys import INGEST_GROUP, KeySpace, SessionId
from service.source_redis import RedisSource
from service.stored import START, Backlog, EntryId, entry_order
from tests.deployments import NOW_MS, Chain, Deployment, part_of
from tests.waiting import wait_until

S1 = SessionId("s1")


@asynccontextmanager
async def fsync_source(deployment: Deployment) -> AsyncIterator[RedisSource]:
    """A source that promises *fsync*, not yet started."""
    source = RedisSource(deployment.url, deployment.keys, "fsync")
    try:
        yield source
    finally:
        await source.close()


async def test_entries_are_read_in_the_order_of_their_appending(deployment: Deployment) -> None:
    """Order: one append stays together; reading goes on after any entry."""
    first = await deployment.source.append(S1, [b"a", b"b"], [None, None])
    await deployment.source.append(S1, [b"c"], [None])
    read = await deployment.source.read(deployment.partition("s1"), START, 10, 0)
    assert [(session, event) for _, session, event in read] == [(b"s1", b"a"), (b"s1", b"b"), (b"s1", b"c")]
    after = await deployment.source.read(deployment.partition("s1"), first[1].entry_id, 10, 0)
    assert [event for _, _, event in after] == [b"c"]


async def test_reading_takes_nothing_away(deployment: Deployment) -> None:
    """Concurrency: any number of readers, each from its own position."""
    await deployment.source.append(S1, [b"a"], [None])
    partition = deployment.partition("s1")
    once = await deployment.source.read(partition, START, 10, 0)
    assert await deployment.source.read(partition, START, 10, 0) == once


async def test_a_known_event_id_is_appended_once(deployment: Deployment) -> None:
    """Duplicates: in one request, in a later one, and the entry of the first is named."""
    (first,) = await deployment.source.append(S1, [b"a"], ["id-1"])
    again, new, twin = await deployment.source.append(S1, [b"a", b"b", b"b"], ["id-1", "id-2", "id-2"])
    assert (again.entry_id, again.duplicate) == (first.entry_id, True)
    assert (new.duplicate, twin.duplicate, twin.entry_id) == (False, True, new.entry_id)
    read = await deployment.source.read(deployment.partition("s1"), START, 10, 0)
    assert [event for _, _, event in read] == [b"a", b"b"]


async def test_event_ids_belong_to_their_session(deployment: Deployment) -> None:
    """Two sessions may use one id."""
    await deployment.source.append(S1, [b"a"], ["id"])
    (other,) = await deployment.source.append(SessionId("s2"), [b"a"], ["id"])
    assert not other.duplicate


async def test_concurrent_appends_of_one_event_id_append_once(deployment: Deployment) -> None:
    """The race that the script closes."""
    answers = await asyncio.gather(*(deployment.source.append(S1, [b"a"], ["id"]) for _ in range(20)))
    assert sum(not appended.duplicate for (appended,) in answers) == 1


async def test_a_refused_append_appends_nothing(deployment: Deployment) -> None:
    """Atomicity: the whole request or nothing."""
    key = deployment.keys.of_session("s1").event_ids("s1")
    await ask(deployment.raw, "SET", key, "planted")
    with pytest.raises(KeyRefused, match=key.replace("{", r"\{")):
        await deployment.source.append(S1, [b"a", b"b"], [None, "id"])
    assert not await deployment.source.read(deployment.partition("s1"), START, 10, 0)


async def test_a_deleted_session_takes_no_events(deployment: Deployment, chain: Chain) -> None:
    """Its tombstone refuses them."""
    await chain.commit(part_of("s1", [b"a"]))
    await deployment.reader.delete(S1, NOW_MS)
    with pytest.raises(SessionGone):
        await deployment.source.append(S1, [b"b"], [None])


async def test_a_plain_xadd_is_a_producer(deployment: Deployment) -> None:
    """Fields in any order and others beside them; what is missing is None."""
    key = deployment.keys.of_session("s1").ingest
    await ask(deployment.raw, "XADD", key, "*", "e", "x", "s", "s1")
    await ask(deployment.raw, "XADD", key, "*", "s", "s1", "trace", "t", "e", "y")
    await ask(deployment.raw, "XADD", key, "*", "e", "z")
    read = await deployment.source.read(deployment.partition("s1"), START, 10, 0)
    assert [entry[1:] for entry in read] == [(b"s1", b"x"), (b"s1", b"y"), (None, b"z")]


async def test_a_blocking_read_returns_with_the_first_entry(deployment: Deployment) -> None:
    """It waits for one entry, not for `limit`."""
    reading = asyncio.create_task(deployment.source.read(deployment.partition("s1"), START, 10, 5_000))
    await deployment.source.append(S1, [b"a"], [None])
    assert [event for _, _, event in await reading] == [b"a"]


async def test_a_blocking_read_ends_empty_when_nothing_comes(deployment: Deployment) -> None:
    """No entry is no error."""
    assert not await deployment.source.read(deployment.partition("s1"), EntryId("0-0"), 10, 20)


async def test_the_backlog_is_what_was_not_committed(deployment: Deployment, chain: Chain) -> None:
    """Counted by the engine from the checkpoint on, and dated by its oldest entry."""
    partition = deployment.partition("s1")
    assert await deployment.source.backlog(partition, START) == Backlog(event_count=0, oldest_at_ms=None)
    appended = await deployment.source.append(S1, [b"a", b"b", b"c"], [None, None, None])
    first_ms = entry_order(appended[0].entry_id)[0]
    assert await deployment.source.backlog(partition, START) == Backlog(event_count=3, oldest_at_ms=first_ms)
    done = replace(chain.next(part_of("s1", [b"a", b"b"])), new_id=appended[1].entry_id)
    assert (await deployment.store.commit(done)).status == "committed"
    left = await deployment.source.backlog(partition, done.new_id)
    assert left == Backlog(event_count=1, oldest_at_ms=entry_order(appended[2].entry_id)[0])


async def test_the_backlog_of_a_partition_that_nobody_touched_is_empty(deployment: Deployment) -> None:
    """Its stream does not exist."""
    for partition in range(deployment.keys.partition_count):
        assert await deployment.source.backlog(partition, START) == Backlog(event_count=0, oldest_at_ms=None)


async def test_a_backlog_without_the_group_has_a_date_and_no_count(
    deployment: Deployment, chain: Chain
) -> None:
    """Somebody removed it: better no number than a wrong one."""
    await deployment.source.append(S1, [b"a"], [None])
    key = deployment.keys.partitions[chain.partition].ingest
    await ask(deployment.raw, "XGROUP", "DESTROY", key, INGEST_GROUP)
    found = await deployment.source.backlog(chain.partition, START)
    assert found.event_count is None
    assert found.oldest_at_ms is not None


async def test_fsync_is_kept_by_an_engine_that_syncs_always(deployment: Deployment) -> None:
    """R-3a: the embedded engine does, so nothing is asked for per append."""
    await ask(deployment.raw, "CONFIG", "SET", "appendfsync", "always")
    async with fsync_source(deployment) as source:
        await source.start()
        (appended,) = await source.append(S1, [b"a"], [None])
        assert not appended.duplicate


async def test_fsync_is_confirmed_for_each_append_or_refused_at_start(deployment: Deployment) -> None:
    """R-3a: an engine that syncs every second confirms by WAITAOF; Redis before 7.2 has none, and is refused."""
    await ask(deployment.raw, "CONFIG", "SET", "appendfsync", "everysec")
    version = (await deployment.raw.info("server"))["redis_version"]
    has_waitaof = tuple(int(part) for part in version.split(".")[:2]) >= (7, 2)
    async with fsync_source(deployment) as source:
        if not has_waitaof:
            with pytest.raises(DurabilityMissing, match="WAITAOF"):
                await source.start()
            return
        await source.start()
        (appended,) = await source.append(S1, [b"a"], [None])
        assert not appended.duplicate


async def test_fsync_without_an_append_only_file_is_refused_at_start(deployment: Deployment) -> None:
    """R-3a: a promise that cannot be kept is not made."""
    await ask(deployment.raw, "CONFIG", "SET", "appendonly", "no")
    source = RedisSource(deployment.url, deployment.keys, "fsync")
    with pytest.raises(DurabilityMissing, match="appendonly"):
        await source.start()
    await source.close()
    await ask(deployment.raw, "CONFIG", "SET", "appendonly", "yes")

    async def written() -> bool:
        return not (await deployment.raw.info("persistence"))["aof_rewrite_in_progress"]

    # Until then the engine refuses to stop.
    await wait_until(written, "the engine has written its first append-only file")


async def test_replicas_without_a_replica_is_refused_at_start(deployment: Deployment) -> None:
    """R-3a, for WAIT."""
    source = RedisSource(deployment.url, deployment.keys, "replicas")
    with pytest.raises(DurabilityMissing, match="replica"):
        await source.start()
    await source.close()


async def test_an_engine_that_is_not_there_is_a_clear_error() -> None:
    """R-13: within 5 s at start, with the address and without a password."""
    source = RedisSource("redis://user:secret@127.0.0.1:1/0", KeySpace(1))
    with pytest.raises(StoreUnavailable, match=r"127\.0\.0\.1:1") as caught:
        await source.start()
    assert "secret" not in str(caught.value)
    await source.close()
