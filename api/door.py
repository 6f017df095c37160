"""Edge stage: who is let in at all, decided from the head of a request alone (W-8).

Pure: a `Knock` (the parts of an ASGI scope that matter) and the `DoorRules` go in, a `Refusal` or None comes
out. HTTP requests and WebSocket handshakes pass the same door.

1. Without authentication the service answers to a loopback Host only. A page elsewhere that points its own
   name at 127.0.0.1 (DNS rebinding) still sends that name as Host, and is refused.
2. The Host that was really sent counts for rule 1, and the forwarded one too: a rebound page may add any
   X-Forwarded-Host, and its request comes from a trusted loopback address.
3. A write, and every handshake, that says its Origin must come from the service's own or an allowed one.
4. A write says JSON, NDJSON or MessagePack. No HTML form and no request without a preflight can say that.
5. Forwarded headers count only from a trusted proxy's address.
"""

import ipaddress
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from api.problems import Refusal

JSON_TYPES: Final = frozenset({"application/json"})
NDJSON_TYPES: Final = frozenset(
    {"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"}
)
MSGPACK_TYPES: Final = frozenset(
    {
        "application/msgpack",
        "application/x-msgpack",
        "application/vnd.msgpack",
        "application/vnd.turnfold+msgpack",
    }
)
_WRITE_TYPES: Final = JSON_TYPES | NDJSON_TYPES | MSGPACK_TYPES
_METHODS_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
_READ_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_HTTP_SCHEMES: Final = {"ws": "http", "wss": "https"}
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~%!$&'()*+,;=-]+)(?::([0-9]{1,5}))?")
_ORIGIN = re.compile(r"(https?)://([^/?#@\s]+)")

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_Site = tuple[str, str, int]


class DoorRules(msgspec.Struct, frozen=True, kw_only=True):
    """What the deployment decided. `trusted_proxies`: addresses or CIDR networks; `base_path`: "" or "/x"."""

    loopback_only: bool
    allowed_origins: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    base_path: str = ""


class Knock(msgspec.Struct, frozen=True, kw_only=True):
    """The head of one request. `method` is None for a handshake; `hosts` are all Host headers, as they came.

    `seen_host` and `scheme` are what the client saw: behind a trusted proxy, what that forwarded.
    """

    method: str | None
    scheme: str
    hosts: tuple[str, ...]
    seen_host: str
    origins: tuple[str, ...]
    content_types: tuple[str, ...] = ()
    content_encoding: str = ""
    has_body: bool = False
    asks_preflight: bool = False


def knock_of(scope: Mapping[str, Any], rules: DoorRules) -> Knock:
    """The knock of an ASGI scope of type `http` or `websocket`; never raises on what a client sent."""
    headers = _header_lists(scope["headers"])
    is_socket = scope["type"] == "websocket"
    hosts = headers.get("host", ())
    scheme = str(scope.get("scheme", "http"))
    seen_host = hosts[0] if hosts else ""
    if _is_trusted(scope.get("client"), rules.trusted_proxies):
        scheme = _last_said(headers.get("x-forwarded-proto", ())) or scheme
        seen_host = _last_said(headers.get("x-forwarded-host", ())) or seen_host
    length = headers.get("content-length", ("0",))[0]
    return Knock(
        method=None if is_socket else str(scope["method"]),
        scheme=_HTTP_SCHEMES.get(scheme, scheme),
        hosts=hosts,
        seen_host=seen_host,
        origins=headers.get("origin", ()),
        content_types=headers.get("content-type", ()),
        content_encoding=",".join(headers.get("content-encoding", ())),
        has_body="transfer-encoding" in headers or length.strip() != "0",
        asks_preflight="access-control-request-method" in headers,
    )


def refusal(rules: DoorRules, knock: Knock) -> Refusal | None:
    """Why this request is not let in; None lets it in."""
    return _host_refusal(rules, knock) or _origin_refusal(rules, knock) or _content_refusal(knock)


def is_preflight(knock: Knock) -> bool:
    """Whether this is a CORS preflight, which a browser sends without a token."""
    return knock.method == "OPTIONS" and knock.asks_preflight and bool(knock.origins)


def cors_origin(rules: DoorRules, knock: Knock) -> str | None:
    """The Origin that may read the answer from its page, as it was sent; None for none."""
    if len(knock.origins) != 1 or not _is_allowed_origin(rules, knock, knock.origins[0]):
        return None
    return knock.origins[0]


def path_below(rules: DoorRules, path: str) -> str | None:
    """The path below the base path, beginning with a slash; None when it lies outside."""
    if not rules.base_path:
        return path
    if path == rules.base_path:
        return "/"
    return path.removeprefix(rules.base_path) if path.startswith(rules.base_path + "/") else None


def media_type_of(content_type: str) -> str:
    """The bare media type of a Content-Type value, in lower case."""
    return content_type.partition(";")[0].strip().lower()


def is_loopback_host(host: str) -> bool:
    """Whether a Host value (any port) names this machine's loopback: 127.0.0.0/8, localhost or [::1]."""
    match = _HOST.fullmatch(host)
    if match is None:
        return False
    name = match[1].lower()
    return name == "localhost" or is_loopback_address(name.strip("[]"))


def is_loopback_address(address: str) -> bool:
    """Whether a bare address, or the name localhost, binds loopback alone."""
    parsed = _parse_address(address)
    return address == "localhost" if parsed is None else parsed.is_loopback


def _host_refusal(rules: DoorRules, knock: Knock) -> Refusal | None:
    if len(knock.hosts) > 1:
        return Refusal(
            code="bad_request", detail="The request has several Host headers.", where="header Host"
        )
    if not rules.loopback_only:
        return None
    for host in (*(knock.hosts or ("",)), knock.seen_host):
        if not is_loopback_host(host):
            named = repr(host[:128]) if host else "no Host at all"
            return Refusal(
                code="host_not_allowed",
                detail=f"No authentication is configured, and the request names {named}.",
                where="header Host",
            )
    return None


def _origin_refusal(rules: DoorRules, knock: Knock) -> Refusal | None:
    is_plain_read = knock.method in _READ_METHODS and not is_preflight(knock)
    if is_plain_read or not knock.origins or cors_origin(rules, knock) is not None:
        return None
    return Refusal(
        code="origin_not_allowed",
        detail=f"The origin {knock.origins[0][:128]!r} is neither the service's own nor an allowed one.",
        where="header Origin",
    )


def _content_refusal(knock: Knock) -> Refusal | None:
    writes = knock.method is not None and knock.method not in _READ_METHODS
    if not writes or not (knock.method in _METHODS_WITH_BODY or knock.has_body):
        return None
    if knock.content_encoding.strip().lower() not in ("", "identity"):
        return Refusal(
            code="content_type_unsupported",
            detail=f"The body is encoded as {knock.content_encoding[:64]!r}; it must be plain.",
            where="header Content-Encoding",
        )
    said = knock.content_types[0] if len(knock.content_types) == 1 else ""
    if media_type_of(said) in _WRITE_TYPES and _charset_of(said) in ("", "utf-8", "utf8"):
        return None
    return Refusal(
        code="content_type_unsupported",
        detail=f"The content type {said[:128]!r} is not accepted."
        if said
        else "The request names no content type.",
        where="header Content-Type",
    )


def _charset_of(content_type: str) -> str:
    for parameter in content_type.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip('"').lower()
    return ""


def _is_allowed_origin(rules: DoorRules, knock: Knock, origin: str) -> bool:
    if origin in rules.allowed_origins:
        return True
    site = _site(origin)
    return site is not None and site == _site(f"{knock.scheme}://{knock.seen_host}")


def _site(url: str) -> _Site | None:
    """Scheme, host and port of an origin; None for what is none, the origin `null` included."""
    match = _ORIGIN.fullmatch(url)
    host = _HOST.fullmatch(match[2]) if match else None
    if match is None or host is None:
        return None
    port = int(host[2]) if host[2] else _DEFAULT_PORTS[match[1]]
    return match[1], host[1].lower(), port


def _header_lists(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, tuple[str, ...]]:
    headers: dict[str, tuple[str, ...]] = {}
    for name, value in pairs:
        key = name.decode("latin-1").lower()
        headers[key] = (*headers.get(key, ()), value.decode("latin-1"))
    return headers


def _last_said(values: tuple[str, ...]) -> str:
    """The last of a forwarded list: the one that the trusted proxy itself added."""
    return ",".join(values).rpartition(",")[2].strip()


def _is_trusted(client: Any, proxies: tuple[str, ...]) -> bool:
    address = _parse_address(str(client[0])) if client else None
    return address is not None and any(address in network for network in map(_network, proxies))


def _network(text: str) -> _Network:
    return ipaddress.ip_network(text, strict=False)


def _parse_address(text: str) -> _Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
