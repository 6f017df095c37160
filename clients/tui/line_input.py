"""A line of text that takes what is pasted whole: a line break in it becomes a space, and nothing is cut."""

from textual.events import Paste
from textual.widgets import Input


class LineInput(Input):
    """One line, also of several that are pasted."""

    def on_paste(self, event: Paste) -> None:
        """Put in what the terminal pasted; the framework's own line would keep the first line of it alone."""
        event.stop()
        event.prevent_default()
        self._put_in(event.text)

    def action_paste(self) -> None:
        """Put in what was copied here: several rows of a transcript, say."""
        self._put_in(self.app.clipboard)

    def _put_in(self, text: str) -> None:
        self.replace(in_one_line(text), *self.selection)


def in_one_line(text: str) -> str:
    r"""Give a text with one space for its line breaks; those around it are none of its words.

    >>> in_one_line("one\r\n  two\n\nthree\n")
    'one   two three'
    """
    return " ".join(line for line in text.splitlines() if line)
