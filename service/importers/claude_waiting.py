"""What came between two turns and waits for the turn it belongs to: context, notices, typed commands.

The log has no turn records: whether a typed `/command` starts the model's work, or only the host's, shows when the
next line comes. Until then the rows wait, a handful at most.
"""

from collections.abc import Iterator

from service.importers.claude_content import Fields


class Waiting:
    """Rows that no turn has taken yet, in order."""

    def __init__(self) -> None:
        self._rows: list[Fields] = []

    def add(self, row: Fields) -> None:
        """A row that comes before its turn."""
        self._rows.append(row)

    def finish_command(self, done: Fields) -> bool:
        """Gives the newest command its output; says whether there was one that had none."""
        run = self._open_command()
        if run is None:
            return False
        self._rows.append({**done, "id": run["id"], "name": run["name"]})
        return True

    @property
    def has_request(self) -> bool:
        """Whether a typed command waits that the host has not answered: the model's work will."""
        run = self._open_command()
        return run is not None and str(run["name"]).startswith("/")

    def take_request(self) -> Fields | None:
        """The typed command that the model's work answers, as what the human said; it waits no more."""
        run = self._open_command()
        if run is None or not self.has_request:
            return None
        self._rows.remove(run)
        said = f"{run['name']} {run.get('input', '')}".strip()
        kept: Fields = {key: run[key] for key in ("event_id", "ts_ms", "id") if key in run}
        return {"type": "user/message", **kept, "content": [{"type": "text", "text": said}]}

    def rows(self) -> Iterator[Fields]:
        """All rows, which wait no more; a command that printed nothing is done with its turn."""
        rows, self._rows = self._rows, []
        done = {row["id"] for row in rows if row["type"] == "command/done"}
        for row in rows:
            yield row
            if row["type"] == "command/run" and row["id"] not in done:
                yield silent_end(row)

    def _open_command(self) -> Fields | None:
        for row in reversed(self._rows):
            if row["type"] == "command/done":
                return None
            if row["type"] == "command/run":
                return row
        return None


def silent_end(run: Fields) -> Fields:
    """The end of a command that printed nothing."""
    kept: Fields = {key: run[key] for key in ("ts_ms", "id", "name") if key in run}
    return {"type": "command/done", "event_id": f"{run['event_id']}:end", **kept, "status": "done"}
