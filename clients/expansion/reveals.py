"""Reveals (E-10), as far as both views share them: each request counts once, and a later choice wins over it."""

from msgspec.structs import replace

from clients.expansion.state import Address, Pane, Target, Waiting


def is_new(pane: Pane, request: int) -> bool:
    """Whether a request was not seen before; the client numbers them upwards."""
    return pane.request is None or request > pane.request


def awaiting(pane: Pane, request: int, target: Target) -> Pane:
    """Note a new request; it waits until its target is held."""
    return replace(pane, request=request, waiting=Waiting(target=target))


def arrived(pane: Pane) -> Pane:
    """Note that the request has had its effect."""
    return replace(pane, waiting=None)


def keeping(pane: Pane, at: Address) -> Pane:
    """Note a choice that a waiting request must not override."""
    if pane.waiting is None:
        return pane
    return replace(pane, waiting=replace(pane.waiting, kept=pane.waiting.kept | {at}))


def row_of(ref: str) -> str:
    """Name the row of a ref; a step's blocks alone have refs of their own.

    >>> row_of("step:1:2#0"), row_of("tool:c#1")
    ('step:1:2', 'tool:c#1')
    """
    return ref.partition("#")[0] if ref.startswith("step:") else ref


def leads_to(target: Target, ref: str) -> bool:
    """Whether a part is the target, or a block of the target's row."""
    return ref == target.ref or row_of(ref) == target.ref
