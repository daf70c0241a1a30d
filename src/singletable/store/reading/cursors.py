"""Page cursors: opaque, URL-safe, good for one query alone.

A cursor says where a page ended, not where a query looks. The attributes of the partition key are
left out when it is made and put in from the query when it is used, so that no cursor, whoever
wrote it, leads into another partition. With a secret a cursor is signed. Without one it carries a
checksum: a changed cursor, or one of another query, is an error just the same, but somebody who
reads this file can make one, and choose with it where in their own partition a page begins.

    cursor = base64url(version | tag of 16 bytes | JSON of the keys)
"""

from __future__ import annotations

import hmac
from base64 import b64decode, b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

import orjson

from singletable.errors import InvalidCursor, UsageError
from singletable.values import AttributeValue, Item

VERSION: Final = b"\x01"
TAG_BYTES: Final = 16
# Keys of the greatest size, for a hundred shards, fit; more is not worth decoding.
CURSOR_LENGTH_MAX: Final = 1 << 20
WHOLE: Final = ""
"""The name of the one part of a query that is not scattered."""

# What may differ from page to page of one query.
_OF_ONE_PAGE: Final = {"ExclusiveStartKey", "Limit", "ReturnConsumedCapacity"}

Secret = bytes | str


@dataclass(frozen=True, slots=True)
class Position:
    """Where a page ended, by part of the query: one shard or bucket, or the whole.

    A part has the last key that was given out, without its partition key; None when nothing is
    left in it; and is absent when nothing of it was given out yet.
    """

    keys: Mapping[str, Item | None]

    def done(self, part: str = WHOLE) -> bool:
        """Say whether nothing is left in a part."""
        return part in self.keys and self.keys[part] is None

    def start_key(self, partition: Item, part: str = WHOLE) -> Item | None:
        """Give the ``ExclusiveStartKey`` of a part, in the partition that the query names."""
        key = self.keys.get(part)
        return None if key is None else {**key, **partition}


def beside(key: Item, partition: Item) -> Item:
    """Give the attributes of a key that are not the partition's."""
    return {name: value for name, value in key.items() if name not in partition}


def binding(pattern: str, request: Mapping[str, Any]) -> bytes:
    """Give the digest of what a cursor belongs to: the pattern, and its request but for the page.

    The request must be the same for every page: what depends on the time, such as a filter that
    leaves out expired items, is added to it afterwards.
    """
    kept = {name: value for name, value in request.items() if name not in _OF_ONE_PAGE}
    return sha256(_json([pattern, kept])).digest()


class Cursors:
    """Seals positions as cursors and opens them; of several secrets, the first one seals."""

    def __init__(self, secret: Secret | Sequence[Secret] | None = None) -> None:
        self._secrets = _secrets(secret)

    def seal(self, position: Position, binding: bytes) -> str:
        """Make the cursor of a position in the query that the binding stands for."""
        payload = _json(position.keys)
        return _text(VERSION + _tag(self._secrets[0], binding, payload) + payload)

    def open(self, cursor: str, binding: bytes) -> Position:
        """Give the position that a cursor was made of; raise unless it is unchanged."""
        sealed = _sealed(cursor)
        version, tag, payload = sealed[:1], sealed[1 : 1 + TAG_BYTES], sealed[1 + TAG_BYTES :]
        tags = (_tag(secret, binding, payload) for secret in self._secrets)
        if version != VERSION or not any(hmac.compare_digest(tag, right) for right in tags):
            raise refusal()
        return _position(payload)


def _secrets(given: Secret | Sequence[Secret] | None) -> tuple[bytes, ...]:
    if given is None:
        return (b"",)  # the tag is then no more than a checksum
    several = (given,) if isinstance(given, bytes | str) else given
    secrets = tuple(each.encode() if isinstance(each, str) else each for each in several)
    if not secrets or not all(secrets):
        raise UsageError(
            "The secret of the cursors is empty, so anybody could sign one. "
            "Give some random bytes, or None for cursors that are not signed."
        )
    return secrets


def _tag(secret: bytes, binding: bytes, payload: bytes) -> bytes:
    # The purpose, lest the secret signs the same bytes for another one; the length, lest bytes
    # pass from binding to payload.
    head = b"singletable cursor" + VERSION + len(binding).to_bytes(4)
    return hmac.digest(secret, head + binding + payload, "sha256")[:TAG_BYTES]


def _sealed(cursor: Any) -> bytes:
    """Decode a cursor, whatever it is that a client gave as one."""
    if not isinstance(cursor, str) or len(cursor) > CURSOR_LENGTH_MAX:
        raise refusal()
    try:
        sealed = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except ValueError as error:
        raise refusal() from error
    # Base64 is read leniently: a foreign character or a spare bit would make no difference.
    if _text(sealed) != cursor:
        raise refusal()
    return sealed


def _position(payload: bytes) -> Position:
    """Read the keys; a cursor that is not signed may hold anything."""
    try:
        parts = orjson.loads(payload).items()
        return Position({part: None if key is None else _key(key) for part, key in parts})
    except (AttributeError, ValueError) as error:
        raise refusal() from error


def _key(key: Any) -> Item:
    return {name: _value(value) for name, value in key.items()}


def _value(value: Any) -> AttributeValue:
    ((kind, content),) = value.items()
    if kind not in {"S", "N", "B"} or not isinstance(content, str):
        raise ValueError(f"{value} is not the value of a key")
    return {kind: b64decode(content, validate=True) if kind == "B" else content}


def _json(value: Any) -> bytes:
    return orjson.dumps(value, default=_base64, option=orjson.OPT_SORT_KEYS)


def _base64(binary: bytes) -> str:
    return b64encode(binary).decode()


def _text(sealed: bytes) -> str:
    return urlsafe_b64encode(sealed).rstrip(b"=").decode()


def refusal() -> InvalidCursor:
    """Give the error of a cursor that cannot be used."""
    return InvalidCursor(
        "The cursor was changed, or was made by another query or for other arguments. "
        "Pass on page.next as it is, or ask for the first page, without a cursor."
    )
