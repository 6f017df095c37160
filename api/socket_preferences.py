"""Edge stage: what the subjects of sockets prefer, followed while they are connected (B-1, C-4).

1. A store in trouble keeps nobody out: until it answers, a subject is shown what it saw last, or the defaults.
2. The watch tells who changed, the store what is chosen now. After a fault every connected subject is read again, so
   that no change is missed.
3. A cancellation may be lost inside the Redis client, when it comes together with the end of one of its timeouts. So
   each round asks whether one was asked for, and a wait is short.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

import structlog

from projections.preferences import Preferences
from service.errors import StoreRefused, StoreUnavailable
from service.preferences import PreferenceStore, PreferenceWatch

#: One wait for changes; the longest that a stop may have to wait for.
_BLOCK_MS: Final = 1_000
_RETRY_S: Final = 1.0

_log = structlog.get_logger(__name__)


class SubjectPreferences:
    """Reads and follows preferences for the sockets of this process."""

    def __init__(
        self,
        store: PreferenceStore,
        subjects: Callable[[], Iterable[str]],
        changed: Callable[[str, Preferences], None],
    ) -> None:
        """Make it over a store.

        Args:
            subjects: those that are connected.
            changed: told what a connected subject prefers now.
        """
        self._store = store
        self._subjects = subjects
        self._changed = changed

    async def of(self, subject: str) -> Preferences:
        """What a subject prefers; the defaults while the store does not answer."""
        try:
            return await self._store.read(subject)
        except (StoreUnavailable, StoreRefused) as trouble:
            _log.warning("preferences_unread", kind=type(trouble).__name__)
            return Preferences()

    async def watch(self) -> None:
        """Tell every change, for ever; for a background task."""
        while not _is_cancelled():
            try:
                await self._watch_once()
            except (StoreUnavailable, StoreRefused) as trouble:
                _log.warning("preferences_watch_failed", kind=type(trouble).__name__)
                await asyncio.sleep(_RETRY_S)

    async def _watch_once(self) -> None:
        watch: PreferenceWatch = await self._store.watch()
        try:
            await self._tell(frozenset(self._subjects()))
            while not _is_cancelled():
                changed = await watch.read(_BLOCK_MS)
                await self._tell(changed & frozenset(self._subjects()))
        finally:
            await watch.close()

    async def _tell(self, subjects: Iterable[str]) -> None:
        for subject in subjects:
            self._changed(subject, await self._store.read(subject))


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
