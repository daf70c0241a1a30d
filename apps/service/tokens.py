"""Tokens of a Cognito user pool, verified; and an issuer of tokens for development."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import uuid4

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

Use = Literal["access", "id"]

LEEWAY_S = 10
LIFETIME_S = 3600
KEYS_LIFETIME_S = 3600.0
FETCH_S = 3
REFETCH_S = 60.0
"""A token may name a key that is not known yet; keys are fetched for that so often at most."""


class TokenRefused(Exception):
    """Says why a token does not count."""


class KeysUnreachable(Exception):
    """Nobody can tell now whether a token counts."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Verifies tokens of one issuer, made for one of our clients, for one use."""

    issuer: str
    clients: frozenset[str]
    use: Use
    find_key: Callable[[str], Any]
    """Gives the public key that a token names."""

    @classmethod
    def of_pool(cls, pool: str, clients: frozenset[str], use: Use) -> Tokens:
        """Verify tokens of a user pool of Cognito, such as ``eu-west-1_Ab12``."""
        region = pool.partition("_")[0]
        issuer = f"https://cognito-idp.{region}.amazonaws.com/{pool}"
        keys = jwt.PyJWKClient(
            f"{issuer}/.well-known/jwks.json",
            lifespan=KEYS_LIFETIME_S,
            cooldown_duration=REFETCH_S,
            timeout=FETCH_S,
        )
        return cls(issuer, clients, use, lambda token: keys.get_signing_key_from_jwt(token).key)

    def claims(self, token: str) -> dict[str, Any]:
        """Give what a token says, or raise ``TokenRefused``."""
        try:
            # The algorithm is ours, never the token's, or a public key could sign by HS256.
            claims: dict[str, Any] = jwt.decode(
                token,
                self.find_key(token),
                algorithms=["RS256"],
                issuer=self.issuer,
                leeway=LEEWAY_S,
                options={"require": ["exp", "iss", "sub", "token_use"], "verify_aud": False},
            )
        except jwt.PyJWKClientConnectionError as error:
            raise KeysUnreachable("The keys of the user pool cannot be reached") from error
        except jwt.PyJWTError as error:
            raise TokenRefused(str(error)) from error
        self._check_use(claims)
        return claims

    def _check_use(self, claims: dict[str, Any]) -> None:
        """An ID token names its client as the audience, an access token as the client."""
        if claims["token_use"] != self.use:
            raise TokenRefused(f"this is a token of use {claims['token_use']}, not {self.use}")
        client = claims.get("aud" if self.use == "id" else "client_id")
        if not isinstance(client, str) or client not in self.clients:
            raise TokenRefused("the token was made for another client")


@dataclass(frozen=True, slots=True)
class LocalIssuer:
    """Makes tokens for development, with a key that lives as long as the process."""

    use: Use = "access"
    issuer: str = "urn:local-issuer"
    client: str = "local"
    _key: RSAPrivateKey = field(
        default_factory=lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048)
    )

    def token(self, subject: str, **claims: Any) -> str:
        """Make a token of a user; claims that Cognito would have are filled in."""
        now = int(time.time())
        client = {"aud" if self.use == "id" else "client_id": self.client}
        whole = {
            "iss": self.issuer, "sub": subject, "token_use": self.use, "jti": str(uuid4()),
            "iat": now, "exp": now + LIFETIME_S, **client, **claims,
        }  # fmt: skip
        return jwt.encode(whole, self._key, "RS256", headers={"kid": "local"})

    @property
    def tokens(self) -> Tokens:
        """Verify what was made here, by the rules that hold for Cognito's."""
        public = self._key.public_key()
        return Tokens(self.issuer, frozenset({self.client}), self.use, lambda _: public)
