"""The contract of `ports.Store`: order, loss, duplicates, atomicity, concurrency."""

import pytest
from msgspec.structs import replace

from service.connection_redis import ask
from service.errors import DeploymentMismatch
from service.keys import KeySpace, SessionId
from service.store_redis import RedisStore
from service.stored import Commit, SavedState, SessionCommit
from tests.deployments import NOW_MS, Chain, Deployment, part_of, summary_of

S1 = SessionId("s1")


async def test_a_commit_adds_its_events_to_the_log_as_the_bytes_that_came(
    deployment: Deployment, chain: Chain
) -> None:
    """R-5: folding changes no event."""
    events = [b'{"type":"notice"}', b"not json \xff", b""]
    assert (await chain.commit(part_of("s1", events))).status == "committed"
    assert await deployment.logged("s1") == events


async def test_commits_of_a_session_follow_each_other_without_hole(
    deployment: Deployment, chain: Chain
) -> None:
    """Order: the log grows by whole batches, each from the seq where the last one ended."""
    await chain.commit(part_of("s1", [b"a", b"b"]))
    await chain.commit(part_of("s1", [b"c"], first_seq=2, version=2))
    assert await deployment.logged("s1") == [b"a", b"b", b"c"]
    assert [one.last_seq for one in await deployment.reader.log_versions(S1, 0, 10)] == [1, 2]


async def test_a_commit_sent_again_reports_moved_and_writes_nothing(
    deployment: Deployment, chain: Chain
) -> None:
    """Duplicates: a lost reply is answered by sending again, or by reading the checkpoint."""
    commit = chain.next(part_of("s1", [b"a"]))
    assert (await deployment.store.commit(commit)).status == "committed"
    before = await deployment.keys_with_content()
    assert (await deployment.store.commit(commit)).status == "moved"
    assert await deployment.keys_with_content() == before


async def test_a_commit_under_an_old_token_is_fenced(deployment: Deployment, chain: Chain) -> None:
    """Concurrency: only the newest owner commits, however long the other was asleep."""
    await chain.commit(part_of("s1", [b"a"]))
    newer = await deployment.store.take_ownership(chain.partition)
    assert newer.token == chain.at.token + 1
    before = await deployment.keys_with_content()
    assert (await chain.commit(part_of("s1", [b"b"], first_seq=1, version=2))).status == "fenced"
    assert await deployment.keys_with_content() == before


async def test_a_commit_from_another_checkpoint_is_refused(deployment: Deployment, chain: Chain) -> None:
    """Order: commits of a partition form one chain."""
    first = chain.next(part_of("s1", [b"a"]))
    await chain.commit(part_of("s1", [b"a"]))
    await chain.commit(part_of("s1", [b"b"], first_seq=1, version=2))
    outcome = await deployment.store.commit(first)
    assert (outcome.status, outcome.detail) == ("stale_checkpoint", chain.at.entry_id)


@pytest.mark.parametrize("name", ["log:s2", "state:s2", "turns:s2", "specs:s2"])
async def test_a_key_of_another_type_refuses_the_whole_commit(
    deployment: Deployment, chain: Chain, name: str
) -> None:
    """Atomicity: neither scripts nor MULTI roll back, so every key is looked at before the first write."""
    key = f"{deployment.keys.partitions[chain.partition].prefix}{name}"
    await ask(deployment.raw, "SET", key, "planted")
    before = await deployment.keys_with_content()
    outcome = await chain.commit(part_of("s1", [b"a"]), _with_everything("s2"), part_of("s3", [b"c"]))
    assert (outcome.status, outcome.detail) == ("bad_key", key)
    assert await deployment.keys_with_content() == before


@pytest.mark.parametrize(
    "name", ["sessions", "recent", "open", "sealable", "feed", "quarantine", "tombstones"]
)
async def test_a_partition_key_of_another_type_refuses_the_whole_commit(
    deployment: Deployment, chain: Chain, name: str
) -> None:
    """The same for the keys that all sessions of a partition share."""
    key = f"{deployment.keys.partitions[chain.partition].prefix}{name}"
    await ask(deployment.raw, "SET", key, "planted")
    before = await deployment.keys_with_content()
    assert (await chain.commit(part_of("s1", [b"a"]))).detail == key
    assert await deployment.keys_with_content() == before


@pytest.mark.parametrize(
    ("first_seq", "why"), [(0, "the log has it already"), (2, "the log lacks one before")]
)
async def test_a_commit_that_does_not_fit_the_log_is_refused(
    deployment: Deployment, chain: Chain, first_seq: int, why: str
) -> None:
    """Each log's head is checked: a batch never overlaps another."""
    if first_seq == 0:
        await chain.commit(part_of("s1", [b"a"]))
    before = await deployment.keys_with_content()
    assert (await chain.commit(part_of("s1", [b"z"], first_seq=first_seq, version=9))).status == "bad_key", (
        why
    )
    assert await deployment.keys_with_content() == before


async def test_a_deleted_session_takes_no_commit(deployment: Deployment, chain: Chain) -> None:
    """The race of a commit with a delete: the tombstone wins."""
    await chain.commit(part_of("s1", [b"a"]))
    assert await deployment.reader.delete(S1, NOW_MS)
    outcome = await chain.commit(part_of("s1", [b"b"], first_seq=1, version=2))
    assert (outcome.status, outcome.detail) == ("gone", "s1")
    (stored,) = await deployment.store.load(chain.partition, [S1])
    assert stored.gone
    assert stored.summary is None


async def test_a_save_is_loaded_with_its_turns_and_the_log_after_it(
    deployment: Deployment, chain: Chain
) -> None:
    """R-6: saved state plus the tail of the log is all that a cold start needs."""
    part = _with_everything("s1")
    await chain.commit(part)
    await chain.commit(part_of("s1", [b"later"], first_seq=1, version=2))
    (stored,) = await deployment.store.load(chain.partition, [S1])
    assert part.save is not None
    assert stored.state == replace(part.save, held_bytes=len(b"\x00head") + len(b"turn"))
    assert stored.summary is not None
    assert stored.summary.version == 2
    (batch,) = (await deployment.store.read_log(S1, 0, 10)).batches
    assert (batch.first_seq, batch.events) == (1, (b"later",))


async def test_a_great_save_is_packed_and_comes_back_as_it_was(deployment: Deployment, chain: Chain) -> None:
    """Head and turns of any size and content; what is too small or does not shrink lies as it is."""
    turns = {"1": b'["repeated"],' * 1_000, "2": bytes(range(256)) + b"!", "3": b"[]"}
    head = b'["head"],' * 1_000
    save = SavedState(next_seq=1, version=1, projection=1, size_bytes=8, head=head, turns=turns)
    await chain.commit(replace(_with_everything("s1"), save=save))
    held_bytes = len(head) + sum(map(len, turns.values()))
    assert await deployment.reader.load_state(S1) == replace(save, held_bytes=held_bytes)
    stored = await ask(deployment.raw, "HGETALL", deployment.keys.of_session("s1").turns("s1"))
    assert len(stored[b"1"]) < len(turns["1"]) / 10
    assert (stored[b"2"], stored[b"3"]) == (turns["2"], turns["3"])


async def test_loading_keeps_the_order_of_the_question(deployment: Deployment, chain: Chain) -> None:
    """Unknown sessions are answered too."""
    await chain.commit(part_of("s1", [b"a"]))
    asked = [SessionId("nobody"), S1]
    stored = await deployment.store.load(chain.partition, asked)
    assert [one.session for one in stored] == asked
    assert [one.summary is None for one in stored] == [True, False]


async def test_thousands_of_sessions_fit_into_one_commit(deployment: Deployment, chain: Chain) -> None:
    """Lua unpacks at most 8,000 words at once."""
    names = [f"many{index}" for index in range(8_000)]
    assert (await chain.commit(*(part_of(name, [b"a"]) for name in names))).status == "committed"
    stored = await deployment.store.load(chain.partition, [SessionId(names[0]), SessionId(names[-1])])
    assert all(one.summary is not None for one in stored)


async def test_stale_sessions_are_those_with_an_open_turn_and_no_commit_since(
    deployment: Deployment, chain: Chain
) -> None:
    """Rule 9: oldest first; a commit starts the clock again, and one without the timer stops it."""
    for index, name in enumerate(["a", "b", "c"]):
        await chain.commit(part_of(name, [b"x"], stale_timer=True), at_ms=NOW_MS + index)
    await chain.commit(part_of("b", [b"x"], first_seq=1, version=2), at_ms=NOW_MS)
    stale = await deployment.store.stale_sessions(chain.partition, NOW_MS + 1, NOW_MS + 1, 10)
    assert [one.session for one in stale] == ["a"]
    stale = await deployment.store.stale_sessions(chain.partition, NOW_MS + 2, NOW_MS + 2, 10)
    assert [one.session for one in stale] == ["a", "c"]


async def test_times_of_a_clock_since_set_back_are_over(deployment: Deployment, chain: Chain) -> None:
    """What was committed an hour ahead of now is not waited for; a minute is another machine's clock."""
    for name, ahead_ms in [("minute", 60_000), ("hour", 3_600_000)]:
        part = part_of(name, [b"x"], stale_timer=True, sealable=True)
        await chain.commit(part, at_ms=NOW_MS + ahead_ms)
    stale = await deployment.store.stale_sessions(chain.partition, NOW_MS - 1, NOW_MS, 10)
    assert [one.session for one in stale] == ["hour"]
    sealable = await deployment.store.sealable_sessions(chain.partition, NOW_MS - 1, NOW_MS, 10)
    assert [one.session for one in sealable] == ["hour"]


async def test_standard_tools_see_the_lag(deployment: Deployment, chain: Chain) -> None:
    """R-2: the commit moves a group's last id, and with it the entries read."""
    for event in (b"a", b"b", b"c"):
        await deployment.source.append(S1, [event], [None])
    first, second, _ = await deployment.source.read(chain.partition, chain.at.entry_id, 10, 0)
    part = part_of("s1", [b"a", b"b"])
    commit = Commit(
        partition=chain.partition,
        token=chain.at.token,
        expected_id=chain.at.entry_id,
        new_id=type(chain.at.entry_id)(second[0].decode()),
        consumed_count=2,
        at_ms=NOW_MS,
        sessions=(part,),
    )
    assert first[0] < second[0]
    assert (await deployment.store.commit(commit)).status == "committed"
    ((*facts,),) = await ask(deployment.raw, "XINFO", "GROUPS", deployment.keys.of_session("s1").ingest)
    named = dict(zip(facts[::2], facts[1::2], strict=True))
    assert (named[b"entries-read"], named[b"lag"]) == (2, 1)


async def test_a_commit_works_after_the_engine_forgot_its_scripts(
    deployment: Deployment, chain: Chain
) -> None:
    """EVALSHA is answered by NOSCRIPT after a restart or failover; then the text is sent."""
    await chain.commit(part_of("s1", [b"a"]))
    await ask(deployment.raw, "SCRIPT", "FLUSH")
    assert (await chain.commit(part_of("s1", [b"b"], first_seq=1, version=2))).status == "committed"


async def test_another_number_of_partitions_is_refused_at_start(deployment: Deployment) -> None:
    """R-1: P is fixed per deployment."""
    other = RedisStore(deployment.url, KeySpace(deployment.keys.partition_count + 1))
    with pytest.raises(DeploymentMismatch, match="partitions"):
        await other.start(NOW_MS)
    await other.close()


def _with_everything(session: str) -> SessionCommit:
    return SessionCommit(
        expected_next_seq=0,
        summary=summary_of(session),
        stale_timer=False,
        entry_ids=(b"1-0",),
        events=(b"first",),
        specs={"1": b"{}"},
        save=SavedState(
            next_seq=1, version=1, projection=1, size_bytes=8, head=b"\x00head", turns={"1": b"turn"}
        ),
    )
