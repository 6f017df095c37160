"""A view as it is asked for: what is left out comes from the subject's preferences (`wire.md`, view parameters)."""

from typing import TypeVar, assert_never

from msgspec import UNSET, Struct, UnsetType

from projections.languages import Locale
from projections.preferences import Preferences
from projections.view import DesktopMode, DesktopView, TuiPhase, TuiView, View, WebMode, WebView


class AskedWeb(Struct, frozen=True, kw_only=True, tag_field="kind", tag="web"):
    """A web view; `mode` is the preference `transcript_view` where it is left out."""

    mode: WebMode | UnsetType = UNSET
    locale: Locale | UnsetType = UNSET


class AskedDesktop(Struct, frozen=True, kw_only=True, tag_field="kind", tag="desktop"):
    """A desktop view; what is left out is the preference `transcript_display_mode`, `show_thinking`,
    `auto_collapse_settled_groups` or `auto_collapse_thinking`.
    """

    mode: DesktopMode | UnsetType = UNSET
    thinking: bool | UnsetType = UNSET
    collapse_groups: bool | UnsetType = UNSET
    collapse_thinking: bool | UnsetType = UNSET
    locale: Locale | UnsetType = UNSET


class AskedTui(Struct, frozen=True, kw_only=True, tag_field="kind", tag="tui"):
    """A terminal view; its fold is a key of the terminal, so nothing of it is a preference (S003)."""

    phase: TuiPhase = "collapsed"
    reasoning: bool = True


T = TypeVar("T")
AskedView = AskedWeb | AskedDesktop | AskedTui


def completed(asked: AskedView, preferences: Preferences, locale: Locale = "en") -> View:
    """Fill in what was left out; `locale` is the language where none was asked for."""
    match asked:
        case AskedWeb():
            return WebView(
                mode=_given(asked.mode, preferences.transcript_view), locale=_given(asked.locale, locale)
            )
        case AskedDesktop():
            return DesktopView(
                mode=_given(asked.mode, preferences.transcript_display_mode),
                thinking=_given(asked.thinking, preferences.show_thinking),
                collapse_groups=_given(asked.collapse_groups, preferences.auto_collapse_settled_groups),
                collapse_thinking=_given(asked.collapse_thinking, preferences.auto_collapse_thinking),
                locale=_given(asked.locale, locale),
            )
        case AskedTui():
            return TuiView(phase=asked.phase, reasoning=asked.reasoning)
        case _ as never:
            assert_never(never)


def _given(value: T | UnsetType, otherwise: T) -> T:
    return otherwise if isinstance(value, UnsetType) else value
