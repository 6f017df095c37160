"""A client's position in a session (`wire.md`, *Position*)."""

from msgspec import Struct


class Position(Struct, frozen=True, kw_only=True):
    """Where a snapshot or delta stands: `version` counts the session's committed batches, `epoch` names its history.

    Without the epoch an old number could resume wrongly: a client at version 7 reconnects after the store was wiped
    and the session was sent again up to version 9. Deltas 8 and 9 would apply cleanly to rows that no longer exist.
    The new history has another epoch, so the client is given a snapshot instead.
    """

    epoch: str
    version: int
