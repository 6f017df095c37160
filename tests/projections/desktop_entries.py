"""The entries of a desktop presentation, as tests look at them."""

from typing import Any

from projections.session import SessionFold
from projections.view import DesktopView
from tests.projections.folding import Event, call, chunk, fold, result, start, transcript, user

FLAT = DesktopView(mode="flat")
COMMANDS = DesktopView(mode="command-first")
NO_THINKING = DesktopView(thinking=False)


def entries(session: SessionFold, view: DesktopView | None = None, turn: int = 1) -> list[Event]:
    """The entries of a turn, as a client gets them."""
    shown = transcript(session, view or DesktopView())
    found: list[Event] = next(one["presentation"]["entries"] for one in shown["turns"] if one["turn"] == turn)
    return found


def entry(*events: Event, view: DesktopView | None = None) -> Event:
    """The last entry of a log of one turn."""
    return entries(fold(*events), view)[-1]


def outline(node: Event) -> Any:
    """What stands where, by refs: a group and a topology as a list."""
    inner = node.get("items") or node.get("tasks")
    return node["ref"] if inner is None else [outline(one) for one in inner]


def items(shown: Event) -> list[Any]:
    """The outline of an entry's disclosure."""
    return [outline(node) for node in shown["disclosure"]["items"]]


def think(text: str = "hm", step: int = 1, index: int = 0) -> Event:
    """A streamed piece of reasoning."""
    return chunk(text, index=index, step=step, kind="reasoning")


def done(call_id: str, step: int = 1, name: str = "Read", **fields: Any) -> list[Event]:
    """A call with its result."""
    return [call(call_id, step=step, name=name), result(call_id, **fields)]


BEGIN = [start(), user()]
SEARCH: Event = {"type": "search/round", "turn": 1, "step": 1, "search_id": "s", "round_id": "r"}
