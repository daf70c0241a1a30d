"""Signatures of webhooks, as the Standard Webhooks specification has them.

Signed is ``id.timestamp.body``, by HMAC-SHA256 with a secret that sender and receiver share. While
a secret is replaced there are two: the sender signs with both, and the receiver takes either.
"""

from __future__ import annotations

import hmac
import re
import secrets as randomness
import time
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from typing import Final, Protocol

from singletable.errors import SingletableError, UsageError

PREFIX: Final = "whsec_"
VERSION: Final = "v1"
ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
TOLERANCE_S: Final = 300
_SECRET_BYTES: Final = range(24, 65)
_SECONDS: Final = re.compile(r"[0-9]{1,12}")


class Headers(Protocol):
    """What web frameworks and dictionaries have in common."""

    def items(self) -> Iterable[tuple[str, str]]:
        """Give names, in any case, and values."""
        ...


class NotAuthentic(SingletableError):
    """A webhook was not signed by who knows the secret, or too long ago."""


def new_secret() -> str:
    """Make a secret for one sender and one receiver."""
    return PREFIX + b64encode(randomness.token_bytes(32)).decode()


def keys_of(secrets: str | Sequence[str]) -> list[bytes]:
    """Read secrets; an error never shows one."""
    given = [secrets] if isinstance(secrets, str) else list(secrets)
    if not given:
        raise UsageError("A webhook needs a secret to be signed with: new_secret() makes one")
    return [_key(secret) for secret in given]


def signed(keys: Sequence[bytes], message_id: str, timestamp: int, body: bytes) -> str:
    """Sign a message with each key: what the header says."""
    made = (_signature(key, message_id, str(timestamp), body) for key in keys)
    return " ".join(f"{VERSION},{signature}" for signature in made)


def verify(
    headers: Headers,
    body: bytes,
    secrets: str | Sequence[str],
    *,
    tolerance_s: float = TOLERANCE_S,
) -> str:
    """Give the id of a webhook that was received, if it is authentic and new.

    ``body`` is what came, byte for byte; a webhook that comes twice has the same id. Raises
    ``NotAuthentic``.
    """
    keys = keys_of(secrets)
    told = {name.lower(): value for name, value in headers.items()}
    missing = [name for name in (ID, TIMESTAMP, SIGNATURE) if not told.get(name)]
    if missing:
        raise NotAuthentic(f"The request has no {' and no '.join(missing)}")
    timestamp = told[TIMESTAMP]
    if not _SECONDS.fullmatch(timestamp):
        raise NotAuthentic(f"{TIMESTAMP} is no number of seconds")
    if abs(time.time() - int(timestamp)) > tolerance_s:
        raise NotAuthentic(f"{TIMESTAMP} is more than {tolerance_s:g} s away from now")
    expected = [_signature(key, told[ID], timestamp, body).encode() for key in keys]
    if not _any_equal(expected, told[SIGNATURE]):
        raise NotAuthentic(f"{SIGNATURE} was made with another secret, or for another message")
    return told[ID]


def _any_equal(expected: Sequence[bytes], header: str) -> bool:
    """Compare in a time that does not tell how much of a signature was right."""
    signatures = (part.partition(",") for part in header.split(" "))
    told = [_encoded(signature) for version, _, signature in signatures if version == VERSION]
    return any(hmac.compare_digest(one, two) for one in expected for two in told)


def _signature(key: bytes, message_id: str, timestamp: str, body: bytes) -> str:
    content = _encoded(f"{message_id}.{timestamp}.") + body
    return b64encode(hmac.digest(key, content, "sha256")).decode()


def _encoded(header: str) -> bytes:
    """Encode what anybody may have sent: it must not raise."""
    return header.encode(errors="surrogatepass")


def _key(secret: str) -> bytes:
    try:
        key = b64decode(secret.removeprefix(PREFIX), validate=True)
    except ValueError:
        key = b""
    if not secret.startswith(PREFIX) or len(key) not in _SECRET_BYTES:
        raise UsageError(
            f'The secret of a webhook is "{PREFIX}" and 24 to 64 bytes in base64: new_secret() '
            "makes one"
        )
    return key
