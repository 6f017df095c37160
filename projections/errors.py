"""Errors of the pure core, split by reaction.

The fold itself never raises: what it cannot use it counts. These are for callers who hand in something that no
event can cause: a saved state of another version, a view that does not exist, a cursor nobody gave out.
"""


class ProjectionError(Exception):
    """Base of every error that `projections` raises."""


class SavedStateError(ProjectionError):
    """A saved fold cannot be restored; reaction: replay the session's log from its start.

    Attributes:
        why: what did not fit, for a log line.
    """

    def __init__(self, why: str) -> None:
        super().__init__(f"saved state cannot be restored ({why}); replay the log instead")
        self.why = why


class CursorError(ProjectionError):
    """A paging cursor is not one that this session gave out; the peer's fault.

    Attributes:
        cursor: the text as it came.
    """

    def __init__(self, cursor: str) -> None:
        super().__init__(
            f"cursor {cursor[:64]!r} was not given out for this session; start again without one"
        )
        self.cursor = cursor
