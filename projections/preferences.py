"""What a reader chose once and for all: how transcripts are shown, never what they hold (B-1, C-4).

1. Reading never fails: what is missing, of a wrong type or unknown is the default.
2. Writing an invalid value is refused with the reason, and nothing of that write is kept.
3. Two older settings load and are never written: `thinking_display_mode` stands in for a missing `show_thinking`
   (`compact` hides, anything else shows), and `keep_commands_expanded` is read by nobody.
4. `show_thinking` and the display mode hide their children in a settings page; here each keeps its own value.
"""

from collections.abc import Mapping
from typing import Final, Literal, get_args

import msgspec
from msgspec import Raw, Struct

from projections.languages import known_locales

PresentationName = Literal["web", "desktop"]
TranscriptView = Literal["compact", "normal"]
DisplayMode = Literal["flat", "command-first", "fully-folded"]
LEGACY_THINKING: Final = "thinking_display_mode"
LEGACY_COMMANDS: Final = "keep_commands_expanded"
AUTO: Final = "auto"


class Preferences(Struct, frozen=True, kw_only=True):
    """One subject's preferences, each with its default.

    Attributes:
        presentation: which of the two a page shows transcripts in.
        transcript_view: the web presentation's `compact` or `normal` (B-1).
        transcript_display_mode: the desktop presentation's layout (C-5).
        show_thinking: whether finished reasoning is shown on the desktop (C-7).
        auto_collapse_settled_groups, auto_collapse_thinking: whether what is over closes by itself (C-8).
        language: of words and labels, as a locale that this service speaks; `auto` is the reader's own choice of their
            browser or terminal (E-18).
    """

    presentation: PresentationName = "web"
    transcript_view: TranscriptView = "compact"
    transcript_display_mode: DisplayMode = "fully-folded"
    show_thinking: bool = True
    auto_collapse_settled_groups: bool = True
    auto_collapse_thinking: bool = True
    language: str = AUTO


class InvalidPreference(Struct, frozen=True, kw_only=True):
    """A field of a write that is refused: what stood there and what may."""

    field: str
    given: str
    expected: str


_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "presentation": get_args(PresentationName),
    "transcript_view": get_args(TranscriptView),
    "transcript_display_mode": get_args(DisplayMode),
}
FIELDS: Final = Preferences.__struct_fields__
_SHOWN_CHARS: Final = 40
_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


def normalised(stored: Mapping[str, bytes]) -> Preferences:
    """The preferences out of what is stored, a JSON value a field; anything that is no valid value is left out."""
    values = {name: _decoded(raw) for name, raw in stored.items()}
    chosen = {name: values[name] for name in FIELDS if name in values and _is_valid(name, values[name])}
    if "show_thinking" not in chosen and LEGACY_THINKING in values:
        chosen["show_thinking"] = values[LEGACY_THINKING] != "compact"
    return msgspec.convert(chosen, Preferences)


def changes_of(asked: Mapping[str, Raw]) -> dict[str, bytes | None] | InvalidPreference:
    """What a write stores, a JSON value a field; None, from `null`, goes back to the default.

    An old client's `thinking_display_mode` is stored as the `show_thinking` that it means, unless that is given too.
    """
    changes: dict[str, bytes | None] = {}
    for name, raw in asked.items():
        value = _decoded(bytes(raw))
        if name == LEGACY_COMMANDS:
            continue
        if name == LEGACY_THINKING:
            if "show_thinking" not in asked:
                changes["show_thinking"] = _encode(value != "compact")
        elif name not in FIELDS:
            return InvalidPreference(field=name, given=_shown(value), expected=f"one of {', '.join(FIELDS)}")
        elif value is None:
            changes[name] = None
        elif _is_valid(name, value):
            changes[name] = _encode(value)
        else:
            return InvalidPreference(field=name, given=_shown(value), expected=_expected(name))
    return changes


def _decoded(raw: bytes) -> object:
    try:
        return _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _choices(name: str) -> tuple[str, ...] | None:
    """What a field may hold; None: a switch. The languages are those of this process, a deployment's own ones too."""
    return (AUTO, *known_locales()) if name == "language" else _CHOICES.get(name)


def _is_valid(name: str, value: object) -> bool:
    choices = _choices(name)
    return isinstance(value, bool) if choices is None else isinstance(value, str) and value in choices


def _expected(name: str) -> str:
    choices = _choices(name)
    return "true or false" if choices is None else f"one of {', '.join(choices)}"


def _shown(value: object) -> str:
    text = _encode(value).decode(errors="replace")
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
