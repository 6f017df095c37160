"""The contracts of `ports.Reader` and `ports.Feed`."""

import pytest
from msgspec.structs import replace

from service.connection_redis import ask
from service.errors import CursorRefused, FeedGap
from service.keys import SessionId
from service.store_redis import FEED_LENGTH
from service.stored import Commit, EntryId, LogPage, Quarantined
from tests.deployments import NOW_MS, Chain, Deployment, part_of

S1 = SessionId("s1")


async def test_lists_page_through_all_sessions_newest_first(deployment: Deployment) -> None:
    """One commit gives all its sessions one time, so ties are the rule; over all partitions, each exactly
    once.
    """
    chains = [await Chain.take(deployment, index) for index in range(deployment.keys.partition_count)]
    names = [f"n{index}" for index in range(60)]
    for round_number, start in enumerate(range(0, 60, 20)):
        for chain in chains:
            mine = [one for one in names[start : start + 20] if deployment.partition(one) == chain.partition]
            await chain.commit(*(part_of(one, [b"x"]) for one in mine), at_ms=NOW_MS + round_number)
    seen: list[str] = []
    cursor = None
    while True:
        page = await deployment.reader.summaries(cursor, 7)
        seen += [one.session for one in page.summaries]
        cursor = page.cursor
        if cursor is None:
            break
    assert sorted(seen) == sorted(names)
    assert set(seen[:20]) == set(names[40:])


async def test_a_cursor_nobody_gave_out_is_refused(deployment: Deployment) -> None:
    """The peer's fault, with its own error."""
    with pytest.raises(CursorRefused):
        await deployment.reader.summaries("nonsense!", 10)
    with pytest.raises(CursorRefused):
        await deployment.reader.quarantine(None, "0.x", 10)


async def test_versions_are_answered_from_the_tail(deployment: Deployment, chain: Chain) -> None:
    """For a resume: complete if and only if the first is the next after the one asked for."""
    for index in range(5):
        await chain.commit(part_of("s1", [b"x", b"y"], first_seq=2 * index, version=index + 1))
    ends = await deployment.reader.log_versions(S1, 2, 10)
    assert [(one.version, one.last_seq) for one in ends] == [(3, 5), (4, 7), (5, 9)]
    assert [one.version for one in await deployment.reader.log_versions(S1, 0, 2)] == [4, 5]
    assert await deployment.reader.log_versions(SessionId("nobody"), 0, 10) == ()


async def test_a_log_is_read_from_any_seq(deployment: Deployment, chain: Chain) -> None:
    """The first batch may begin before the seq that was asked for; none is left out."""
    await chain.commit(part_of("s1", [b"a", b"b", b"c"]))
    await chain.commit(part_of("s1", [b"d"], first_seq=3, version=2))
    for after_seq, first in [(-1, 0), (0, 0), (1, 0), (2, 3)]:
        batches = (await deployment.reader.read_log(S1, after_seq, 10)).batches
        assert batches[0].first_seq == first
        assert batches[-1].events[-1] == b"d"
    assert await deployment.reader.read_log(S1, 3, 10) == LogPage(batches=(), more=False)


async def test_the_feed_tells_every_commit_after_its_opening(deployment: Deployment, chain: Chain) -> None:
    """In the order of commits, with what each session grew by."""
    await chain.commit(part_of("s1", [b"before"]))
    feed = await deployment.reader.open_feed()
    await chain.commit(part_of("s1", [b"a", b"b"], first_seq=1, version=2), part_of("s2", [b"c"]))
    await chain.commit(part_of("s1", [b"d"], first_seq=3, version=3))
    entries = await feed.read(100)
    assert [(one.session, one.version, one.first_seq, one.count) for one in entries] == [
        ("s1", 2, 1, 2),
        ("s2", 1, 0, 1),
        ("s1", 3, 3, 1),
    ]
    assert await feed.read(10) == ()
    await feed.close()


async def test_the_feed_of_a_reader_that_fell_behind_says_so(deployment: Deployment, chain: Chain) -> None:
    """Loss is never silent: the reader reloads, and goes on from the end."""
    feed = await deployment.reader.open_feed()
    await chain.commit(part_of("s1", [b"a"]))
    await chain.commit(part_of("s1", [b"b"], first_seq=1, version=2))
    await ask(deployment.raw, "XTRIM", deployment.keys.of_session("s1").feed, "MAXLEN", 1)
    with pytest.raises(FeedGap):
        await feed.read(10)
    await chain.commit(part_of("s1", [b"c"], first_seq=2, version=3))
    assert [one.version for one in await feed.read(100)] == [3]
    await feed.close()
    assert FEED_LENGTH >= 10_000


async def test_the_feed_of_an_engine_that_went_back_says_so(deployment: Deployment, chain: Chain) -> None:
    """A restore or wipe: the id that comes next would never come."""
    await chain.commit(part_of("s1", [b"a"]))
    feed = await deployment.reader.open_feed()
    await ask(deployment.raw, "FLUSHDB")
    with pytest.raises(FeedGap):
        await feed.read(10)
    await feed.close()


async def test_delete_removes_every_key_of_the_session_and_tells_the_feed(
    deployment: Deployment, chain: Chain
) -> None:
    """wire.md: log, state, batches and quarantine go, a tombstone stays, subscribers are told."""
    other = deployment.neighbour("s1")
    await deployment.source.append(S1, [b"a"], ["id"])
    commit = chain.next(part_of("s1", [b"a"]), part_of(other, [b"b"]))
    bad = [_bad("s1", 0), _bad(other, 0)]
    await deployment.store.commit(_with_quarantine(commit, bad))
    feed = await deployment.reader.open_feed()
    assert await deployment.reader.delete(S1, NOW_MS)
    (gone,) = await feed.read(100)
    assert (gone.session, gone.gone, gone.epoch, gone.version) == ("s1", True, "testepoch234", 1)
    assert await deployment.reader.is_gone(S1)
    assert await deployment.reader.summary(S1) is None
    assert await deployment.logged("s1") == []
    names = [key.decode() for key in await ask(deployment.raw, "KEYS", "*:s1")]
    assert names == []
    assert [one.session for one in (await deployment.reader.quarantine(None, None, 10)).entries] == [other]
    assert [one.session for one in (await deployment.reader.summaries(None, 10)).summaries] == [other]
    await feed.close()


async def test_deleting_what_is_not_there_leaves_nothing_behind(deployment: Deployment) -> None:
    """A typing error makes no tombstone."""
    assert not await deployment.reader.delete(SessionId("nobody"), NOW_MS)
    assert not await deployment.reader.is_gone(SessionId("nobody"))


async def test_the_quarantine_is_paged_for_one_session_and_for_all(
    deployment: Deployment, chain: Chain
) -> None:
    """Raw bytes and reason as they were."""
    commit = chain.next(part_of("s1", [b"a"]))
    bad = [_bad("s1", 0), _bad("", -1), _bad("s1", 2)]
    await deployment.store.commit(_with_quarantine(commit, bad))
    first = await deployment.reader.quarantine(S1, None, 1)
    assert first.cursor is not None
    rest = await deployment.reader.quarantine(S1, first.cursor, 10)
    assert [first.entries[0], *rest.entries] == [bad[0], bad[2]]
    assert (await deployment.reader.quarantine(None, None, 10)).entries == tuple(bad)


async def test_the_inventory_counts_all_partitions_and_names_the_engine(deployment: Deployment) -> None:
    """What is deleted is not counted; the engine is named as it names itself."""
    names = [f"n{index}" for index in range(20)]
    for partition in range(deployment.keys.partition_count):
        chain = await Chain.take(deployment, partition)
        mine = [one for one in names if deployment.partition(one) == partition]
        commit = chain.next(*(part_of(one, [b"x"]) for one in mine))
        await deployment.store.commit(_with_quarantine(commit, [_bad(one, 0) for one in mine]))
    await deployment.reader.delete(SessionId("n7"), NOW_MS)
    found = await deployment.reader.inventory()
    assert (found.session_count, found.quarantined_count) == (19, 19)
    facts = await deployment.raw.info("server")
    assert facts["redis_version"] in found.engine or facts["valkey_version"] in found.engine
    assert found.engine.split(" ")[0] in ("redis", "valkey")
    assert found.address.split("://")[0] in ("unix", "redis", "rediss")


def _bad(session: str, seq: int) -> Quarantined:
    return Quarantined(
        session=SessionId(session), seq=seq, entry_id=EntryId("5-1"), reason="no JSON", raw=b"\xff{"
    )


def _with_quarantine(commit: Commit, entries: list[Quarantined]) -> Commit:
    sessions = tuple(
        replace(
            one,
            summary=replace(one.summary, quarantined=sum(e.session == one.summary.session for e in entries)),
        )
        for one in commit.sessions
    )
    return replace(commit, sessions=sessions, quarantined=tuple(entries))
