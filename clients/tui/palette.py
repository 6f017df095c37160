"""How each kind of piece looks, in the terminal's own colours or in ours; without colours by weight alone.

`terminal` names the sixteen colours alone, those that are readable on a light and on a dark ground, and paints no
ground of its own: whatever the terminal has stays. What recedes is dim there: bright black is the ground of some.
"""

from collections.abc import Mapping
from typing import Final

from rich.style import Style
from textual.theme import Theme

THEMES: Final = ("terminal", "dark", "light")
USUAL: Final = "terminal"
# Role, or part of a line -> what it is on each ground: terminal, dark, light. A weight counts in all.
_COLOURS: Final[Mapping[str, tuple[str, str, str]]] = {
    "text": ("default", "#d8dee6", "#24292f"),
    "user_name": ("blue", "#7ab7ff", "#0550ae"),
    "user": ("default", "#eef2f6", "#1f2328"),
    "bar": ("blue", "#7ab7ff", "#0550ae"),
    "name": ("magenta", "#c9a6ff", "#7a3fc0"),
    "reasoning": ("dim", "#8b96a5", "#6a737d"),
    "card": ("cyan", "#7fc4c9", "#1b6f78"),
    "card_failed": ("red", "#ff8b85", "#b3261e"),
    "card_running": ("cyan", "#9fe0e4", "#0f5c66"),
    "detail": ("default", "#aab4c0", "#4b535c"),
    "diff": ("default", "#aab4c0", "#4b535c"),
    "context": ("dim", "#8b96a5", "#6a737d"),
    "footer": ("dim", "#7f8a98", "#656d76"),
    "pending": ("magenta", "#ffd479", "#8a4b00"),
    "notice": ("default", "#aab4c0", "#4b535c"),
    "warning": ("magenta", "#ffd479", "#8a4b00"),
    "error": ("red", "#ff8b85", "#b3261e"),
    "divider": ("dim", "#7f8a98", "#656d76"),
    "tail": ("dim", "#7f8a98", "#656d76"),
    "life": ("green", "#8fd694", "#1a7f37"),
    "queued": ("blue", "#7ab7ff", "#0550ae"),
    "more": ("blue", "#7ab7ff", "#0550ae"),
    "code": ("green", "#a8d8a0", "#116329"),
    "heading": ("default", "#ffffff", "#000000"),
    "added": ("green", "#8fd694", "#1a7f37"),
    "taken": ("red", "#ff8b85", "#b3261e"),
    "thumb": ("dim", "#727d8b", "#9aa2ab"),
}
_WEIGHTS: Final[Mapping[str, str]] = {
    "user_name": "bold", "name": "bold", "reasoning": "italic", "card_running": "bold", "pending": "bold reverse",
    "error": "bold", "warning": "bold", "life": "bold", "heading": "bold", "more": "underline",
}  # fmt: skip
_GROUNDS: Final = {"dark": "#14181d", "light": "#fbfcfd"}


def textual_themes() -> list[Theme]:
    """Give the framework's themes for what is not the transcript: bars, help, search."""
    dark = Theme(
        name="dark", primary="#7ab7ff", secondary="#c9a6ff", warning="#ffd479", error="#ff8b85", success="#8fd694",
        accent="#7ab7ff", foreground="#d8dee6", background=_GROUNDS["dark"], surface="#1b2027", panel="#232a33",
        dark=True,
    )  # fmt: skip
    light = Theme(
        name="light", primary="#0550ae", secondary="#7a3fc0", warning="#8a4b00", error="#b3261e", success="#1a7f37",
        accent="#0550ae", foreground="#24292f", background=_GROUNDS["light"], surface="#f1f3f5", panel="#e7eaee",
        dark=False,
    )  # fmt: skip
    return [dark, light]


def framework_theme(theme: str) -> str:
    """Give the framework's name of a theme; its own one of the sixteen colours leaves the ground alone."""
    return "ansi-dark" if theme == "terminal" else theme


def styles_of(theme: str) -> dict[str, Style]:
    """Give the style of each role on a ground."""
    at = THEMES.index(theme)
    styles = {
        name: Style.parse(f"{_WEIGHTS.get(name, '')} {colours[at]}".strip())
        for name, colours in _COLOURS.items()
    }
    styles["blank"] = Style.null()
    return styles
