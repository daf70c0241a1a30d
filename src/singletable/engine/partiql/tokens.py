"""NextToken: where a SELECT goes on; good only for the statement and parameters it is from.

The digest in a token keeps mistakes out, not attacks: it is no secret how it is made. What a token
may lead to is checked against the ranges that the statement reads.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from hashlib import blake2b

from singletable.errors import ValidationException
from singletable.expressions.tree import Values
from singletable.values import Item, dumps, loads

DIGEST_BYTES = 16


def write_token(statement: str, values: Values, last: Item) -> str:
    """Give the token of the page after the item with that key."""
    key = dumps(last)
    return b64encode(_digest(statement, values, key) + key).decode()


def read_token(statement: str, values: Values, token: str) -> Item:
    """Give the key that a token stands for."""
    try:
        content = b64decode(token, validate=True)
    except ValueError:
        raise invalid_token() from None
    digest, key = content[:DIGEST_BYTES], content[DIGEST_BYTES:]
    if digest != _digest(statement, values, key):
        raise invalid_token()
    return loads(key)


def invalid_token() -> ValidationException:
    """Say that a token does not belong here."""
    return ValidationException("Invalid NextToken")


def _digest(statement: str, values: Values, key: bytes) -> bytes:
    parts = b"\0".join((statement.encode(), dumps(dict(values)), key))
    return blake2b(parts, digest_size=DIGEST_BYTES).digest()
