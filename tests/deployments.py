"""A deployment for tests: the adapters on one engine, and short ways to say what a test is about."""

from dataclasses import dataclass
from itertools import count

from redis.asyncio import Redis

from service.connection_redis import ask, connect
from service.keys import KeySpace, SessionId, partition_of
from service.log_codec import entry_ids
from service.reader_redis import RedisReader
from service.source_redis import RedisSource
from service.store_redis import RedisStore
from service.stored import Checkpoint, Commit, CommitOutcome, EntryId, SessionCommit, Summary

NOW_MS = 1_700_000_000_000
EPOCH = "testepoch234"


@dataclass
class Deployment:
    """The adapters of one fresh deployment, and a raw client beside them."""

    url: str
    keys: KeySpace
    store: RedisStore
    source: RedisSource
    reader: RedisReader
    raw: Redis

    @classmethod
    async def start(cls, url: str, partition_count: int) -> "Deployment":
        """Adapters on an engine; the deployment is made if the engine is empty."""
        made = cls.beside(url, partition_count)
        await made.store.start(NOW_MS)
        await made.source.start()
        return made

    @classmethod
    def beside(cls, url: str, partition_count: int) -> "Deployment":
        """Adapters on an engine that has the deployment already; nothing is asked of it yet."""
        keys = KeySpace(partition_count)
        return cls(
            url, keys, RedisStore(url, keys), RedisSource(url, keys), RedisReader(url, keys), connect(url)
        )

    async def close(self) -> None:
        """Give every connection back."""
        await self.store.close()
        await self.source.close()
        await self.reader.close()
        await self.raw.aclose()

    def partition(self, session: str) -> int:
        """Where a session lives."""
        return partition_of(session, self.keys.partition_count)

    def neighbour(self, session: str) -> str:
        """Another session of the same partition."""
        return next(
            name for name in map("n{}".format, count()) if self.partition(name) == self.partition(session)
        )

    async def keys_with_content(self) -> dict[bytes, bytes]:
        """Every key and its whole content, to show that nothing moved."""
        found: dict[bytes, bytes] = {}
        for key in await ask(self.raw, "KEYS", "*"):
            found[key] = await ask(self.raw, "DUMP", key)
        return found

    async def logged(self, session: str) -> list[bytes]:
        """All events of a session's log; checks that their seqs have neither hole nor overlap."""
        events: list[bytes] = []
        while True:
            page = await self.reader.read_log(SessionId(session), len(events) - 1, 100)
            for batch in page.batches:
                assert batch.first_seq == len(events)
                assert len(entry_ids(batch)) == len(batch.events)
                events += batch.events
            if not page.more:
                return events


def summary_of(session: str, *, version: int = 1, next_seq: int = 1, epoch: str = EPOCH) -> Summary:
    """A summary with what the store itself looks at."""
    return Summary(
        session=SessionId(session),
        epoch=epoch,
        version=version,
        next_seq=next_seq,
        created_at_ms=NOW_MS,
        updated_at_ms=NOW_MS,
    )


def part_of(
    session: str,
    events: list[bytes],
    *,
    first_seq: int = 0,
    version: int = 1,
    stale_timer: bool = False,
    sealable: bool = False,
) -> SessionCommit:
    """A session's part of a commit."""
    return SessionCommit(
        expected_next_seq=first_seq,
        summary=summary_of(session, version=version, next_seq=first_seq + len(events)),
        stale_timer=stale_timer,
        sealable=sealable,
        entry_ids=tuple(b"%d-%d" % (NOW_MS + index, index) for index in range(len(events))),
        events=tuple(events),
    )


class Chain:
    """Commits of one partition, each from where the last one ended."""

    def __init__(self, deployment: Deployment, owned: Checkpoint, partition: int) -> None:
        self.deployment = deployment
        self.partition = partition
        self.at = owned
        self.number = 0

    @classmethod
    async def take(cls, deployment: Deployment, partition: int = 0) -> "Chain":
        """Own the partition."""
        return cls(deployment, await deployment.store.take_ownership(partition), partition)

    def next(self, *parts: SessionCommit, at_ms: int = NOW_MS) -> Commit:
        """The next commit, not yet sent."""
        return Commit(
            partition=self.partition,
            token=self.at.token,
            expected_id=self.at.entry_id,
            new_id=EntryId(f"{NOW_MS + self.number + 1}-0"),
            consumed_count=self.at.consumed_count + sum(len(part.events) for part in parts),
            at_ms=at_ms,
            sessions=parts,
        )

    async def commit(self, *parts: SessionCommit, at_ms: int = NOW_MS) -> CommitOutcome:
        """Send the next commit; go on from it if it was taken."""
        commit = self.next(*parts, at_ms=at_ms)
        outcome = await self.deployment.store.commit(commit)
        if outcome.status == "committed":
            self.number += 1
            self.at = Checkpoint(
                entry_id=commit.new_id, consumed_count=commit.consumed_count, token=commit.token
            )
        return outcome
