"""Settings: every `TURNFOLD_*` variable, read once at the edge into one frozen value.

A bad or unknown variable stops the process; all problems are listed at once. `docs/configuration.md` holds
the same table, and a test compares the two.
"""

import difflib
import ipaddress
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct

from service.signing import secret_bytes

PREFIX: Final = "TURNFOLD_"
#: HS256 keys shorter than its 32-byte digest weaken it (RFC 7518, 3.2).
MIN_SECRET_BYTES: Final = 32
_MIB: Final = 1024 * 1024
#: What the test suite reads; the service must not trip over it when tests start it.
_NOT_OURS: Final = ("TURNFOLD_TEST_", "TURNFOLD_REQUIRE_ALL", "TURNFOLD_SHARED")
_BASE_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*")
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s,*]+")
_HTTP_URL = re.compile(r"https?://[^/\s@#?]+(/[^\s#]*)?")
_REDIS_URL = re.compile(r"(redis|rediss|unix)://.+")


class Settings(Struct, frozen=True, kw_only=True):
    """What the deployment decided; the table below says what each means. None is: not configured."""

    host: str = "127.0.0.1"
    port: int = 8420
    base_path: str = ""
    data_dir: Path = Path()
    redis_url: str | None = None
    partitions: int = 1
    ack: Literal["memory", "fsync", "replicas"] = "memory"
    jwt_secret: str | None = None
    allowed_origins: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    max_event_bytes: int = 16 * _MIB
    max_request_bytes: int = 32 * _MIB
    inline_bytes: int = 16 * 1024
    flush_ms: int = 33
    stale_turn_s: int = 900
    wait_ms: int = 10_000
    ready_lag_ms: int = 30_000
    drain_ms: int = 10_000
    drain_window_ms: int = 3_000
    max_unsent_bytes: int = _MIB
    slow_client_ms: int = 15_000
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["auto", "json", "text"] = "auto"
    vocabulary_dir: Path | None = None
    answers_url: str | None = None
    answers_secret: str | None = None
    answers_timeout_ms: int = 10_000

    @property
    def is_loopback(self) -> bool:
        """Whether the service binds loopback alone."""
        return _is_loopback(self.host)


class SettingsError(Exception):
    """The environment cannot be used; `problems` are sentences, all of them at once."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("The settings cannot be used: " + " ".join(problems))
        self.problems = problems


class Variable(Struct, frozen=True, kw_only=True):
    """One row of the table. `parse` raises ValueError with what it expected instead."""

    field: str
    meaning: str
    parse: Callable[[str], Any]
    default: str

    @property
    def name(self) -> str:
        """The variable's name."""
        return PREFIX + self.field.upper()


def read_settings(environ: Mapping[str, str], **overrides: Any) -> Settings:
    """The settings of an environment; raises SettingsError.

    Args:
        environ: the process's environment. An empty value counts as not set.
        overrides: fields given on the command line, as values; None is not given.
    """
    given = {name: value for name, value in environ.items() if name.startswith(PREFIX) and value}
    problems = [
        _unknown(name) for name in sorted(given) if name not in _BY_NAME and not name.startswith(_NOT_OURS)
    ]
    fields: dict[str, Any] = {}
    for name, variable in _BY_NAME.items():
        if name in given:
            try:
                fields[variable.field] = variable.parse(given[name])
            except ValueError as error:
                # The value of a secret never reaches a message, whatever is wrong with it.
                shown = "" if variable.field in _SECRET_FIELDS else f"={given[name]!r}"
                problems.append(f"{name}{shown}: {error}.")
    fields |= {name: value for name, value in overrides.items() if value is not None}
    try:
        fields = {"data_dir": default_data_dir(environ), **fields}
    except RuntimeError:
        # A user without a name and a home, as some container platforms make them: only the engine needs a place.
        if not fields.keys() & {"data_dir", "redis_url"}:
            problems.append("No home directory is known for the engine's data: set TURNFOLD_DATA_DIR.")
    if problems:
        raise SettingsError(tuple(problems))
    settings = Settings(**fields)
    if not settings.is_loopback and settings.jwt_secret is None:
        raise SettingsError((_exposed(settings.host),))
    if (settings.answers_url is None) is not (settings.answers_secret is None):
        raise SettingsError(("TURNFOLD_ANSWERS_URL and TURNFOLD_ANSWERS_SECRET are set both or not at all.",))
    return settings


def secret_complaint(secret: str) -> str | None:
    """What is wrong with a signing secret, as a sentence; None when it will do."""
    length_bytes = len(secret.encode(errors="replace"))
    if length_bytes >= MIN_SECRET_BYTES:
        return None
    return (
        f"TURNFOLD_JWT_SECRET has {length_bytes} bytes; HS256 needs at least {MIN_SECRET_BYTES}: "
        "make one with `openssl rand -hex 32`."
    )


def default_data_dir(environ: Mapping[str, str]) -> Path:
    """The user's own place for data (XDG); raises RuntimeError where no home directory is known."""
    home = environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "turnfold"


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, _BY_NAME, 1)
    return f"{name} is not known{f'; {near[0]} is' if near else ''}."


def _exposed(host: str) -> str:
    return (
        f"TURNFOLD_HOST={host!r} can be reached by others, and no authentication is configured: "
        "set TURNFOLD_JWT_SECRET, or bind 127.0.0.1."
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _integer(least: int, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        number = int(text) if re.fullmatch(r"[0-9]{1,15}", text) else -1
        if not least <= number <= most:
            raise ValueError(f"a whole number from {least} to {most} is expected")
        return number

    return parse


def _choice(*words: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in words:
            raise ValueError(f"one of {', '.join(words)} is expected")
        return text

    return parse


def _matching(pattern: re.Pattern[str], expected: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if pattern.fullmatch(text) is None:
            raise ValueError(f"{expected} is expected")
        return text

    return parse


def _list_of(parse_one: Callable[[str], str]) -> Callable[[str], tuple[str, ...]]:
    return lambda text: tuple(parse_one(part.strip()) for part in text.split(",") if part.strip())


def _network(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text, strict=False))
    except ValueError:
        raise ValueError("addresses or CIDR networks are expected, separated by commas") from None


def _secret(text: str) -> str:
    if (complaint := secret_complaint(text)) is not None:
        raise ValueError(complaint.rstrip("."))
    return text


def _directory(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise ValueError("a directory is expected, and no home directory is known for its `~`") from None


def _signing_secret(text: str) -> str:
    if secret_bytes(text) is None:
        raise ValueError(
            "`whsec_` and 24 to 64 bytes in base64 are expected: `echo whsec_$(openssl rand -base64 32)`"
        )
    return text


_SECRET_FIELDS: Final = frozenset({"jwt_secret", "redis_url", "answers_secret", "answers_url"})
_base_path = _matching(_BASE_PATH, "a path like /turnfold, without a slash at its end,")
_origin = _matching(_ORIGIN, "a list of exact origins like https://app.example, separated by commas,")


def _variable(field: str, parse: Callable[[str], Any], default: str, meaning: str) -> Variable:
    return Variable(field=field, parse=parse, default=default, meaning=meaning)


VARIABLES: Final = (
    _variable("host", str, "`127.0.0.1`", "address to bind; another one than loopback needs authentication"),
    _variable("port", _integer(0, 65535), "`8420`", "port to bind; 0 takes a free one"),
    _variable("base_path", _base_path, "none", "path below which everything is served, as `/turnfold`"),
    _variable(
        "data_dir", _directory, "`~/.local/share/turnfold`", "where the embedded engine keeps its data"
    ),
    _variable(
        "redis_url",
        _matching(_REDIS_URL, "a redis://, rediss:// or unix:// address"),
        "none",
        "the Redis or Valkey server to use; without it an embedded engine is started",
    ),
    _variable(
        "partitions", _integer(1, 1024), "`1`", "number of partitions; fixed for the life of a deployment"
    ),
    _variable(
        "ack",
        _choice("memory", "fsync", "replicas"),
        "`memory`",
        "when an append counts as accepted: in memory, on disk, or on a replica",
    ),
    _variable(
        "jwt_secret", _secret, "none", "HS256 secret, at least 32 bytes; when set, every call needs a token"
    ),
    _variable(
        "allowed_origins",
        _list_of(_origin),
        "none",
        "origins of other pages that may call and open sockets; exact, separated by commas",
    ),
    _variable(
        "trusted_proxies",
        _list_of(_network),
        "none",
        "addresses or networks whose `X-Forwarded-*` headers count, separated by commas",
    ),
    _variable("max_event_bytes", _integer(1024, 256 * _MIB), "`16777216`", "largest event, in bytes"),
    _variable(
        "max_request_bytes", _integer(1024, 1024 * _MIB), "`33554432`", "largest request body, in bytes"
    ),
    _variable(
        "inline_bytes",
        _integer(1024, 16 * _MIB),
        "`16384`",
        "of a greater text the head alone travels, in bytes; `…/rows/{key}` has the rest",
    ),
    _variable(
        "flush_ms", _integer(1, 1000), "`33`", "least time between two frames of a subscription, in ms"
    ),
    _variable(
        "stale_turn_s",
        _integer(0, 31_536_000),
        "`900`",
        "silence after which an open turn is ended, in s; 0 is never",
    ),
    _variable(
        "wait_ms", _integer(1, 60_000), "`10000`", "longest wait of `wait=projected` and `min_version`, in ms"
    ),
    _variable("ready_lag_ms", _integer(1, 3_600_000), "`30000`", "lag above which `/readyz` says no, in ms"),
    _variable(
        "drain_ms",
        _integer(0, 3_600_000),
        "`10000`",
        "time for a stop, with its open requests and sockets, in ms",
    ),
    _variable(
        "drain_window_ms",
        _integer(0, 3_600_000),
        "`3000`",
        "time over which clients are told to come back after a stop, in ms",
    ),
    _variable(
        "max_unsent_bytes",
        _integer(1024, 1024 * _MIB),
        "`1048576`",
        "deltas that may wait for one socket, in bytes; above, it skips to a fresh snapshot",
    ),
    _variable(
        "slow_client_ms",
        _integer(100, 3_600_000),
        "`15000`",
        "time in which a slow client must take that snapshot, or anything, before it is closed, in ms",
    ),
    _variable(
        "log_level", _choice("debug", "info", "warning", "error"), "`info`", "least level that is logged"
    ),
    _variable(
        "log_format",
        _choice("auto", "json", "text"),
        "`auto`",
        "`json` is one object a line, `text` is for people; auto is text on a terminal, else json",
    ),
    _variable(
        "vocabulary_dir", _directory, "none", "directory of further languages of labels, and of tool names"
    ),
    _variable(
        "answers_url",
        _matching(_HTTP_URL, "an http:// or https:// address without a user and a fragment"),
        "none",
        "where answers of readers to interactions are forwarded; without it they are only shown as waiting",
    ),
    _variable(
        "answers_secret",
        _signing_secret,
        "none",
        "signs what is forwarded: `whsec_` and 24 to 64 bytes in base64; needed with `TURNFOLD_ANSWERS_URL`",
    ),
    _variable(
        "answers_timeout_ms",
        _integer(100, 60_000),
        "`10000`",
        "time for the receiver to take an answer, in ms",
    ),
)
_BY_NAME: Final = {variable.name: variable for variable in VARIABLES}
