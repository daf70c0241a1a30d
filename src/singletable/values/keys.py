"""Order-preserving bytes of key values.

Each encoding ends by itself and none is a prefix of another, so that encodings put one behind the
other order as the tuple of values does. Strings order by their UTF-8 bytes, numbers as numbers.
"""

from __future__ import annotations

from base64 import b64encode

from .numbers import number_key, read_number_key
from .types import AttributeValue

END = b"\x00\x00"


def key_bytes(value: AttributeValue) -> bytes:
    """Encode a key value (S, N or B)."""
    return number_key(value["N"]) if "N" in value else key_prefix(value) + END


def key_prefix(value: AttributeValue) -> bytes:
    """Encode the beginning of a string or binary key value, for ``begins_with``."""
    raw: bytes = value["S"].encode() if "S" in value else value["B"]
    return raw.replace(b"\x00", b"\x00\xff") if b"\x00" in raw else raw


def read_key_text(kind: str, encoded: bytes, at: int) -> tuple[str, int]:
    """Give the text of a key value whose bytes begin there, in base64 if binary; and their end."""
    if kind == "N":
        return read_number_key(encoded, at)
    end = encoded.index(END, at)  # within a value a zero byte has another behind it
    raw = encoded[at:end].replace(b"\x00\xff", b"\x00")
    return raw.decode() if kind == "S" else b64encode(raw).decode(), end + len(END)


def after(prefix: bytes) -> bytes:
    """Give the least bytes above everything that begins with the prefix."""
    trimmed = prefix.rstrip(b"\xff")
    return trimmed[:-1] + bytes([trimmed[-1] + 1])
