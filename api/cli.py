"""The command `turnfold`: serve, status, import, show, tail, export, tui. An error is one clear line and a non-zero
exit code.

Each command imports what it needs when it runs: the server's framework would cost every other command its own start
twice over, and a server needs no HTTP client.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, TextIO, TypeVar

import typer
from typer.exceptions import TyperException

from api.cli_errors import CommandError
from api.cli_target import Target
from api.cli_views import (
    CollapseGroupsOption,
    CollapseThinkingOption,
    Language,
    LocaleOption,
    ModeOption,
    Phase,
    PhaseOption,
    ReasoningOption,
    ThinkingOption,
    ViewName,
    ViewOption,
    chosen_view,
)
from api.text_view import harmless
from api.version import service_version
from service.keys import is_session_id
from service.settings import SettingsError, read_settings

app = typer.Typer(
    name="turnfold", help="Live, foldable transcripts of agent sessions.", no_args_is_help=True,
    add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
)  # fmt: skip
_FAILED, _USAGE, _INTERRUPTED = 1, 2, 130
_Returned = TypeVar("_Returned")


class FileFormat(StrEnum):
    """What `--format` takes."""

    AUTO = "auto"
    NATIVE = "native"
    HARNESS = "harness"
    CLAUDE_CODE = "claude-code"


class Speed(StrEnum):
    """What `--speed` takes."""

    RECORDED = "1x"
    MAX = "max"


class ExportFormat(StrEnum):
    """What `export --format` takes."""

    MARKDOWN = "markdown"
    HTML = "html"
    JSONL = "jsonl"


class Theme(StrEnum):
    """What `--theme` takes."""

    TERMINAL = "terminal"
    DARK = "dark"
    LIGHT = "light"


Files = Annotated[
    list[Path], typer.Argument(metavar="FILE…", help="Session files; zstd is known by its content.")
]
FilesOrFolders = Annotated[
    list[Path], typer.Argument(metavar="FILE|DIR…", help="Session files, or folders of them.")
]
FormatOption = Annotated[FileFormat, typer.Option("--format", help="The files' format.")]
UrlOption = Annotated[str, typer.Option("--url", envvar="TURNFOLD_URL", help="The running service.")]
TokenOption = Annotated[
    str | None, typer.Option("--token", envvar="TURNFOLD_TOKEN", help="A token, if it needs one.")
]
DEFAULT_URL = "http://127.0.0.1:8420"


def _print_version(wanted: bool) -> None:
    if wanted:
        print(service_version())
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Live, foldable transcripts of agent sessions."""


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="TURNFOLD_HOST: address to bind.")] = None,
    port: Annotated[str | None, typer.Option(help="TURNFOLD_PORT: port to bind.")] = None,
    data_dir: Annotated[
        str | None, typer.Option(help="TURNFOLD_DATA_DIR: the embedded engine's data.")
    ] = None,
    redis_url: Annotated[str | None, typer.Option(help="TURNFOLD_REDIS_URL: another server.")] = None,
    samples: Annotated[bool, typer.Option(help="Append the sample sessions to an empty store.")] = False,
) -> None:
    """Serve in the foreground until a signal comes; every setting is a TURNFOLD_* variable."""
    given = {"HOST": host, "PORT": port, "DATA_DIR": data_dir, "REDIS_URL": redis_url}
    environ = dict(os.environ) | {
        f"TURNFOLD_{name}": value for name, value in given.items() if value is not None
    }
    for name in ("TURNFOLD_URL", "TURNFOLD_TOKEN"):  # the other commands' own
        environ.pop(name, None)
    try:
        settings = read_settings(environ)
    except SettingsError as error:
        raise CommandError(str(error)) from None
    from api.serve import serve as serve_forever

    raise typer.Exit(serve_forever(settings, with_samples=samples, announce=_announce))


def _announce(line: str) -> None:
    print(line, flush=True)


@app.command()
def status(
    url: UrlOption = DEFAULT_URL,
    token: TokenOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="The service's answer as one JSON document.")
    ] = False,
) -> None:
    """Say how the running service is; exits with 0 where it is ready, else with 1."""
    from api.cli_status import status as print_status

    is_ready = print_status(Target(url=url, token=token), as_json=as_json)
    raise typer.Exit(0 if is_ready else _FAILED)


@app.command("import")
def import_(
    files: FilesOrFolders,
    file_format: FormatOption = FileFormat.AUTO,
    session: Annotated[
        str | None, typer.Option(help="The session to import into; default: the file's own.")
    ] = None,
    speed: Annotated[
        Speed,
        typer.Option(help="1x keeps the recorded pauses (each at most 10 s), max has none."),
    ] = Speed.MAX,
    follow: Annotated[
        bool, typer.Option("--follow", help="The file still grows: go on as it does, until Ctrl-C.")
    ] = False,
    url: UrlOption = DEFAULT_URL,
    token: TokenOption = None,
) -> None:
    """Import session files, or folders of them, into the running service; what it knows from before is dropped."""
    if session is not None and not is_session_id(session.encode()):
        raise CommandError(
            f"--session {session!r} is not a session id: use 1 to 256 of A-Z a-z 0-9 . _ : @ -"
        )
    target = Target(url=url, token=token)
    if follow:
        if len(files) != 1 or files[0].is_dir() or speed is Speed.RECORDED:
            raise CommandError("--follow takes one file, and no --speed 1x: it comes at its own pace")
        from api.cli_follow import follow_file

        follow_file(files[0], file_format.value, target, session)
        return
    from api.cli_import import import_files

    import_files(files, file_format.value, target, session, live=speed is Speed.RECORDED)


@app.command()
def show(
    files: Files,
    file_format: FormatOption = FileFormat.AUTO,
    leave_open: Annotated[
        bool, typer.Option("--open", help="The file still grows: leave its last turn open.")
    ] = False,
    view: ViewOption = ViewName.WEB,
    mode: ModeOption = None,
    thinking: ThinkingOption = None,
    collapse_groups: CollapseGroupsOption = None,
    collapse_thinking: CollapseThinkingOption = None,
    phase: PhaseOption = None,
    reasoning: ReasoningOption = None,
    locale: LocaleOption = Language.EN,
    expand: Annotated[bool, typer.Option(help="Show what is folded as well.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON document a line, one for each file.")
    ] = False,
) -> None:
    """Project session files here, without any service, and print their transcripts."""
    chosen = chosen_view(
        view, mode, locale, thinking=thinking, collapse_groups=collapse_groups,
        collapse_thinking=collapse_thinking, phase=phase, reasoning=reasoning,
    )  # fmt: skip
    from api.cli_show import ShowOptions
    from api.cli_show import show as show_files

    options = ShowOptions(leave_open=leave_open, expand=expand, as_json=as_json, locale=locale.value)
    with _to_a_pipe():
        show_files(files, file_format.value, chosen, options)


@app.command()
def tail(
    session: Annotated[str, typer.Argument(help="The session to follow.")],
    url: UrlOption = DEFAULT_URL,
    token: TokenOption = None,
    locale: LocaleOption = Language.EN,
) -> None:
    """Follow a session of the running service as text, until Ctrl-C."""
    from api.cli_tail import tail as tail_session

    _check_session(session)
    with _to_a_pipe():
        tail_session(session, Target(url=url, token=token), locale.value)


@app.command()
def export(
    session: Annotated[str, typer.Argument(help="The session to export.")],
    file_format: Annotated[
        ExportFormat, typer.Option("--format", help="To read, to read with pictures, or for programs.")
    ] = ExportFormat.MARKDOWN,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; default: standard output.")
    ] = None,
    url: UrlOption = DEFAULT_URL,
    token: TokenOption = None,
    locale: LocaleOption = Language.EN,
) -> None:
    """Write a whole session of the running service as one file (docs/export.md)."""
    from api.cli_export import export as export_session

    _check_session(session)
    with _to_a_pipe():
        export_session(session, file_format.value, locale.value, Target(url=url, token=token), output)


@app.command()
def tui(
    session: Annotated[
        str | None, typer.Argument(help="The session to show; by default, a list to choose from.")
    ] = None,
    phase: Annotated[Phase, typer.Option("--phase", help="How much of tools is shown.")] = Phase.COLLAPSED,
    reasoning: Annotated[bool, typer.Option("--reasoning/--no-reasoning", help="Display reasoning.")] = True,
    theme: Annotated[
        Theme | None, typer.Option("--theme", help="The colours; by default the terminal's own.")
    ] = None,
    url: UrlOption = DEFAULT_URL,
    token: TokenOption = None,
    locale: LocaleOption = Language.EN,
) -> None:
    """Show a session of the running service in the terminal, live; into a pipe, print it and end."""
    from api.cli_tui import tui as show_in_terminal

    if session is not None:
        _check_session(session)
    view = {"kind": "tui", "phase": phase.value, "reasoning": reasoning}
    with _to_a_pipe():
        target, colours = Target(url=url, token=token), None if theme is None else theme.value
        code = show_in_terminal(session, target, view, locale.value, theme=colours)
    raise typer.Exit(code)


def _check_session(session: str) -> None:
    if not is_session_id(session.encode()):
        raise CommandError(f"{session!r} is not a session id: use 1 to 256 of A-Z a-z 0-9 . _ : @ -")


@contextmanager
def _to_a_pipe() -> Iterator[None]:
    """End quietly when the reader of a pipe has had enough; the framework would call it a failure."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()


def _drop_output() -> None:
    """Python would complain once more at exit, when it flushes what cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _safe_streams() -> Iterator[None]:
    """Give a closed stream somewhere to write to, and any stream a way to print what its encoding has not."""
    streams: dict[str, TextIO | None] = {"stdout": sys.stdout, "stderr": sys.stderr}
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        for name, stream in streams.items():
            if stream is None:
                setattr(sys, name, nowhere)
            elif isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        yield


def main() -> None:
    """Run the command line; the only place that turns errors into exit codes."""
    with _safe_streams():
        arguments = sys.argv[1:] or ["--help"]
        code = _exit_code(lambda: app(arguments, standalone_mode=False))
    sys.exit(code)


def _exit_code(command: Callable[[], _Returned]) -> int:
    try:
        code = command()
        sys.stdout.flush()
    except CommandError as error:
        return _say(str(error), _FAILED)
    except TyperException as error:
        return _say(f"{error.format_message()} (see turnfold --help)", _USAGE)
    except OSError as error:
        # Files and connections have errors of their own: what is left is the output, on a full disk.
        _drop_output()
        return _say(f"cannot go on: {error.strerror or error}", _FAILED)
    except (KeyboardInterrupt, typer.Abort):
        return _INTERRUPTED
    return code if isinstance(code, int) else 0


def _say(message: str, code: int) -> int:
    sys.stderr.write(f"turnfold: {harmless(' '.join(message.split()))}\n")
    return code
