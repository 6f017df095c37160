"""The vectors of `tests/vectors/expansion`, and how the Python reducers run one."""

import json
from pathlib import Path
from typing import Any

import msgspec

from clients.expansion import desktop, web
from clients.expansion.actions import AnyAction, Window
from clients.expansion.plain import from_value, to_value
from clients.expansion.reducer import focus_first, reduce
from clients.expansion.state import NOTHING_CHOSEN, Address, Expansion
from clients.expansion.turns import DesktopTurn, WebTurn

Vector = dict[str, Any]

VECTORS = Path(__file__).parents[1] / "vectors" / "expansion"
SCHEMA = VECTORS.with_name("expansion.schema.json")
SESSION = "s"
"""The session whose turns the steps look at."""


def load_vectors(directory: Path = VECTORS) -> dict[str, Vector]:
    """Read all vectors by their names; a folder without any is a fault, not a pass."""
    found = {
        path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(directory.glob("*.json"))
    }
    if not found:
        raise LookupError(f"no vectors in {directory}")
    return found


def run(vector: Vector) -> None:
    """Apply the steps one after the other, and assert what each of them says."""
    state = from_value(vector["state"]) if "state" in vector else NOTHING_CHOSEN
    for number, step in enumerate(vector["steps"], start=1):
        where = f"{vector['name']}, step {number}"
        if "action" in step:
            state = _apply(state, step, vector["turns"], where)
        if "state" in step:
            assert canonical(msgspec.to_builtins(to_value(state))) == canonical(step["state"]), where
        if "web" in step:
            _look_at_web(state, step["web"], vector["turns"], where)
        if "desktop" in step:
            _look_at_desktop(state, step["desktop"], vector["turns"], where)


def _apply(state: Expansion, step: Vector, turns: Vector, where: str) -> Expansion:
    """The decoder refuses what is no action; that is how Python leaves the state alone there."""
    try:
        action = msgspec.convert(resolved(step["action"], turns), AnyAction)
    except msgspec.ValidationError:
        assert step.get("same"), where
        assert step.get("focus") is None, where
        return state
    if "focus" in step:
        assert _plain(focus_first(state, action)) == canonical(step["focus"]), where
    after = reduce(state, action)
    assert (after is state) if step.get("same") else (after is not state), where
    return after


def resolved(action: Any, turns: Vector) -> Any:
    """An action with the turns that it names in their places."""
    if not isinstance(action, dict):
        return action
    found = dict(action)
    if isinstance(found.get("turn"), str):
        found["turn"] = turns[found["turn"]]
    if isinstance(found.get("outer"), list):
        found["outer"] = [turns[name] for name in found["outer"]]
    return found


def _look_at_web(state: Expansion, look: Vector, turns: Vector, where: str) -> None:
    turn = msgspec.convert(turns[look["turn"]], WebTurn)
    shown = web.shown(state.pane(SESSION), turn, msgspec.convert(look["window"], Window))
    assert msgspec.to_builtins(shown) == look["shown"] | {"hidden": tuple(look["shown"]["hidden"])}, where


def _look_at_desktop(state: Expansion, look: Vector, turns: Vector, where: str) -> None:
    shown = desktop.shown(state.pane(SESSION), msgspec.convert(turns[look["turn"]], DesktopTurn))
    assert [_plain(one) for one in shown.open] == [canonical(one) for one in look["open"]], where
    assert [_plain(one) for one in shown.hidden] == [canonical(one) for one in look["hidden"]], where


def _plain(at: Address | None) -> object:
    return canonical(None if at is None else msgspec.to_builtins(at))


def canonical(value: object) -> object:
    """Without what says nothing (nulls, empty lists, a false `reasoning`) and without the order of a state's lists."""
    if isinstance(value, dict):
        kept = {
            name: canonical(one) for name, one in value.items() if one is not None and one not in ((), [])
        }
        return {name: one for name, one in kept.items() if name != "reasoning" or one}
    if isinstance(value, list | tuple):
        ordered = (
            value if all(isinstance(one, str) for one in value) else sorted(map(canonical, value), key=repr)
        )
        return list(ordered)
    return value
