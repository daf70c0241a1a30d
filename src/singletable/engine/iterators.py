"""Shard iterators: a place in a shard to read from, good for 15 minutes, opaque to its holder."""

from __future__ import annotations

import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from zlib import crc32

from singletable.errors import ExpiredIteratorException, ValidationException

VALID_SECONDS = 15 * 60
_PLACE = struct.Struct(">qd")
_CHECKSUM_BYTES = 4


@dataclass(frozen=True)
class ShardIterator:
    """A position in a shard of a stream, and when it was given out."""

    stream_arn: str
    shard: str
    position: int
    issued: float

    def __str__(self) -> str:
        place = _PLACE.pack(self.position, self.issued) + self.shard.encode()
        checksum = crc32(self.stream_arn.encode() + place).to_bytes(_CHECKSUM_BYTES)
        return f"{self.stream_arn}|1|{urlsafe_b64encode(checksum + place).decode()}"

    @classmethod
    def parse(cls, text: str, now: float) -> ShardIterator:
        """Read an iterator; raise if it is not just as it was given out, or no longer good."""
        try:
            arn, _version, encoded = text.split("|")
            place = urlsafe_b64decode(encoded)[_CHECKSUM_BYTES:]
            position, issued = _PLACE.unpack_from(place)
            iterator = cls(arn, place[_PLACE.size :].decode(), position, issued)
        except (ValueError, struct.error) as error:
            raise ValidationException("Invalid ShardIterator") from error
        if str(iterator) != text:
            raise ValidationException("Invalid ShardIterator")
        if now > iterator.issued + VALID_SECONDS:
            raise ExpiredIteratorException(
                "The shard iterator has expired and can no longer be used to retrieve "
                "stream records."
            )
        return iterator
