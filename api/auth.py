"""Edge stage: who calls, and what that caller may do (R-16, W-6).

Tokens are HS256 JSON Web Tokens signed with `TURNFOLD_JWT_SECRET`. Their claims:

* `sub`: the subject; missing is the empty subject.
* `scope`: words of `read write admin`, separated by spaces; missing is `read`. `admin` includes the others.
* `sessions`: a list of glob patterns over session ids, case-sensitive; missing is every session.
* `exp`, `nbf`: honoured to the second. A token without `exp` does not expire.

Without a secret nobody is asked and everybody may do everything; the door then answers on loopback alone.
"""

from fnmatch import fnmatchcase
from typing import Final, Literal, get_args

import jwt
import msgspec

from api.problems import Refusal
from service.settings import secret_complaint

Scope = Literal["read", "write", "admin"]

#: Far above any honest token; keeps rubbish from costing a signature check over megabytes.
MAX_TOKEN_CHARS: Final = 8 * 1024

_WHERE: Final = "header Authorization"


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """What one caller may do. `sessions` None is every session; `expires_at_s` (epoch) None is never."""

    subject: str = ""
    scopes: frozenset[Scope] = frozenset()
    sessions: tuple[str, ...] | None = None
    expires_at_s: int | None = None

    @property
    def is_admin(self) -> bool:
        """Whether admin calls are allowed."""
        return "admin" in self.scopes

    @property
    def sees_every_session(self) -> bool:
        """Whether no session pattern narrows this caller."""
        return self.sessions is None

    def covers(self, session: str) -> bool:
        """Whether the session patterns match, whatever the scopes."""
        return self.sessions is None or any(fnmatchcase(session, pattern) for pattern in self.sessions)

    def may_read(self, session: str) -> bool:
        """Whether the session may be read."""
        return self.has_scope("read") and self.covers(session)

    def may_write(self, session: str) -> bool:
        """Whether events of the session may be appended, and the session deleted."""
        return self.has_scope("write") and self.covers(session)

    def has_scope(self, scope: Scope) -> bool:
        """Whether the scope was granted, by itself or by `admin`."""
        return scope in self.scopes or "admin" in self.scopes

    def refusal(self, scope: Scope, session: str | None = None) -> Refusal | None:
        """Why a call that needs `scope` (on `session`) is refused; None when it is allowed."""
        if not self.has_scope(scope):
            return Refusal(
                code="scope_missing",
                detail=f"The call needs the scope {scope!r}; the token lacks it.",
                where=_WHERE,
            )
        if session is not None and not self.covers(session):
            return Refusal(
                code="session_forbidden",
                detail=f"The token does not cover the session {session!r}.",
                where=_WHERE,
            )
        return None


FULL_ACCESS: Final = Access(scopes=frozenset({"read", "write", "admin"}))

#: A token that was not accepted is an ordinary refusal: `token_missing`, `token_invalid` or `token_expired`.
AuthProblem = Refusal


class Authenticator:
    """Turns tokens into access; without a secret every caller has full access.

    A secret shorter than 32 bytes raises ValueError: the settings check the same bound first.
    """

    def __init__(self, secret: str | None) -> None:
        if secret is not None and (complaint := secret_complaint(secret)) is not None:
            raise ValueError(complaint)
        self._secret = secret

    @property
    def is_configured(self) -> bool:
        """Whether callers need a token."""
        return self._secret is not None

    def authenticate(self, token: str | None) -> Access | AuthProblem:
        """The access of a token (the bare token, without `Bearer`), or why it was not accepted."""
        if self._secret is None:
            return FULL_ACCESS
        if not token:
            return Refusal(code="token_missing", detail="The call carries no token.", where=_WHERE)
        if len(token) > MAX_TOKEN_CHARS:
            return _invalid(f"it is longer than {MAX_TOKEN_CHARS} characters")
        try:
            # `aud` stays verified: a token that names an audience was made for another service.
            claims = jwt.decode(token, self._secret, algorithms=["HS256"], options={"verify_iat": False})
        except jwt.ExpiredSignatureError:
            return Refusal(code="token_expired", detail="The token's time (exp) is over.", where=_WHERE)
        except (jwt.InvalidTokenError, ValueError, RecursionError) as error:
            return _invalid(str(error) or type(error).__name__)
        return _access_of(claims)

    def authenticate_header(self, authorization: str | None) -> Access | AuthProblem:
        """The access of an Authorization header's value; None stands for no header."""
        if self._secret is None:
            return FULL_ACCESS
        if authorization is None:
            return self.authenticate(None)
        scheme, _, token = authorization.strip().partition(" ")
        if scheme.lower() != "bearer":
            return Refusal(
                code="token_missing",
                detail="The Authorization header is not of the Bearer scheme.",
                where=_WHERE,
            )
        return self.authenticate(token.strip())


class _Claims(msgspec.Struct, frozen=True):
    sub: str = ""
    scope: str = "read"
    sessions: tuple[str, ...] | None = None
    exp: int | float | None = None


def _access_of(claims: dict[str, object]) -> Access | AuthProblem:
    try:
        said = msgspec.convert(claims, _Claims)
    except msgspec.ValidationError as error:
        return _invalid(f"a claim has the wrong type: {error}")
    words = frozenset(said.scope.split())
    scopes: frozenset[Scope] = frozenset(scope for scope in get_args(Scope) if scope in words)
    return Access(
        subject=said.sub,
        scopes=scopes,
        sessions=said.sessions,
        expires_at_s=None if said.exp is None else int(said.exp),
    )


def _invalid(reason: str) -> Refusal:
    return Refusal(code="token_invalid", detail=f"The token was not accepted: {reason}.", where=_WHERE)
