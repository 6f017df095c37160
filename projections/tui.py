"""Stage 5, the terminal view: one message a turn (`views.md` D; S003).

1. Each step has an entry, in the order in which the steps appeared, empty and never settled ones too (D-3).
2. In `collapsed` and `expanded` every step has its own header and renders. In `hidden` the first step with a visible
   body owns the turn's only header, and a step without a body renders nothing.
3. Nothing is stored but what was told: a chunk, a settle, a retraction, another phase give what replay gives (D-4).
"""

from bisect import bisect_left, insort
from typing import Literal

from msgspec import UNSET, Raw, Struct, UnsetType

from projections.building import StepBuilder, TurnBuilder, present_json, present_ms
from projections.edits import Edit, splice
from projections.slices import Slices, portions
from projections.turn_process import settled_ms
from projections.view import Presentation, TuiView

Body = Literal["reasoning", "text"]
# Rows that are tool cards (D-1): a search that the provider runs is a tool to the reader, a command of the host is not.
TOOL_CARDS = frozenset({"tool_call", "search"})
_STEPS = ("steps",)


class TuiFooter(Struct, frozen=True, kw_only=True):
    """The timing of a step, also where nothing of the step is rendered (D-5); unknown is absent, never 0."""

    started_at_ms: int | float | UnsetType = UNSET
    ended_at_ms: int | float | UnsetType = UNSET
    duration_ms: int | float | UnsetType = UNSET
    usage: Raw | UnsetType = UNSET


class TuiStep(Struct, frozen=True, kw_only=True):
    """How one step is rendered.

    Attributes:
        header: whether it has an `Assistant` header of its own.
        renders: whether header or body is rendered; it says nothing of the footer.
        body: what its body shows, in the order of the blocks; empty without a visible body (D-2).
    """

    step: int
    header: bool
    renders: bool
    body: tuple[Body, ...]
    footer: TuiFooter


class TuiPresentation(Presentation, frozen=True, kw_only=True):
    """How a turn's steps are rendered."""

    steps: tuple[TuiStep, ...]


def tui_telling(turn: TurnBuilder, view: TuiView) -> Slices["TuiTelling"]:
    """Begin to tell a turn, in slices."""
    telling = TuiTelling(view)
    for steps in portions(tuple(turn.steps)):
        telling.edits(turn, steps)
        yield
    return telling


class TuiTelling:
    """A turn's terminal presentation as it was last told; bringing it up to date costs what changed."""

    def __init__(self, view: TuiView) -> None:
        """Make one that has told nothing yet."""
        self._view = view
        self._numbers: list[int] = []
        self._at: dict[int, int] = {}
        self._bodies: list[tuple[Body, ...]] = []
        self._with_body: list[int] = []  # positions, sorted: the first owns the header in `hidden`
        self._told: list[TuiStep] = []

    @property
    def told(self) -> TuiPresentation:
        """What the readers hold."""
        return TuiPresentation(steps=tuple(self._told))

    def edits(self, turn: TurnBuilder, steps: tuple[int, ...]) -> list[Edit]:
        """Bring what was told to the present.

        Args:
            steps: the numbers of the steps that something happened in.
        """
        before = self._owner()
        touched = {self._note(turn.steps[number]) for number in steps if number in turn.steps}
        if self._owner() != before:
            touched.update(at for at in (before, self._owner()) if at is not None)
        found = []
        for at in sorted(touched):
            new = self._step(turn, turn.steps[self._numbers[at]], at)
            if at == len(self._told):
                self._told.append(new)
                found.append(splice(_STEPS, at, 0, new))
            elif new != self._told[at]:
                self._told[at] = new
                found.append(splice(_STEPS, at, 1, new))
        return found

    def _owner(self) -> int | None:
        return self._with_body[0] if self._with_body else None

    def _note(self, step: StepBuilder) -> int:
        """Take a step's body in; gives its position."""
        at = self._at.get(step.number)
        if at is None:
            at = self._at[step.number] = len(self._numbers)
            self._numbers.append(step.number)
            self._bodies.append(())
        had, self._bodies[at] = self._bodies[at], body_of(step, reasoning=self._view.reasoning)
        if self._bodies[at] and not had:
            insort(self._with_body, at)
        elif had and not self._bodies[at]:
            del self._with_body[bisect_left(self._with_body, at)]
        return at

    def _step(self, turn: TurnBuilder, step: StepBuilder, at: int) -> TuiStep:
        body = self._bodies[at]
        is_folded = self._view.phase == "hidden"
        return TuiStep(
            step=step.number,
            header=self._owner() == at if is_folded else True,
            renders=bool(body) if is_folded else True,
            body=body,
            footer=_footer(turn, step),
        )


def body_of(step: StepBuilder, *, reasoning: bool) -> tuple[Body, ...]:
    """Give what a step's body shows (D-2): no images, unknown blocks or calls; blank text is no body."""
    shown: dict[Body, None] = {}
    for block in step.blocks:
        if block.visible_seq < 0:
            continue
        if block.kind == "text":
            shown["text"] = None
        elif block.kind == "reasoning" and reasoning:
            shown["reasoning"] = None
    return tuple(shown)


def _footer(turn: TurnBuilder, step: StepBuilder) -> TuiFooter:
    message = step.message
    return TuiFooter(
        started_at_ms=present_ms(step.start_ms),
        ended_at_ms=present_ms(settled_ms(turn, step)),
        duration_ms=present_ms(message.duration_ms) if message else UNSET,
        usage=present_json(step.usage) if message else UNSET,
    )
