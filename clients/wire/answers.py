"""Wire stage 3, answers: what waits for the reader, and what can be answered to it (`docs/interactions.md`). Pure.

1. What is offered is what the producer offered; what is no option in its list is left out.
2. A choice without options is a yes or a no for what asks for leave; anything else is answered by a text.
3. An option's label is of a stranger; its outcome goes back as it came.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from clients.wire.held import HeldRow, HeldTranscript
from clients.wire.messages import Json

# What the service takes as an outcome.
MAX_OUTCOME_CHARS: Final = 256
# More is no choice but a form, which is the producer's to draw.
MAX_OPTIONS: Final = 24
_NAMES: Final = ("id", "optionId", "value", "outcome", "label", "title", "name")
_LABELS: Final = ("label", "title", "name", "id", "optionId", "value", "outcome")


class Option(msgspec.Struct, frozen=True):
    """One choice: the word that is sent, what it is called, and what is said beside it."""

    outcome: str
    label: str
    note: str = ""


class Waiting(msgspec.Struct, frozen=True):
    """Where something waits: a row's key, below the calls of `path`."""

    path: tuple[str, ...]
    key: str


def options_of(payload: Json) -> tuple[Option, ...]:
    """Give the choices that the producer offers; none where it offers none, or not in a form that is known.

    >>> options_of({"options": [{"id": "once", "label": "Allow once"}, "never"]})
    (Option(outcome='once', label='Allow once', note=''), Option(outcome='never', label='never', note=''))
    """
    given = _asked_in(payload).get("options")
    options = given[:MAX_OPTIONS] if isinstance(given, list) else ()
    return tuple(option for option in map(_option_of, options) if option is not None)


def details_of(payload: Json) -> Json:
    """Give what a payload says beside its options; None where that is nothing."""
    if not isinstance(payload, dict):
        return payload
    asked = _asked_in(payload)
    rest = {name: value for name, value in asked.items() if name != "options"}
    if asked is not payload:
        rest = {name: value for name, value in payload.items() if name != "questions"} | rest
    return rest or None


def is_yes_or_no(kind: Json) -> bool:
    """Say whether an interaction without options is a yes or a no."""
    return kind in ("permission", "plan")


def waiting_in(held: HeldTranscript, path: tuple[str, ...] = ()) -> Iterator[Waiting]:
    """Give what waits for the reader, as far as it is held, delegates included, in the order of the transcript."""
    for turn in held.turns:
        if turn.facts.get("status") != "closed":
            yield from _waiting_among(turn.rows, path)
    yield from _waiting_among(held.loose, path)


def row_at(held: HeldTranscript, place: Waiting) -> HeldRow | None:
    """Give the row that waits at a place, or waited there; None where it is not held."""
    within: HeldTranscript | None = held
    for call_id in place.path:
        call = None if within is None else within.call(call_id)
        within = None if call is None else call.delegate
    return None if within is None else within.row(place.key)


def _waiting_among(rows: Iterable[HeldRow], path: tuple[str, ...]) -> Iterator[Waiting]:
    for row in rows:
        if row.value.get("kind") == "interaction" and row.value.get("status") == "pending":
            yield Waiting(path, row.key)
        if row.delegate is not None:
            yield from waiting_in(row.delegate, (*path, str(row.value.get("call_id"))))


def _asked_in(payload: Json) -> dict[str, Json]:
    """The object that has the options: the payload, or the only question in it."""
    held = payload if isinstance(payload, dict) else {}
    questions = held.get("questions")
    if isinstance(questions, list) and len(questions) == 1:
        return questions[0] if isinstance(questions[0], dict) else {}
    return held


def _option_of(given: Json) -> Option | None:
    fields = {"id": given} if isinstance(given, str) else given if isinstance(given, dict) else {}
    outcome = _first_text(fields, _NAMES)
    if not 0 < len(outcome) <= MAX_OUTCOME_CHARS:
        return None
    return Option(outcome, _first_text(fields, _LABELS), _first_text(fields, ("description",)))


def _first_text(fields: dict[str, Json], names: tuple[str, ...]) -> str:
    return next((text for name in names if isinstance(text := fields.get(name), str) and text), "")
