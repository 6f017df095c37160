"""Changes of one place in a presentation, as every view tells them (`wire.md`, *Ops*: `presentation`).

A path is made of field names and ids: an item of a list is named by its own `id`, `group` or `topology`, so that a
path stays right when items are added before it. What has no id is replaced where it stands, by a splice.
"""

from collections.abc import Iterator

from msgspec import UNSET, Struct, UnsetType

Names = tuple[str, ...]


class Splice(Struct, frozen=True, kw_only=True):
    """At position `at` of a list, take `remove` items away and put `insert` there."""

    at: int
    remove: int
    insert: tuple[object, ...]


class Edit(Struct, frozen=True, kw_only=True):
    """Set what a path leads to (an empty one: the whole presentation), or splice the list it leads to."""

    path: Names
    set: object = UNSET
    splice: Splice | UnsetType = UNSET


def splice(path: Names, at: int, remove: int, *insert: object) -> Edit:
    """Make an edit of a list."""
    return Edit(path=path, splice=Splice(at=at, remove=remove, insert=insert))


def joined(edits: list[Edit]) -> Iterator[Edit]:
    """Join splices that go on where the one before ended: a run of new rows is one edit.

    >>> [
    ...     one.splice
    ...     for one in joined([splice(("a",), 2, 1), splice(("a",), 2, 0, "x"), splice(("a",), 3, 0, "y")])
    ... ]
    [Splice(at=2, remove=1, insert=('x', 'y'))]
    """
    run: list[Edit] = []
    end = -1
    for edit in edits:
        if run and not (
            isinstance(edit.splice, Splice) and edit.path == run[0].path and edit.splice.at == end
        ):
            yield _whole(run)
            run = []
        if not isinstance(edit.splice, Splice):
            yield edit
            continue
        run.append(edit)
        end = edit.splice.at + len(edit.splice.insert)
    if run:
        yield _whole(run)


def _whole(run: list[Edit]) -> Edit:
    if len(run) == 1:
        return run[0]
    parts = [edit.splice for edit in run if isinstance(edit.splice, Splice)]
    insert = tuple(item for part in parts for item in part.insert)
    removed = sum(part.remove for part in parts)
    return Edit(path=run[0].path, splice=Splice(at=parts[0].at, remove=removed, insert=insert))
