"""The service's errors, split by reaction: retry, refuse to start, the peer's fault, stop this partition.

A message says what happened, where, and what to do; the facts are fields.
"""


class ServiceError(Exception):
    """Base of every error that the stream side of `service` raises."""


class StoreUnavailable(ServiceError):
    """The engine cannot be reached, or its answer was lost; reaction: retry later, the outcome is unknown.

    Attributes:
        where: the address, without a password.
        why: the client's words.
    """

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"Redis at {where} does not answer: {why}")
        self.where = where
        self.why = why


class StoreRefused(ServiceError):
    """The engine answered with an error; reaction: a person reads it and repairs the engine or its data."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"Redis at {where} refused: {why}")
        self.where = where
        self.why = why


class KeyRefused(StoreRefused):
    """A key is not what Turnfold wrote, so nothing was written; reaction: a person restores or removes it.

    Attributes:
        key: its full name.
    """

    def __init__(self, where: str, key: str) -> None:
        super().__init__(
            where,
            f"the key {key} is not what Turnfold wrote (another type, or a log that was cut or grew); "
            "nothing was written. Restore or remove that key",
        )
        self.key = key


class StartError(ServiceError):
    """What was configured and what the engine is do not fit; reaction: do not start."""


class DeploymentMismatch(StartError):
    """The engine holds a deployment with another number of partitions or another format.

    Attributes:
        name: `partitions` or `format`.
        stored: what the engine holds.
        configured: what this process was told.
    """

    def __init__(self, name: str, stored: str, configured: str) -> None:
        super().__init__(
            f"this Redis holds a Turnfold deployment with {name}={stored}, and this process was started with "
            f"{name}={configured}; sessions would be looked for in the wrong place. Start with {stored}, "
            "or use another Redis database"
        )
        self.name = name
        self.stored = stored
        self.configured = configured


class DurabilityMissing(StartError):
    """The engine cannot give what `TURNFOLD_ACK` promises."""

    def __init__(self, ack: str, why: str) -> None:
        super().__init__(f"TURNFOLD_ACK={ack} cannot be kept: {why}")
        self.ack = ack
        self.why = why


class SessionGone(ServiceError):
    """The session was deleted and takes no events; the peer's fault.

    Attributes:
        session: the deleted session.
    """

    def __init__(self, session: str) -> None:
        super().__init__(f"session {session!r} was deleted and takes no more events; use another session id")
        self.session = session


class CursorRefused(ServiceError):
    """A list cursor is not one that was given out; the peer's fault."""

    def __init__(self, cursor: str) -> None:
        super().__init__(f"cursor {cursor[:64]!r} was not given out here; start again without one")
        self.cursor = cursor


class NotDurable(ServiceError):
    """The events are in the engine, but not as safe as `TURNFOLD_ACK` promises; reaction: retry with event
    ids.
    """

    def __init__(self, ack: str) -> None:
        super().__init__(
            f"the events were written but not confirmed as TURNFOLD_ACK={ack} asks; send them again "
            "with the same event ids"
        )
        self.ack = ack


class LeaseLost(ServiceError):
    """Another projector took this partition; reaction: stop working on it.

    Attributes:
        partition: its number.
        token: the fencing token that is no longer the newest.
    """

    def __init__(self, partition: int, token: int) -> None:
        super().__init__(f"partition {partition} was taken over by another projector (our token was {token})")
        self.partition = partition
        self.token = token


class FeedGap(ServiceError):
    """A feed reader fell behind what the feed holds, or the feed went back; reaction: reload what was cached.

    Attributes:
        partition: whose feed it is.
    """

    def __init__(self, partition: int) -> None:
        super().__init__(f"the change feed of partition {partition} no longer holds what comes next")
        self.partition = partition
