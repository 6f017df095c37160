"""Random histories of a reader with two views, as vectors whose expectations the Python reducers give.

They are no measure of what is right, which the vectors written by hand are; they are for laws that hold of every
history, and to compare the two implementations where nobody thought of a case.
"""

from collections.abc import Callable
from random import Random
from typing import Any

import msgspec

from clients.expansion import desktop, web
from clients.expansion.actions import AnyAction, Window
from clients.expansion.plain import to_value
from clients.expansion.reducer import focus_first, reduce
from clients.expansion.state import NOTHING_CHOSEN
from clients.expansion.turns import DesktopTurn, WebTurn
from tests.clients.expansion_vectors import SESSION, Vector, resolved

STEP_COUNT = 12
CALLS = ("c1", "c2", "c3", "t1")
REFS = (*(f"tool:{call}" for call in CALLS), "step:1:1#0", "step:1:1#1", "step:1:2#0")
ENTRIES = ("user:u1", "turn:1")
KINDS = ("entry", "group", "topology", "item")
WEB_ACTIONS = ("web/toggle", "web/open", "web/close", "web/settle", "web/reveal")
DESKTOP_ACTIONS = ("desktop/toggle", "desktop/touch", "desktop/settle", "desktop/reveal")
PATHS: tuple[list[str], ...] = ([], ["t1"], ["t1", "c1"])


def history(seed: int) -> Vector:
    """Make one history: four turns of each view, and the steps of a reader."""
    draw = Random(seed)
    turns = {f"d{at}": _desktop_turn(draw, path) for at, path in enumerate((*PATHS, []))}
    turns |= {f"w{at}": _web_turn(draw, path) for at, path in enumerate((*PATHS, []))}
    steps = _told([_action(draw) for _ in range(STEP_COUNT)], turns)
    return {"name": f"history-{seed}", "why": "both implementations agree", "turns": turns, "steps": steps}


def _told(actions: list[Vector], turns: Vector) -> list[Vector]:
    """Let the Python reducers say what holds after each action."""
    state, steps = NOTHING_CHOSEN, []
    for raw in actions:
        action = msgspec.convert(resolved(raw, turns), AnyAction)
        focus, after = focus_first(state, action), reduce(state, action)
        step = {"action": raw, "focus": msgspec.to_builtins(focus)}
        step |= {"same": True} if after is state else {"state": msgspec.to_builtins(to_value(after))}
        name = raw.get("turn") or "w0"
        step |= _look(after.pane(SESSION), name, turns[name], raw.get("window"))
        steps.append(step)
        state = after
    return steps


def _look(pane: Any, name: str, turn: Vector, window: Vector | None) -> Vector:
    if name.startswith("w"):
        window = window or {"mode": "compact", "history_complete": True, "fold_partial": False}
        shown = web.shown(pane, msgspec.convert(turn, WebTurn), msgspec.convert(window, Window))
        return {"web": {"turn": name, "window": window, "shown": msgspec.to_builtins(shown)}}
    levels = desktop.shown(pane, msgspec.convert(turn, DesktopTurn))
    opened, hidden = [_brief(one) for one in levels.open], [_brief(one) for one in levels.hidden]
    return {"desktop": {"turn": name, "open": opened, "hidden": hidden}}


def _brief(at: Any) -> Vector:
    return {name: value for name, value in msgspec.to_builtins(at).items() if value}


def _desktop_turn(draw: Random, path: list[str]) -> Vector:
    return {"path": path, "presentation": {"entries": [_entry(draw, name) for name in ENTRIES]}}


def _entry(draw: Random, name: str) -> Vector:
    refs = draw.sample(REFS, draw.randint(0, 5))
    nodes: list[Vector] = []
    while refs:
        taken = [_item(draw, refs.pop()) for _ in range(min(len(refs), draw.randint(1, 3)))]
        if len(taken) == 1:
            alone = draw.random() < 0.5
            nodes.append(taken[0] | ({"group_id": taken[0]["ref"]} if alone else {}))
        elif draw.random() < 0.3:
            nodes.append({"topology": taken[0]["ref"], "tasks": taken, "default_open": _maybe(draw)})
        else:
            nodes.append({"group": taken[0]["ref"], "items": taken, "default_open": _maybe(draw)})
    disclosure = {"default_open": _maybe(draw), "items": nodes} if nodes else None
    return {
        "id": name,
        "disclosure": disclosure,
        "answer": [draw.choice(REFS)],
        "outside": [],
        "boundary": None,
    }


def _item(draw: Random, ref: str) -> Vector:
    return {"ref": ref} if draw.random() < 0.2 else {"ref": ref, "default_open": draw.random() < 0.3}


def _web_turn(draw: Random, path: list[str]) -> Vector:
    members = draw.sample(REFS[:4], draw.randint(0, 3))
    presentation = {
        "generation": f"1|{draw.randint(1, 2)}",
        "foldable": draw.random() < 0.8,
        "answer": draw.choice(("step:1:2", None)),
        "members": members,
        "reasoning_hidden_when_closed": _maybe(draw),
        "compact_answer_when_closed": _maybe(draw),
    }
    rows = [*(one for one in members if draw.random() < 0.9), "step:1:2", "user:u1"]
    status = draw.choice(("open", "closed", "closed"))
    return {"turn": 1, "path": path, "status": status, "rows": rows, "presentation": presentation}


def _action(draw: Random) -> Vector:
    session = SESSION if draw.random() < 0.9 else "other"
    kind = draw.choice((*WEB_ACTIONS, *DESKTOP_ACTIONS, *DESKTOP_ACTIONS, "forget"))
    if kind == "forget":
        return {"type": kind, "session": session if draw.random() < 0.3 else "never seen"}
    view = kind[0]
    at = draw.randint(0, 3)
    action: Vector = {"type": kind, "session": session, "turn": f"{view}{at}"}
    action["outer"] = [f"{view}{outer}" for outer in range(at)] if at < 3 and draw.random() < 0.7 else []
    return action | _FIELDS[kind](draw)


def _maybe(draw: Random) -> bool:
    return draw.random() < 0.5


def _at(draw: Random, path: list[str]) -> Vector:
    kind = draw.choice(KINDS)
    return {"kind": kind, "id": draw.choice(ENTRIES if kind == "entry" else REFS)} | (
        {"path": path} if path else {}
    )


def _target(draw: Random) -> Vector:
    ref = draw.choice((*REFS, "step:1:1", "step:1:2", "user:u1"))
    return {"ref": ref, "reasoning": _maybe(draw), "path": draw.choice(PATHS)}


def _reveal(draw: Random) -> Vector:
    found = {"request": draw.randint(1, 20), "target": _target(draw)}
    return found | ({"turn": None} if draw.random() < 0.3 else {})


def _desktop_reveal(draw: Random) -> Vector:
    ancestors = [_at(draw, []) for _ in range(draw.randint(0, 2))] if draw.random() < 0.2 else None
    return _reveal(draw) | {"ancestors": ancestors}


def _gesture(draw: Random) -> Vector:
    return {"at": _at(draw, draw.choice(PATHS))}


def _web_settle(draw: Random) -> Vector:
    window: Vector = {"mode": draw.choice(("compact", "compact", "normal"))}
    window |= {"history_complete": _maybe(draw), "fold_partial": _maybe(draw)}
    focus = {"row": draw.choice((*REFS[:4], "step:1:2")), "reasoning": _maybe(draw)}
    return {"window": window, "focus": focus if draw.random() < 0.5 else None}


def _desktop_settle(draw: Random) -> Vector:
    points = [_at(draw, draw.choice(PATHS)) | {"inside": _maybe(draw)} for _ in range(draw.randint(0, 2))]
    return {"attention": points}


_FIELDS: dict[str, Callable[[Random], Vector]] = {
    "web/toggle": lambda _: {},
    "web/open": lambda _: {},
    "web/close": lambda _: {},
    "web/settle": _web_settle,
    "web/reveal": _reveal,
    "desktop/toggle": _gesture,
    "desktop/touch": _gesture,
    "desktop/settle": _desktop_settle,
    "desktop/reveal": _desktop_reveal,
}
