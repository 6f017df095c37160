"""The views a transcript can be shown in, with what the reader chose of each (`views.md` B-1, C-4, D-1).

A view is a value: two readers with an equal one are shown the same and share the same frames. Another view of the
same session is another presentation of the same facts; no event and no row changes with it.
"""

from typing import Literal

from msgspec import Struct

from projections.languages import Locale

WebMode = Literal["compact", "normal"]
DesktopMode = Literal["fully-folded", "command-first", "flat"]
TuiPhase = Literal["collapsed", "expanded", "hidden"]


class WebView(Struct, frozen=True, kw_only=True, tag_field="kind", tag="web"):
    """Compact turn processes: one control a turn, its members behind it, the answer (B)."""

    mode: WebMode = "compact"
    locale: Locale = "en"


class DesktopView(Struct, frozen=True, kw_only=True, tag_field="kind", tag="desktop"):
    """Entries with one process disclosure each, activity groups inside (C).

    Attributes:
        mode: how activity is grouped; `flat` has no groups.
        thinking: whether finished reasoning is shown; it changes nothing but thinking rows.
        collapse_groups: whether groups that are over close by themselves (`auto_collapse_settled_groups`).
        collapse_thinking: whether reasoning that is over closes by itself (`auto_collapse_thinking`).
    """

    mode: DesktopMode = "fully-folded"
    thinking: bool = True
    collapse_groups: bool = True
    collapse_thinking: bool = True
    locale: Locale = "en"


class TuiView(Struct, frozen=True, kw_only=True, tag_field="kind", tag="tui"):
    """One message a turn in the terminal (D): the phase that Ctrl+O cycles, and whether reasoning is displayed."""

    phase: TuiPhase = "collapsed"
    reasoning: bool = True


View = WebView | DesktopView | TuiView


class Presentation(Struct, frozen=True):
    """What a view adds to a turn; each view has a presentation of its own."""
