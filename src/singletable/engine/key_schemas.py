"""Key schemas: which attributes make a key, what their values may be, and the bytes of it.

A row's key is one order-preserving string of bytes: a hash of the partition key (so that a scan
goes in an order of no meaning, and segments are ranges), the partition key, the sort key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal, NamedTuple
from zlib import crc32

from singletable.values import AttributeValue, key_bytes, read_key_text, value_size
from singletable.values.keys import END

HASHES = 2**31
"""How many hashes of partition keys there are; the bytes of none begin above 0x7f."""

AFTER_HASH = 4
"""Where in the bytes of a key the partition key begins."""

HASH_BYTES_MAX = 2048
RANGE_BYTES_MAX = 1024
USUAL_LENGTH_MAX = 64
"""Four key attributes of so many characters, of four bytes each, keep to every limit."""


class KeyAttribute(NamedTuple):
    """An attribute of a key and its type: S, N or B."""

    name: str
    kind: str


@dataclass(frozen=True)
class KeySchema:
    """The attributes that make a partition key and a sort key."""

    hash: tuple[KeyAttribute, ...]
    range: tuple[KeyAttribute, ...] = ()

    @classmethod
    def from_document(cls, elements: list[dict[str, str]], kinds: Mapping[str, str]) -> KeySchema:
        """Read DynamoDB's KeySchema with the types of the attribute definitions."""

        def of(key_type: str) -> tuple[KeyAttribute, ...]:
            names = [e["AttributeName"] for e in elements if e["KeyType"] == key_type]
            return tuple(KeyAttribute(name, kinds[name]) for name in names)

        return cls(of("HASH"), of("RANGE"))

    @cached_property
    def attributes(self) -> tuple[KeyAttribute, ...]:
        """Give partition and sort key attributes, in order."""
        return self.hash + self.range

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Give the names of all key attributes, in order."""
        return tuple(name for name, _ in self.attributes)

    @cached_property
    def hash_names(self) -> tuple[str, ...]:
        """Give the names of the partition key attributes."""
        return tuple(name for name, _ in self.hash)

    @cached_property
    def range_names(self) -> tuple[str, ...]:
        """Give the names of the sort key attributes."""
        return tuple(name for name, _ in self.range)

    def partition(self, values: Mapping[str, AttributeValue]) -> bytes:
        """Encode the partition key: what all rows of the item collection begin with."""
        encoded = b"".join([key_bytes(values[name]) for name in self.hash_names])
        return _hashed(encoded) + encoded

    def read_partition(self, key: bytes) -> tuple[str, ...]:
        """Read the texts of the partition key off a row's key; none where it is in no partition."""
        texts: list[str] = []
        at = AFTER_HASH
        for _, kind in self.hash if len(key) > at else ():
            text, at = read_key_text(kind, key, at)
            texts.append(text)
        return tuple(texts)

    def encode(self, values: Mapping[str, AttributeValue]) -> bytes:
        """Encode the whole key."""
        return self.encode_usual(values) or self.encode_unusual(values)

    @cached_property
    def encode_usual(self) -> Callable[[Mapping[str, AttributeValue]], bytes | None]:
        """Encode a key if it is whole and of short texts, as nearly every key is, in one walk.

        Whatever else a key may be, right or wrong, None leaves it to others to check and encode.
        """
        if any(kind != "S" for _, kind in self.attributes):
            return _none_is_usual
        if len(self.hash) == len(self.range) == 1:
            return partial(_encode_pair, self.hash_names[0], self.range_names[0])
        return partial(_encode_texts, self.hash_names, self.range_names)

    def encode_unusual(self, values: Mapping[str, AttributeValue]) -> bytes:
        """Encode a whole key of any values."""
        encoded = b"".join([key_bytes(values[name]) for name in self.range_names])
        return self.partition(values) + encoded

    def admits(self, item: Mapping[str, AttributeValue]) -> bool:
        """Tell whether the item has every key attribute, neither empty nor too large."""
        longest = 0
        for name, kind in self.attributes:
            content = item[name].get(kind) if name in item else None
            if not content:
                return False
            longest = max(longest, len(content))
        return longest <= USUAL_LENGTH_MAX or self.too_large(item) is None

    def too_large(self, item: Mapping[str, AttributeValue]) -> Literal["HASH", "RANGE"] | None:
        """Tell which part of the key, as far as the item has it, is larger than it may be."""
        if _size(self.hash_names, item) > HASH_BYTES_MAX:
            return "HASH"
        return "RANGE" if _size(self.range_names, item) > RANGE_BYTES_MAX else None


def _none_is_usual(_values: Mapping[str, AttributeValue]) -> None:
    return None


def _encode_pair(first: str, second: str, values: Mapping[str, AttributeValue]) -> bytes | None:
    """Encode a key of one text for the partition and one to sort by, as most keys are."""
    partition: str
    sort: str
    try:
        partition, sort = values[first]["S"], values[second]["S"]
    except KeyError:
        return None
    if (
        not 0 < len(partition) <= USUAL_LENGTH_MAX
        or not 0 < len(sort) <= USUAL_LENGTH_MAX
        or "\0" in partition
        or "\0" in sort
    ):
        return None
    encoded = partition.encode() + END
    return _hashed(encoded) + encoded + sort.encode() + END


def _encode_texts(
    hash_names: tuple[str, ...], range_names: tuple[str, ...], values: Mapping[str, AttributeValue]
) -> bytes | None:
    """Encode a key of any number of texts."""
    parts = []
    for name in (*hash_names, *range_names):
        text = values[name].get("S") if name in values else None
        if not text or len(text) > USUAL_LENGTH_MAX or "\0" in text:
            return None
        parts.append(text.encode() + END)
    partition = b"".join(parts[: len(hash_names)])
    return _hashed(partition) + partition + b"".join(parts[len(hash_names) :])


def _size(names: tuple[str, ...], item: Mapping[str, AttributeValue]) -> int:
    return sum(value_size(item[name]) for name in names if name in item)


def _hashed(partition: bytes) -> bytes:
    """Hash a partition key; the multiplication spreads the checksums of keys that are alike."""
    return ((crc32(partition) * 0x9E3779B1 & 0xFFFFFFFF) >> 1).to_bytes(4, "big")
