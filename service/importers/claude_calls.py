"""Which calls of a turn are open, and which of them a result belongs to: by id, else by order (trimmed logs)."""


class OpenCalls:
    """The open calls of one turn; memory follows them, not the file."""

    def __init__(self) -> None:
        self._open: dict[str, None] = {}
        self._unnamed: dict[str, str | None] = {}

    @property
    def is_any_open(self) -> bool:
        """Whether a call has no result yet."""
        return bool(self._open)

    def add(self, call_id: str) -> None:
        """A call with an id of its own."""
        self._open[call_id] = None

    def add_unnamed(self, call_id: str, line: str | None) -> None:
        """A call that the log gives no id; `call_id` is made up, `line` is the `uuid` of its line."""
        self._open[call_id] = None
        self._unnamed[call_id] = line

    def close(self, call_id: str) -> None:
        """The result of a call came."""
        self._open.pop(call_id, None)
        self._unnamed.pop(call_id, None)

    def oldest_unnamed(self, *lines: str | None) -> str | None:
        """The oldest open call without an id of its own: of these lines, else of any that has no `uuid` either."""
        for call_id, line in self._unnamed.items():
            if line in lines or line is None or not any(lines):
                return call_id
        return None
