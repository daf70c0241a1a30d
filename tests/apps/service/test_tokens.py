"""Tokens: which count, and which do not."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import jwt
import orjson
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from apps.service import LocalIssuer, Tokens
from apps.service.tokens import KeysUnreachable, TokenRefused

ISSUER = LocalIssuer()
TOKENS = ISSUER.tokens


def _part(content: Any) -> bytes:
    return base64.urlsafe_b64encode(orjson.dumps(content)).rstrip(b"=")


def _claims(**more: Any) -> dict[str, Any]:
    return {
        "iss": ISSUER.issuer,
        "sub": "ann",
        "token_use": "access",
        "client_id": "local",
        "exp": int(time.time()) + 60,
        **more,
    }


def test_a_token_gives_its_claims() -> None:
    claims = TOKENS.claims(ISSUER.token("ann", **{"cognito:groups": ["admins"]}))

    assert (claims["sub"], claims["cognito:groups"]) == ("ann", ["admins"])


def test_an_id_token_names_its_client_as_the_audience() -> None:
    issuer = LocalIssuer("id")

    assert issuer.tokens.claims(issuer.token("ann"))["aud"] == "local"


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"exp": int(time.time()) - 60}, id="expired"),
        pytest.param({"iss": "https://cognito-idp.eu-west-1.amazonaws.com/other"}, id="pool"),
        pytest.param({"client_id": "another"}, id="client"),
        pytest.param({"client_id": None}, id="no client"),
        pytest.param({"client_id": None, "aud": "local"}, id="the client of an id token"),
        pytest.param({"token_use": "id", "aud": "local"}, id="swapped use"),
        pytest.param({"nbf": int(time.time()) + 86_400}, id="not yet"),
    ],
)
def test_a_token_with_other_claims_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(TokenRefused):
        TOKENS.claims(ISSUER.token("ann", **more))


@pytest.mark.parametrize("lacking", ["exp", "iss", "sub", "token_use"])
def test_a_token_without_a_claim_is_refused(lacking: str) -> None:
    claims = _claims()
    del claims[lacking]
    token = jwt.encode(claims, ISSUER._key, "RS256")

    with pytest.raises(TokenRefused, match=lacking):
        TOKENS.claims(token)


def test_an_unsigned_token_is_refused() -> None:
    token = b".".join([_part({"alg": "none", "typ": "JWT"}), _part(_claims()), b""])

    with pytest.raises(TokenRefused):
        TOKENS.claims(token.decode())


def test_a_public_key_signs_nothing() -> None:
    """HS256 with the public key as its secret: who takes the token's algorithm accepts it."""
    public = ISSUER._key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signed = b".".join([_part({"alg": "HS256", "typ": "JWT"}), _part(_claims())])
    mac = hmac.new(public, signed, hashlib.sha256).digest()
    token = signed + b"." + base64.urlsafe_b64encode(mac).rstrip(b"=")

    with pytest.raises(TokenRefused):
        TOKENS.claims(token.decode())


def test_a_key_of_somebody_else_signs_nothing() -> None:
    with pytest.raises(TokenRefused):
        TOKENS.claims(LocalIssuer().token("ann"))


@pytest.mark.parametrize("text", ["", "x", "a.b.c", "é.é.é", "." * 10_000])
def test_what_is_no_token_is_refused(text: str) -> None:
    with pytest.raises(TokenRefused):
        TOKENS.claims(text)


class Pool:
    """The key set of a user pool, served on loopback, and how often it was asked for."""

    def __init__(self) -> None:
        self.keys = {"k1": rsa.generate_private_key(public_exponent=65537, key_size=2048)}
        self.asked = 0

    def body(self) -> bytes:
        self.asked += 1
        algorithm = jwt.algorithms.RSAAlgorithm
        keys = [
            {**algorithm.to_jwk(key.public_key(), as_dict=True), "kid": kid, "use": "sig"}
            for kid, key in self.keys.items()
        ]
        return orjson.dumps({"keys": keys})

    def token(self, kid: str) -> str:
        key = self.keys.get(kid, self.keys["k1"])
        return jwt.encode(_claims(), key, "RS256", headers={"kid": kid})

    @contextmanager
    def served(self) -> Iterator[Tokens]:
        body = self.body

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body())

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=server.serve_forever).start()
        try:
            client = jwt.PyJWKClient(
                f"http://127.0.0.1:{server.server_port}/", cooldown_duration=60
            )
            yield replace(TOKENS, find_key=lambda one: client.get_signing_key_from_jwt(one).key)
        finally:
            server.shutdown()
            server.server_close()


def test_keys_of_a_pool_are_fetched_once() -> None:
    pool = Pool()
    with pool.served() as tokens:
        for _ in range(5):
            assert tokens.claims(pool.token("k1"))["sub"] == "ann"

    assert pool.asked == 1


def test_a_flood_of_unknown_keys_fetches_nothing_more() -> None:
    pool = Pool()
    with pool.served() as tokens:
        tokens.claims(pool.token("k1"))
        for n in range(50):
            with pytest.raises(TokenRefused):
                tokens.claims(pool.token(f"made-up-{n}"))

    assert pool.asked == 1


def test_keys_that_cannot_be_reached_are_no_fault_of_the_token() -> None:
    client = jwt.PyJWKClient("http://127.0.0.1:9/", timeout=1)
    tokens = replace(TOKENS, find_key=lambda one: client.get_signing_key_from_jwt(one).key)
    with pytest.raises(KeysUnreachable):
        tokens.claims(ISSUER.token("ann"))


def test_a_pool_is_asked_where_cognito_serves_its_keys() -> None:
    tokens = Tokens.of_pool("eu-west-1_Ab12", frozenset({"c"}), "access")

    assert tokens.issuer == "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Ab12"
