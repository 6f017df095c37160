"""Wire stage 4, address: where a service is, and what a client may call there."""

from urllib.parse import urlsplit

import msgspec

from clients.wire.messages import SOCKET_PATH


class WireError(Exception):
    """The service cannot be followed; the message says what, where and what to do, in one line."""


class RefusedError(WireError):
    """The service answered, and does not do what was asked.

    Attributes:
        code: its name for why (`docs/problems.md`); empty where somebody else answered.
        reason: its words.
    """

    def __init__(self, url: str, code: str, reason: str) -> None:
        super().__init__(f"the service at {url}: {reason}")
        self.code = code
        self.reason = reason


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """A service, and who asks.

    Attributes:
        url: `http` or `https`, with the base path if it has one, without a slash at its end.
        token: None where the service asks for none.
    """

    url: str
    token: str | None = None

    @property
    def socket_url(self) -> str:
        """The address of its socket."""
        scheme, _, rest = self.url.partition("://")
        return f"{'wss' if scheme == 'https' else 'ws'}://{rest}{SOCKET_PATH}"

    @property
    def headers(self) -> dict[str, str]:
        """What a request needs beside its address."""
        return {"authorization": f"Bearer {self.token}"} if self.token else {}


def address_of(url: str, token: str | None = None) -> Address:
    """Read an address.

    Raises:
        WireError: it is none.
    """
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or any(char.isspace() for char in url):
        raise WireError(f"--url {url!r} is not an address: it begins with http:// or https://")
    return Address(url=url.rstrip("/"), token=token or None)
