"""Edge stage: the query parameters of a view to the view that is asked for (`wire.md`, view parameters)."""

from typing import Annotated, Any, Final, Literal, get_args

from litestar import Request
from litestar.di import NamedDependency, Provide
from litestar.params import QueryParameter

from api.problems import ProblemError
from projections.languages import Locale
from projections.view import DesktopMode, DesktopView, TuiPhase, TuiView, View, WebMode, WebView

ViewName = Annotated[
    Literal["web", "desktop", "tui"], QueryParameter(name="view", description="The presentation.")
]
Mode = Annotated[
    WebMode | DesktopMode | None,
    QueryParameter(
        name="mode",
        description="`compact` (default) or `normal` of the web view; `fully-folded` (default), "
        "`command-first` or `flat` of the desktop view.",
    ),
]
Thinking = Annotated[
    bool, QueryParameter(name="thinking", description="Desktop view: show finished reasoning.")
]
CollapseGroups = Annotated[
    bool,
    QueryParameter(
        name="collapse_groups", description="Desktop view: groups that are over close by themselves."
    ),
]
CollapseThinking = Annotated[
    bool,
    QueryParameter(
        name="collapse_thinking", description="Desktop view: reasoning that is over closes by itself."
    ),
]
Phase = Annotated[
    TuiPhase, QueryParameter(name="phase", description="Terminal view: how much of tools is shown.")
]
Reasoning = Annotated[bool, QueryParameter(name="reasoning", description="Terminal view: display reasoning.")]
LocaleName = Annotated[
    Locale | None,
    QueryParameter(name="locale", description="The language of labels; without it, Accept-Language decides."),
]


def asked_view(
    request: Request[Any, Any, Any],
    *,
    view: ViewName = "web",
    mode: Mode = None,
    thinking: Thinking = True,
    collapse_groups: CollapseGroups = True,
    collapse_thinking: CollapseThinking = True,
    phase: Phase = "collapsed",
    reasoning: Reasoning = True,
    locale: LocaleName = None,
) -> View:
    """The view that a request asks for; parameters of the other views are not looked at.

    Raises ProblemError `invalid_parameter` for a mode of another view.
    """
    language = locale or spoken(request.headers.get("accept-language", ""))
    if view == "tui":
        return TuiView(phase=phase, reasoning=reasoning)
    if view == "web":
        return WebView(mode=_mode(mode, get_args(WebMode), view), locale=language)
    return DesktopView(
        mode=_mode(mode, get_args(DesktopMode), view),
        thinking=thinking,
        collapse_groups=collapse_groups,
        collapse_thinking=collapse_thinking,
        locale=language,
    )


AskedView = NamedDependency[View]
#: Handed to a route as its argument `asked`.
ASKED_VIEW: Final = {"asked": Provide(asked_view, sync_to_thread=False)}


def _mode(given: str | None, modes: tuple[Any, ...], view: str) -> Any:
    if given is not None and given not in modes:
        named = ", ".join(modes)
        raise ProblemError(
            "invalid_parameter",
            f"The {view} view has no mode {given!r}; its modes are {named}.",
            where="query parameter mode",
        )
    return given or modes[0]


def spoken(accept_language: str) -> Locale:
    """The first language of an Accept-Language header that the labels have; its order stands for its weights."""
    for offer in accept_language.lower().split(","):
        tag = offer.partition(";")[0].strip()
        if tag in ("zh", "zh-cn", "zh-hans", "zh-hans-cn"):
            return "zh-CN"
        if tag.partition("-")[0] == "en":
            return "en"
    return "en"


def view_facts(view: View) -> tuple[str, ...]:
    """What tells one view from another, for validators."""
    return (type(view).__name__, *(str(getattr(view, name)) for name in view.__struct_fields__))
