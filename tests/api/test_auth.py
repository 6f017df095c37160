"""Tokens: who calls, and what that caller may do (R-16)."""

import time
from typing import Any

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.auth import FULL_ACCESS, Access, Authenticator
from api.problems import Refusal
from service.settings import MIN_SECRET_BYTES, secret_complaint

SECRET = "s" * MIN_SECRET_BYTES
KEEPER = Authenticator(SECRET)


def token(secret: str = SECRET, algorithm: str = "HS256", **claims: Any) -> str:
    """A signed token of these claims."""
    return jwt.encode(claims, secret, algorithm=algorithm)


def access(**claims: Any) -> Access:
    """The access that a token of these claims gives."""
    found = KEEPER.authenticate(token(**claims))
    assert isinstance(found, Access), found
    return found


def code(found: Access | Refusal) -> str:
    """The code of a refusal."""
    assert isinstance(found, Refusal), found
    return found.code


def test_without_a_secret_everybody_may_do_everything() -> None:
    """No authentication configured: no token is looked at."""
    assert Authenticator(None).authenticate(None) == FULL_ACCESS
    assert Authenticator(None).authenticate_header("Bearer rubbish") == FULL_ACCESS


def test_token_without_claims_reads_every_session_and_does_nothing_else() -> None:
    """A missing scope is read, missing sessions are all."""
    found = access(sub="ada")
    assert found.subject == "ada"
    assert found.may_read("s1")
    assert not found.may_write("s1")
    assert not found.is_admin


def test_scopes_are_words() -> None:
    """`write` alone does not read; `admin` includes both; unknown words mean nothing."""
    assert not access(scope="write").may_read("s1")
    assert access(scope="write").may_write("s1")
    assert access(scope="admin").may_read("s1")
    assert access(scope="admin").may_write("s1")
    assert not access(scope="admins readwrite").may_read("s1")


def test_session_patterns_bound_every_scope() -> None:
    """Globs over the whole id, case-sensitive, for reads and writes alike."""
    found = access(scope="read write", sessions=["team-a:*", "one"])
    assert found.may_read("team-a:7")
    assert found.may_write("one")
    assert not found.may_read("team-b:7")
    assert not found.may_read("Team-a:7")
    assert not found.may_read("ones")
    assert not access(sessions=[]).may_read("s1")


def test_refusal_names_the_scope_or_the_session() -> None:
    """What is missing is said, so that the caller can get it."""
    found = access(scope="read", sessions=["a*"])
    assert found.refusal("read", "a1") is None
    assert code(found.refusal("write", "a1") or found) == "scope_missing"
    assert code(found.refusal("read", "b1") or found) == "session_forbidden"


def test_expired_token_says_so() -> None:
    """exp is honoured, and told apart from a wrong token: a client can refresh."""
    assert code(KEEPER.authenticate(token(exp=int(time.time()) - 1))) == "token_expired"
    assert access(exp=int(time.time()) + 60).expires_at_s is not None


@pytest.mark.parametrize(
    "wrong",
    [
        token(secret="x" * 32),
        token(algorithm="HS512", secret="s" * 64),
        jwt.encode({"scope": "admin"}, None, algorithm="none"),
        token(nbf=int(time.time()) + 600),
        token(aud="another service"),
        token(scope=["read"]),
        token(sessions="*"),
        token(sessions=[1]),
        "a.b.c",
        "rubbish",
        "x" * 100_000,
    ],
)
def test_wrong_token_is_refused(wrong: str) -> None:
    """Another key or algorithm, `none`, too early, another audience, claims of a wrong type, rubbish."""
    assert code(KEEPER.authenticate(wrong)) == "token_invalid"


@pytest.mark.parametrize("header", [None, "", "Basic abc", "Bearer", "Bearer "])
def test_call_without_a_bearer_token_is_refused(header: str | None) -> None:
    """Every call needs one when a secret is set."""
    assert code(KEEPER.authenticate_header(header)) == "token_missing"


def test_bearer_scheme_is_case_insensitive() -> None:
    """RFC 9110: schemes are."""
    assert isinstance(KEEPER.authenticate_header(f"bearer  {token(sub='a')}"), Access)


def test_short_secret_is_refused_with_the_reason() -> None:
    """Below 32 bytes, HS256 is weaker than its digest; the message names the variable and a remedy."""
    complaint = secret_complaint("short")
    assert complaint is not None
    assert "TURNFOLD_JWT_SECRET" in complaint
    assert "openssl" in complaint
    assert secret_complaint("é" * 16) is None
    with pytest.raises(ValueError, match="at least 32"):
        Authenticator("short")


@given(
    st.one_of(
        st.text(max_size=300),
        st.from_regex(r"[A-Za-z0-9_=-]{0,40}\.[A-Za-z0-9_=-]{0,40}\.[A-Za-z0-9_=-]{0,40}"),
    )
)
def test_rubbish_token_is_a_refusal(rubbish: str) -> None:
    """Whatever stands in the header, the answer is a refusal and never an exception."""
    assert code(KEEPER.authenticate(rubbish)) in ("token_missing", "token_invalid")
