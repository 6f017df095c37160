"""The bytes of keys: Esc with another key behind it in one read is Esc and that key (F-1).

1. A terminal of the old kind sends Alt and a key as Esc and the key. Textual reads the two as that whenever they come
   at once: of Esc and `q` neither is left, and of Esc and Enter, Enter alone, which would send the answer that the
   reader just turned away from. Nothing here has an Alt of its own but the moves of a line of text; these stay.
   Terminals of the new kind send Esc so that nobody can mistake it, and that form is put in its place.
2. What is pasted is text. Textual makes keys of an Esc in it and of what stands behind; here it is the sign that stands
   for it on the screen too.
"""

import re
import sys
from collections.abc import Iterable

from textual._xterm_parser import XTermParser
from textual.message import Message

if sys.platform != "win32":
    from textual.drivers import linux_driver

# Behind Esc, `[`, `O`, `]`, `P`, `_`, `^` and `X` begin a sequence, and a second Esc ends it; Backspace, `b` and `f`
# are the deletion of a word and the moves by words.
_ESCAPE = re.compile(r"\x1b(?=[^\x1b\[O\]P_^X\x7fbf])", re.DOTALL)
_ESCAPE_ALONE = "\x1b[27u"
_PASTE_BEGIN, _PASTE_END = "\x1b[200~", "\x1b[201~"
# What a read may end with in the middle of what ends a paste.
_PASTE_ENDS = re.compile(r"\x1b(?:\[(?:2(?:01?)?)?)?\Z")


class Keyboard(XTermParser):
    """Reads keys, with Esc as a key."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._is_pasting = False
        self._held_back = ""

    def feed(self, data: str) -> Iterable[Message]:
        """Give what the terminal told in one read; nothing read is the end."""
        read = self._with_escape(self._held_back + data) if data else data
        # All of it may be held back, which is no end.
        return super().feed(read) if read or not data else ()

    def _with_escape(self, data: str) -> str:
        read, self._held_back = "", ""
        while data:
            if self._is_pasting:
                text, mark, data = data.partition(_PASTE_END)
                if not mark and (begun := _PASTE_ENDS.search(text)):
                    text, self._held_back = text[: begun.start()], begun[0]
                read += text.replace("\x1b", "␛") + mark
            else:
                keys, mark, data = data.partition(_PASTE_BEGIN)
                read += _ESCAPE.sub(_ESCAPE_ALONE, keys) + mark
            self._is_pasting ^= bool(mark)
        return read


def use_keyboard() -> None:
    """Have the framework read keys so. It makes its parser by this name and lets nobody choose another."""
    if sys.platform != "win32":
        linux_driver.XTermParser = Keyboard  # type: ignore[attr-defined]  # the driver's own import, no hook chooses a parser; tests/tui/test_process.py fails without it
