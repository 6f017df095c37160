"""Colours that can be read: on each of our grounds, and none but the terminal's own sixteen on its ground."""

from typing import get_args

import pytest
from rich.color import ColorType
from rich.style import Style

from clients.tui.palette import THEMES, framework_theme, styles_of, textual_themes
from clients.tui.piece import Role

GROUNDS = {theme.name: theme.background for theme in textual_themes()}


def luminance(colour: str) -> float:
    """Of `#rrggbb`, as WCAG counts it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """From 1 to 21."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_text_has_enough_contrast(theme: str) -> None:
    """WCAG's 4.5 to 1, for what is meant to recede as well; the position's sign is no text."""
    ground = GROUNDS[theme]
    assert ground is not None
    for role, style in styles_of(theme).items():
        if role in ("blank", "thumb"):
            continue
        assert style.color is not None
        shown = style.color.get_truecolor().hex
        assert contrast(shown, ground) >= 4.5, (role, shown, round(contrast(shown, ground), 2))


def test_the_terminals_own_colours_are_its_sixteen_and_no_ground() -> None:
    """Neither yellow nor white: one of them cannot be seen on a light ground."""
    for role, style in styles_of("terminal").items():
        assert style.bgcolor is None
        if style.color is not None:
            assert style.color.type in (ColorType.STANDARD, ColorType.DEFAULT), role
            assert style.color.name not in ("yellow", "white", "bright_yellow", "bright_white", "black")


def test_every_role_has_a_style() -> None:
    """On each ground; a role without one would end the program when it comes into sight."""
    for theme in THEMES:
        assert set(get_args(Role)) <= set(styles_of(theme))


def test_a_role_weighs_the_same_on_every_ground() -> None:
    """Without colours, weights are all that is left to tell things apart."""

    def weight(style: Style) -> tuple[bool | None, ...]:
        return style.bold, style.italic, style.underline, style.reverse

    all_styles = [styles_of(theme) for theme in THEMES]
    for role in all_styles[0]:
        assert len({weight(styles[role]) for styles in all_styles}) == 1
    assert [framework_theme(theme) for theme in THEMES] == ["ansi-dark", "dark", "light"]
