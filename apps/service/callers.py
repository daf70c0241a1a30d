"""Who calls: the subject of a verified token, and what else it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from .problems import Problem
from .tokens import KeysUnreachable, TokenRefused, Tokens


@dataclass(frozen=True, slots=True)
class AnyCaller:
    """Somebody with a token that counts."""

    subject: str
    claims: Mapping[str, Any] = field(default_factory=dict)

    @property
    def email(self) -> str:
        """Give the address that the user pool has verified, so that nobody takes another's."""
        if self.claims.get("email_verified") not in {True, "true"} or not self.claims.get("email"):
            raise Problem(403, "The token names no address that was verified")
        return str(self.claims["email"])

    @property
    def groups(self) -> frozenset[str]:
        """Name the groups of the user pool that the caller is in."""
        return frozenset(self.claims.get("cognito:groups", ()))


_bearer = HTTPBearer(auto_error=False, bearerFormat="JWT", description="A token of Cognito.")


def _caller(
    request: Request,
    given: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
) -> AnyCaller:
    if given is None:
        raise Problem(401, "A token is needed: Authorization: Bearer …")
    tokens: Tokens = request.app.state.service.tokens
    try:
        claims = tokens.claims(given.credentials)
    except KeysUnreachable as error:
        raise Problem(503, str(error)) from error
    except TokenRefused as error:
        raise Problem(401, f"The token does not count: {error}") from error
    caller = AnyCaller(claims["sub"], claims)
    request.app.state.service.rates.take(caller.subject)
    return caller


Caller = Annotated[AnyCaller, Depends(_caller)]
