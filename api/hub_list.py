"""Hub stage, the list of sessions, live: which summaries changed, told to every follower in coalesced
frames.

1. A follower first gets the newest `LIST_LENGTH` sessions (`whole`), then the entries that changed and the
   names of those that are gone.
2. Announcements only collect names; at most every `LIST_TICK_S` the changed summaries are read and sent, so
   a list costs the same whether its sessions stream or not.
3. A token that may not read every session is told of its own alone (W-6). Each entry is encoded once, and a
   frame once for all who are told the same.
4. A follower that was skipped (`outbox.py`), and everybody after a hole in the feed, gets the list whole
   again.
"""

import asyncio
from collections.abc import Callable, Coroutine

import msgspec

from api.codes import ErrorCode
from api.frames import NO_REV, NOBODY, SharedFrame
from api.listing import entry_of
from api.messages import Sessions
from api.outbox import Outbox
from service.errors import StoreRefused, StoreUnavailable
from service.keys import SessionId
from service.ports import Reader
from service.stored import FeedEntry, Summary

LIST_LENGTH = 200
LIST_TICK_S = 0.5

_encode = msgspec.json.Encoder().encode
_Encoded = dict[SessionId, msgspec.Raw]
#: The sessions of an update that one follower is told of: those that changed, and those that are gone.
_Share = tuple[tuple[SessionId, ...], tuple[SessionId, ...]]


class ListFollower:
    """One subscription of the list; `may_read` says which sessions it may know of."""

    __slots__ = ("end", "has_left", "may_read", "outbox", "sub")

    def __init__(
        self,
        *,
        sub: str,
        outbox: Outbox,
        may_read: Callable[[str], bool],
        end: Callable[[str, ErrorCode, str | None], None],
    ) -> None:
        self.sub = sub
        self.outbox = outbox
        self.may_read = may_read
        self.end = end
        self.has_left = False

    def share(self, entries: _Encoded, gone: tuple[SessionId, ...]) -> _Share:
        """Return what of this the follower may know of."""
        return (
            tuple(session for session in entries if self.may_read(session)),
            tuple(session for session in gone if self.may_read(session)),
        )


class SessionListHub:
    """The followers of the list; for one event loop."""

    def __init__(
        self,
        reader: Reader,
        *,
        spawn: Callable[[Coroutine[None, None, None]], object],
        report: Callable[[str, BaseException], None],
    ) -> None:
        self._reader = reader
        self._spawn = spawn
        self._report = report
        self._followers: dict[ListFollower, None] = {}
        self._changed: dict[SessionId, None] = {}
        self._gone: dict[SessionId, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._lock = asyncio.Lock()
        self._is_doubtful = False

    async def follow(self, follower: ListFollower) -> None:
        """Send the list, then every change of it."""
        async with self._lock:
            entries = _encoded((await self._reader.summaries(None, LIST_LENGTH)).summaries)
            if follower.has_left:
                return
            self._followers[follower] = None
            self._send((follower,), entries, (), is_whole=True)

    def leave(self, follower: ListFollower) -> None:
        """Forget a follower, at once."""
        follower.has_left = True
        self.skip(follower)

    def skip(self, follower: ListFollower) -> None:
        """Send a follower nothing until it follows again."""
        self._followers.pop(follower, None)

    def announce(self, entry: FeedEntry) -> None:
        """Note that a session changed or went."""
        if not self._followers:
            return
        if entry.gone:
            self._gone[entry.session] = None
            self._changed.pop(entry.session, None)
        else:
            self._changed[entry.session] = None
        self._schedule()

    def doubt(self) -> None:
        """Note that the feed had a hole."""
        self._is_doubtful = True
        self._schedule()

    def _schedule(self) -> None:
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(LIST_TICK_S, lambda: self._spawn(self._tick()))

    async def _tick(self) -> None:
        self._timer = None
        async with self._lock:
            changed, self._changed = self._changed, {}
            gone, self._gone = tuple(self._gone), {}
            is_whole, self._is_doubtful = self._is_doubtful, False
            try:
                entries = _encoded(await self._read(changed, is_whole=is_whole))
            except (StoreUnavailable, StoreRefused) as trouble:
                self._report("list_failed", trouble)
                self.doubt()
                return
            self._send(tuple(self._followers), entries, gone, is_whole=is_whole)

    def _send(
        self,
        followers: tuple[ListFollower, ...],
        entries: _Encoded,
        gone: tuple[SessionId, ...],
        *,
        is_whole: bool,
    ) -> None:
        """Send each follower its share, encoded once for all whose share is the same."""
        frames: dict[_Share, SharedFrame] = {}
        for follower in followers:
            share = follower.share(entries, gone)
            if not any(share) and not is_whole:
                continue
            if share not in frames:
                mine, lost = share
                raws = tuple(entries[session] for session in mine)
                frames[share] = SharedFrame(Sessions(sub=NOBODY, whole=is_whole, sessions=raws, gone=lost))
            frame = frames[share].to(follower.sub, NO_REV, follower.outbox.codec)
            if is_whole:
                follower.outbox.void(follower.sub)
                follower.outbox.put(frame, follower.sub)
                follower.outbox.made_good(follower.sub)
            else:
                follower.outbox.put_delta(frame, follower.sub)

    async def _read(self, changed: dict[SessionId, None], *, is_whole: bool) -> tuple[Summary, ...]:
        """Read the summaries that changed: the newest page holds nearly all of them."""
        if not changed and not is_whole:
            return ()
        newest = (await self._reader.summaries(None, LIST_LENGTH)).summaries
        if is_whole:
            return newest
        found = {one.session: one for one in newest if one.session in changed}
        for session in changed:
            if session not in found and (summary := await self._reader.summary(session)) is not None:
                found[session] = summary
        return tuple(found.values())


def _encoded(summaries: tuple[Summary, ...]) -> _Encoded:
    return {one.session: msgspec.Raw(_encode(entry_of(one))) for one in summaries}
