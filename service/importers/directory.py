"""The session files of a folder: each one once, subagents' files with their parent's."""

from pathlib import Path

import msgspec

from service.importers.claude_children import attached, is_compaction_file

_SUFFIXES = (".jsonl", ".ndjson", ".jsonl.zst", ".jsonl.zstd")
# A workflow keeps it beside the files of its agents: what was started, and what came of it.
_JOURNAL = "journal.jsonl"


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """A file that is no session of its own."""

    path: Path
    reason: str


class SessionFolder(msgspec.Struct, frozen=True, kw_only=True):
    """What a folder holds, in the order of the names; files that are read with their parent's are in neither list."""

    files: tuple[Path, ...]
    left_out: tuple[LeftOut, ...]


def session_folder(folder: Path) -> SessionFolder:
    """Looks through a folder and those in it, by names alone; whether a file is a session shows when it is opened.

    Raises:
        OSError: the folder cannot be read.
    """
    found = sorted(path for path in folder.rglob("*") if path.name.endswith(_SUFFIXES) and path.is_file())
    journals = [path for path in found if path.name == _JOURNAL]
    candidates = [path for path in found if path.name != _JOURNAL]
    compactions = [path for path in candidates if is_compaction_file(path)]
    gone = attached(candidates) | set(compactions)
    return SessionFolder(
        files=tuple(path for path in candidates if path not in gone),
        left_out=(
            *(LeftOut(path=path, reason="a workflow's journal, no session") for path in journals),
            *(LeftOut(path=path, reason="the agent that compacts, no session") for path in compactions),
        ),
    )
