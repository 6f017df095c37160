"""The Python example of `docs/clients.md`, run as it stands there; Node runs the other one."""

import re
from pathlib import Path
from typing import Any

from clients.expansion.state import Address

DOCUMENT = Path(__file__).parents[2] / "docs" / "clients.md"


def test_documented_example_closes_what_is_untouched_and_keeps_what_is_used() -> None:
    """What its comments say is what it does."""
    (example,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(example, DOCUMENT.name, "exec"), names)  # noqa: S102  # our own document
    assert names["closed"] == ()
    assert names["kept"] == (
        Address(kind="entry", id="user:u1"),
        Address(kind="group", id="tool:c1"),
        Address(kind="item", id="tool:c1"),
    )
