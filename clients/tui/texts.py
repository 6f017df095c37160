"""The rest of great texts: which texts of a row are heads, and where the whole ones go (`docs/protocol.md`)."""

from clients.tui.content import objects_of
from clients.wire.held import HeldRow
from clients.wire.messages import Json

# The row's own text, by the first of these that it has.
_OWN = ("output", "progress", "text", "summary", "message")


def cut_texts(row: HeldRow) -> list[str]:
    """Give the pointers of a row's texts that are heads."""
    value = row.value
    found = [head["field"] for head in objects_of(value.get("heads")) if isinstance(head.get("field"), str)]
    for name in ("blocks", "content", "output"):
        blocks = value.get(name)
        for at, block in enumerate(blocks if isinstance(blocks, list) else ()):
            if isinstance(block, dict) and block.get("truncated"):
                field = next((one for one in ("text", "unified") if isinstance(block.get(one), str)), None)
                if field is not None:
                    found.append(f"/{name}/{at}/{field}")
    if value.get("truncated"):
        own = next((name for name in _OWN if isinstance(value.get(name), str)), None)
        if own is not None:
            found.append(f"/{own}")
    return found


def complete(row: HeldRow, pointer: str, text: str) -> None:
    """Put a whole text where its head is; a place that is not there any more stays as it is."""
    if not pointer.startswith("/"):
        return
    value = row.value
    *path, last = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    holder: Json = value
    try:
        for part in path:
            holder = holder[int(part) if isinstance(holder, list) else part]
        holder[int(last) if isinstance(holder, list) else last] = text
    except (LookupError, TypeError, ValueError):
        return
    if holder is value or (isinstance(holder, dict) and "truncated" in holder):
        holder.pop("truncated", None)
    heads = value.get("heads")
    if isinstance(heads, list):
        value["heads"] = [
            head for head in heads if not (isinstance(head, dict) and head.get("field") == pointer)
        ]
