"""AWS Signature Version 4, verified with the service's error names and texts.

Only what the protocol uses is here: signatures in the Authorization header of ``POST /``, long-term
keys, no query strings. The body is always hashed, and Host and X-Amz-Target must be among the
signed headers, so a valid signature covers everything that the request means. All that needs no
body is checked before there is one: what a stranger sends is not even read.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial

from singletable.errors import (
    IncompleteSignatureException,
    InvalidSignatureException,
    MissingAuthenticationTokenException,
    UnrecognizedClientException,
)
from singletable.server.answers import Headers

ALGORITHM = "AWS4-HMAC-SHA256"
PARTS = ("Credential", "Signature", "SignedHeaders")
SCOPE = ("date", "region", "service", "term")
DATE_FORMAT = "%Y%m%dT%H%M%SZ"
SKEW = timedelta(minutes=15)
MUST_BE_SIGNED = {"host": "'Host' or ':authority'", "x-amz-target": "'X-Amz-Target'"}


@dataclass(frozen=True, slots=True)
class Authorization:
    """What an Authorization header says."""

    access_key: str
    scope: tuple[str, ...]
    signed_headers: str
    signature: str


@dataclass(frozen=True)
class Verifier:
    """Lets in the requests that are signed with one of its access keys (id → secret)."""

    secrets: Mapping[str, str]
    clock: Callable[[], float] = time.time

    def screen(self, headers: Headers) -> Callable[[bytes], None]:
        """Check a ``POST /`` of a known key within 15 minutes; give the check of its body."""
        authorization = parse(headers)
        date = _date(headers)
        signed_at = _moment(date)
        secret = self.secrets.get(authorization.access_key)
        # These keys have no session tokens: one that is sent was issued by somebody else.
        if secret is None or b"x-amz-security-token" in headers:
            raise UnrecognizedClientException(
                "The security token included in the request is invalid."
            )
        _check_scope(authorization.scope, date)
        _check_signed_headers(authorization.signed_headers)
        self._check_time(date, signed_at)
        return partial(_check_signature, secret, authorization, date, headers)

    def _check_time(self, date: str, signed_at: datetime) -> None:
        now = datetime.fromtimestamp(self.clock(), UTC)
        if signed_at < now - SKEW:
            raise InvalidSignatureException(
                f"Signature expired: {date} is now earlier than "
                f"{now - SKEW:{DATE_FORMAT}} ({now:{DATE_FORMAT}} - 15 min.)"
            )
        if signed_at > now + SKEW:
            raise InvalidSignatureException(
                f"Signature not yet current: {date} is still later than "
                f"{now + SKEW:{DATE_FORMAT}} ({now:{DATE_FORMAT}} + 15 min.)"
            )


def take_any(headers: Headers) -> Callable[[bytes], None]:
    """Check that a request has a signature, be it whose it may."""
    parse(headers)
    return lambda _body: None


def parse(headers: Headers) -> Authorization:
    """Read the Authorization header; one that is absent or lacks a part is the service's error."""
    header = headers.get(b"authorization", b"").decode("latin-1").strip()
    if not header:
        raise MissingAuthenticationTokenException(
            "Request must contain either a valid (registered) AWS access key ID "
            "or X.509 certificate."
        )
    parts = _parts(header)
    missing = [part for part in PARTS if part not in parts]
    if missing:
        texts = [f"Authorization header requires '{part}' parameter." for part in missing]
        raise IncompleteSignatureException(" ".join([*texts, _hashed_authorization(header)]))
    algorithm = header.split(" ", 1)[0]
    if algorithm != ALGORITHM:
        raise IncompleteSignatureException(f"Unsupported AWS 'algorithm': '{algorithm}'.")
    access_key, *scope = parts["Credential"].split("/")
    return Authorization(access_key, tuple(scope), parts["SignedHeaders"], parts["Signature"])


def signature(
    secret: str, authorization: Authorization, date: str, headers: Headers, body: bytes
) -> str:
    """Compute the signature that the holder of ``secret`` would have sent."""
    names = authorization.signed_headers
    canonical_headers = "".join(
        f"{name}:{_collapsed(headers.get(name.encode('latin-1'), b''))}\n"
        for name in names.split(";")
    )
    body_hash = hashlib.sha256(body).hexdigest()
    canonical = f"POST\n/\n\n{canonical_headers}\n{names}\n{body_hash}"
    canonical_hash = hashlib.sha256(canonical.encode("latin-1")).hexdigest()
    text = f"{ALGORITHM}\n{date}\n{'/'.join(authorization.scope)}\n{canonical_hash}"
    return hmac.new(_signing_key(secret, *authorization.scope), text.encode(), "sha256").hexdigest()


def _check_signature(
    secret: str, authorization: Authorization, date: str, headers: Headers, body: bytes
) -> None:
    expected = signature(secret, authorization, date, headers, body)
    if not hmac.compare_digest(expected.encode(), authorization.signature.encode()):
        raise InvalidSignatureException(
            "The request signature we calculated does not match the signature you provided. "
            "Check your AWS Secret Access Key and signing method. "
            "Consult the service documentation for details."
        )


def _parts(header: str) -> dict[str, str]:
    """Split ``AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…``."""
    _, _, parameters = header.partition(" ")
    parts = {}
    for pair in parameters.split(","):
        name, equals, value = pair.strip().partition("=")
        if equals:
            parts[name] = value
        elif name:
            raise IncompleteSignatureException(
                f"'{name}' not a valid key=value pair (missing equal-sign) in Authorization header "
                f"(hashed with SHA-256 and encoded with Base64): '{_hash(header)}'."
            )
    return parts


def _hashed_authorization(header: str) -> str:
    return f"(Hashed with SHA-256 and encoded with Base64) Authorization={_hash(header)}"


def _hash(header: str) -> str:
    return base64.b64encode(hashlib.sha256(header.encode("latin-1")).digest()).decode()


def _date(headers: Headers) -> str:
    """Give the date that was signed: SDKs send X-Amz-Date, which goes before a Date."""
    date = (headers.get(b"x-amz-date") or headers.get(b"date", b"")).decode("latin-1")
    if not date:
        header = headers[b"authorization"].decode("latin-1")
        raise IncompleteSignatureException(
            "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
            + _hashed_authorization(header)
        )
    return date


def _moment(date: str) -> datetime:
    try:
        return datetime.strptime(date, DATE_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        raise IncompleteSignatureException(
            "Date must be in ISO-8601 'basic format'. "
            f"Got '{date}'. See http://en.wikipedia.org/wiki/ISO_8601"
        ) from None


def _check_scope(scope: tuple[str, ...], date: str) -> None:
    if len(scope) != len(SCOPE):
        raise IncompleteSignatureException(
            f"Credential must have exactly 5 slash-delimited elements, e.g. keyid/{'/'.join(SCOPE)}"
        )
    day, _, service, end = scope
    if end != "aws4_request":
        problem = (
            f"Credential should be scoped with a valid terminator: 'aws4_request', not '{end}'."
        )
    elif service != "dynamodb":
        problem = "Credential should be scoped to correct service: 'dynamodb'."
    elif day != date[:8]:
        problem = (
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date "
            f"from HTTP: '{day}' != '{date[:8]}', from '{date}'."
        )
    else:
        return
    raise InvalidSignatureException(problem)


def _check_signed_headers(names: str) -> None:
    signed = names.split(";")
    for name, shown in MUST_BE_SIGNED.items():
        if name not in signed:
            raise InvalidSignatureException(
                f"{shown} must be a 'SignedHeader' in the AWS Authorization."
            )


def _collapsed(value: bytes) -> str:
    # Split as bytes: as text, half of an "à" in UTF-8 would count as a blank.
    return b" ".join(value.split()).decode("latin-1")


@lru_cache(maxsize=64)
def _signing_key(secret: str, *scope: str) -> bytes:
    key = f"AWS4{secret}".encode()
    for part in scope:
        key = hmac.digest(key, part.encode(), "sha256")
    return key
