"""What ends a command: one line on stderr and an exit code, never a traceback."""


class CommandError(Exception):
    """A command cannot go on; the message says what, where and what to do, in one line."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))
