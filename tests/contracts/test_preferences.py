"""The contract of `preferences.PreferenceStore`, on every engine."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from projections.preferences import Preferences
from service.preferences_redis import RedisPreferences


@pytest.fixture
async def store(engine_url: str) -> AsyncIterator[RedisPreferences]:
    """Preferences on an empty engine."""
    made = RedisPreferences(engine_url)
    await made.start()
    yield made
    await made.close()


async def test_a_write_changes_its_fields_and_no_others(store: RedisPreferences) -> None:
    """What was chosen before stays; the answer is the whole."""
    await store.write("ann", {"show_thinking": b"false"})
    written = await store.write("ann", {"transcript_view": b'"normal"'})
    assert written == Preferences(show_thinking=False, transcript_view="normal")
    assert await store.read("ann") == written


async def test_subjects_do_not_see_each_other(store: RedisPreferences) -> None:
    """Whatever characters their names hold."""
    names = ["", "ann", "ann:x", "{ann}", "ün\n", "*"]
    for index, name in enumerate(names):
        await store.write(name, {"show_thinking": b"false" if index % 2 else b"true"})
    assert [(await store.read(name)).show_thinking for name in names] == [True, False] * 3


async def test_a_field_goes_back_to_its_default(store: RedisPreferences) -> None:
    """None forgets it."""
    await store.write("ann", {"transcript_display_mode": b'"flat"', "show_thinking": b"false"})
    written = await store.write("ann", {"transcript_display_mode": None})
    assert written == Preferences(show_thinking=False)


async def test_a_watch_tells_who_changed_after_it_was_opened(store: RedisPreferences) -> None:
    """Also what was written while nobody waited; a write of nothing is no change."""
    await store.write("before", {"show_thinking": b"false"})
    watch = await store.watch()
    assert await watch.read(10) == frozenset()
    await store.write("ann", {"show_thinking": b"false"})
    await store.write("bob", {"show_thinking": None})
    await store.write("cy", {})
    assert await watch.read(1_000) == {"ann", "bob"}
    waiting = asyncio.create_task(watch.read(5_000))
    await store.write("dan", {"show_thinking": b"true"})
    assert await waiting == {"dan"}
    await watch.close()


async def test_writes_of_different_fields_at_once_are_both_kept(store: RedisPreferences) -> None:
    """Concurrency: nobody reads, changes and writes the whole."""
    fields = ("show_thinking", "auto_collapse_thinking", "auto_collapse_settled_groups")
    await asyncio.gather(*(store.write("ann", {field: b"false"}) for field in fields))
    assert await store.read("ann") == Preferences(
        show_thinking=False, auto_collapse_thinking=False, auto_collapse_settled_groups=False
    )
