"""A live session as text that only grows: what `turnfold tail` prints.

1. It prints from the transcript as it stands after a frame, in the transcript's order: the ops of a frame come from
   the last row to the first, and a row may be replaced whole where its text has only grown.
2. Of a running step the part that was not printed yet is printed. A text that became another one is printed again,
   whole, since what a pipe took cannot be taken back.
"""

import sys
from collections.abc import Iterable
from typing import Any

from api.text_view import harmless, left_out, row_lines, transcript_lines, web_nested, words_of
from projections.replica import apply_ops

Json = Any  # decoded JSON of the wire
_REASONING = "  ~ "


class TailText:
    """What was printed of a session, and how to go on with it."""

    def __init__(self, locale: str) -> None:
        self.locale = locale
        self.words = words_of(locale)
        self.transcript: Json = None
        self.position: Json = None
        self._parts: list[Json] = []
        # Each printed row's status, and of running steps the printed text of each block.
        self._printed: dict[str, str | None] = {}
        self._texts: dict[str, dict[int, str]] = {}
        self._growing: tuple[str, int] | None = None

    def restart(self) -> None:
        """Forget the parts of a snapshot that a lost connection cut off."""
        self._parts = []

    def snapshot(self, frame: Json) -> None:
        """Take a part of a snapshot; the first whole one is printed, a later one only for what is new in it."""
        self._parts = [frame] if frame["part"] == 0 else [*self._parts, frame]
        if not frame["last"]:
            return
        first = self.transcript is None
        session_rows = [row for part in self._parts for row in part["session_rows"]]
        self.transcript = {"turns": _joined(self._parts), "session_rows": session_rows}
        self.position, self._parts = frame["position"], []
        if first:
            for line in transcript_lines(self.transcript, locale=self.locale, expand=False):
                print(line)
            for row in self._rows():
                self._note(row)
        else:
            self._forget_absent()
            for row in self._rows():
                self._print_row(row)
        sys.stdout.flush()

    def delta(self, frame: Json) -> None:
        """Apply the ops of a frame and print what they add; raises UnknownOpError."""
        apply_ops(self.transcript, frame["ops"])
        self.position = {"epoch": frame["epoch"], "version": frame["to"]}
        # What is nested in a call is the page's to show.
        ops = [op for op in frame["ops"] if "in" not in op]
        if any(op["op"] in ("remove", "drop_turns") for op in ops):
            self._forget_absent()
        touched = {op["row"]["key"] if op["op"] == "row" else op.get("key") for op in ops}
        turns = {op.get("turn") for op in ops}
        for row in self._rows(turns):
            if row["key"] in touched:
                self._print_row(row)
        sys.stdout.flush()

    def _rows(self, turns: set[int | None] | None = None) -> Iterable[Json]:
        yield from self.transcript["session_rows"]
        for turn in self.transcript["turns"]:
            if turns is None or turn["turn"] in turns:
                yield from turn["rows"]

    def _forget_absent(self) -> None:
        """A row that was taken back and comes again is printed again."""
        present = {row["key"] for row in self._rows()}
        self._printed = {key: status for key, status in self._printed.items() if key in present}
        self._texts = {key: texts for key, texts in self._texts.items() if key in present}

    def _note(self, row: Json) -> None:
        self._printed[row["key"]] = row.get("status")
        if row["kind"] == "assistant_step" and row["status"] == "running":
            self._texts[row["key"]] = {at: _text_of(block) for at, block in enumerate(row["blocks"])}

    def _print_row(self, row: Json) -> None:
        if row["kind"] == "turn_process":
            return
        key, status = row["key"], row.get("status")
        was = self._printed.get(key, "")
        if row["kind"] == "assistant_step":
            # Whatever is printed of a settled step is printed once.
            if was in ("", "running"):
                self._print_step(row)
        elif key not in self._printed or was != status:
            self._end_line()
            if row["kind"] == "turn_tail":
                self._print_label(row["turn"])
            for line in row_lines(row, self.words, web_nested(self.locale)):
                print(line)
        self._printed[key] = status

    def _print_step(self, row: Json) -> None:
        printed = self._texts.setdefault(row["key"], {})
        for at, block in enumerate(row["blocks"]):
            text, old = _text_of(block), printed.get(at, "")
            if text == old or not text.strip():
                continue
            if block.get("truncated") and old.startswith(text):
                continue  # what streamed is printed whole; the wire holds its head from now on
            text += left_out(block)
            if text.startswith(old):
                self._grow(row["key"], at, block["type"], text[len(old) :])
            else:
                self._end_line()
                self._grow(row["key"], at, block["type"], text)
            printed[at] = text
        if row["status"] != "running":
            self._end_line()
            del self._texts[row["key"]]
            if row["status"] == "interrupted":
                print(f"({self.words['interrupted']})")

    def _grow(self, key: str, at: int, kind: str, text: str) -> None:
        margin = _REASONING if kind == "reasoning" else ""
        if self._growing != (key, at):
            self._end_line()
            self._growing = (key, at)
            sys.stdout.write(margin)
        sys.stdout.write(harmless(text).replace("\n", f"\n{margin}"))

    def _end_line(self) -> None:
        if self._growing is not None:
            self._growing = None
            print()

    def _print_label(self, number: int) -> None:
        turn = next((one for one in self.transcript["turns"] if one["turn"] == number), None)
        view = (turn or {}).get("presentation")
        if view and view["foldable"]:
            print(f"▸ {view['label']['text']}")


def _joined(parts: list[Json]) -> list[Json]:
    """Put the turns of a snapshot's parts together; a great turn is cut between two of its rows."""
    turns: list[Json] = []
    for turn in (turn for part in parts for turn in part["turns"]):
        if turns and turns[-1]["turn"] == turn["turn"]:
            turns[-1]["rows"].extend(turn["rows"])
        else:
            turns.append(turn)
    return turns


def _text_of(block: Json) -> str:
    if block["type"] in ("text", "reasoning"):
        return str(block.get("text", ""))
    # A call is a row of its own.
    return "" if block["type"] == "tool_call" else f"[{block['type']}]"
