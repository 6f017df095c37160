"""The door: which requests are let in, from their head alone (W-8)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.door import (
    DoorRules,
    cors_origin,
    is_loopback_host,
    is_preflight,
    knock_of,
    path_below,
    refusal,
)
from api.problems import KIND_BY_CODE

LOOPBACK = DoorRules(loopback_only=True)
OPEN = DoorRules(loopback_only=False, allowed_origins=("https://app.example", "chrome-extension://abc"))
PROXIED = DoorRules(loopback_only=False, trusted_proxies=("10.0.0.0/8",))


def scope(
    method: str | None = "GET", *, client: str = "127.0.0.1", scheme: str = "", **headers: str
) -> dict[str, Any]:
    """An ASGI scope; header names in arguments have underscores for dashes; method None is a handshake."""
    named = {"host": "localhost:8420", **headers}
    pairs = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in named.items()]
    kind = "websocket" if method is None else "http"
    return {
        "type": kind,
        "method": method,
        "scheme": scheme or ("ws" if method is None else "http"),
        "headers": pairs,
        "client": (client, 1),
    }


def code_of(rules: DoorRules, asked: dict[str, Any]) -> str | None:
    """The code of the refusal, None where the door opens."""
    refused = refusal(rules, knock_of(asked, rules))
    return None if refused is None else refused.code


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:1", "127.0.0.1", "127.9.8.7:8420", "[::1]", "[::1]:8420", "localhost:65535"],
)
def test_loopback_host_is_served_without_authentication(host: str) -> None:
    """127.0.0.0/8, localhost and [::1], at any port."""
    assert is_loopback_host(host)
    assert code_of(LOOPBACK, scope(host=host)) is None


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "0.0.0.0",
        "128.0.0.1",
        "[::]",
        "[::2]",
        "localhost:1:2",
        "localhost@evil.example",
        "127.0.0.1 ",
        "localhost/",
        "::1",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", None])
def test_other_host_is_refused_without_authentication(host: str, method: str | None) -> None:
    """A name that was rebound to 127.0.0.1 is still another name, for requests and handshakes alike."""
    assert code_of(LOOPBACK, scope(method, host=host, content_type="application/json")) == "host_not_allowed"


def test_rebound_page_cannot_forward_a_loopback_host() -> None:
    """A page may add X-Forwarded-Host and comes from a trusted loopback address: the real Host counts too."""
    rules = DoorRules(loopback_only=True, trusted_proxies=("127.0.0.1",))
    assert code_of(rules, scope(host="evil.example", x_forwarded_host="localhost")) == "host_not_allowed"
    assert code_of(rules, scope(host="localhost", x_forwarded_host="public.example")) == "host_not_allowed"


def test_two_host_headers_are_refused() -> None:
    """Two readers could disagree on which one counts."""
    asked = scope()
    asked["headers"].append((b"host", b"localhost"))
    assert code_of(OPEN, asked) == "bad_request"


@pytest.mark.parametrize("method", ["POST", "DELETE", None])
@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost:1", "https://localhost:8420", ""]
)
def test_write_or_handshake_from_a_foreign_origin_is_refused(method: str | None, origin: str) -> None:
    """Another scheme, host or port is another origin; so is `null`."""
    asked = scope(method, origin=origin, content_type="application/json")
    assert code_of(LOOPBACK, asked) == "origin_not_allowed"


@pytest.mark.parametrize("method", ["POST", "DELETE", None])
def test_own_origin_is_let_in(method: str | None) -> None:
    """The page that the service itself serves may write and open sockets."""
    assert (
        code_of(LOOPBACK, scope(method, origin="http://localhost:8420", content_type="application/json"))
        is None
    )


def test_default_port_is_the_same_origin() -> None:
    """http://localhost is http://localhost:80."""
    assert (
        code_of(
            LOOPBACK,
            scope("POST", host="localhost:80", origin="http://localhost", content_type="application/json"),
        )
        is None
    )


@pytest.mark.parametrize("origin", ["https://app.example", "chrome-extension://abc"])
def test_allowed_origin_is_let_in_and_may_read_answers(origin: str) -> None:
    """TURNFOLD_ALLOWED_ORIGINS governs writes, sockets and CORS."""
    asked = scope("POST", host="svc.example", origin=origin, content_type="application/json")
    assert code_of(OPEN, asked) is None
    assert cors_origin(OPEN, knock_of(asked, OPEN)) == origin


@pytest.mark.parametrize(
    "origin", ["https://app.example.evil", "http://app.example", "https://app.example:444", "*"]
)
def test_origin_list_is_exact(origin: str) -> None:
    """No prefix, no other scheme, no other port, no wildcard."""
    asked = scope("POST", host="svc.example", origin=origin, content_type="application/json")
    assert code_of(OPEN, asked) == "origin_not_allowed"


def test_foreign_origin_may_ask_but_its_page_may_not_read() -> None:
    """A read changes nothing; without CORS headers the browser keeps the answer from the page."""
    asked = scope("GET", origin="http://evil.example")
    assert code_of(LOOPBACK, asked) is None
    assert cors_origin(LOOPBACK, knock_of(asked, LOOPBACK)) is None


def test_preflight_of_a_foreign_origin_is_refused() -> None:
    """And that of an allowed one is recognised."""
    foreign = scope("OPTIONS", origin="http://evil.example", access_control_request_method="POST")
    assert code_of(LOOPBACK, foreign) == "origin_not_allowed"
    own = scope("OPTIONS", origin="http://localhost:8420", access_control_request_method="POST")
    assert code_of(LOOPBACK, own) is None
    assert is_preflight(knock_of(own, LOOPBACK))


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "Application/JSON; charset=UTF-8",
        "application/x-ndjson",
        "application/jsonl",
        "application/msgpack",
        "application/x-msgpack",
    ],
)
def test_write_with_a_known_content_type_is_let_in(content_type: str) -> None:
    """JSON, NDJSON and MessagePack, under their common names."""
    assert code_of(LOOPBACK, scope("POST", content_type=content_type)) is None


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json, text/plain",
        "application/json; charset=utf-16",
        "text/plain; application/json",
        "",
    ],
)
def test_write_with_a_form_content_type_is_refused(content_type: str) -> None:
    """What an HTML form or a request without preflight can send is no write."""
    assert code_of(LOOPBACK, scope("POST", content_type=content_type)) == "content_type_unsupported"


def test_write_without_a_content_type_or_with_a_compressed_body_is_refused() -> None:
    """Both are 415; a DELETE without a body needs no type."""
    assert code_of(LOOPBACK, scope("POST")) == "content_type_unsupported"
    zipped = scope("POST", content_type="application/json", content_encoding="gzip")
    assert code_of(LOOPBACK, zipped) == "content_type_unsupported"
    assert code_of(LOOPBACK, scope("DELETE")) is None
    assert code_of(LOOPBACK, scope("DELETE", content_length="3")) == "content_type_unsupported"


def test_forwarded_headers_count_from_a_trusted_proxy_alone() -> None:
    """The origin seen by the reader is the proxy's; anyone else's claim is ignored."""
    forwarded = {
        "x_forwarded_proto": "https",
        "x_forwarded_host": "chat.example",
        "content_type": "application/json",
    }
    asked = scope("POST", client="10.1.2.3", host="inner:8420", origin="https://chat.example", **forwarded)
    assert code_of(PROXIED, asked) is None
    stranger = scope(
        "POST", client="192.0.2.1", host="inner:8420", origin="https://chat.example", **forwarded
    )
    assert code_of(PROXIED, stranger) == "origin_not_allowed"


def test_base_path_is_a_whole_path_segment() -> None:
    """/turnfold does not begin /turnfoldx."""
    rules = DoorRules(loopback_only=True, base_path="/turnfold")
    assert path_below(rules, "/turnfold") == "/"
    assert path_below(rules, "/turnfold/v1/sessions") == "/v1/sessions"
    assert path_below(rules, "/turnfoldx/v1") is None
    assert path_below(rules, "/v1/sessions") is None
    assert path_below(LOOPBACK, "/v1/sessions") == "/v1/sessions"


any_header = st.binary(max_size=40)


@given(
    host=any_header,
    origin=any_header,
    content_type=any_header,
    forwarded=any_header,
    method=st.sampled_from(["GET", "POST", "DELETE", "OPTIONS", None]),
)
def test_rubbish_headers_give_a_verdict(
    host: bytes, origin: bytes, content_type: bytes, forwarded: bytes, method: str | None
) -> None:
    """Whatever bytes a client sends, the door answers with a code of the table or opens; it never raises."""
    asked = scope(method)
    asked["headers"] = [
        (b"Host", host),
        (b"origin", origin),
        (b"content-type", content_type),
        (b"x-forwarded-host", forwarded),
        (b"x-forwarded-proto", forwarded),
        (b"content-length", forwarded),
    ]
    for rules in (LOOPBACK, OPEN, DoorRules(loopback_only=True, trusted_proxies=("127.0.0.1",))):
        code = code_of(rules, asked)
        assert code is None or code in KIND_BY_CODE
