"""Names for imported sessions in the service's own alphabet."""

import re

_VALID = re.compile(r"[A-Za-z0-9._:@-]{1,256}\Z")
_INVALID_RUN = re.compile(r"[^A-Za-z0-9._:@-]+")
_MAX_CHARS = 256


def is_session_name(name: str) -> bool:
    """Whether the service takes the name as it is (`events.md`, *Envelope*)."""
    return _VALID.match(name) is not None


def session_name(text: str) -> str:
    """The nearest valid name: runs of other characters become one `-`.

    >>> session_name("my session (1)")
    'my-session-1'
    """
    name = _INVALID_RUN.sub("-", text).strip("-")[:_MAX_CHARS]
    return name or "session"
