"""Structured logs on stderr (R-15): key and value, never a message body or a token.

Tracebacks show lines of our code alone: the usual pretty form prints local variables, and those hold messages.
"""

import logging
import sys

import structlog

_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def start_logging(level: str) -> None:
    """Send structured logs to stderr: readable on a terminal, else one JSON object a line.

    Args:
        level: the least level that is logged: `debug`, `info`, `warning` or `error`.
    """
    is_terminal = sys.stderr.isatty()
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
        if is_terminal
        else structlog.processors.JSONRenderer(sort_keys=True)
    )
    structured: list[structlog.typing.Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if not is_terminal:
        structured.append(structlog.processors.format_exc_info)
    structlog.configure(
        processors=[*structured, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
