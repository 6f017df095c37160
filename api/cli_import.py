"""`turnfold import`: session files into a running service over HTTP.

1. Events go in batches, each wholly or not at all; every event carries an id, so that a batch whose answer was lost
   is simply sent again: what the service has already is dropped there as a duplicate.
2. A service that is away is waited for, with growing pauses; a refusal ends the import with the service's own words.
3. At `1x` the recorded pauses are kept, up to a cap, so that one can watch.
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from api.cli_errors import CommandError
from api.cli_known import known_ids, unknown_of
from api.cli_show import open_file
from api.cli_target import Target
from api.text_view import harmless
from service.importers import ImportFileError, SessionFile, open_session_file
from service.importers.detect import FormatChoice
from service.importers.directory import session_folder

# Under the default request limit by far, and small enough that progress moves.
BATCH_EVENTS = 500
BATCH_BYTES = 1024 * 1024
# A recorded lunch break is not worth watching.
PAUSE_CAP_MS = 10_000
# At 1x, what came within one frame travels together.
_FRAME_MS = 20
# A service that was never reached is down or elsewhere; one that went away may be restarting.
_REACH_S, _RETURN_S = 5.0, 120.0
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.2, 5.0
_TIMEOUT_S = 60.0
AWAY = frozenset({429, 502, 503, 504})


class _Accepted(msgspec.Struct, frozen=True):
    """What became of one event."""

    duplicate: bool


class _Answer(msgspec.Struct, frozen=True):
    """What the service says to a batch."""

    events: tuple[_Accepted, ...]


_ANSWER = msgspec.json.Decoder(_Answer)


def client_of(target: Target) -> httpx.Client:
    """Make a client; raises CommandError for an address that is none."""
    headers = {"authorization": f"Bearer {target.token}"} if target.token else {}
    try:
        return httpx.Client(base_url=target.url, headers=headers, timeout=_TIMEOUT_S)
    except (httpx.InvalidURL, ValueError) as error:
        raise CommandError(f"--url {target.url!r} is not an address: {error}") from None


def import_files(
    paths: list[Path], file_format: FormatChoice, target: Target, session: str | None, *, live: bool
) -> None:
    """Import files, and those in folders, one after the other, with a progress bar on a terminal."""
    files = list(_session_files(paths, file_format))
    if not files:
        raise CommandError(f"{paths[0]}: holds no session file that can be read")
    with client_of(target) as client:
        for file in files:
            name = session or file.suggested_session
            sent, duplicates = _import_file(client, file, name, live=live)
            known = f", {duplicates} of them known already" if duplicates else ""
            print(harmless(f"{file.path}: session {name}: {sent} events sent{known}\n{file.report}"))


def _session_files(paths: list[Path], file_format: FormatChoice) -> Iterator[SessionFile]:
    for path in paths:
        if path.is_dir():
            yield from _files_in(path, file_format)
        else:
            yield open_file(path, file_format, leave_open=False, related=paths)


def _files_in(folder: Path, file_format: FormatChoice) -> Iterator[SessionFile]:
    """Give the sessions in a folder; what is none is named on stderr, and the rest is imported all the same."""
    try:
        found = session_folder(folder)
    except OSError as error:
        raise CommandError(f"{folder}: {error.strerror or error}") from None
    left_out = [(one.path, one.reason) for one in found.left_out]
    for path in found.files:
        try:
            yield open_session_file(path, file_format, related=found.files)
        except (ImportFileError, OSError) as error:
            left_out.append((path, str(error)))
    for path, reason in left_out:
        print(harmless(f"turnfold: {path}: left out: {reason}"), file=sys.stderr)


def _import_file(client: httpx.Client, file: SessionFile, session: str, *, live: bool) -> tuple[int, int]:
    sent = duplicates = 0
    known = known_ids(client, session)
    try:
        total = None if sys.stderr.isatty() is False else sum(1 for _ in file)
        with _progress() as progress:
            task = progress.add_task(session, total=total)
            for batch in _paced(file) if live else _batches(file):
                duplicates += send_unknown(client, session, batch, known, was_reached=sent > 0)
                sent += len(batch)
                progress.update(task, completed=sent)
    except (ImportFileError, OSError) as error:
        raise CommandError(f"{file.path}: {error}") from None
    return sent, duplicates


def _progress() -> Progress:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _batches(file: SessionFile) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    size_bytes = 0
    for event in file:
        if batch and (len(batch) >= BATCH_EVENTS or size_bytes + len(event.body) > BATCH_BYTES):
            yield batch
            batch, size_bytes = [], 0
        batch.append(event.body)
        size_bytes += len(event.body)
    if batch:
        yield batch


def _paced(file: SessionFile) -> Iterator[list[bytes]]:
    """Give events when they are due: the recorded pauses, capped, counted from the first event."""
    due_ms, batch, began = 0, list[bytes](), time.monotonic()
    for event in file:
        pause_ms = min(event.pause_ms, PAUSE_CAP_MS)
        if batch and pause_ms and due_ms + pause_ms - _elapsed_ms(began) > _FRAME_MS:
            yield batch
            batch = []
        due_ms += pause_ms
        _sleep_until(began, due_ms)
        batch.append(event.body)
    if batch:
        yield batch


def _elapsed_ms(began: float) -> float:
    return (time.monotonic() - began) * 1000


def _sleep_until(began: float, due_ms: int) -> None:
    left_ms = due_ms - _elapsed_ms(began)
    if left_ms > 0:
        time.sleep(left_ms / 1000)


def send_unknown(
    client: httpx.Client, session: str, batch: list[bytes], known: frozenset[str], *, was_reached: bool
) -> int:
    """Send what of a batch is not known; gives how many of its events the service had. Raises CommandError."""
    unknown = unknown_of(batch, known)
    duplicates = len(batch) - len(unknown)
    return duplicates + (_send(client, session, unknown, was_reached=was_reached) if unknown else 0)


def _send(client: httpx.Client, session: str, batch: list[bytes], *, was_reached: bool) -> int:
    """Send one batch until it is accepted; gives how many of its events the service had. Raises CommandError.

    A service that was reached before is waited for longer.
    """
    patience_s = _RETURN_S if was_reached else _REACH_S
    wait_s, began = _FIRST_WAIT_S, time.monotonic()
    # A line break inside an event would end its line early; in JSON it can only be white space.
    body = b"\n".join(event.replace(b"\n", b" ").replace(b"\r", b" ") for event in batch)
    while True:
        problem = _try(client, session, body, can_split=len(batch) > 1)
        if isinstance(problem, int):
            return problem
        if problem is None:
            middle = len(batch) // 2
            halves = (batch[:middle], batch[middle:])
            return sum(_send(client, session, half, was_reached=was_reached) for half in halves)
        if time.monotonic() - began > patience_s:
            raise CommandError(f"the service at {client.base_url} does not answer: {problem}")
        print(harmless(f"turnfold: waiting for the service ({problem})"), file=sys.stderr)
        time.sleep(wait_s)
        wait_s = min(wait_s * 2, _LONGEST_WAIT_S)


def _try(client: httpx.Client, session: str, body: bytes, *, can_split: bool) -> int | str | None:
    """Send once: the number of duplicates, why to try again, or None when it is too much for one request.

    Raises CommandError when trying again is no use.
    """
    headers = {"content-type": "application/x-ndjson"}
    try:
        answer = client.post(f"/v1/sessions/{session}/events", content=body, headers=headers)
    except httpx.TransportError as error:
        return str(error) or type(error).__name__
    if answer.status_code in AWAY:
        return problem_of(answer)
    if answer.status_code == httpx.codes.REQUEST_ENTITY_TOO_LARGE and can_split:
        return None
    if not answer.is_success:
        raise CommandError(f"the service refused session {session!r}: {problem_of(answer)}")
    try:
        return sum(one.duplicate for one in _ANSWER.decode(answer.content).events)
    except msgspec.DecodeError:
        raise CommandError(f"what answers at {client.base_url} is no Turnfold service; see --url") from None


def problem_of(answer: httpx.Response) -> str:
    """Say a refusal in one line: the problem document's own words."""
    try:
        problem = answer.json()
    except ValueError:
        problem = None
    if not isinstance(problem, dict) or not (said := problem.get("detail") or problem.get("title")):
        return f"HTTP {answer.status_code}"
    where = f" ({problem['where']})" if problem.get("where") else ""
    return f"{said}{where} {problem.get('advice', '')}".strip()
