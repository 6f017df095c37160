"""Stage 3, the fold of blocks: what an event's block is as a builder, and texts that were split in a character.

Where an image or file stood inline, its builder and its row hold a reference (`blobs`).
"""

from typing import assert_never

import msgspec
from msgspec import Raw

from projections import events as ev
from projections.blobs import blob_in, reference_to
from projections.building import REPLACEMENT, BlockBuilder, is_blank, kept
from projections.fold import Fold

_encode = msgspec.json.encode
_HALF_FIRST, _HALF_LAST = "\ud800", "\udbff"
_SURROGATE_LAST = "\udfff"


def wire_blocks(fold: Fold, seq: int, blocks: tuple[ev.Block, ...]) -> Raw:
    """Give the blocks of an event as one JSON array, unknown ones as they came."""
    return Raw(_encode([_wire_block(fold, seq, block) for block in blocks]))


def _wire_block(fold: Fold, seq: int, block: ev.Block) -> ev.KnownBlock | Raw:
    blob = blob_in(block)
    if blob is not None:
        fold.root.blobs.setdefault(blob.sha256, seq)
        return reference_to(blob, block)
    return block.raw if isinstance(block, ev.UnknownBlock) else block


def block_kind(block: ev.Block) -> str:
    """Give a block's type."""
    if isinstance(block, ev.UnknownBlock):
        return block.type
    return str(block.__struct_config__.tag)


def whole_block(fold: Fold, seq: int, index: int, whole: ev.Block) -> BlockBuilder:
    """Give the builder of a block that came whole with an event."""
    match whole:
        case ev.TextBlock(text=text):
            return BlockBuilder(kind="text", index=index, parts=[text] if text else [], ended=True)
        case ev.ReasoningBlock(text=text):
            return BlockBuilder(kind="reasoning", index=index, parts=[text] if text else [], ended=True)
        case ev.ToolCallBlock():
            return BlockBuilder(
                kind="tool_call",
                index=index,
                parts=[],
                json=kept(whole.input),
                call_id=whole.call_id,
                name=whole.name,
                ended=True,
            )
        case _:
            block = BlockBuilder(kind=block_kind(whole), index=index, parts=[], ended=True)
            fill_block(fold, seq, block, whole)
            return block


def fill_block(fold: Fold, seq: int, block: BlockBuilder, whole: ev.Block) -> bool:
    """Give a builder the content of a whole block of an event; says whether anything changed."""
    if block.kind != block_kind(whole):
        return False
    match whole:
        case ev.TextBlock(text=text) | ev.ReasoningBlock(text=text):
            if block.text() == text:
                return False
            block.parts, block.sent = [text], 0
        case ev.ToolCallBlock():
            block.call_id, block.name = whole.call_id, whole.name
            block.json = kept(whole.input)
        case ev.UnknownBlock() | ev.ImageBlock() | ev.DiffBlock():
            found = _wire_block(fold, seq, whole)
            block.json = found if isinstance(found, Raw) else Raw(_encode(found))
        case _ as never:
            assert_never(never)
    block.encoded = None
    return True


def shows(block: BlockBuilder) -> bool:
    """Whether a block is visible material (A-3)."""
    if block.is_prose:
        return not is_blank(block.text())
    return block.kind != "tool_call"


def is_whole(text: str) -> bool:
    """Whether neither edge of a text is half of a surrogate pair; inside there is none (`decode`, rule 4)."""
    starts_low = _HALF_LAST < text[0] <= _SURROGATE_LAST
    return not starts_low and not _HALF_FIRST <= text[-1] <= _SURROGATE_LAST


def join_halves(fold: Fold, half: int, text: str) -> tuple[str, int]:
    """Join the halves of a surrogate pair split over two chunks.

    Returns:
        The text to append, and the code of the half that waits for the next chunk, 0 for none; a half whose other
        never comes is U+FFFD.
    """
    if not text:
        return "", half
    joined = chr(half) + text if half else text
    waits = ord(joined[-1]) if _HALF_FIRST <= joined[-1] <= _HALF_LAST else 0
    if waits:
        joined = joined[:-1]
    fixed = joined.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if REPLACEMENT in fixed:
        fold.root.count("surrogate_replaced")
    return fixed, waits
