"""The options of a view on the command line, and the view that they ask for."""

from enum import StrEnum
from typing import Annotated, Any, get_args

import msgspec
import typer

from api.cli_errors import CommandError
from projections.view import DesktopMode, View, WebMode


class ViewName(StrEnum):
    """What `--view` takes."""

    WEB = "web"
    DESKTOP = "desktop"
    TUI = "tui"


class Mode(StrEnum):
    """What `--mode` takes: the first two are the web view's, the others the desktop view's."""

    COMPACT = "compact"
    NORMAL = "normal"
    FULLY_FOLDED = "fully-folded"
    COMMAND_FIRST = "command-first"
    FLAT = "flat"


class Phase(StrEnum):
    """What `--phase` takes."""

    COLLAPSED = "collapsed"
    EXPANDED = "expanded"
    HIDDEN = "hidden"


class Language(StrEnum):
    """What `--locale` takes."""

    EN = "en"
    ZH_CN = "zh-CN"


ViewOption = Annotated[ViewName, typer.Option("--view", help="The presentation.")]
ModeOption = Annotated[
    Mode | None,
    typer.Option(
        "--mode",
        help="web: compact (default) or normal; desktop: fully-folded (default), command-first or flat.",
    ),
]
ThinkingOption = Annotated[
    bool | None, typer.Option("--thinking/--no-thinking", help="desktop: show finished reasoning.")
]
CollapseGroupsOption = Annotated[
    bool | None,
    typer.Option("--collapse-groups/--no-collapse-groups", help="desktop: groups that are over are closed."),
]
CollapseThinkingOption = Annotated[
    bool | None,
    typer.Option(
        "--collapse-thinking/--no-collapse-thinking", help="desktop: reasoning that is over is closed."
    ),
]
PhaseOption = Annotated[Phase | None, typer.Option("--phase", help="tui: how much of tools is shown.")]
ReasoningOption = Annotated[
    bool | None, typer.Option("--reasoning/--no-reasoning", help="tui: display reasoning.")
]
LocaleOption = Annotated[Language, typer.Option("--locale", help="The language of labels.")]

# Which view an option belongs to, and what of the shared `--mode` is whose.
_OWNERS = {
    "thinking": "desktop",
    "collapse_groups": "desktop",
    "collapse_thinking": "desktop",
    "phase": "tui",
    "reasoning": "tui",
}
_MODES: dict[str, tuple[str, ...]] = {"web": get_args(WebMode), "desktop": get_args(DesktopMode), "tui": ()}


def chosen_view(view: ViewName, mode: Mode | None, locale: Language, **options: bool | Phase | None) -> View:
    """The view that the options ask for; raises CommandError for an option of another view."""
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if _OWNERS[name] != view:
            shown = name.replace("_", "-")
            raise CommandError(f"--{shown} belongs to --view {_OWNERS[name]}, not to --view {view}")
    if mode is not None and mode not in _MODES[view]:
        modes = ", ".join(_MODES[view])
        raise CommandError(
            f"--view {view} has no mode {mode}; " + (f"use {modes}" if modes else "use --phase")
        )
    named = {name: str(value) if isinstance(value, StrEnum) else value for name, value in given.items()}
    shared: dict[str, Any] = {} if mode is None else {"mode": mode.value}
    asked = {"kind": view.value, "locale": locale.value, **shared, **named}
    chosen: View = msgspec.convert(asked, View)
    return chosen
