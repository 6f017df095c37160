"""Edge stage: the query parameters of a view to the view that is asked for (`wire.md`, view parameters)."""

from typing import Annotated, Any, Final, Literal, get_args

from litestar import Request
from litestar.di import NamedDependency, Provide
from litestar.params import QueryParameter
from msgspec import UNSET, UnsetType

from api.parts import access_of, parts_of
from api.problems import ProblemError
from projections.asked_view import AskedDesktop, AskedView, AskedWeb, completed
from projections.languages import EN, Locale, known_language, known_locales
from projections.preferences import Preferences
from projections.view import DesktopMode, TuiPhase, TuiView, View, WebMode

ViewName = Annotated[
    Literal["web", "desktop", "tui"], QueryParameter(name="view", description="The presentation.")
]
Mode = Annotated[
    WebMode | DesktopMode | None,
    QueryParameter(
        name="mode",
        description="`compact` or `normal` of the web view; `fully-folded`, `command-first` or `flat` of the "
        "desktop view; without it, the caller's preference.",
    ),
]
Thinking = Annotated[
    bool | None, QueryParameter(name="thinking", description="Desktop view: show finished reasoning.")
]
CollapseGroups = Annotated[
    bool | None,
    QueryParameter(
        name="collapse_groups", description="Desktop view: groups that are over close by themselves."
    ),
]
CollapseThinking = Annotated[
    bool | None,
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


async def asked_view(
    request: Request[Any, Any, Any],
    *,
    view: ViewName = "web",
    mode: Mode = None,
    thinking: Thinking = None,
    collapse_groups: CollapseGroups = None,
    collapse_thinking: CollapseThinking = None,
    phase: Phase = "collapsed",
    reasoning: Reasoning = True,
    locale: LocaleName = None,
) -> View:
    """The view that a request asks for; what it leaves out comes from the caller's preferences, and parameters of the
    other views are not looked at.

    Raises ProblemError `invalid_parameter` for a mode of another view, or a language that nobody here speaks.
    """
    spoken_here = known_locale(request, locale)
    asked: AskedView
    if view == "tui":
        return TuiView(phase=phase, reasoning=reasoning)
    if view == "web":
        asked = AskedWeb(mode=_mode(mode, get_args(WebMode), view))
        is_whole = mode is not None
    else:
        asked = AskedDesktop(
            mode=_mode(mode, get_args(DesktopMode), view),
            thinking=_or_unset(thinking),
            collapse_groups=_or_unset(collapse_groups),
            collapse_thinking=_or_unset(collapse_thinking),
        )
        is_whole = None not in (mode, thinking, collapse_groups, collapse_thinking)
    access = access_of(request)
    # Who may not read is told so by the route, and a view that is asked for whole needs no preference.
    reads = not is_whole and access.has_scope("read")
    preferences = await parts_of(request).preferences.read(access.subject) if reads else Preferences()
    return completed(asked, preferences, spoken_here)


ViewOfRequest = NamedDependency[View]
#: Handed to a route as its argument `asked`.
ASKED_VIEW: Final = {"asked": Provide(asked_view)}


def _mode(given: str | None, modes: tuple[Any, ...], view: str) -> Any:
    if given is not None and given not in modes:
        named = ", ".join(modes)
        raise ProblemError(
            "invalid_parameter",
            f"The {view} view has no mode {given!r}; its modes are {named}.",
            where="query parameter mode",
        )
    return UNSET if given is None else given


def known_locale(request: Request[Any, Any, Any], locale: Locale | None) -> Locale:
    """The language that a request asks for, by parameter or else by header; raises the problem `invalid_parameter`."""
    if locale is None:
        return spoken(request.headers.get("accept-language", ""))
    if known_language(locale) is None:
        detail = f"No labels are there in {locale!r}; there are {', '.join(known_locales())}."
        raise ProblemError("invalid_parameter", detail, where="query parameter locale")
    return locale


def _or_unset(given: bool | None) -> bool | UnsetType:
    return UNSET if given is None else given


def spoken(accept_language: str) -> Locale:
    """The first language of an Accept-Language header that the labels have; its order stands for its weights."""
    for offer in accept_language.split(","):
        language = known_language(offer.partition(";")[0].strip())
        if language is not None:
            return language.locale
    return EN.locale


def view_facts(view: View) -> tuple[str, ...]:
    """What tells one view from another, for validators."""
    return (type(view).__name__, *(str(getattr(view, name)) for name in view.__struct_fields__))
