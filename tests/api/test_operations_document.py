"""docs/operations.md against the code: every metric, every log event, and nothing else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from api.condition import Condition, LiveCounts, PartitionLag
from api.metrics_prometheus import meters
from service.stored import Inventory

ROOT = Path(__file__).parents[2]
DOCS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
Row = tuple[str, ...]


def rows(header: str) -> list[Row]:
    """The cells of each row of the table with this first column."""
    table = DOCS.split(f"| {header} |", 1)[1].split("\n\n", 1)[0]
    lines = [line for line in table.splitlines()[2:] if line.startswith("| ")]
    return [tuple(cell.strip() for cell in line.strip("| ").split(" | ")) for line in lines]


def page() -> str:
    """An exposition in which every metric has a value, so that its labels show."""
    measured = meters("1")
    edge = measured.edge
    edge.requested("GET", "/x", 200)
    edge.served("/x", 0.1)
    edge.encoded("delta", 1)
    edge.failed("feed_gap")
    lag = PartitionLag(partition=0, entry_id="1-0", lag_ms=5, lag_events=1)
    inventory = Inventory(engine="e", address="a", session_count=1, quarantined_count=1)
    condition = Condition(trouble=None, partitions=(lag,), inventory=inventory)
    return edge.exposition(condition, LiveCounts(sockets=1, subscriptions=1, sessions=1)).decode()


def registered() -> set[Row]:
    """Name, type, labels and help of every metric of ours."""
    found: set[Row] = set()
    for family in text_string_to_metric_families(page()):
        if family.name.startswith("turnfold_"):
            labels = {label for sample in family.samples for label in sample.labels} - {"le"}
            name = family.name + ("_total" if family.type == "counter" else "")
            shown = ", ".join(f"`{label}`" for label in sorted(labels)) or "none"
            found.add((f"`{name}`", family.type, shown, family.documentation))
    return found


def test_documentation_holds_every_metric_and_no_other() -> None:
    """R-15: name, type, labels and meaning, as the registry has them."""
    documented = rows("metric")
    assert set(documented) == registered()
    assert len(documented) == len(set(documented))


def test_names_of_metrics_end_in_their_unit() -> None:
    """R-15: seconds, bytes, totals, or the word for what is counted."""
    for name, kind, *_ in registered():
        assert name.strip("`").endswith("_total") is (kind == "counter")
        if kind == "histogram":
            assert name.strip("`").rpartition("_")[2] in ("seconds", "bytes", "events")


def test_alerts_and_notes_name_metrics_that_exist() -> None:
    """A query in the text can be pasted."""
    samples = {sample.name for family in text_string_to_metric_families(page()) for sample in family.samples}
    families = {name.strip("`") for name, *_ in registered()}
    named = set(re.findall(r"\bturnfold_\w+", DOCS))
    assert named <= samples | families


def log_events() -> Iterator[tuple[str, str, frozenset[str]]]:
    """Event, level and field names of every log call in the packages, and of what the hub reports."""
    for path in (*(ROOT / "service").rglob("*.py"), *(ROOT / "api").rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args):
                continue
            first = call.args[0]
            if not (isinstance(first, ast.Constant) and isinstance(first.value, str)):
                continue
            owner = call.func.value
            if isinstance(owner, ast.Name) and owner.id == "_log":
                level = "error" if call.func.attr == "exception" else call.func.attr
                fields = {word.arg for word in call.keywords if word.arg and word.arg != "exc_info"}
                yield first.value, level, frozenset(fields)
            elif call.func.attr in ("report", "_report"):
                yield first.value, "warning", frozenset({"error", "kind"})


def test_documentation_holds_every_log_event_and_no_other() -> None:
    """R-15: event, level and fields, as the code logs them; `library` is what others log."""
    found: dict[str, tuple[set[str], set[str]]] = {}
    for event, level, fields in log_events():
        levels, names = found.setdefault(event, (set(), set()))
        levels.add(level)
        names.update(fields)
    documented = {
        event.strip("`"): (set(levels.split(", ")), set(re.findall(r"`(\w+)`", fields)))
        for event, levels, fields, _ in rows("event")
    }
    assert documented.pop("library") == ({"warning", "error"}, {"logger", "message"})
    assert documented == found
