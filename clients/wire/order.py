"""Wire stage 1, order: items by key in the order that others give them, each with its place in O(log n).

A list of keys alone finds a key by walking; with 10,000 rows in a turn that is what a delta would cost. So every key
has a rank, and its place is searched for by that.
"""

from bisect import bisect_left
from collections.abc import Iterator
from typing import Generic, TypeVar

_Key = TypeVar("_Key")
_Item = TypeVar("_Item")
# A new rank is the middle of two; where nothing is between them any more, all are counted anew, with so much room that
# this costs nothing worth naming: some fifty items at one and the same place.
_STEP = 2.0**20


class Order(Generic[_Key, _Item]):
    """Items in order, each under one key."""

    def __init__(self) -> None:
        self._ranks: list[float] = []
        self._items: list[_Item] = []
        self._rank_of: dict[_Key, float] = {}

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[_Item]:
        return iter(self._items)

    def __contains__(self, key: _Key) -> bool:
        return key in self._rank_of

    def __getitem__(self, place: int) -> _Item:
        return self._items[place]

    def get(self, key: _Key) -> _Item | None:
        """Give the item under a key; None where there is none."""
        place = self.place(key)
        return None if place is None else self._items[place]

    def place(self, key: _Key) -> int | None:
        """Give the place of a key, from 0; None where there is none."""
        rank = self._rank_of.get(key)
        return None if rank is None else bisect_left(self._ranks, rank)

    def insert(self, place: int, key: _Key, item: _Item) -> None:
        """Put a new item at a place; the key must be new."""
        rank = self._rank_at(place)
        if rank is None:
            self._renumber()
            rank = self._rank_at(place)
            assert rank is not None
        self._ranks.insert(place, rank)
        self._items.insert(place, item)
        self._rank_of[key] = rank

    def remove(self, key: _Key) -> int:
        """Take an item away; gives the place where it stood. The key must be there."""
        place = bisect_left(self._ranks, self._rank_of.pop(key))
        del self._ranks[place], self._items[place]
        return place

    def _rank_at(self, place: int) -> float | None:
        """Give a rank between the neighbours; None where floats have none left."""
        if not self._ranks:
            return 0.0
        if place >= len(self._ranks):
            return self._ranks[-1] + _STEP
        above = self._ranks[place]
        if place == 0:
            return above - _STEP
        below = self._ranks[place - 1]
        rank = (below + above) / 2
        return rank if below < rank < above else None

    def _renumber(self) -> None:
        new = {rank: float(at) * _STEP for at, rank in enumerate(self._ranks)}
        self._ranks = list(new.values())
        self._rank_of = {key: new[rank] for key, rank in self._rank_of.items()}
