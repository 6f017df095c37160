"""Edge stage: how a deployment and this process are at one instant, as values."""

import msgspec

from service.stored import Inventory


class PartitionLag(msgspec.Struct, frozen=True, kw_only=True):
    """How far a partition is behind: the age and the number of its entries that are not projected; 0 is none.

    `lag_events` is null where the engine cannot count them.
    """

    partition: int
    entry_id: str
    lag_ms: int
    lag_events: int | None


class Condition(msgspec.Struct, frozen=True, kw_only=True):
    """How the deployment is; `trouble` says in one sentence why no work should be sent here, None that it may.

    `partitions` is empty and `inventory` None where the store did not answer.
    """

    trouble: str | None
    partitions: tuple[PartitionLag, ...] = ()
    inventory: Inventory | None = None


class LiveCounts(msgspec.Struct, frozen=True, kw_only=True):
    """What the live side of a process holds; `sessions` are folds in memory, in use or kept for the next user."""

    sockets: int
    subscriptions: int
    sessions: int
