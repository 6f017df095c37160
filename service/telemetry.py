"""Structured logs on stderr (R-15): key and value, never a message body or a token.

1. Every record has `timestamp` (UTC, ISO 8601), `level` and `event`, which names what happened and never changes;
   the other fields of each event stand in docs/operations.md.
2. A traceback shows lines of our code and what the error says, never the values that a frame held: the usual
   pretty form prints local variables, and those hold messages.
3. What libraries log (warnings and errors) goes the same way, under the event `library`.
"""

import logging
import sys
from typing import Literal

import structlog

LogFormat = Literal["auto", "json", "text"]
_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def start_logging(level: str, form: LogFormat = "auto") -> None:
    """Send structured logs to stderr.

    Args:
        level: the least level that is logged: `debug`, `info`, `warning` or `error`.
        form: `json`, one object a line; `text`, for people, with colours on a terminal; `auto`: text on a
            terminal, else json.
    """
    is_terminal = sys.stderr.isatty()
    is_text = form == "text" or (form == "auto" and is_terminal)
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer(colors=is_terminal, exception_formatter=structlog.dev.plain_traceback)
        if is_text
        else structlog.processors.JSONRenderer(sort_keys=True)
    )
    structured: list[structlog.typing.Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if not is_text:
        structured.append(structlog.processors.format_exc_info)
    structlog.configure(
        processors=[*structured, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    logging.basicConfig(handlers=[_Forwarding()], level=max(_LEVELS[level], logging.WARNING), force=True)


class _Forwarding(logging.Handler):
    """Turns a record of the standard library's logging into one of ours (rule 3)."""

    def emit(self, record: logging.LogRecord) -> None:
        structlog.get_logger(record.name).log(
            record.levelno,
            "library",
            logger=record.name,
            message=record.getMessage(),
            exc_info=record.exc_info or None,
        )
