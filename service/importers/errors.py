"""What can be wrong with a session file as a whole; a bad line is never an error, it is accounted for."""


class ImportFileError(Exception):
    """A file that cannot be read as a session; nothing of it was imported."""


class UnknownFormatError(ImportFileError):
    """No supported format fits; `seen` describes the file's first lines in words."""

    def __init__(self, seen: str, supported: tuple[str, ...]) -> None:
        self.seen = seen
        self.supported = supported
        super().__init__(f"unknown session format: saw {seen}; supported: {', '.join(supported)}")
