"""Text of a stranger for a terminal: what could steer it, or turn the order of what stands around, becomes a sign."""

import re

# Control characters but tab and newline, marks and overrides of direction, separators that some terminals break a line
# at, tags that nobody sees, and halves of surrogate pairs, which no encoding can write.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
_TAB = "    "


def harmless(text: str) -> str:
    """Make a text safe to print.

    >>> harmless("a\\x1b[2Jb")
    'a␛[2Jb'
    """
    return _UNSAFE.sub(_sign, text.replace("\r\n", "\n").replace("\t", _TAB))


def one_line(text: str) -> str:
    """Make a text safe, and one line of it."""
    return " ".join(harmless(text).split())


def _sign(match: "re.Match[str]") -> str:
    code = ord(match.group())
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"
