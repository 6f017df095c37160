"""Which files belong to a Claude Code session: those of its subagents, by their folder or by the session they name.

Newer versions keep them in `<session>/subagents/`, with what is known of each in `agent-<id>.meta.json`; a session that
lies alone in a folder may have `subagents/` beside it. Older ones wrote them beside the session, where `sessionId`
tells whose they are.
"""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from service.importers.fields import NO_FIELDS, JsonObject, text
from service.importers.lines import open_bytes, read_lines
from service.importers.parse import parse_object

_PREFIX = "agent-"
_FILES = f"{_PREFIX}*.jsonl"
_COMPACTION_PREFIX = "agent-acompact"
_OPENING_LINES = 20
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")


class ChildFinder:
    """Finds the files of one session's subagents, each once, however often it looks."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: set[Path] = {path}
        self._session: str | None = None

    def new(self) -> Iterator[Path]:
        """Files that were not there before, in the order of their names."""
        if is_agent_file(self._path):
            return
        yield from self._unseen(_in_folders(self._path))
        beside = list(self._unseen(sorted(self._path.parent.glob(_FILES))))
        if beside:
            self._session = self._session or session_named_in(self._path)
            yield from (path for path in beside if self._session and session_named_in(path) == self._session)

    def _unseen(self, paths: list[Path]) -> Iterator[Path]:
        for path in paths:
            if path not in self._seen and not is_compaction_file(path):
                self._seen.add(path)
                yield path


def _in_folders(path: Path) -> list[Path]:
    folders = [path.with_suffix("")]
    if all(one == path or is_agent_file(one) for one in path.parent.glob("*.jsonl")):
        folders.append(path.parent)
    return [one for folder in folders for one in sorted((folder / "subagents").rglob(_FILES))]


def attached(paths: list[Path]) -> set[Path]:
    """Those of some files that are read with another of them: subagents' of a session that is there."""
    sessions = [path for path in paths if not is_agent_file(path)]
    owners = {(path.parent, session_named_in(path)) for path in sessions}
    found = {child for path in sessions for child in _in_folders(path)}
    agents = [path for path in paths if is_agent_file(path)]
    return found | {path for path in agents if (path.parent, session_named_in(path) or "") in owners}


def is_agent_file(path: Path) -> bool:
    """Whether a file is a subagent's, by its name."""
    return path.name.startswith(_PREFIX)


def is_compaction_file(path: Path) -> bool:
    """Whether a file is that of the agent which writes a compaction's summary: it repeats the whole conversation."""
    return path.name.startswith(_COMPACTION_PREFIX)


def agent_named_by(path: Path) -> str:
    """The subagent's id, as its file is named."""
    return path.stem.removeprefix(_PREFIX)


def run_of(path: Path) -> str | None:
    """The workflow's run that a subagent worked in, by the folder of its file."""
    return path.parent.name if path.parent.parent.name == "workflows" else None


def session_named_in(path: Path) -> str | None:
    """The session that a file's lines name; in a subagent's file its parent's."""
    return text(first_line(path), "sessionId")


def own_session_id(path: Path) -> str | None:
    """The id of the session that a file holds; nothing for a subagent's, which is known by the file's name.

    The host names a file after its session. Its first lines may name another one, whose history was copied; they
    count where the file has a name of its own.
    """
    if is_agent_file(path) or first_line(path).get("isSidechain") is True:
        return None
    return path.stem if _UUID.match(path.stem) else session_named_in(path)


def first_line(path: Path) -> JsonObject:
    """The first line that belongs to a session; empty where there is none yet."""
    try:
        with open_bytes(path) as stream:
            for line in islice(read_lines(stream), _OPENING_LINES):
                fields = parse_object(line.raw)
                if isinstance(fields, dict) and text(fields, "sessionId") is not None:
                    return fields
    except OSError:
        pass
    return NO_FIELDS


def meta_of(path: Path) -> JsonObject:
    """What the file beside a subagent's says of it."""
    try:
        fields = parse_object(path.with_suffix(".meta.json").read_bytes())
    except OSError:
        return NO_FIELDS
    return fields if isinstance(fields, dict) else NO_FIELDS
