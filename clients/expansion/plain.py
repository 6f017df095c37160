"""The state as plain JSON, for a store of one's own and for the vectors. It is not for keeping: a reload frees it.

A state that is damaged anywhere is no state: all is as if nothing had been chosen. Unknown fields are ignored.
"""

from typing import Literal

import msgspec
from msgspec import Struct

from clients.expansion.state import NOTHING_CHOSEN, Address, Expansion, Opened, Pane, Target, Waiting
from clients.expansion.turns import Path


class ChoiceValue(Struct, frozen=True, kw_only=True):
    """One desktop choice."""

    kind: Literal["entry", "group", "topology", "item"]
    id: str
    open: bool
    path: Path = ()


class WaitingValue(Struct, frozen=True, kw_only=True):
    """A reveal that waits for its target."""

    target: Target
    kept: tuple[Address, ...] = ()


class PaneValue(Struct, frozen=True, kw_only=True):
    """One session's expansion."""

    opened: tuple[Opened, ...] = ()
    choices: tuple[ChoiceValue, ...] = ()
    request: int | None = None
    waiting: WaitingValue | None = None


class ExpansionValue(Struct, frozen=True, kw_only=True):
    """The whole state, by session."""

    sessions: dict[str, PaneValue]


def to_value(state: Expansion) -> ExpansionValue:
    """Write a state; lists are sorted, so that equal states are written alike."""
    return ExpansionValue(sessions={name: _written(pane) for name, pane in sorted(state.panes)})


def from_value(raw: object) -> Expansion:
    """Read a state from decoded JSON; `NOTHING_CHOSEN` if it is damaged."""
    try:
        value = msgspec.convert(raw, ExpansionValue)
    except msgspec.ValidationError:
        return NOTHING_CHOSEN
    state = NOTHING_CHOSEN
    for name, written in value.sessions.items():
        pane = _read(written)
        if pane is None:
            return NOTHING_CHOSEN
        state = state.holding(name, pane)
    return state


def _written(pane: Pane) -> PaneValue:
    choices = [(at, True) for at in pane.open] + [(at, False) for at in pane.closed]
    waiting = pane.waiting
    return PaneValue(
        opened=tuple(sorted(pane.opened, key=lambda one: (one.path, one.turn))),
        choices=tuple(
            _choice(at, is_open=is_open) for at, is_open in sorted(choices, key=lambda one: _order(one[0]))
        ),
        request=pane.request,
        waiting=None
        if waiting is None
        else WaitingValue(target=waiting.target, kept=tuple(sorted(waiting.kept, key=_order))),
    )


def _order(at: Address) -> tuple[Path, str, str]:
    return (at.path, at.kind, at.id)


def _choice(at: Address, *, is_open: bool) -> ChoiceValue:
    assert at.kind != "control", "a control's process is kept by its generation"
    return ChoiceValue(kind=at.kind, id=at.id, open=is_open, path=at.path)


def _read(value: PaneValue) -> Pane | None:
    """Read a pane; None if it says two things about one."""
    at = [Address(kind=one.kind, id=one.id, path=one.path) for one in value.choices]
    if len(set(at)) < len(at) or len({(one.turn, one.path) for one in value.opened}) < len(value.opened):
        return None
    waiting = value.waiting
    return Pane(
        opened=frozenset(value.opened),
        open=frozenset(one for one, choice in zip(at, value.choices, strict=True) if choice.open),
        closed=frozenset(one for one, choice in zip(at, value.choices, strict=True) if not choice.open),
        request=value.request,
        waiting=None if waiting is None else Waiting(target=waiting.target, kept=frozenset(waiting.kept)),
    )
