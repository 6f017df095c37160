"""The lines above and below the transcript: which session, how it is, how the connection is, what the keys do."""

import msgspec
from rich.cells import cell_len
from rich.text import Text
from textual.widgets import Static

from clients.tui.wrap import cut

_GAP = "  "


class Part(msgspec.Struct, frozen=True):
    """A part of a line; `style` is one of rich's."""

    text: str
    style: str = ""


def line(left: list[Part], right: list[Part], width: int) -> Text:
    """Lay out a line: the right side whole, the left one as far as there is room.

    On a line that is too narrow for both, parts of the left give way from the last on.
    """
    shown_right = [part for part in right if part.text]
    need = sum(cell_len(part.text) for part in shown_right) + len(_GAP) * max(len(shown_right) - 1, 0)
    room = width - need - (len(_GAP) if need else 0)
    if room < 0:
        shown_right = [Part(cut(_GAP.join(part.text for part in shown_right), width), shown_right[0].style)]
        room = 0
    text = Text(no_wrap=True, end="")
    used = 0
    for part in left:
        gap = _GAP if used else ""
        if not part.text or used + len(gap) >= room:
            continue
        shown = cut(part.text, room - used - len(gap))
        text.append(gap).append(shown, style=part.style)
        used += len(gap) + cell_len(shown)
    if shown_right:
        size = cell_len(_GAP.join(part.text for part in shown_right))
        text.append(" " * max(width - used - size, 0))
        for at, part in enumerate(shown_right):
            text.append(_GAP if at else "").append(part.text, style=part.style)
    return text


def keys_line(keys: list[tuple[str, str]], width: int) -> Text:
    """Name as many keys as there is room for; the first and the last two, help and the way out, always come first."""
    order = [*keys[:1], *keys[:-3:-1], *keys[1:-2]]
    fits: set[tuple[str, str]] = set()
    used = 0
    for key, does in order:
        size = cell_len(f"{key} {does}") + (len(_GAP) if used else 0)
        if used + size <= width:
            used += size
            fits.add((key, does))
    text = Text(no_wrap=True, end="")
    for key, does in keys:
        if (key, does) in fits:
            text.append(_GAP if text.plain else "").append(key, style="bold").append(f" {does}")
    return text


class Bar(Static):
    """One line of the screen."""

    def __init__(self, ident: str) -> None:
        super().__init__("", id=ident, markup=False)
        self.shown = ""

    def show(self, text: Text) -> None:
        """Show a line; the same one again costs nothing."""
        key = repr((text.plain, text.spans))
        if key != self.shown:
            self.shown = key
            self.update(text, layout=False)
