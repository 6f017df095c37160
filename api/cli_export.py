"""`turnfold export`: a session of the running service as a file, or on the standard output."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx

from api.cli_errors import CommandError
from api.cli_import import client_of, problem_of
from api.cli_target import Target
from api.text_view import harmless

#: Between two chunks: the service loads a great session before the first.
_READ_S: Final = 120.0


def export(session: str, export_format: str, locale: str, target: Target, output: Path | None) -> None:
    """Write the export; a file is there whole or not at all. Raises CommandError."""
    with _asked(session, export_format, locale, target) as answer:
        if output is None:
            _print(answer)
        else:
            _save(answer, output)


@contextmanager
def _asked(session: str, export_format: str, locale: str, target: Target) -> Iterator[httpx.Response]:
    asked = {"format": export_format, "locale": locale}
    with client_of(target) as client:
        try:
            with client.stream(
                "GET", f"/v1/sessions/{session}/export", params=asked, timeout=_READ_S
            ) as answer:
                if not answer.is_success:
                    answer.read()
                    raise CommandError(f"the service at {target.url} refused: {problem_of(answer)}")
                yield answer
        except (httpx.TransportError, httpx.InvalidURL) as error:
            words = str(error) or type(error).__name__
            raise CommandError(
                f"the service at {target.url} does not answer, or broke off: {words}"
            ) from None


def _print(answer: httpx.Response) -> None:
    if sys.stdout.isatty():
        for text in answer.iter_text():
            sys.stdout.write(harmless(text))
        return
    for chunk in answer.iter_bytes():
        sys.stdout.buffer.write(chunk)
    sys.stdout.buffer.flush()


def _save(answer: httpx.Response, output: Path) -> None:
    part = output.with_name(f"{output.name}.part")
    try:
        with part.open("wb") as file:
            for chunk in answer.iter_bytes():
                file.write(chunk)
        part.replace(output)
    except OSError as error:
        raise CommandError(f"{output}: {error.strerror or error}") from None
    finally:
        part.unlink(missing_ok=True)
