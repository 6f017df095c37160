"""Sorted lists that mostly grow at their end: the end is looked at first, any other place is searched for."""

from bisect import bisect_left
from collections.abc import Callable
from typing import Any, TypeVar

_Item = TypeVar("_Item")


def itself(item: _Item) -> _Item:
    """The key of items that are their own."""
    return item


def place_of(items: list[_Item], key: Any, key_of: Callable[[_Item], Any]) -> int:
    """Give the position of the first item whose key is not below `key`."""
    if not items or key_of(items[-1]) < key:
        return len(items)
    return bisect_left(items, key, key=key_of)


def take_in(items: list[_Item], item: _Item, key_of: Callable[[_Item], Any]) -> None:
    """Put an item at its place."""
    items.insert(place_of(items, key_of(item), key_of), item)


def let_go(items: list[_Item], key: Any, key_of: Callable[[_Item], Any]) -> None:
    """Take the item with this key away; it must be there."""
    del items[place_of(items, key, key_of)]
