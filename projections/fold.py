"""Stage 3, the fold: one transcript of turns, the session's own or that of a delegate (`events.md`; `views.md` A).

1. A fold never raises and loses nothing: what does not fit is counted (`SessionFold.anomalies`).
2. Everything that changes notes the `seq` that changed it (`rev`), so that "what changed since version v" can be
   answered from the present state alone, and equal logs give equal states whatever batches they came in.
3. A row's place is fixed when it first appears (A-9); only the first human of a turn moves the process rows that came
   before it behind itself (B-5).
4. What a turn's end settles is derived from `closing`, never written into the call, step or interaction, so that
   taking a synthetic end back (rule 8) restores all of it.
5. Delegates are folds of their own under a call (A-8); a change in one marks the turns above it, nothing else.
"""

from typing import Protocol

from msgspec import UNSET

from projections.building import CHANGED, Closing, Place, Slot, StepBuilder, TurnBuilder, present
from projections.events import ParentRef
from projections.rows import Anchor, ControlRow, ErrorRow, MaxTokensRow, StaticRow, TailRow
from projections.turn_process import ANCHOR_DIGITS, final_anchor, spec_of

# B-4. A pending interaction stands outside too; its place is taken while it is pending.
INDEPENDENT = frozenset(
    {
        "system_prompt",
        "user",
        "steering",
        "turn_process",
        "turn_error",
        "turn_max_tokens",
        "turn_tail",
        "interaction",
    }
)
BEHIND_HUMAN, CONTROL_BEHIND_HUMAN, CONTROL_FIRST = 2, 1, -1
CONTROL_OFFSET, TAIL_OFFSET, MAX_TOKENS_OFFSET = 0.1, 0.1, 0.05


class Root(Protocol):
    """What a transcript needs of the session that it belongs to (`session.SessionFold`)."""

    dirty: "list[tuple[Fold, TurnBuilder]]"
    inline_bytes: int | None
    blobs: dict[str, int]
    nested: "dict[str, dict[Fold, None]]"

    def count(self, anomaly: str, times: int = 1) -> None:
        """Count an anomaly."""

    def adopt(self, fold: "Fold", turn: TurnBuilder, call_id: str, seq: int) -> None:
        """Note where a new call is, and give it the delegate that came before it."""

    def forget_call(self, fold: "Fold", call_id: str) -> None:
        """Forget that a transcript holds a call, which was taken back, and all that the delegate below it holds."""

    def drop(self, fold: "Fold", before: int) -> None:
        """Note a rewind for the next drain."""

    title: str | None
    cwd: str | None
    agent: str | None
    model: str | None
    parent: ParentRef | None


class Fold:
    """One transcript: turns in log order, and the rows that belong to none."""

    __slots__ = (
        "born",
        "delegates",
        "dropped",
        "height",
        "last",
        "next_ordinal",
        "none",
        "open",
        "parent",
        "path",
        "prompt",
        "rev",
        "root",
        "row_count",
        "turns",
        "used",
        "where",
    )

    def __init__(self, root: Root, path: tuple[str, ...]) -> None:
        self.root = root
        self.path = path  # the calls that lead here; empty for the session itself
        self.parent: tuple[Fold, TurnBuilder] | None = None
        self.turns: dict[int, TurnBuilder] = {}
        self.none = TurnBuilder(number=None, tag="null", ordinal=-1, first_seq=-1)
        self.open: TurnBuilder | None = None
        self.last: TurnBuilder | None = None
        self.used: dict[int, int] = {}
        self.where: dict[str, int | None] = {}
        self.prompt: str | None = None
        self.delegates: dict[str, Fold] = {}
        self.dropped: list[tuple[int, int]] = []  # (first turn dropped, seq) of rewinds, both rising
        self.next_ordinal = 0
        self.rev = -1
        self.born = -1  # the seq at which it came to hang where it hangs
        self.height = 0  # how many transcripts deep its delegates are, or were before a rewind
        self.row_count = 0

    # What changed

    def touch(self, turn: TurnBuilder, slot: Slot, seq: int, level: int = CHANGED) -> None:
        """Note that a row changed."""
        slot.rev = seq
        slot.made = None
        if slot.dirty < level:
            if not slot.dirty:
                turn.dirty.append(slot)
            slot.dirty = level
        self.mark(turn, seq)

    def mark(self, turn: TurnBuilder, seq: int) -> None:
        """Note that something of a turn changed, here and in the transcripts above."""
        fold, changed = self, turn
        while True:
            changed.rev = fold.rev = seq
            if not changed.listed:
                changed.listed = True
                fold.root.dirty.append((fold, changed))
            if fold.parent is None:
                return
            fold, changed = fold.parent

    def stir(self, turn: TurnBuilder, step: StepBuilder, seq: int) -> None:
        """Note that something of a step changed, whether or not it has a row."""
        turn.stirred[step.number] = None
        self.mark(turn, seq)

    def mark_head(self, turn: TurnBuilder, seq: int) -> None:
        """Note that a turn's status, times or what waits in it changed."""
        self.mark(turn, seq)
        turn.head_rev = seq
        above = self.parent
        while above is not None:
            fold, holder = above
            holder.head_rev = seq
            above = fold.parent

    # Turns

    def turn_for(self, number: object, seq: int, ms: int | None) -> TurnBuilder:
        """Find the turn an event belongs to; a number that was never started starts (rule 7)."""
        if number is None:
            return self.none
        if not isinstance(number, int):
            return self.none if self.open is None else self.open
        turn = self.turns.get(number)
        if turn is None:
            return self.start_turn(number, seq, ms)
        if turn.closing is not None:
            if turn.closing.kind == "synthetic" and turn is self.last:
                self.reopen(turn, seq)
            else:
                self.root.count("late_event")
        return turn

    def start_turn(self, number: int, seq: int, ms: int | None) -> TurnBuilder:
        """Start a turn; one that is open ends as interrupted, here (rule 7)."""
        if self.open is not None:
            self.root.count("turn_cut_by_next")
            self.close(self.open, Closing("implicit", "interrupted", seq, ms), seq)
        uses = self.used.get(number, 0) + 1
        self.used[number] = uses
        tag = str(number) if uses == 1 else f"{number}~{uses}"
        turn = TurnBuilder(number=number, tag=tag, ordinal=self.next_ordinal, first_seq=seq, started_ms=ms)
        self.next_ordinal += 1
        self.turns[number] = self.open = self.last = turn
        self.mark_head(turn, seq)
        return turn

    def close(self, turn: TurnBuilder, closing: Closing, seq: int) -> None:
        """End a turn: what is open in it settles (rule 10)."""
        turn.closing = closing
        if self.open is turn:
            self.open = None
        self.mark_head(turn, seq)
        self._settle(turn, seq)
        self.end_rows(turn, seq)
        self.respec(turn, seq)

    def reopen(self, turn: TurnBuilder, seq: int) -> None:
        """Take a synthetic end back (rule 8)."""
        turn.closing = None
        self.open = turn
        self.mark_head(turn, seq)
        for prefix in ("error", "max_tokens", "tail"):
            self.drop_row(turn, f"{prefix}:{turn.tag}", seq)
        self._settle(turn, seq)
        self.respec(turn, seq)

    def _settle(self, turn: TurnBuilder, seq: int) -> None:
        for step in turn.steps.values():
            if step.message is None:
                self.root.count("surrogate_replaced", step.end_halves())
                self.sync_step(turn, step, seq)
                if step.end_seq is None:
                    self.stir(turn, step, seq)
        for call_id in turn.open_calls:
            self.touch(turn, turn.slots[f"tool:{call_id}"], seq)
            if turn.closing is not None:
                self.close_delegate(call_id, turn.closing.reason, seq, turn.closing.ms)
        for key in turn.pending:
            self.touch(turn, turn.slots[key], seq)

    def close_delegate(self, call_id: str, reason: str, seq: int, ms: int | None) -> None:
        """End the open turn of a delegate whose call is over: nobody else will say so."""
        below = self.delegates.get(call_id)
        if below is not None and below.open is not None:
            said = reason if reason in ("completed", "aborted") else "interrupted"
            below.close(below.open, Closing("synthetic", said, seq, ms), seq)

    def rewind(self, before: int, seq: int) -> None:
        """Take turns from a number on back: they leave the projection, not the log."""
        gone = [number for number in self.turns if number >= before]
        for number in gone:
            turn = self.turns.pop(number)
            turn.listed = True  # it has nothing more to say
            self.row_count -= len(turn.rows)
            for key in [*turn.slots, *(f"steering:{one}" for one in turn.queued)]:
                self.where.pop(key, None)
            for call_id in turn.tools:
                self.root.forget_call(self, call_id)
            if self.open is turn:
                self.open = None
        if gone:
            self.last = next(reversed(self.turns.values()), None)
            # One that goes further back says for whoever comes back all that those before it said.
            while self.dropped and self.dropped[-1][0] >= before:
                self.dropped.pop()
            self.dropped.append((before, seq))
            self.root.drop(self, before)
            self.mark_head(self.none, seq)

    # Rows

    def add_row(
        self,
        turn: TurnBuilder,
        key: str,
        kind: str,
        seq: int,
        *,
        step: int | None = None,
        anchor: Anchor | None = None,
        row: StaticRow | None = None,
        place: Place | None = None,
    ) -> Slot:
        """Seat a new row; its place is fixed from here on."""
        human = turn.opening_human
        anchor = seq if anchor is None else anchor
        if place is None:
            behind = human is not None and anchor < human and kind not in INDEPENDENT
            place = (human, BEHIND_HUMAN, anchor) if behind and human is not None else (anchor, 0, anchor)
        turn.counter += 1
        slot = Slot(
            key=key,
            kind=kind,
            step=step,
            anchor=anchor,
            place=place,
            order=turn.counter,
            born=seq,
            rev=seq,
            row=row,
        )
        turn.seat(slot)
        self.row_count += 1
        self.where[key] = turn.number
        self.touch(turn, slot, seq)
        return slot

    def drop_row(self, turn: TurnBuilder, key: str, seq: int) -> None:
        """Take a row away; its key may come back at another place."""
        slot = turn.slots.get(key)
        if slot is not None:
            turn.unseat(slot)
            self.row_count -= 1
            turn.removed.append((key, seq))
            self.mark(turn, seq)

    def set_row(self, turn: TurnBuilder, slot: Slot, row: StaticRow, seq: int) -> None:
        """Replace what sits in a seat; an equal row changes nothing."""
        if row != slot.row:
            slot.row = row
            self.touch(turn, slot, seq)

    def find(self, key: str) -> tuple[TurnBuilder, Slot] | None:
        """Find a row by key."""
        if key not in self.where:
            return None
        number = self.where[key]
        turn = self.none if number is None else self.turns[number]
        slot = turn.slots.get(key)
        return None if slot is None else (turn, slot)

    def open_with_human(self, turn: TurnBuilder, anchor: Anchor, seq: int) -> None:
        """Note a human row; the first one before any evidence opens the turn, and process rows go behind it (B-5)."""
        if turn.number is None or turn.opening_human is not None or turn.process.evidence is not None:
            return
        turn.opening_human = anchor
        for slot in [slot for slot in turn.rows if slot.kind not in INDEPENDENT and slot.anchor < anchor]:
            turn.unseat(slot)
            slot.place = (anchor, BEHIND_HUMAN, slot.place[2])
            slot.born = seq
            turn.seat(slot)
            self.touch(turn, slot, seq)

    def note_evidence(self, turn: TurnBuilder, seq: int) -> None:
        """Note model or tool evidence, after its row is seated; the first makes the control (B-2, B-4, B-5)."""
        if turn.process.evidence is not None or turn.number is None:
            return
        turn.process.evidence = seq
        anchor = round(seq - CONTROL_OFFSET, ANCHOR_DIGITS)
        place: Place
        if turn.opening_human is not None:
            place = (turn.opening_human, CONTROL_BEHIND_HUMAN, seq)
        else:
            first = next((slot.place for slot in turn.rows if slot.kind not in INDEPENDENT), (seq, 0, seq))
            place = (first[0], CONTROL_FIRST, first[2])
        key = f"process:{turn.tag}"
        row = ControlRow(key=key, turn=turn.number, step=None, anchor=anchor)
        self.add_row(turn, key, "turn_process", seq, anchor=anchor, row=row, place=place)

    def sync_step(self, turn: TurnBuilder, step: StepBuilder, seq: int) -> None:
        """Bring a step's row in line with its blocks and state (A-2, A-4)."""
        key = f"step:{turn.tag}:{step.number}"
        slot = turn.slots.get(key)
        final = final_anchor(turn, step)
        interrupted = final is not None and (step.message is None or step.message.interrupted)
        if not (step.visible or interrupted):
            if slot is not None:
                self.drop_row(turn, key, seq)
            return
        anchor = step.shown_seq if final is None else final
        if slot is None:
            # It takes its place where it first showed something; settling only moves the anchor.
            shown = step.shown_seq if step.shown_seq >= 0 else anchor
            slot = self.add_row(turn, key, "assistant_step", seq, step=step.number, anchor=shown)
        slot.anchor = anchor
        self.touch(turn, slot, seq)

    def end_rows(self, turn: TurnBuilder, seq: int) -> None:
        """Seat or update the rows that a closed turn ends with (A-10)."""
        closing = turn.closing
        if closing is None or turn.number is None:
            return
        text = _last_text_anchor(turn)
        number, tag = turn.number, turn.tag
        wanted: list[StaticRow] = []
        if closing.reason == "failed":
            code = UNSET if closing.code is None else closing.code
            message = present(closing.message)
            error = ErrorRow(
                key=f"error:{tag}", turn=number, step=None, anchor=closing.seq, code=code, message=message
            )
            wanted.append(error)
        if closing.reason == "max_tokens":
            at = closing.seq if text is None else round(text + MAX_TOKENS_OFFSET, ANCHOR_DIGITS)
            wanted.append(MaxTokensRow(key=f"max_tokens:{tag}", anchor=at, turn=number, step=None))
        at = closing.seq if text is None else round(text + TAIL_OFFSET, ANCHOR_DIGITS)
        wanted.append(TailRow(key=f"tail:{tag}", anchor=at, outcome=closing.reason, turn=number, step=None))
        keys = {row.key for row in wanted}
        for prefix in ("error", "max_tokens"):
            if f"{prefix}:{tag}" not in keys:
                self.drop_row(turn, f"{prefix}:{tag}", seq)
        for row in wanted:
            slot = turn.slots.get(row.key)
            if slot is None:
                kind = str(row.__struct_config__.tag)
                self.add_row(turn, row.key, kind, seq, anchor=row.anchor, row=row)
            else:
                slot.anchor = row.anchor
                self.set_row(turn, slot, row, seq)

    def respec(self, turn: TurnBuilder, seq: int) -> None:
        """Compute the spec again; an equal one keeps its identity (B-3)."""
        spec = spec_of(turn)
        if spec != turn.spec:
            turn.spec = spec
            turn.spec_rev = seq
            self.mark(turn, seq)


def _last_text_anchor(turn: TurnBuilder) -> Anchor | None:
    """The greatest anchor among final steps with text; a step that only the turn's end closed is not one (A-10)."""
    found: list[Anchor] = []
    for step in turn.steps.values():
        if step.texts and (step.message is not None or step.end_seq is not None):
            anchor = final_anchor(turn, step)
            if anchor is not None:
                found.append(anchor)
    return max(found, default=None)
