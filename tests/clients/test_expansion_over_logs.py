"""The reducers over what the service really tells: the desktop and web presentations of recorded turns as they grow."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from clients.expansion import desktop, web
from clients.expansion.actions import DesktopSettle, Point, WebSettle, Window
from clients.expansion.levels import levels
from clients.expansion.reducer import reduce
from clients.expansion.state import NOTHING_CHOSEN, Address, Expansion
from clients.expansion.turns import DesktopTurn, WebTurn
from projections.session import SessionFold
from projections.view import DesktopView, View, WebView
from tests.projections.folding import Event, more, transcript

LOGS = {
    path.stem: path for path in sorted((Path(__file__).parents[1] / "vectors" / "desktop").glob("*.json"))
}
VIEWS = (DesktopView(mode="flat"), DesktopView(mode="command-first"), DesktopView(mode="fully-folded"))
WHOLE = Window(mode="compact", history_complete=True, fold_partial=False)

logs = pytest.mark.parametrize("name", LOGS)
views = pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.mode)


def growing(name: str, view: View) -> Iterator[Event]:
    """A log's turns, all of them again after each of its events."""
    session = SessionFold()
    for event in json.loads(LOGS[name].read_text(encoding="utf-8"))["events"]:
        yield from transcript(more(session, event), view)["turns"]


def settled(state: Expansion, turn: DesktopTurn, focus: Address | None) -> Expansion:
    """The state after a client noticed the change."""
    attention = () if focus is None else (Point(kind=focus.kind, id=focus.id),)
    return reduce(state, DesktopSettle(session="s", turn=turn, attention=attention))


def held(turn: Event) -> WebTurn:
    """A turn as a client of the web view holds it."""
    return msgspec.convert({**turn, "rows": [row["key"] for row in turn["rows"]]}, WebTurn)


def test_there_are_logs() -> None:
    """A run over an empty folder proves nothing."""
    assert LOGS


@logs
@views
def test_nothing_is_stored_for_a_reader_who_only_looks(name: str, view: DesktopView) -> None:
    """And the process of every turn that is over has closed by itself (E-8, C-8)."""
    for turn in growing(name, view):
        read = msgspec.convert(turn, DesktopTurn)
        assert settled(NOTHING_CHOSEN, read, None) is NOTHING_CHOSEN
        if turn["status"] == "closed":
            shown = desktop.shown(NOTHING_CHOSEN.pane("s"), read)
            assert [at for at in shown.open if at.kind == "entry"] == []


@logs
@views
def test_the_focus_is_never_hidden(name: str, view: DesktopView) -> None:
    """A row that has the focus from its first moment on shows whatever the turn becomes (E-8)."""
    rows = {level.at for turn in growing(name, view) for level in levels(msgspec.convert(turn, DesktopTurn))}
    for focus in sorted((at for at in rows if at.kind == "item"), key=lambda at: at.id):
        state = NOTHING_CHOSEN
        for turn in growing(name, view):
            read = msgspec.convert(turn, DesktopTurn)
            state = settled(state, read, focus)
            assert focus not in desktop.shown(state.pane("s"), read).hidden


@logs
def test_a_web_turn_is_whole_and_hides_nothing_while_it_is_open(name: str) -> None:
    """What its presentation names is held (E-5), and where nothing has the focus no settle stores anything."""
    for turn in growing(name, WebView()):
        read = held(turn)
        assert web.is_whole(read)
        shown = web.shown(NOTHING_CHOSEN.pane("s"), read, WHOLE)
        assert shown == web.ALL_SHOWN or read.status == "closed"
        assert reduce(NOTHING_CHOSEN, WebSettle(session="s", turn=read, window=WHOLE)) is NOTHING_CHOSEN
