"""Command line: what every command that speaks to a service is told of it."""

from msgspec import Struct


class Target(Struct, frozen=True, kw_only=True):
    """Which service, and how to speak to it."""

    url: str
    token: str | None
