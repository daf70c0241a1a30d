"""The forms that values take inside the library: those of boto3's low-level client."""

from __future__ import annotations

from typing import Any

AttributeValue = dict[str, Any]
"""One key, the type (S, N, B, BOOL, NULL, SS, NS, BS, L, M), and the content; B is raw bytes."""

Item = dict[str, AttributeValue]


class CanonicalItem(dict[str, AttributeValue]):
    """An item, or the values of a request, known to be canonical; never change it."""

    __slots__ = ("data", "size")

    data: bytes
    """The stored form."""
    size: int
