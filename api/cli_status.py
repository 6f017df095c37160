"""`turnfold status`: how a running service and its deployment are, for a person or a script.

It exits with 0 where the service is ready, and with 1 where it is not or does not answer.
"""

from typing import Final

import httpx
import msgspec

from api.cli_errors import CommandError
from api.cli_import import client_of, problem_of
from api.cli_target import Target
from api.condition import PartitionLag
from api.http_admin import Status
from api.text_view import harmless

#: Longer than the service gives its store to answer, so that it can say that the store does not.
_ANSWER_S: Final = 5.0
_DECODER: Final = msgspec.json.Decoder(Status)


def status(target: Target, *, as_json: bool) -> bool:
    """Print the status and say whether the service is ready; raises CommandError where none answers."""
    raw, found = _asked(target)
    if as_json:
        print(raw.decode())
    else:
        print(harmless("\n".join(_lines(target, found))))
    return found.ready


def _asked(target: Target) -> tuple[bytes, Status]:
    with client_of(target) as client:
        try:
            answer = client.get("/v1/admin/status", timeout=_ANSWER_S)
        except (httpx.TransportError, httpx.InvalidURL) as error:
            words = str(error) or type(error).__name__
            raise CommandError(f"the service at {target.url} does not answer: {words}") from None
    if not answer.is_success:
        raise CommandError(f"the service at {target.url} refused: {problem_of(answer)}")
    try:
        return answer.content, _DECODER.decode(answer.content)
    except msgspec.DecodeError:
        raise CommandError(f"what answers at {target.url} is no Turnfold service; see --url") from None


def _lines(target: Target, found: Status) -> list[str]:
    store = found.store
    state = "ready" if found.trouble is None else f"not ready: {found.trouble}"
    lines = [f"Turnfold {found.version} at {target.url}: {state}"]
    if store is not None:
        lines += [
            f"engine      {store.engine} at {store.address}",
            f"sessions    {store.session_count}",
            f"quarantine  {_counted(store.quarantined_count, 'entry', 'entries')}",
        ]
    live = found.live
    lines.append(
        f"clients     {_counted(live.sockets, 'socket', 'sockets')}, "
        f"{_counted(live.subscriptions, 'subscription', 'subscriptions')}"
    )
    lines += [f"{f'partition {one.partition}':<11} {_lag(one)}" for one in found.partitions]
    return lines


def _lag(one: PartitionLag) -> str:
    if one.lag_events is None:
        return f"{one.lag_ms / 1000:.1f} s behind; the engine does not count the events"
    if not one.lag_events and not one.lag_ms:
        return "up to date"
    return f"{_counted(one.lag_events, 'event', 'events')} behind, {one.lag_ms / 1000:.1f} s"


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
