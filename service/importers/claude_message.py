"""The model's message that is being read: one block a line as a rule, whole when another message begins."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

import msgspec

from service.importers.claude_content import Fields


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One block of a message and the `uuid` of its line."""

    line: str | None
    block: Fields


class OpenMessage:
    """Blocks of one message id, in one step.

    Attributes:
        id: the message's id; lines without one are messages of their own.
        step: the step it is the answer of.
        key: the key of its newest line, by which its end is named.
    """

    def __init__(self, message_id: str | None, step: int) -> None:
        self.id = message_id
        self.step = step
        self.key = ""
        self.ts_ms: int | None = None
        self.usage: object = None
        self.stop_reason: str | None = None
        self.is_aborted = False
        self._parts: list[Part] = []

    @property
    def blocks(self) -> list[Fields]:
        """The blocks so far, in order."""
        return [part.block for part in self._parts]

    @property
    def is_answer(self) -> bool:
        """Reply content and no tool call (B-2)."""
        kinds = {str(block["type"]) for block in self.blocks}
        return "tool_call" not in kinds and any(_is_reply(block) for block in self.blocks)

    @property
    def may_be_cut(self) -> bool:
        """Whether an interrupt can have cut the message: nothing says that it ended, and no call followed it."""
        return self.stop_reason is None and all(block["type"] != "tool_call" for block in self.blocks)

    def add(self, block: Fields, line: str | None) -> int:
        """Takes a block; gives its index in the message."""
        self._parts.append(Part(line=line, block=block))
        return len(self._parts) - 1

    def drop(self, lines: AbstractSet[str]) -> None:
        """Takes back the blocks of some lines."""
        self._parts = [part for part in self._parts if part.line not in lines]

    def chunks(self) -> Iterator[Fields]:
        """What shows each block while the message is open, as fields of `assistant/chunk`."""
        for index, block in enumerate(self.blocks):
            if (chunk := chunk_of(block, index)) is not None:
                yield chunk


def chunk_of(block: Fields, index: int) -> Fields | None:
    """A block as a chunk; nothing for a tool call, whose own event shows it."""
    match block["type"]:
        case "text" | "reasoning" as kind:
            return {"kind": kind, "index": index, "text": block["text"]} if block["text"] else None
        case "tool_call":
            return None
        case "image" | "diff":
            return {"kind": "block_end", "index": index, "block": block}
        case kind:
            # Only a message can hold a block of an unknown type whole; its start shows that it is there.
            return {"kind": "block_start", "index": index, "block_type": kind}


def _is_reply(block: Fields) -> bool:
    if block["type"] == "text":
        return bool(str(block["text"]).strip())
    return block["type"] != "reasoning"
