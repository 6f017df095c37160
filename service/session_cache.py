"""The sessions in a projector's memory: least recently used first, bounded in count and bytes (R-7)."""

from collections.abc import Iterable

from service.live_session import LiveSession


class SessionCache:
    """Folds by session id (as bytes, the way entries name them). A dropped session costs no memory at all."""

    def __init__(self, most_sessions: int, most_bytes: int) -> None:
        self._most_sessions = most_sessions
        self._most_bytes = most_bytes
        self._sessions: dict[bytes, tuple[LiveSession, int]] = {}
        self.size_bytes = 0

    def __len__(self) -> int:
        return len(self._sessions)

    def get(self, session: bytes) -> LiveSession | None:
        """The session, if it is held."""
        held = self._sessions.get(session)
        return None if held is None else held[0]

    def keep(self, session: bytes, live: LiveSession) -> None:
        """Hold the session as the most recently used, at its present size."""
        self.drop((session,))
        self._sessions[session] = (live, live.size_bytes)
        self.size_bytes += live.size_bytes

    def evict(self) -> None:
        """Drop the least recently used until both bounds hold; the newest one stays, however great it is."""
        while len(self._sessions) > 1 and (
            len(self._sessions) > self._most_sessions or self.size_bytes > self._most_bytes
        ):
            self.drop((next(iter(self._sessions)),))

    def drop(self, sessions: Iterable[bytes]) -> None:
        """Forget these sessions."""
        for session in sessions:
            held = self._sessions.pop(session, None)
            if held is not None:
                self.size_bytes -= held[1]

    def clear(self) -> None:
        """Forget everything."""
        self._sessions.clear()
        self.size_bytes = 0
