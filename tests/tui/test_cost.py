"""A delta costs what changed on the client, too: counted in calls, which no busy machine can disturb (F-3)."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from clients.tui.cards import Look
from clients.tui.document import Document
from clients.tui.stack import top_of
from clients.wire.held import HeldTranscript
from clients.wire.messages import TurnValue

# Work that grows with the turn grows a hundredfold; a search among sorted places, by a few steps.
SMALL, GREAT = 100, 10_000
WIDTH, SCREEN = 80, 40


def long_turn(rows: int) -> tuple[HeldTranscript, Document]:
    """An open turn of many steps with calls, and a document of it that was drawn."""
    values: list[dict[str, Any]] = []
    steps = []
    for at in range(rows // 2):
        blocks = [{"type": "text", "text": f"so {at} " * 20}]
        place = {"turn": 1, "step": at, "anchor": at}
        values.append(
            {"key": f"step:1:{at}", "kind": "assistant_step", "status": "settled", "blocks": blocks, **place}
        )
        values.append(
            {
                "key": f"tool:c{at}",
                "kind": "tool_call",
                "call_id": f"c{at}",
                "name": "read",
                "status": "ok",
                **place,
            }
        )
        steps.append(
            {"step": at, "header": True, "renders": True, "body": ["text"], "footer": {"duration_ms": 5}}
        )
    values[-2]["status"] = "running"
    held = HeldTranscript((TurnValue(turn=1, rows=tuple(values), presentation={"steps": steps}),))
    document = Document(held, Look(phase="collapsed"))
    draw(document)
    return held, document


def draw(document: Document) -> None:
    """What a frame needs: the rows in sight, at the end."""
    height = document.root.height(WIDTH)
    for number in range(height - SCREEN, height):
        document.root.row(number, WIDTH)


def calls_of(work: Callable[[], None]) -> int:
    """How many functions run."""
    counted = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal counted
        counted += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return counted


def delta(kind: str, rows: int) -> list[dict[str, Any]]:
    """The ops of one frame at the end of the turn."""
    last = rows // 2 - 1
    if kind == "text":
        return [{"op": "append", "turn": 1, "key": f"step:1:{last}", "block": 0, "text": "more and more "}]
    place = {"turn": 1, "step": last + 1, "anchor": last + 1}
    row = {
        "key": "tool:new",
        "kind": "tool_call",
        "call_id": "new",
        "name": "read",
        "status": "running",
        **place,
    }
    step = {"step": last + 1, "header": True, "renders": True, "body": [], "footer": {}}
    return [
        {"op": "row", "turn": 1, "row": row, "before": None},
        {
            "op": "presentation",
            "turn": 1,
            "path": ["steps"],
            "splice": {"at": last + 1, "remove": 0, "insert": [step]},
        },
    ]


@pytest.mark.parametrize("kind", ["text", "row"])
def test_a_delta_and_its_frame_cost_the_same_in_a_turn_of_any_length(kind: str) -> None:
    """Applied, laid out and drawn."""
    counts = []
    for rows in (SMALL, GREAT):
        held, document = long_turn(rows)
        ops = delta(kind, rows)

        def work(held: HeldTranscript = held, document: Document = document, ops: Any = ops) -> None:
            for op in ops:
                for change in held.apply(op):
                    document.take(change)
            draw(document)

        counts.append(calls_of(work))
    assert counts[1] <= counts[0] * 1.2, counts


def test_a_text_that_streams_is_wrapped_from_its_last_row_on() -> None:
    """The cost of a chunk does not grow with the text before it."""
    held, document = long_turn(SMALL)
    seat = document.find(f"step:1:{SMALL // 2 - 1}")
    assert seat is not None

    def stream() -> None:
        for change in held.apply(delta("text", SMALL)[0]):
            document.take(change)
        draw(document)

    sizes = []
    for _ in range(3):
        for _ in range(300):
            stream()
        sizes.append(calls_of(stream))
    assert sizes[2] <= sizes[0] * 1.2, sizes
    assert top_of(seat, WIDTH) is not None
