"""The session files of a folder."""

from pathlib import Path

from service.importers.directory import session_folder
from tests.service.importers.claude_log import Json, Log, written


def lines(session: str, **fields: object) -> list[Json]:
    """A short session."""
    log = Log()
    log.human("Hi", **fields)
    return [{**line, "sessionId": session} for line in log.lines]


def names(folder: Path) -> list[str]:
    """The sessions that a folder holds."""
    return [str(path.relative_to(folder)) for path in session_folder(folder).files]


def test_each_session_is_found_once_and_subagents_come_with_their_parents(tmp_path: Path) -> None:
    """In the folder of the session or, written by older versions, beside it; other files are no sessions."""
    for name in ("s1", "s2"):
        written(tmp_path / "project" / f"{name}.jsonl", lines(name))
    side = {"isSidechain": True}
    written(tmp_path / "project" / "s1" / "subagents" / "agent-a.jsonl", lines("s1", **side))
    written(
        tmp_path / "project" / "s1" / "subagents" / "workflows" / "w" / "agent-b.jsonl", lines("s1", **side)
    )
    written(tmp_path / "project" / "agent-c.jsonl", lines("s2", **side))
    (tmp_path / "project" / "s1" / "tool-results").mkdir()
    (tmp_path / "project" / "s1" / "tool-results" / "x.txt").write_text("output")
    assert names(tmp_path) == ["project/s1.jsonl", "project/s2.jsonl"]


def test_subagent_whose_parent_is_not_there_is_a_session_of_its_own(tmp_path: Path) -> None:
    """Nothing is lost."""
    written(tmp_path / "agent-c.jsonl", lines("gone", isSidechain=True))
    assert names(tmp_path) == ["agent-c.jsonl"]


def test_bookkeeping_of_workflows_and_compactions_is_left_out_by_name(tmp_path: Path) -> None:
    """A journal says what was started; the agent that compacts repeats the whole conversation."""
    written(tmp_path / "s1.jsonl", lines("s1"))
    folder = tmp_path / "s1" / "subagents"
    written(folder / "workflows" / "w" / "journal.jsonl", [{"type": "started", "key": "k"}])
    written(folder / "agent-acompact-1.jsonl", lines("s1", isSidechain=True))
    found = session_folder(tmp_path)
    assert [path.name for path in found.files] == ["s1.jsonl"]
    assert [(one.path.name, one.reason) for one in found.left_out] == [
        ("journal.jsonl", "a workflow's journal, no session"),
        ("agent-acompact-1.jsonl", "the agent that compacts, no session"),
    ]


def test_folder_without_sessions_holds_none(tmp_path: Path) -> None:
    """The command line says so."""
    (tmp_path / "notes.txt").write_text("x")
    assert names(tmp_path) == []
