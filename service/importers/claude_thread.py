"""One transcript with the tree of its lines: where a turn starts, the tree says what it takes back."""

from collections.abc import Iterator

from service.importers.claude_branches import Branches
from service.importers.claude_content import Fields
from service.importers.claude_conversation import Conversation
from service.importers.claude_stamp import LineStamp
from service.importers.fields import JsonObject, text


class Thread:
    """The main transcript of a file, or that of a subagent in it.

    Attributes:
        call_id: the call that its events are nested under; nothing for the session's own transcript.
        compaction: the newest compaction, which waits for its summary.
    """

    def __init__(self, stamp: LineStamp, call_id: str | None = None, *, is_delegate: bool = False) -> None:
        self.call_id = call_id
        self.branches = Branches()
        self.talk = Conversation(stamp, is_delegate=is_delegate)
        self.compaction: Fields = {}
        self._stamp = stamp

    def note(self, line: JsonObject, uuid: str, checksum: int, *, is_work: bool) -> None:
        """A line was read to its end."""
        self.branches.turns_started(self.talk.started_count)
        self.branches.note(uuid, checksum, parent_of(line), is_work=is_work)

    def prompt(self, line: JsonObject, content: list[Fields], message_id: str) -> Iterator[Fields]:
        """What a human wrote, and what it takes back."""
        yield from self.open(line)
        yield from self.talk.prompt(content, message_id)

    def open(self, line: JsonObject) -> Iterator[Fields]:
        """A line that starts a turn: turns that its branch does not hold are taken back."""
        is_root = "parentUuid" in line and parent_of(line) is None
        cut = self.branches.cut(parent_of(line), is_root=is_root)
        if cut is None:
            return
        yield from self.talk.rewind(cut.before_turn)
        if cut.is_left_branch:
            said = "This goes on from a branch that was left before; its turns are not shown again"
            yield from self.talk.row(self._stamp.row("notice", level="info", text=said))


def parent_of(line: JsonObject) -> str | None:
    """The line that a line answers; across a compaction its logical parent."""
    return text(line, "parentUuid", "logicalParentUuid")
