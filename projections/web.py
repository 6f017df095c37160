"""Stage 5, the web view: compact turn processes (`views.md` B; S001).

Computed as if the history were complete; whether it is belongs to the reader's window, and the client applies it
(E-5). An open turn costs the same whatever stands in it; a closed one is walked once for each change.
"""

from projections.building import Slot, TurnBuilder
from projections.edits import Edit
from projections.fold import INDEPENDENT
from projections.labels import Label, process_label
from projections.spec import TurnProcessSpec
from projections.view import Presentation, WebView

HUMAN = ("user", "steering")


class WebPresentation(Presentation, frozen=True, kw_only=True, gc=False):
    """What a client needs to fold a turn (B-6 to B-11); row keys, never positions.

    Attributes:
        generation: the reader's expansion is kept under this name (B-10).
        members: rows that the closed group hides, in order.
        answer: the answer's row, foldable or not.
    """

    generation: str
    foldable: bool
    has_external_process: bool
    compact_answer_when_closed: bool
    answer: str | None
    members: tuple[str, ...]
    reasoning_hidden_when_closed: bool
    label: Label


def is_independent(turn: TurnBuilder, slot: Slot) -> bool:
    """Whether a row stands outside the fold (B-4); an interaction does while it waits."""
    if slot.kind == "interaction":
        return turn.closing is None and slot.key in turn.pending
    return slot.kind in INDEPENDENT


def present_web(turn: TurnBuilder, view: WebView) -> WebPresentation | None:
    """Compute a turn's web presentation; `None` exactly when it has no spec."""
    spec = turn.spec
    if spec is None:
        return None
    step = spec.answer_step
    generation = f"{turn.tag}|{'' if step is None else step}"
    answer = None if step is None else turn.slots.get(f"step:{turn.tag}:{step}")
    label = process_label(spec, view.locale)
    shown = None if answer is None or view.mode == "normal" else answer.key
    members: tuple[str, ...] = ()
    compact = False
    if answer is not None and turn.closing is not None and view.mode == "compact":
        members, alone = _walk(turn, spec, answer)
        compact = alone and bool(members or spec.inline_reasoning)
    foldable = bool(members) or (
        spec.inline_reasoning and turn.closing is not None and view.mode == "compact"
    )
    return WebPresentation(
        generation=generation,
        foldable=foldable,
        has_external_process=bool(members),
        compact_answer_when_closed=compact,
        answer=shown,
        members=members,
        reasoning_hidden_when_closed=foldable and spec.inline_reasoning,
        label=label,
    )


def _walk(turn: TurnBuilder, spec: TurnProcessSpec, answer: Slot) -> tuple[tuple[str, ...], bool]:
    """Find the members (B-6), and whether no human but the opening one stands before the answer (B-9)."""
    members: list[str] = []
    alone = True
    for slot in turn.rows:
        if slot is answer:
            break
        if slot.kind in HUMAN:
            alone = alone and slot.anchor == turn.opening_human
        elif not is_independent(turn, slot) and spec.process_start_seq <= slot.place[0]:
            members.append(slot.key)
    return tuple(members), alone


class WebTelling:
    """A turn's web presentation as it was last told, so that only what differs is told again (B-3)."""

    def __init__(self, turn: TurnBuilder, view: WebView) -> None:
        self._view = view
        self._told = present_web(turn, view)

    @property
    def told(self) -> WebPresentation | None:
        """What the readers hold."""
        return self._told

    def edits(self, turn: TurnBuilder) -> list[Edit]:
        """Bring what was told to the present."""
        old, self._told = self._told, present_web(turn, self._view)
        new = self._told
        if new == old:
            return []
        if new is None or old is None:
            return [Edit(path=(), set=new)]
        fields = [name for name in new.__struct_fields__ if getattr(new, name) != getattr(old, name)]
        return [Edit(path=(name,), set=getattr(new, name)) for name in fields]
