"""The ports of what readers chose, beside those of their sessions (`ports`)."""

from collections.abc import Mapping
from typing import Protocol

from projections.preferences import Preferences


class PreferenceWatch(Protocol):
    """Whose preferences change, from the moment it was opened.

    Order: of the writes. Loss: none while it is read; after an error whoever reads it asks for all its subjects
    again. Duplicates: possible, and harmless. Concurrency: one reader per watch; any number of watches.
    """

    async def read(self, block_ms: int) -> frozenset[str]:
        """Subjects that changed since the last call; waits up to `block_ms` for the first."""
        ...

    async def close(self) -> None:
        """Give the connection back."""
        ...


class PreferenceStore(Protocol):
    """What readers chose, by subject (C-4); no session's log knows of it.

    Atomicity: a write is kept whole or not at all, and changes no other field. Concurrency: of two writes of one
    field the later one stays. Loss: as the engine's.
    """

    async def read(self, subject: str) -> Preferences:
        """The subject's preferences; the defaults where nothing valid is stored."""
        ...

    async def write(self, subject: str, changes: Mapping[str, bytes | None]) -> Preferences:
        """Set fields to JSON values, or back to their defaults (None), and return all as they are then."""
        ...

    async def watch(self) -> PreferenceWatch:
        """A watch of every change after this call."""
        ...
